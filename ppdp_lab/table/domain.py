"""The values of one column and their integer codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import MissingValueError, ParameterError, SchemaError, check_values, listed
from ppdp_lab.table.checks import check_codes
from ppdp_lab.table.grouping import text_hashes
from ppdp_lab.table.hierarchy import Hierarchy
from ppdp_lab.table.schema import CATEGORY, MISSING, REFUSE, VALUE
from ppdp_lab.text import OneLine, cut, text_of, texts_of

ORDERED, TREE, SET = "ordered", "hierarchy", "set"
MANY_VALUES = 64  # more distinct texts than this without a hierarchy are published as sets of exact values


@dataclass(frozen=True, eq=False)
class Domain(OneLine):
    """All values of a column, in code order, and how they are generalized.

    ``kind`` is ``"ordered"`` (to a low and a high value: numbers, dates, ordered categories), ``"hierarchy"`` (to a node
    of ``hierarchy``) or ``"set"`` (to the set of values: text without a hierarchy). A domain is ``declared`` if somebody said
    which values there are (a hierarchy, categories, the schema); else it holds the values that were found in the data.

    Where ``missing`` is true, one more code, the last, stands for a missing value; ``values`` and ``positions`` do not list
    it. In an order it follows the largest value, in a hierarchy it is a leaf right below the root. ``missing_counts`` says
    whether it counts as a sensitive value like any other; if not, privacy rules judge a class by its known values alone.

    >>> domain, codes = Domain.of(pd.Series([30, 20, 30], name="age"))
    >>> domain.kind, domain.values.tolist(), codes.tolist()
    ('ordered', [20, 30], [1, 0, 1])
    >>> domain, codes = Domain.of(pd.Series([30, None, 20], name="age"), missing="value")
    >>> domain.kind, domain.labels.tolist(), codes.tolist()
    ('ordered', ['20', '30', '(missing)'], [1, 2, 0])
    """

    name: str
    values: np.ndarray
    kind: str
    hierarchy: Hierarchy | None = None
    positions: np.ndarray | None = None
    dtype: Any = None
    declared: bool = False
    missing: bool = False
    missing_counts: bool = False

    def __len__(self) -> int:
        return len(self.values) + self.missing

    def __repr__(self) -> str:
        how = {ORDERED: "ordered", TREE: "generalized along it", SET: "generalized to sets"}[self.kind]
        gaps = ", some missing" if self.missing else ""
        return cut(
            f"<Domain {self.name!r} of {self.known} {'texts' if self.type == 'text' else self.type}, {how}{gaps}>"
        )

    @property
    def known(self) -> int:
        """Number of values, not counting the missing one; also the code of the latter, where there is one."""
        return len(self.values)

    @property
    def counted(self) -> Domain:
        """The domain of the values that count, under the same codes: itself, or without the missing value."""
        return self if self.ignored is None else replace(self, missing=False)

    @property
    def ignored(self) -> int | None:
        """The code that protects nobody: that of the missing value, unless it counts as a value; None if there is none."""
        return self.known if self.missing and not self.missing_counts else None

    @cached_property
    def labels(self) -> np.ndarray:
        """The values as text."""
        if self.hierarchy is not None:
            return np.array(self.hierarchy.labels[: len(self)], dtype=object)
        if self._dated or self.values.dtype.kind == "m":
            texts = [_moment(v) for v in self.values]
        else:
            texts = texts_of(self.values.tolist())
        return np.array(texts + [MISSING] * self.missing, dtype=object)

    @cached_property
    def coordinates(self) -> np.ndarray:
        """Where each value lies on a line: its number if it has one, else its code.

        The missing value lies beyond the largest one, as far as two neighbours lie apart on average.
        """
        if self.positions is None:
            return np.arange(len(self), dtype=float)
        if not self.missing:
            return self.positions
        line = self.positions
        if len(line) == 0:
            return np.zeros(1)
        gap = (line[-1] - line[0]) / (len(line) - 1) if len(line) > 1 else max(1.0, np.spacing(abs(line[0])))
        return np.append(line, line[-1] + gap)

    @cached_property
    def span(self) -> float:
        """Length of the line that holds all known values; of a single one, the way to the missing one if there is any."""
        last = 1 if self.known == 1 and self.missing else self.known - 1
        return float(self.coordinates[last] - self.coordinates[0]) if self.known else 0.0

    def decode(self, codes: np.ndarray) -> Any:
        """Values of codes, with the dtype the column came with where that can hold them; NA for missing ones."""
        codes = check_codes(f"codes of {self.name!r}", codes, len(self))
        categories = isinstance(self.dtype, pd.CategoricalDtype) and len(self.dtype.categories) == self.known
        gone = codes >= self.known
        if gone.any():
            codes = np.where(gone, -1, codes)
            if not categories:
                values = pd.array(
                    self.values, dtype=_with_gaps(self.values.dtype if self.dtype is None else self.dtype)
                )
                return values.take(codes, allow_fill=True)
        if categories:
            return pd.Categorical.from_codes(codes, dtype=self.dtype)
        return pd.array(self.values[codes], dtype=self.dtype) if self.dtype is not None else self.values[codes]

    def decode_shown(self, codes: np.ndarray) -> Any:
        """As :meth:`decode`, for what leaves the house: categories list the values that are there, and no others.

        A column that shows a missing value is text, in which that one reads ``(missing)``.
        """
        if self.missing and (np.asarray(codes) == self.known).any():
            return pd.array(self.labels[codes], dtype="str")
        values = self.decode(codes)
        return values.remove_unused_categories() if isinstance(values, pd.Categorical) else values

    def code_of(self, value: object) -> int:
        """Code of one value, or of its text as a file may hold it (39.0 for 39); KeyError if it does not occur."""
        known = self._code_by_text
        if self.missing and pd.api.types.is_scalar(value) and pd.isna(value):
            return self.known
        text = str(value) if str(value) in known else text_of(value)
        if text not in known and self.hierarchy is None:
            try:
                if self.values.dtype.kind in "iuf":
                    text = text_of(float(text))
                elif self._dated:
                    text = _moment(text)
            except ValueError:
                pass
        return known[text]

    @cached_property
    def hashes(self) -> np.ndarray:
        """A 64-bit hash of each value's text: the same in every domain that has the value."""
        return text_hashes(self.labels)

    @property
    def type(self) -> str:
        """What its values are, in words: numbers, dates, text, ..."""
        if self.hierarchy is not None:
            return "leaves of a hierarchy"
        if self._dated:
            return "dates"
        if self.values.dtype.kind == "m":
            return "durations"
        if self.kind == ORDERED:
            return "ordered categories" if self.positions is None else "numbers"
        return "truth values" if self.values.dtype.kind == "b" or _boolean(self.dtype) else "text"

    # ------------------------------------------------------------------ domains that grow
    def map_to(self, other: Domain) -> np.ndarray:
        """Code in another domain of each value of this one; -1 where the other does not have it.

        >>> small, _ = Domain.of(pd.Series([20, 40], name="age"))
        >>> large, _ = Domain.of(pd.Series([40, 30, 20], name="age"))
        >>> small.map_to(large).tolist(), large.map_to(small).tolist()
        ([0, 2], [0, -1, 1])
        """
        if other is self:
            return np.arange(len(self), dtype=np.int32)
        known = other._code_by_text
        return np.array([known.get(label, -1) for label in self.labels], dtype=np.int32)

    def only(self, codes: np.ndarray) -> Domain:
        """The domain of some of its values, given by ascending codes."""
        codes = check_codes(f"codes of {self.name!r}", codes, len(self))
        if (codes[1:] <= codes[:-1]).any():
            raise ParameterError(f"codes of {self.name!r} must ascend; give each of them once")
        if len(codes) == len(self):
            return self
        missing = len(codes) > 0 and int(codes[-1]) == self.known
        codes = codes[: len(codes) - missing]
        positions = None if self.positions is None else self.positions[codes]
        dtype = None if isinstance(self.dtype, pd.CategoricalDtype) else self.dtype
        some = Domain(self.name, self.values[codes], self.kind, positions=positions, dtype=dtype)
        return replace(some, missing=missing, missing_counts=missing and self.missing_counts)

    def with_missing(self, *, counts: bool) -> Domain:
        """The domain with a code for missing values, which ``counts`` as a value or does not; itself if it has one."""
        if self.missing:
            return self
        if self.hierarchy is None:
            return replace(self._without_missing(), missing=True, missing_counts=counts)
        tree = self.hierarchy.with_missing()
        values = self.values[[self._code_by_text[label] for label in tree.labels[: tree.n_leaves - 1]]]
        return replace(self, values=values, hierarchy=tree, missing=True, missing_counts=counts)

    def _without_missing(self) -> Domain:
        """The known values alone; a text that reads as missing ones are published is none of them."""
        known = replace(self, missing=False, missing_counts=False) if self.missing else self
        at = known._code_by_text.get(MISSING)
        return known if at is None else known.only(np.delete(np.arange(len(known)), at))

    def grown(self, other: Domain) -> Domain:
        """This domain and the values of another one that it lacks, in their order; itself if it lacks none.

        Numbers and dates have their place on the line, text goes by the alphabet, ordered categories must agree on the order
        of those that both have and put new ones where the longer list has them. A hierarchy's leaves cannot grow. If one of
        the two knows missing values, so does the result.

        >>> some, _ = Domain.of(pd.Series([20, 40], name="age"))
        >>> more, _ = Domain.of(pd.Series([30, 40], name="age"))
        >>> some.grown(more).values.tolist()
        [20, 30, 40]
        """
        self.require_like(other)
        if self.hierarchy is not None:
            return self.with_missing(counts=other.missing_counts) if other.missing else self
        if self.missing or other.missing:
            if not self.missing and MISSING in self._code_by_text and not other.missing_counts:
                raise SchemaError(
                    f"column {self.name!r} held {MISSING!r} as a value that counts; go on with missing={CATEGORY!r}, or begin a "
                    f"new series"
                )
            mine = self._without_missing()
            both = mine.grown(other._without_missing())
            if self.missing and both is mine:
                return self
            return both.with_missing(counts=self.missing_counts or other.missing_counts)
        if self.kind == ORDERED and self.positions is None:
            return self._longer_list(other)
        new = other.map_to(self) < 0
        if not new.any():
            return self
        values = np.concatenate([self.values, other.values[new]])
        if self.positions is None or other.positions is None:
            labels = np.concatenate([self.labels, other.labels[new]])
            order, positions = np.argsort(labels, kind="stable"), None
        else:
            places = np.concatenate([self.positions, other.positions[new]])
            order = np.argsort(places, kind="stable")
            positions = places[order]
        dtype = _common_dtype(self.dtype, other.dtype)
        declared = self.declared and other.declared
        return Domain(self.name, values[order], self.kind, positions=positions, dtype=dtype, declared=declared)

    def require_like(self, other: Domain) -> None:
        """Refuse to be compared with values of another type, or in another hierarchy."""
        if self.type != other.type or self.kind != other.kind:
            raise SchemaError(f"column {self.name!r} held {self.type} and holds {other.type} now; give it one type")
        if self.hierarchy is not None and not self.hierarchy.same_as(other.hierarchy):
            raise SchemaError(
                f"the hierarchy of column {self.name!r} is not the same as before; use one for all releases"
            )
        if self.missing and other.missing and self.missing_counts != other.missing_counts:
            before, now = (CATEGORY if domain.missing_counts else VALUE for domain in (self, other))
            raise SchemaError(
                f"column {self.name!r} was read with missing={before!r} before and with missing={now!r} now; use one for all "
                f"releases"
            )

    def _longer_list(self, other: Domain) -> Domain:
        """Of two lists of ordered categories the one that holds the other in its order."""
        for long, short in ((self, other), (other, self)):
            where = short.map_to(long)
            if (where >= 0).all() and (np.diff(where) > 0).all():
                return long
        raise SchemaError(
            f"the ordered categories of column {self.name!r} are {listed(other.labels)} now and were {listed(self.labels)}; "
            f"one list must hold the other in its order"
        )

    @property
    def _dated(self) -> bool:
        return self.values.dtype.kind == "M" or pd.api.types.is_datetime64_any_dtype(self.dtype)

    @cached_property
    def _code_by_text(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels)}

    @staticmethod
    def of(
        column: pd.Series, hierarchy: Hierarchy | None = None, values: Any = None, *, missing: str = REFUSE
    ) -> tuple[Domain, np.ndarray]:
        """The domain of a column and the column's codes (int32).

        ``values`` declares the domain: a list of values or a categorical dtype. Without, it is taken from the hierarchy, the
        column's categories, or the values that occur. With ``missing="value"`` or ``"category"`` empty cells, and those that
        read ``(missing)``, get the last code; the other cells decide what the column is.
        """
        name = str(column.name)
        _check_cells(column, name)
        gone = column.isna().to_numpy()
        if pd.api.types.is_float_dtype(column.dtype):
            _refuse(name, np.isinf(column.to_numpy(dtype=float, na_value=np.nan)), "infinite")
        if missing in (VALUE, CATEGORY):
            if not pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind not in "mM":
                gone = gone | (column.astype(object) == MISSING).to_numpy(dtype=bool)
            if gone.any():
                return _with_missing(column, gone, hierarchy, values, counts=missing == CATEGORY)
        _refuse(name, gone, "missing")
        if values is not None:
            return _declared(column, name, values, hierarchy)
        dtype: Any = column.dtype
        if isinstance(dtype, pd.CategoricalDtype) and hierarchy is None:
            categories = dtype.categories
            numeric = pd.api.types.is_numeric_dtype(categories.dtype) and not _boolean(categories.dtype)
            if dtype.ordered or not numeric:
                kind = ORDERED if dtype.ordered else SET
                positions = categories.to_numpy(dtype=float) if numeric else None
                if positions is not None and np.any(np.diff(positions) <= 0):
                    positions = None
                values = categories.to_numpy()
                codes = column.cat.codes.to_numpy().astype(np.int32)
                return Domain(name, values, kind, positions=positions, dtype=dtype, declared=True), codes
            column = column.astype(categories.dtype)
            dtype = column.dtype
        try:
            raw, uniques = pd.factorize(column)
        except TypeError as error:
            raise SchemaError(f"column {name!r} holds values that cannot be compared ({error}); make it text") from None
        if hierarchy is not None:
            codes = hierarchy.encode(list(uniques), column=f"column {name!r}")
            values = hierarchy.leaves.copy()
            values[codes] = list(uniques)  # a leaf read from a file is text; the column knows better
            domain = Domain(name, values, TREE, hierarchy=hierarchy, dtype=_plain(dtype), declared=True)
            return domain, codes[raw]
        values, where = _line(uniques, dtype)
        sort_by = np.array(texts_of(values.tolist()), dtype=object) if where is None else where
        order = np.argsort(sort_by, kind="stable")
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order))
        positions = None if where is None else where[order].astype(float)
        domain = Domain(name, values[order], SET if where is None else ORDERED, positions=positions, dtype=dtype)
        if len(domain._code_by_text) < len(domain):
            twice = [label for code, label in enumerate(domain.labels) if domain._code_by_text[label] != code]
            raise SchemaError(
                f"column {name!r} holds different values that read alike: {listed(twice)}; give it one type"
            )
        return domain, rank[raw]


