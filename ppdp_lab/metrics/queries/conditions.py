"""Count queries: on each attribute a set of values, asked of a table or of a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError, SchemaError, check_integer, check_list, check_number, listed
from ppdp_lab.registry import cut, few_names
from ppdp_lab.table import Domain, Microdata, Sets
from ppdp_lab.table.domain import ORDERED


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

    def over(self, domains: Sequence[Domain]) -> Queries:
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
