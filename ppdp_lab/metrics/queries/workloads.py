"""Random count queries: by the width of their ranges, or by the share of records that they select."""

from __future__ import annotations

import numpy as np

from ppdp_lab.errors import ParameterError, check_choice, check_integer, check_number
from ppdp_lab.metrics.queries.answers import true_counts
from ppdp_lab.metrics.queries.conditions import Queries
from ppdp_lab.table import Microdata
from ppdp_lab.table.domain import SET

RANGE, VALUE, ANY = "range", "value", "any"


def queries_by_width(
    table: Microdata, theta: float, n: int = 10_000, *, sensitive: str = RANGE, seed: int = 0
) -> Queries:
    """Random ranges that cover a share theta of every domain: the workload of the m-Distinct paper [1]_.

    Parameters
    ----------
    table : Microdata
    theta : float
        The paper's theta in (0, 1]. Each range holds theta * |domain| values, rounded, and at least one (the paper's strict
        inequalities, read to the letter, would hold one less), and lies anywhere with equal chance. Leaves of a hierarchy
        lie in the hierarchy's order; of unordered values a random set is taken.
    n : int
        Number of queries.
    sensitive : {"range", "value", "any"}
        Sensitive attributes get a range too, one random value, or no condition.
    seed : int
        The same seed gives the same queries.

    References
    ----------
    .. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": range(20, 30)}), pl.Schema("age"))
    >>> queries = queries_by_width(table, 0.3, n=2, seed=1)
    >>> queries.words(0), queries.words(1)
    ('age in {21, 22, 23}', 'age in {27, 28, 29}')
    """
    theta = check_number("theta", theta, above=0, at_most=1)
    draw = _Ranges(table, n, sensitive, seed, around=False)
    return draw.queries(np.full(n, theta))


def queries_by_selectivity(
    table: Microdata,
    selectivity: float,
    n: int = 1_000,
    *,
    sensitive: str = VALUE,
    aim: str = "table",
    seed: int = 0,
) -> Queries:
    """Random ranges that select a given share of the records: the workload of the equivalence paper [1]_.

    Parameters
    ----------
    table : Microdata
    selectivity : float
        Share of the records, in (0, 1], that a query is to select.
    n : int
        Number of queries.
    sensitive : {"value", "range", "any"}
        Sensitive attributes get one value (so Definition 8 of [1]_), a range, or no condition.
    aim : {"table", "domain"}
        How to get there; [1]_ does not say. ``"table"``: around a random record, and with its sensitive value, ranges grow
        by the same share of every domain until they select as nearly that share of the table as they can; so no
        query is empty. ``"domain"``: ranges lie anywhere and have the width that selects that share if records are spread
        evenly over all domains, |A| * s^(1/d) values for d attributes as in [2]_; what they truly select differs widely.
    seed : int
        The same seed gives the same queries.

    References
    ----------
    .. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011,
       Definition 8 and section VII.
    .. [2] X. Xiao, Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> table = pl.Microdata(pd.DataFrame({"age": range(20, 60)}), pl.Schema("age"))
    >>> pl.metrics.true_counts(table, queries_by_selectivity(table, 0.25, n=3)).tolist()
    [10, 10, 10]
    """
    selectivity = check_number("selectivity", selectivity, above=0, at_most=1)
    check_choice("aim", aim, ("table", "domain"))
    draw = _Ranges(table, n, sensitive, seed, around=aim == "table")
    if aim == "domain":
        return draw.queries(np.full(n, draw.even_width(selectivity)))

    target = selectivity * len(table)
    narrow, wide = np.zeros(n), np.ones(n)
    for _ in range(int(np.ceil(np.log2(sum(map(len, table.domains.values()))))) + 3):
        middle = (narrow + wide) / 2
        few = true_counts(table, draw.queries(middle)) < target
        narrow, wide = np.where(few, middle, narrow), np.where(few, wide, middle)
    miss = [np.abs(true_counts(table, draw.queries(width)) - target) for width in (narrow, wide)]
    return draw.queries(np.where(miss[0] < miss[1], narrow, wide))


class _Ranges:
    """For each query a range per attribute, which only grows with its width if it is drawn around a record."""

    def __init__(self, table: Microdata, n: int, sensitive: str, seed: int, *, around: bool) -> None:
        if not isinstance(table, Microdata) or len(table) == 0:
            raise ParameterError(f"queries are made from a ppdp_lab.Microdata with records, not from {table!r}")
        self.table, self.around = table, around
        self.n = check_integer("n", n, at_least=1, at_most=10**7)
        check_choice("sensitive", sensitive, (RANGE, VALUE, ANY))
        self.fixed = {name: sensitive for name in table.schema.sensitive if sensitive != RANGE}
        chance = np.random.default_rng(check_integer("seed", seed, at_least=0))
        record = chance.integers(0, len(table), n)
        self.centre: dict[str, np.ndarray] = {}
        self.place: dict[str, np.ndarray] = {}
        self.turn: dict[str, np.ndarray] = {}  # when each value of an unordered domain gets its turn
        for name, domain in table.domains.items():
            self.centre[name] = table.codes(name)[record] if around else chance.integers(0, len(domain), n)
            self.place[name] = chance.random(n)
            if domain.kind == SET and name not in self.fixed:
                keys = chance.random((n, len(domain)))
                keys[np.arange(n), self.centre[name]] = -1
                self.turn[name] = np.argsort(np.argsort(keys, axis=1), axis=1)

    def even_width(self, selectivity: float) -> float:
        """Width per attribute at which evenly spread records are selected with this share."""
        values = [len(self.table.domains[name]) for name, how in self.fixed.items() if how == VALUE]
        most = 1 / float(np.prod(values)) if values else 1.0
        if selectivity > most:
            raise ParameterError(
                f"one sensitive value selects {most:.2%} of evenly spread records, so a selectivity of {selectivity:g} is "
                f"out of reach; lower it or use sensitive='range'"
            )
        return float((selectivity / most) ** (1 / (len(self.table.domains) - len(self.fixed))))

    def queries(self, width: np.ndarray) -> Queries:
        """Ranges that cover a share ``width`` of each domain."""
        members = {}
        for name, domain in self.table.domains.items():
            size, how = len(domain), self.fixed.get(name)
            code = np.arange(size)
            held = np.clip(np.floor(width * size + 0.5), 1, size).astype(np.int64)
            if how == ANY:
                members[name] = np.ones((self.n, size), dtype=bool)
            elif how == VALUE:
                members[name] = self.centre[name][:, None] == code
            elif name in self.turn:
                members[name] = self.turn[name] < held[:, None]
            else:
                if self.around:
                    low = np.clip(self.centre[name] - np.floor(self.place[name] * held).astype(int), 0, size - held)
                else:
                    low = np.floor(self.place[name] * (size - held + 1)).astype(int)
                members[name] = (low[:, None] <= code) & (code < (low + held)[:, None])
        return Queries.of_members(self.table, members)