def common_domains(tables: Iterable[tuple[str, Sequence[Domain]]]) -> tuple[Domain, ...]:
    """One domain per column that has the values of all tables; each table comes with its name, for refusals.

    >>> one, _ = Domain.of(pd.Series([20, 40], name="age"))
    >>> two, _ = Domain.of(pd.Series([30], name="age"))
    >>> [domain.values.tolist() for domain in common_domains([("January", [one]), ("February", [two])])]
    [[20, 30, 40]]
    """
    common: tuple[Domain, ...] | None = None
    for what, domains in tables:
        if common is None:
            common = tuple(domains)
        if [d.name for d in domains] != [d.name for d in common]:
            raise SchemaError(
                f"{what} has the columns {listed(d.name for d in domains)}, not {listed(d.name for d in common)}; "
                f"use one schema for the whole series"
            )
        try:
            common = tuple(c if c is d else c.grown(d) for c, d in zip(common, domains))
        except SchemaError as error:
            raise SchemaError(f"{what} does not fit the tables before it: {error}") from None
    return common or ()


def _declared(column: pd.Series, name: str, said: Any, hierarchy: Hierarchy | None) -> tuple[Domain, np.ndarray]:
    """A column over a domain that was said beforehand; values outside it are refused."""
    if hierarchy is not None:
        raise SchemaError(f"column {name!r} has a hierarchy, which says its values; do not declare them as well")
    if isinstance(said, pd.CategoricalDtype):
        categories = pd.Series(pd.Categorical(said.categories, dtype=said), name=name)
    else:
        try:
            categories = pd.Series(pd.Index(list(said)).unique(), name=name)
        except TypeError:
            raise SchemaError(f"the domain of column {name!r} must be a list of values, not {said!r}") from None
        if not len(categories):
            raise SchemaError(f"the domain of column {name!r} is empty; list its values")
    domain, _ = Domain.of(categories)
    raw, uniques = pd.factorize(column)
    codes, absent = np.zeros(len(uniques), dtype=np.int32), []
    for i, value in enumerate(uniques):
        try:
            codes[i] = domain.code_of(value)
        except KeyError:
            absent.append(value)
    if absent:
        raise SchemaError(f"column {name!r} has {listed(absent)}, outside the domain that was declared for it")
    dtype = domain.dtype if isinstance(domain.dtype, pd.CategoricalDtype) else column.dtype
    return replace(domain, dtype=dtype, declared=True), codes[raw]


