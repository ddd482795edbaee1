"""Microdata: a table as integer codes, with the roles and domains of its columns."""

from __future__ import annotations

import hashlib
import reprlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdp_lab import pages
from ppdp_lab.errors import (
    DroppedColumnsWarning,
    IdError,
    MissingValueError,
    ParameterError,
    SchemaError,
    check_choice,
    check_list,
    check_values,
    listed,
)
from ppdp_lab.table.checks import check_codes
from ppdp_lab.table.domain import Domain
from ppdp_lab.table.grouping import Grouping, group
from ppdp_lab.table.hierarchy import Hierarchy
from ppdp_lab.table.schema import DROP, GAPS, REFUSE, Schema, _names
from ppdp_lab.text import counted, cut, few_names

if TYPE_CHECKING:
    pass


MOST_VALUES, MOST_COLUMNS, MOST_LETTERS = 5, 25, 40
MOST_COUNTED = 20


def table_html(table: Microdata) -> str:
    """One line per column: role, kind, number of values, and which; of sensitive ones the most frequent, unless none is."""
    schema = table.schema
    rows: list[tuple[object, ...]] = [(d.name, "quasi-identifier", d.type, len(d), _range(d)) for d in table.qi_domains]
    for domain, totals in zip(table.sensitive_domains, table.totals()):
        if domain.positions is not None and len(domain) > MOST_COUNTED:  # of so many numbers none is frequent
            rows.append((domain.name, "sensitive", domain.type, len(domain), _range(domain)))
            continue
        order = np.argsort(-totals, kind="stable")
        common = [f"{_name(domain, v)} {totals[v] / max(totals.sum(), 1):.0%}" for v in order[:MOST_VALUES]]
        rows.append((domain.name, "sensitive", domain.type, len(domain), _some(common, len(domain))))
    rows += [(name, "identifier", "", "", "never published") for name in schema.identifiers]
    if len(rows) > MOST_COLUMNS:  # then what is sensitive comes first: it must not be among those that are left out
        rows.sort(key=lambda row: row[1] != "sensitive")
    columns = pages.table(("column", "role", "holds", "values", "which"), rows, limit=MOST_COLUMNS)
    return pages.card(f"Microdata of {counted(len(table), 'record')} ({table.provenance})", columns)


def _range(domain: Domain) -> str:
    if domain.hierarchy is not None:
        return f"hierarchy, nodes per level {'-'.join(map(str, domain.hierarchy.level_sizes()))}"
    if domain.kind == "ordered" and domain.known > 1:
        return f"{_name(domain, 0)} to {_name(domain, domain.known - 1)}" + (" or (missing)" if domain.missing else "")
    return _some([_name(domain, code) for code in range(min(MOST_VALUES, len(domain)))], len(domain))


def _name(domain: Domain, code: int) -> object:
    """A value in a few letters: numbers without their last digits, long texts without their ends."""
    if domain.hierarchy is None and code < domain.known and isinstance(domain.values[code], float):
        return pages.readable(domain.values[code])
    return pages.shortened(str(domain.labels[code]), MOST_LETTERS)


def _some(shown: Sequence[object], count: int) -> str:
    rest = count - len(shown)
    return ", ".join(map(str, shown)) + (f" and {rest} more" if rest > 0 else "")


# --------------------------------------------------------------------
# Microdata: a table of persons, coded once, that everything else works on.


