"""Count queries: on each attribute a set of values, asked of a table or of a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError, SchemaError, check_choice, check_integer, check_list, check_number, listed
from ppdp_lab.release import Release
from ppdp_lab.release.answers import count_selected
from ppdp_lab.release.forms import Feature, Published
from ppdp_lab.table import Domain, Microdata, Sets
from ppdp_lab.table.domain import ORDERED, SET
from ppdp_lab.text import cut, few_names


@dataclass(frozen=True, eq=False)
class Queries:
    """Count queries over one table's attributes: how many records have a selected value on every attribute?

    Random ones come from :func:`queries_by_width` and :func:`queries_by_selectivity`, written ones from :meth:`of`.

    Attributes
    ----------
    qi, sensitive : tuple of Sets
        Selected values per quasi-identifier and per sensitive attribute, one row per query.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> queries = Queries.of(table, [{"age": (25, 45)}, {"age": (0, 99), "illness": ["flu", "HIV"]}])
    >>> queries.words(0), queries.words(1)
    ('age in {30, 40}', 'illness in {HIV, flu}')
    """

    qi: tuple[Sets, ...]
    sensitive: tuple[Sets, ...]

    def __len__(self) -> int:
        return len(self.columns[0].bits)

    def __repr__(self) -> str:
        return cut(f"<{len(self)} count queries on {few_names(column.domain.name for column in self.columns)}>")

    @property
    def columns(self) -> tuple[Sets, ...]:
        """Selected values of all attributes, quasi-identifiers first."""
        return self.qi + self.sensitive

    def take(self, rows: Any) -> Queries:
        """The queries at some positions, or of a mask."""
        if not isinstance(rows, slice):
            rows = check_list("rows", rows)
            mask = rows.dtype == bool and len(rows) == len(self)
            inside = not len(rows) or (rows.dtype.kind in "iu" and rows.min() >= 0 and rows.max() < len(self))
            if not mask and not inside:
                raise ParameterError(f"rows must be a mask of {len(self)} entries, or positions 0 to {len(self) - 1}")
            rows = rows if mask else rows.astype(np.int64)
        return Queries(tuple(c.take(rows) for c in self.qi), tuple(c.take(rows) for c in self.sensitive))

    def words(self, i: int) -> str:
        """One query as text; attributes without a condition are left out."""
        check_integer("the number of a query", i, at_least=0, at_most=len(self) - 1)
        parts = []
        for column in (c.take(np.array([i])) for c in self.columns):
            if column.leaf_counts()[0] < len(column.domain):
                parts.append(f"{column.domain.name} in {{{', '.join(column.domain.labels[column.members()[0]])}}}")
        return " and ".join(parts) or "every record"

    def recode(self, domains: Sequence[Domain]) -> Queries:
        """The same queries asked of a table over these domains; refuses other attributes, or values unknown here."""
        mine = [column.domain for column in self.columns]
        if [d.name for d in mine] != [d.name for d in domains]:
            raise SchemaError(
                f"the queries ask for {listed(d.name for d in mine)}, but the table has {listed(d.name for d in domains)}; "
                f"make the queries from a table with the same schema"
            )
        if all(a is b for a, b in zip(mine, domains)):
            return self
        columns = []
        for column, domain in zip(self.columns, domains):
            where = domain.map_to(column.domain)
            if column.domain.kind != domain.kind or (where < 0).any():
                raise SchemaError(
                    f"the queries were made for other values of {domain.name!r} than this table's; make them from this table, "
                    f"or from one that has all of its values"
                )
            columns.append(Sets(domain, pack(column.members()[:, where])))
        return Queries(tuple(columns[: len(self.qi)]), tuple(columns[len(self.qi) :]))

    @classmethod
    def of(cls, table: Microdata, conditions: Iterable[Mapping[str, Any]]) -> Queries:
        """Queries written out, one dictionary each: attribute to condition.

        A tuple ``(low, high)`` selects the values of an ordered attribute between them, both included; a text selects
        that value, or the leaves below that node of a hierarchy; any other value itself; a list or set its members. An
        attribute that is not named has no condition.
        """
        check_table(table, "queries are about")
        if (
            isinstance(conditions, Mapping)
            or not isinstance(conditions, Iterable)
            or getattr(conditions, "shape", 1) == ()
        ):
            raise ParameterError(
                f"queries are a list of dictionaries, not {type(conditions).__name__}; put a single one into a list"
            )
        asked = list(conditions)
        if not asked:
            raise ParameterError("no queries: give at least one dictionary of conditions")
        members = {name: np.ones((len(asked), len(domain)), dtype=bool) for name, domain in table.domains.items()}
        for i, query in enumerate(asked):
            if not isinstance(query, Mapping):
                raise ParameterError(f"query {i} must be a dictionary of attribute to condition, not {query!r}")
            for name, condition in query.items():
                if name not in members:
                    raise SchemaError(f"query {i} asks for {name!r}; the table has {listed(table.domains)}")
                members[name][i] = _selected(condition, table.domains[name])
                if not members[name][i].any():
                    raise ParameterError(f"query {i} selects no value of {name!r}: {condition!r}")
        return cls.of_members(table, members)

    @classmethod
    def of_members(cls, table: Microdata, members: Mapping[str, np.ndarray]) -> Queries:
        """Queries from a boolean matrix per attribute: queries by codes of the domain."""
        check_table(table, "queries are about")
        if not isinstance(members, Mapping):
            raise ParameterError(f"members must be a dictionary of attribute to matrix, not {type(members).__name__}")
        if set(members) != set(table.domains):
            raise SchemaError(f"members are given for {listed(members)}; the table has {listed(table.domains)}")
        matrices = {name: _matrix(name, chosen) for name, chosen in members.items()}
        n = len(next(iter(matrices.values())))
        for name, chosen in matrices.items():
            if np.shape(chosen) != (n, len(table.domains[name])):
                raise ParameterError(
                    f"members of {name!r} have shape {np.shape(chosen)}, not {(n, len(table.domains[name]))}: one row per query, "
                    f"one column per value"
                )
        columns = {name: Sets(table.domains[name], pack(chosen)) for name, chosen in matrices.items()}
        return cls(
            tuple(columns[name] for name in table.schema.quasi_identifiers),
            tuple(columns[name] for name in table.schema.sensitive),
        )


def check_table(table: object, what: str) -> None:
    """Refuse what is no table."""
    if not isinstance(table, Microdata):
        raise ParameterError(f"{what} a ppdp_lab.Microdata, not {type(table).__name__}; wrap the frame first")


def pack(members: np.ndarray) -> np.ndarray:
    """Rows of booleans as rows of 64-bit words.

    >>> pack(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    wide = np.zeros((len(members), (members.shape[1] + 63) // 64 * 64), dtype=bool)
    wide[:, : members.shape[1]] = members
    return np.packbits(wide, axis=1, bitorder="little").view(np.uint64)


def _matrix(name: str, chosen: Any) -> np.ndarray:
    """A boolean matrix, or a refusal."""
    try:
        matrix = np.asarray(chosen)
    except ValueError:  # lists of different lengths
        matrix = np.empty(())
    if matrix.ndim != 2 or matrix.dtype != bool:
        raise ParameterError(f"members of {name!r} must be a matrix of True and False: one row per query")
    return matrix


def _selected(condition: Any, domain: Domain) -> np.ndarray:
    """Which codes of a domain a written condition selects."""
    if isinstance(condition, tuple):
        return _between(condition, domain)
    several = (
        isinstance(condition, (list, set, frozenset, np.ndarray, pd.Series)) and getattr(condition, "shape", 1) != ()
    )
    values = condition if several else [condition]
    chosen = np.zeros(len(domain), dtype=bool)
    for value in values:
        try:
            chosen[domain.code_of(value)] = True
        except KeyError:
            tree = domain.hierarchy
            if tree is None or str(value) not in tree.labels:
                raise ParameterError(f"{value!r} is no value of {domain.name!r}") from None
            node = tree.node(str(value))
            chosen[tree.low[node] : tree.high[node] + 1] = True
    return chosen


def _between(ends: tuple[Any, ...], domain: Domain) -> np.ndarray:
    """Which codes lie in a range: of numbers or dates by what they are, of ordered categories by their order."""
    if len(ends) != 2:
        raise ParameterError(f"a range of {domain.name!r} is a pair (low, high), not {ends!r}")
    low: Any
    high: Any
    line = pd.Index(domain.values.tolist() if domain.values.dtype == object else domain.values)
    try:
        if domain.kind == ORDERED and domain.positions is None:
            low, high = (domain.code_of(end) for end in ends)
            codes = np.arange(len(domain))
            return (low <= codes) & (codes <= high)
        if isinstance(line, pd.DatetimeIndex):
            low, high = map(pd.Timestamp, ends)
        elif isinstance(line, pd.TimedeltaIndex):
            low, high = map(pd.Timedelta, ends)
        elif pd.api.types.is_numeric_dtype(line.dtype) and not pd.api.types.is_bool_dtype(line.dtype):
            low, high = (check_number(f"end of a range of {domain.name!r}", end) for end in ends)
        else:
            raise ParameterError(f"{domain.name!r} is not ordered, so {ends!r} is no range of it; use a list of values")
        return np.append((line >= low) & (line <= high), [False] * domain.missing)
    except (KeyError, TypeError):
        raise ParameterError(
            f"{ends!r} is no range of {domain.name!r}: it takes two of its own kind of value"
        ) from None


# --------------------------------------------------------------------
# Answers to count queries: exact ones from a table, estimates from what was published.


def true_counts(table: Microdata, queries: Queries) -> np.ndarray:
    """How many records of a table each query selects.

    Parameters
    ----------
    table : Microdata
    queries : Queries
        Made from this table, or from one that shares its domains.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> true_counts(table, Queries.of(table, [{"age": (25, 45)}, {"age": (25, 45), "illness": "flu"}])).tolist()
    [2, 1]
    """
    _check_queries(queries)
    check_table(table, "true counts come from")
    queries = queries.recode((*table.qi_domains, *table.sensitive_domains))
    return count_selected(np.concatenate([table.qi_codes, table.sensitive_codes]), queries.columns)


def estimates(published: Published | Release, queries: Queries) -> np.ndarray:
    """How many records each query is expected to select, to a reader of what was published.

    *Generalized*: the records of a group are taken to be spread evenly over the values of its box, whatever their sensitive
    values; so a group adds the share of its box that the query selects times its rows with a selected sensitive value
    [1]_. *Anatomized*: quasi-identifiers are exact, so a group adds its selected rows times the share of its selected
    sensitive values [2]_. Counterfeits are left out by the published statistics: of a group of n rows with f
    counterfeits, every row counts (n - f) / n.

    Parameters
    ----------
    published : Published or Release
        Of a release only its published side is looked at.
    queries : Queries

    References
    ----------
    .. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008.
    .. [2] X. Xiao, Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006.

    Examples
    --------
    >>> import pandas as pd, ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 60], "illness": ["flu", "flu", "cold", "HIV"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="illness"))
    >>> queries = Queries.of(table, [{"age": (25, 45)}, {"age": (25, 45), "illness": "cold"}])
    >>> estimates(pl.Release(table, np.array([0, 0, 1, 1])), queries).tolist()
    [2.0, 0.5]
    """
    _check_queries(queries)
    if isinstance(published, Release):
        published = published.published()
    if not isinstance(published, Published):
        raise ParameterError(f"estimates need a Release or what it published, not {type(published).__name__}")
    queries = queries.recode((*published.qi_domains, *published.sensitive_domains))
    published.require("a count query", (Feature.ANSWERS,))
    return published.answer(queries)


def _check_queries(queries: object) -> None:
    if not isinstance(queries, Queries):
        raise ParameterError(
            f"queries must be metrics.Queries, not {type(queries).__name__}; make them with Queries.of, "
            f"queries_by_width or queries_by_selectivity"
        )


# --------------------------------------------------------------------
# Random count queries: by the width of their ranges, or by the share of records that they select.


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
        rng = np.random.default_rng(check_integer("seed", seed, at_least=0))
        record = rng.integers(0, len(table), n)
        self.centre: dict[str, np.ndarray] = {}
        self.place: dict[str, np.ndarray] = {}
        self.turn: dict[str, np.ndarray] = {}  # when each value of an unordered domain gets its turn
        for name, domain in table.domains.items():
            self.centre[name] = table.codes(name)[record] if around else rng.integers(0, len(domain), n)
            self.place[name] = rng.random(n)
            if domain.kind == SET and name not in self.fixed:
                keys = rng.random((n, len(domain)))
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