def _common_dtype(one: Any, other: Any) -> Any:
    """A dtype for the values of both; None where there is no obvious one."""
    if one == other and not isinstance(one, pd.CategoricalDtype):
        return one
    if isinstance(one, np.dtype) and isinstance(other, np.dtype) and one.kind in "iuf" and other.kind in "iuf":
        return np.result_type(one, other)
    return None


def _line(values: Any, dtype: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Values as an array, and where they lie on a line if they are numbers, dates or durations."""
    if pd.api.types.is_datetime64_any_dtype(dtype):
        moments = pd.DatetimeIndex(values)
        return moments.to_numpy(), moments.asi8
    array = np.asarray(values)
    if array.dtype.kind == "m":
        return array, array.astype(np.int64)
    ordered = pd.api.types.is_numeric_dtype(dtype) and not _boolean(dtype)
    return array, array if ordered else None


def _moment(value: Any) -> str:
    """A date as text, without a time if it is midnight; a duration as pandas writes it."""
    if isinstance(value, np.timedelta64):
        return str(pd.Timedelta(value))
    return pd.Timestamp(value).isoformat().removesuffix("T00:00:00")


def _boolean(dtype: Any) -> bool:
    return bool(pd.api.types.is_bool_dtype(dtype))


def _plain(dtype: Any) -> Any:
    """A dtype that any hierarchy leaf can be decoded to: none for categories, which list other values."""
    return None if isinstance(dtype, pd.CategoricalDtype) else dtype


def _check_cells(column: pd.Series, name: str) -> None:
    """Raise an error for cells that no domain can hold; each distinct value is looked at once."""
    dtype: Any = column.dtype
    real = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    if real or getattr(dtype, "kind", "O") in "mM":
        return
    try:
        values = dtype.categories if isinstance(dtype, pd.CategoricalDtype) else column.unique()
    except TypeError:  # values that cannot be hashed, such as lists or signaling NaNs
        values = column
    check_values(f"column {name!r}", values, SchemaError)


def _with_missing(
    column: pd.Series, gone: np.ndarray, hierarchy: Hierarchy | None, values: Any, *, counts: bool
) -> tuple[Domain, np.ndarray]:
    """The domain and the codes of a column some of whose cells are missing: a column of the others, and one code more."""
    # Numbers and truth values among which some are missing are often kept as objects; those that are left tell what they are.
    there, known = Domain.of(column[~gone].infer_objects(), hierarchy, values)
    domain = there.with_missing(counts=counts)
    codes = np.full(len(column), domain.known, dtype=np.int32)
    codes[~gone] = there.map_to(domain)[known] if len(known) else known
    return domain, codes


def _with_gaps(dtype: Any) -> Any:
    """A dtype like another one that also holds missing values."""
    kind = dtype.kind if isinstance(dtype, np.dtype) else ""
    return {"i": "Int64", "u": "UInt64", "b": "boolean"}.get(kind, dtype)


def _refuse(name: str, found: np.ndarray, what: str) -> None:
    """Refuse cells without a value that can be used."""
    if not found.any():
        return
    rows = np.flatnonzero(found)
    how = "fill them in, or use missing='value' to publish them as (missing), or missing='drop' to leave these rows out"
    raise MissingValueError(
        f"column {name!r} has {len(rows)} {what} value(s), first in row(s) {listed(rows.tolist(), 5)} (counted from 0); "
        f"{how if what == 'missing' else 'drop these rows or fill them in before anonymizing'}"
    )