class Microdata:
    """A table of persons with roles, hierarchies and stable ids.

    Every quasi-identifier and sensitive column is kept as small integer codes over a :class:`Domain`; a selection shares
    the domains of its parent, so codes mean the same in every snapshot of a series.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a person. Columns that the schema does not name are dropped, with a warning.
    schema : Schema
    hierarchies : dict of str to Hierarchy, optional
        For quasi-identifiers that are generalized along a tree, and for sensitive columns whose values are compared by
        one. Without a hierarchy, numbers, dates and ordered categories are generalized to ranges and text to sets.
    ids : array-like, optional
        A unique id per row, stable over a series of tables; the frame's index unless given. Ids never leave. One table may
        have ids of any kind that can be hashed. A publisher needs whole numbers or text, which it can save; categories count
        as the values they stand for. Text with NUL characters raises an IdError.
    provenance : str
        Where the rows come from; figures repeat it.
    missing : {"refuse", "value", "category", "drop"}
        What to do with missing cells of quasi-identifiers and sensitive columns. ``"value"`` publishes them as ``(missing)``,
        a value beside the known ones: a column of numbers or dates stays one. As a sensitive value it protects nobody; rules
        such as l-diversity judge a class by its known values. With ``"category"`` it counts as any other value. ``"drop"``
        leaves such rows out.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [34, 51, 29], "disease": ["flu", "flu", "HIV"]})
    >>> table = Microdata(frame, Schema("age", sensitive="disease"))
    >>> table
    <Microdata of 3 records: age | disease (own data)>
    >>> table.select(table.codes("age") > 0).frame
       age disease
    0   34     flu
    1   51     flu
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        schema: Schema,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        ids: Any = None,
        *,
        provenance: str = "own data",
        missing: str = REFUSE,
    ) -> None:
        check_choice("missing", missing, GAPS)
        if not isinstance(frame, pd.DataFrame):
            raise ParameterError(f"frame must be a pandas DataFrame, not {type(frame).__name__}")
        if not isinstance(schema, Schema):
            raise ParameterError(f"schema must be a ppdp_lab.Schema, not {type(schema).__name__}")
        dropped = schema.check_columns(frame.columns)
        if dropped:
            warnings.warn(
                f"dropped column(s) {listed(dropped)}: the schema does not name them",
                DroppedColumnsWarning,
                stacklevel=2,
            )
        if len(frame) == 0:
            raise SchemaError("the frame has no rows; there is nothing to anonymize")
        if missing == DROP:
            frame, ids = _complete(frame, list(schema.quasi_identifiers + schema.sensitive), ids)
        if hierarchies is not None and not isinstance(hierarchies, Mapping):
            raise ParameterError(
                f"hierarchies must be a dictionary {{column: ppdp_lab.Hierarchy}}, not {type(hierarchies).__name__}"
            )
        hierarchies = dict(hierarchies or {})
        coded = schema.quasi_identifiers + schema.sensitive
        stray = [name for name in hierarchies if name not in coded]
        if stray:
            raise SchemaError(
                f"hierarchies given for {listed(stray)}, which are neither quasi-identifiers nor sensitive"
            )
        for name, hierarchy in hierarchies.items():
            if not isinstance(hierarchy, Hierarchy):
                raise ParameterError(
                    f"the hierarchy of {name!r} must be a ppdp_lab.Hierarchy, not {type(hierarchy).__name__}"
                )
        self.schema = schema
        self.hierarchies = hierarchies
        self.provenance = provenance
        self.missing = missing
        self.ids = _unique_ids(frame.index if ids is None else ids, len(frame))
        self.identifiers = frame[list(schema.identifiers)].set_axis(self.ids)
        self.domains: dict[str, Domain] = {}
        codes: dict[str, np.ndarray] = {}
        for name in coded:
            self.domains[name], codes[name] = Domain.of(
                frame[name], hierarchies.get(name), schema.domains.get(name), missing=missing
            )
        self.qi_codes = np.array([codes[name] for name in schema.quasi_identifiers], dtype=np.int32)
        self.sensitive_codes = np.empty((len(schema.sensitive), len(frame)), dtype=np.int32)
        for i, name in enumerate(schema.sensitive):
            self.sensitive_codes[i] = codes[name]

    # ------------------------------------------------------------------ looking at it
    def __len__(self) -> int:
        return self.qi_codes.shape[1]

    @property
    def qi_domains(self) -> tuple[Domain, ...]:
        """Domains of the quasi-identifiers, in schema order."""
        return tuple(map(self.domains.__getitem__, self.schema.quasi_identifiers))

    @property
    def sensitive_domains(self) -> tuple[Domain, ...]:
        """Domains of the sensitive columns, in schema order."""
        return tuple(map(self.domains.__getitem__, self.schema.sensitive))

    def codes(self, name: str) -> np.ndarray:
        """Codes of one quasi-identifier or sensitive column."""
        if not isinstance(name, str):
            raise SchemaError(
                f"a column is named by text, not by {reprlib.repr(name)}; there are {listed(self.domains)}"
            )
        if name in self.schema.quasi_identifiers:
            return self.qi_codes[self.schema.quasi_identifiers.index(name)]
        if name in self.schema.sensitive:
            return self.sensitive_codes[self.schema.sensitive.index(name)]
        raise SchemaError(f"no quasi-identifier or sensitive column {name!r}; there are {listed(self.domains)}")

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a DataFrame with ids as its index. This is the original data: it must not leave the house."""
        columns: dict[str, Any] = {name: self.domains[name].decode(self.codes(name)) for name in self.domains}
        frame = pd.DataFrame(columns, index=self.ids)
        for name in self.schema.identifiers:
            frame[name] = self.identifiers[name]
        return frame

    def totals(self) -> list[np.ndarray]:
        """Counts of each value, per sensitive column."""
        return [np.bincount(codes, minlength=len(d)) for codes, d in zip(self.sensitive_codes, self.sensitive_domains)]

    def without_value(self, name: str) -> np.ndarray:
        """Mask of the records whose value of a column is missing and does not count as one."""
        ignored = self.domains[name].ignored if name in self.domains else None
        codes = self.codes(name)
        return np.zeros(len(codes), dtype=bool) if ignored is None else codes == ignored

    def group_rows(self) -> Grouping:
        """Classes of records with equal quasi-identifiers."""
        return group(self.qi_codes, [len(domain) for domain in self.qi_domains])

    def shuffled_order(self, rng: np.random.Generator, rows: np.ndarray | None = None) -> np.ndarray:
        """Positions, all or some of them, in an order that chance decides, and nothing else.

        Rows are brought into the order of their ids, so that the order of the input plays no part, and then permuted. Values
        have no say: a tie that a sensitive value breaks would tell something about that value.
        """
        if not isinstance(rng, np.random.Generator):
            raise ParameterError(f"rng must be a numpy.random.Generator, not {type(rng).__name__}")
        if rows is None:
            return id_order(self.ids)[rng.permutation(len(self))]
        rows = check_codes("rows", rows, len(self))
        return rows[id_order(self.ids[rows])][rng.permutation(len(rows))]

    def fingerprint(self) -> str:
        """A hash of the coded rows, their order, the roles of their columns, their domains and hierarchies."""
        quasi, sensitive, identifiers = self.schema.quasi_identifiers, self.schema.sensitive, self.schema.identifiers
        roles = f"Schema(quasi_identifiers={quasi}, sensitive={sensitive}, identifiers={identifiers})"
        digest = hashlib.sha256(roles.encode())
        for name, domain in self.domains.items():
            digest.update(f"{name}\0{domain.kind}\0".encode() + "\0".join(map(str, domain.labels)).encode())
            if domain.hierarchy is not None:
                digest.update("\0".join(domain.hierarchy.labels).encode())
                digest.update(np.ascontiguousarray(domain.hierarchy.ancestors).tobytes())
            if domain.missing:
                digest.update(b"missing values count" if domain.missing_counts else b"missing values")
            digest.update(np.ascontiguousarray(self.codes(name)).tobytes())
        return digest.hexdigest()[:16]

    # ------------------------------------------------------------------ making others of it
    def select(self, rows: Any) -> Microdata:
        """The records of a boolean mask or of positions, over the same domains and with their ids."""
        rows = check_list("select needs a boolean mask or a list of positions: rows", rows)
        if rows.dtype == bool:
            if len(rows) != len(self):
                raise ParameterError(f"a mask of {len(rows)} entries does not fit {len(self)} records")
            rows = np.flatnonzero(rows)
        else:
            rows = self._positions(rows)
        chosen = object.__new__(Microdata)
        chosen.schema, chosen.hierarchies, chosen.domains = self.schema, self.hierarchies, self.domains
        chosen.provenance, chosen.missing = self.provenance, self.missing
        chosen.ids = self.ids[rows]
        chosen.identifiers = (
            self.identifiers.iloc[rows] if len(self.schema.identifiers) else pd.DataFrame(index=chosen.ids)
        )
        chosen.qi_codes = np.ascontiguousarray(self.qi_codes[:, rows])
        chosen.sensitive_codes = np.ascontiguousarray(self.sensitive_codes[:, rows])
        return chosen

    def _positions(self, rows: np.ndarray) -> np.ndarray:
        """Positions that exist, each of them once; anything else is refused."""
        if len(rows) and rows.dtype.kind not in "iu":
            raise ParameterError("select needs a boolean mask or a list of positions (whole numbers from 0)")
        rows = rows.astype(np.int64)
        strangers = rows[(rows < 0) | (rows >= len(self))]
        if len(strangers):
            raise ParameterError(f"no record at position(s) {listed(strangers)}; there are {len(self)}, counted from 0")
        doubled = np.flatnonzero(np.bincount(rows, minlength=1) > 1)
        if len(doubled):
            raise IdError(
                f"the record(s) at position(s) {listed(doubled)} are selected more than once; ids must be unique"
            )
        return rows

    def project(self, quasi_identifiers: Sequence[str]) -> Microdata:
        """The same records with some of the quasi-identifiers only, in the given order.

        >>> frame = pd.DataFrame({"age": [34, 51], "zip": ["4370", "4352"], "disease": ["flu", "HIV"]})
        >>> Microdata(frame, Schema(["age", "zip"], sensitive="disease")).project(["zip"])
        <Microdata of 2 records: zip | disease (own data)>
        """
        known = self.schema.quasi_identifiers
        quasi_identifiers = _names("quasi_identifiers", quasi_identifiers)
        strange = [name for name in quasi_identifiers if name not in known]
        if strange:
            raise SchemaError(f"{listed(strange)} are no quasi-identifiers of this table; it has {listed(known)}")
        part = object.__new__(Microdata)
        part.__dict__.update(self.__dict__)
        said = {
            name: values
            for name, values in self.schema.domains.items()
            if name in quasi_identifiers or name in self.schema.sensitive
        }
        part.schema = Schema(quasi_identifiers, self.schema.sensitive, self.schema.identifiers, said)
        kept = (*part.schema.quasi_identifiers, *part.schema.sensitive)
        part.domains = {name: self.domains[name] for name in kept}
        part.hierarchies = {name: tree for name, tree in self.hierarchies.items() if name in kept}
        part.qi_codes = self.qi_codes[[known.index(name) for name in part.schema.quasi_identifiers]]
        return part

    def recode(self, domains: Mapping[str, Domain]) -> Microdata:
        """The same records coded over other domains, which must have all values that occur.

        >>> frame = pd.DataFrame({"age": [34, 51, 29]})
        >>> table = Microdata(frame, Schema("age"))
        >>> table.select([0, 1]).recode({"age": table.domains["age"].only(np.array([1, 2]))}).codes("age").tolist()
        [0, 1]
        """
        if not isinstance(domains, Mapping):
            raise ParameterError(f"domains must be a dictionary {{column: Domain}}, not {type(domains).__name__}")
        for name in self.domains:
            if not isinstance(domains.get(name), Domain):
                raise SchemaError(f"domains has no ppdp_lab.table.Domain for column {name!r}; give one for each column")
        if all(domains[name] is domain for name, domain in self.domains.items()):
            return self
        recoded = object.__new__(Microdata)
        recoded.__dict__.update(self.__dict__)
        recoded.domains = {name: domains[name] for name in self.domains}
        for role, names in (("qi_codes", self.schema.quasi_identifiers), ("sensitive_codes", self.schema.sensitive)):
            codes = getattr(self, role).copy()
            for row, name in zip(codes, names):
                if domains[name] is not self.domains[name]:
                    row[:] = self.domains[name].map_to(domains[name])[row]
                    if len(row) and row.min() < 0:
                        raise SchemaError(f"column {name!r} has values that the other domain lacks; let it grow first")
            setattr(recoded, role, codes)
        return recoded

    def with_records(self, ids: pd.Index, qi_codes: np.ndarray, sensitive_codes: np.ndarray) -> Microdata:
        """Other persons, given by codes, over the same schema and domains; what identifies them is not known."""
        qi_codes, sensitive_codes = _matrix("qi_codes", qi_codes), _matrix("sensitive_codes", sensitive_codes)
        ids = _unique_ids(ids, qi_codes.shape[1])
        others = self.select(np.zeros(0, dtype=np.int64))
        others.ids = ids
        others.identifiers = pd.DataFrame(index=ids, columns=list(self.schema.identifiers))
        others.qi_codes = np.empty((len(self.qi_codes), len(ids)), dtype=np.int32)
        others.sensitive_codes = np.empty((len(self.sensitive_codes), len(ids)), dtype=np.int32)
        return others.with_codes(qi_codes=qi_codes, sensitive_codes=sensitive_codes)

    def with_codes(self, *, qi_codes: np.ndarray | None = None, sensitive_codes: np.ndarray | None = None) -> Microdata:
        """The same persons with other values, given as codes of the same domains (a stream's updates)."""
        changed = object.__new__(Microdata)
        changed.__dict__.update(self.__dict__)
        for name, new in (("qi_codes", qi_codes), ("sensitive_codes", sensitive_codes)):
            if new is not None:
                new = _matrix(name, new)
                if new.shape != getattr(self, name).shape:
                    raise ParameterError(f"{name} has shape {new.shape}, not {getattr(self, name).shape}")
                for codes, domain in zip(new, self.qi_domains if name == "qi_codes" else self.sensitive_domains):
                    check_codes(f"{name}: codes of {domain.name!r}", codes, len(domain))
                setattr(changed, name, np.ascontiguousarray(new, dtype=np.int32))
        return changed

    def __repr__(self) -> str:
        quasi, sensitive = few_names(self.schema.quasi_identifiers), few_names(self.schema.sensitive)
        return cut(
            f"<Microdata of {counted(len(self), 'record')}: {quasi} | {sensitive or 'nothing sensitive'} ({self.provenance})>"
        )

    def _repr_html_(self) -> str:
        return table_html(self)


def _matrix(name: str, codes: Any) -> np.ndarray:
    """Codes in two dimensions, columns by records, or a refusal in words."""
    try:
        array = np.asarray(codes)
    except (TypeError, ValueError):  # lists of different lengths
        array = np.empty(())
    if array.ndim != 2 or (array.size and array.dtype.kind not in "iu"):
        raise ParameterError(f"{name} must be an array of whole numbers, columns by records, not {reprlib.repr(codes)}")
    return array


def _complete(frame: pd.DataFrame, columns: list[str], ids: Any) -> tuple[pd.DataFrame, Any]:
    """The rows without a missing cell in these columns, and their ids where some are given."""
    whole = frame[columns].notna().all(axis=1).to_numpy()
    if not whole.any():
        raise MissingValueError("every row has a missing value, so none is left; fill some in or use missing='value'")
    if ids is not None and not whole.all():
        ids = _unique_ids(ids, len(frame))[whole]
    return (frame if whole.all() else frame[whole]), ids


def _unique_ids(ids: Any, n: int) -> pd.Index:
    try:
        index = ids if isinstance(ids, pd.Index) else pd.Index(ids, tupleize_cols=False)
    except (TypeError, ValueError):
        several = isinstance(ids, Iterable) and not isinstance(ids, (str, bytes)) and getattr(ids, "ndim", 1) > 0
        if several:  # pandas cannot even hold lone surrogates
            check_values("the list of ids", ids, IdError, quote=False)
        raise IdError(f"ids must be a list of one id per row, not {reprlib.repr(ids)}") from None
    index = plain_index(index)
    if index.dtype.kind not in "iufbmM":
        check_values("the list of ids", index, IdError, quote=False)
    if len(index) != n:
        raise IdError(f"{len(index)} ids for {n} rows; give one id per row")
    if index.hasnans:
        raise IdError("some ids are missing; give every row an id")
    try:
        if isinstance(index.dtype, np.dtype) and index.dtype.kind == "O":
            hash(tuple(index))  # lists in ascending order would pass for unique, and could never be looked up
        unique = index.is_unique
    except TypeError:
        raise IdError(
            "some ids cannot be told apart, because they are lists or the like; give numbers or texts"
        ) from None
    if not unique:
        doubled = index[index.duplicated()].unique()
        raise IdError(
            f"ids must be unique, but {listed(doubled)} stand(s) more than once; give every person one row and one id"
        )
    return index.rename(None)


def plain_index(ids: pd.Index) -> pd.Index:
    """Ids as they are compared and saved: several levels as tuples, categories as the values they stand for.

    >>> plain_index(pd.CategoricalIndex([7, 8])).dtype
    dtype('int64')
    """
    if isinstance(ids, pd.MultiIndex):
        return ids.to_flat_index()
    return ids.astype(ids.categories.dtype) if isinstance(ids, pd.CategoricalIndex) and not ids.hasnans else ids


def id_order(ids: pd.Index) -> np.ndarray:
    """Positions in the order of ids; ids of mixed types are ordered by type, then by text."""
    if ids.is_monotonic_increasing:
        return np.arange(len(ids))
    try:
        return np.argsort(np.asarray(ids), kind="stable")
    except TypeError:
        keys = [(type(value).__name__, str(value)) for value in ids]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
