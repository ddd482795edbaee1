"""Published: what an adversary sees of a release, in coded form, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError, PublicationError, SchemaError, listed
from ppdp_lab.table import Boxes, ClassCounts, Domain, Intervals, Microdata, Nodes, Schema, Sets
from ppdp_lab.table._labels import split
from ppdp_lab.table.boxes import BoxColumn
from ppdp_lab.table.hierarchy import _text

GROUP, PSEUDONYM, COUNT, COUNTERFEITS = "group", "pseudonym", "count", "counterfeits"


@dataclass(frozen=True, eq=False)
class Published:
    """The published side of a release.

    Attributes
    ----------
    boxes : Boxes or None
        Box of each group; None for anatomized tables, whose quasi-identifiers are exact.
    row_group, row_sensitive : arrays
        Group and sensitive codes of each published row, sorted by group and value: within a group, order tells nothing.
    qi_rows, qi_group : arrays or None
        For anatomized tables: exact quasi-identifier codes and group of each row, sorted on their own.
    numbered : bool
        Whether group numbers are published, or rows are told apart by their boxes alone.
    counterfeits_per_group : array or None
        Published counterfeit statistics, if there are any counterfeits.
    pseudonyms : array or None
        Tracking number of each row, where the series publishes them.
    """

    schema: Schema
    qi_domains: tuple[Domain, ...]
    sensitive_domains: tuple[Domain, ...]
    boxes: Boxes | None
    row_group: np.ndarray
    row_sensitive: np.ndarray
    n_groups: int
    numbered: bool
    qi_rows: np.ndarray | None = None
    qi_group: np.ndarray | None = None
    counterfeits_per_group: np.ndarray | None = None
    pseudonyms: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.row_group)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Rows per group."""
        return np.bincount(self.row_group, minlength=self.n_groups)

    def counts(self) -> ClassCounts:
        """Sizes and sensitive histograms per group."""
        return ClassCounts.count(self.row_group, self.n_groups, self.row_sensitive, self.sensitive_domains)

    def candidates(self, qi_codes: np.ndarray) -> np.ndarray:
        """Groups that may hold a person with these quasi-identifier codes."""
        if self.boxes is None:
            assert self.qi_rows is not None and self.qi_group is not None
            return np.unique(self.qi_group[(self.qi_rows == np.asarray(qi_codes)[:, None]).all(axis=0)])
        person = np.repeat(np.asarray(qi_codes)[:, None], self.n_groups, axis=1)
        return np.flatnonzero(self.boxes.covers(np.arange(self.n_groups), person))

    # ------------------------------------------------------------------ as frames
    def _sensitive_columns(self) -> dict[str, Any]:
        return {d.name: d.decode(codes) for d, codes in zip(self.sensitive_domains, self.row_sensitive)}

    def to_frame(self, *, track: bool = False) -> pd.DataFrame:
        """One row a published record."""
        if self.boxes is None:
            raise PublicationError("anatomized tables are two frames; use to_frames()")
        columns: dict[str, Any] = {GROUP: self.row_group} if self.numbered else {}
        for column in self.boxes:
            columns[column.domain.name] = pd.array(column.labels()[self.row_group], dtype="str")
        columns |= self._sensitive_columns()
        if track:
            if self.pseudonyms is None:
                raise PublicationError("these tables were published without pseudonyms; they cannot be tracked")
            columns[PSEUDONYM] = self.pseudonyms
        return pd.DataFrame(columns)

    def to_frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Quasi-identifier table and sensitive table of anatomized data."""
        if self.qi_rows is None:
            raise PublicationError("generalized tables are one frame; use to_frame()")
        quasi: dict[str, Any] = {d.name: d.decode(codes) for d, codes in zip(self.qi_domains, self.qi_rows)}
        quasi[GROUP] = self.qi_group
        sensitive = pd.DataFrame({GROUP: self.row_group} | self._sensitive_columns())
        counted = sensitive.groupby(list(sensitive.columns), observed=True, sort=True).size()
        return pd.DataFrame(quasi), counted.rename(COUNT).reset_index()

    def counterfeit_statistics(self) -> pd.DataFrame:
        """Number of counterfeits in each group that has any."""
        per_group = self.counterfeits_per_group
        if per_group is None:
            per_group = np.zeros(0, dtype=np.int64)
        groups = np.flatnonzero(per_group)
        return pd.DataFrame({GROUP: groups, COUNTERFEITS: per_group[groups]})

    # ------------------------------------------------------------------ from published files
    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame, population: Microdata, *, counterfeits: pd.DataFrame | None = None
    ) -> Published:
        """Read a published table back.

        Parameters
        ----------
        frame : pandas.DataFrame
            As :meth:`Release.to_frame` gives it, or as read from a CSV of it.
        population : Microdata
            A table over the same domains and hierarchies, which an adversary is assumed to know; its rows play no part.
        counterfeits : pandas.DataFrame, optional
            The counterfeit statistics published beside it.
        """
        schema = population.schema
        _require_columns("published frame", frame, schema.quasi_identifiers + schema.sensitive)
        columns = [read_labels(frame[d.name], d) for d in population.qi_domains]
        rows = Boxes(tuple(columns), len(frame))
        numbers: Any
        if GROUP in frame.columns:
            _refuse_empty_cells(frame[GROUP])
            group_of, numbers = pd.factorize(frame[GROUP], sort=True)
            first = np.zeros(len(numbers), dtype=np.int64)
            first[group_of[::-1]] = np.arange(len(frame))[::-1]
            same, _ = rows.groups()
            if (same[first][group_of] != same).any():
                bad = numbers[group_of[np.argmax(same[first][group_of] != same)]]
                raise PublicationError(f"group {listed([bad])} shows two different boxes; rows of one group must agree")
        else:
            group_of, first = rows.groups()
            numbers = np.arange(len(first))
        sensitive = np.array([read_codes(frame[d.name], d) for d in population.sensitive_domains], dtype=np.int32)
        sensitive = sensitive.reshape(len(schema.sensitive), len(frame))
        tracks = _whole_numbers(frame[PSEUDONYM]) if PSEUDONYM in frame.columns else None
        order = np.lexsort(([] if tracks is None else [tracks]) + [*sensitive[::-1], group_of])
        return cls(
            schema=schema,
            qi_domains=population.qi_domains,
            sensitive_domains=population.sensitive_domains,
            boxes=rows.take(first),
            row_group=group_of[order].astype(np.int32),
            row_sensitive=sensitive[:, order],
            n_groups=len(first),
            numbered=GROUP in frame.columns,
            counterfeits_per_group=_read_statistics(counterfeits, numbers, group_of),
            pseudonyms=None if tracks is None else tracks[order],
        )

    @classmethod
    def from_frames(
        cls,
        quasi: pd.DataFrame,
        sensitive: pd.DataFrame,
        population: Microdata,
        *,
        counterfeits: pd.DataFrame | None = None,
    ) -> Published:
        """Read the two tables of anatomized data back."""
        schema = population.schema
        for what, frame, names in (
            ("quasi-identifier table", quasi, [*schema.quasi_identifiers, GROUP]),
            ("sensitive table", sensitive, [GROUP, *schema.sensitive, COUNT]),
        ):
            _require_columns(what, frame, names)
        for column in (quasi[GROUP], sensitive[GROUP]):
            _refuse_empty_cells(column)
        if not schema.sensitive:
            raise SchemaError("anatomized tables need a sensitive column, but the population's schema names none")
        times = _whole_numbers(sensitive[COUNT])
        if (times < 1).any():
            raise PublicationError(f"column {COUNT!r} of the sensitive table must hold whole numbers from 1 on")
        numbers = np.unique(sensitive[GROUP])
        strangers = np.setdiff1d(quasi[GROUP], numbers)
        if len(strangers):
            raise PublicationError(
                f"group(s) {listed(strangers)} of the quasi-identifier table are not in the sensitive table"
            )
        repeat = np.repeat(np.arange(len(sensitive)), times)
        row_group = np.searchsorted(numbers, sensitive[GROUP].to_numpy())[repeat].astype(np.int32)
        codes = np.array([read_codes(sensitive[d.name], d) for d in population.sensitive_domains], dtype=np.int32)[
            :, repeat
        ]
        qi = np.array([read_codes(quasi[d.name], d) for d in population.qi_domains], dtype=np.int32)
        qi_group = np.searchsorted(numbers, quasi[GROUP].to_numpy()).astype(np.int32)
        order, qi_order = np.lexsort((*codes[::-1], row_group)), np.lexsort((*qi[::-1], qi_group))
        return cls(
            schema=schema,
            qi_domains=population.qi_domains,
            sensitive_domains=population.sensitive_domains,
            boxes=None,
            row_group=row_group[order],
            row_sensitive=codes[:, order],
            n_groups=len(numbers),
            numbered=True,
            qi_rows=qi[:, qi_order],
            qi_group=qi_group[qi_order],
            counterfeits_per_group=_read_statistics(counterfeits, numbers, row_group),
        )


def _require_columns(what: str, frame: pd.DataFrame, names: Sequence[str]) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise ParameterError(f"the {what} must be a pandas DataFrame, not {type(frame).__name__}")
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise SchemaError(f"the {what} lacks column(s) {listed(missing)}")


def _read_statistics(frame: pd.DataFrame | None, numbers: Any, row_group: np.ndarray) -> np.ndarray | None:
    """Counterfeits per group: each group once, and no more of them than it has rows."""
    if frame is None:
        return None
    _require_columns("table of counterfeit statistics", frame, (GROUP, COUNTERFEITS))
    where = pd.Index(numbers).get_indexer(frame[GROUP])
    if (where < 0).any():
        raise PublicationError(
            f"group(s) {listed(frame[GROUP][where < 0])} of the counterfeit statistics are not published"
        )
    if frame[GROUP].duplicated().any():
        doubled = frame[GROUP][frame[GROUP].duplicated()].unique()
        raise PublicationError(f"group(s) {listed(doubled)} stand more than once in the counterfeit statistics")
    per_group = np.zeros(len(numbers), dtype=np.int64)
    per_group[where] = _whole_numbers(frame[COUNTERFEITS])
    sizes = np.bincount(row_group, minlength=len(numbers))
    wrong = np.flatnonzero((per_group < 0) | (per_group > sizes))
    if len(wrong):
        group = wrong[0]
        raise PublicationError(
            f"the counterfeit statistics name {per_group[group]} counterfeits in group {listed(numbers[[group]])}, "
            f"which has {sizes[group]} published rows; give a whole number from 0 to {sizes[group]}"
        )
    return per_group


def _refuse_empty_cells(column: pd.Series) -> None:
    if column.isna().any():
        row = int(np.argmax(column.isna()))
        raise PublicationError(
            f"column {column.name!r} of a published table has an empty cell in row {row} (counted from 0)"
        )


def _whole_numbers(column: pd.Series) -> np.ndarray:
    _refuse_empty_cells(column)
    numbers = column.to_numpy()
    if len(numbers) and numbers.dtype.kind not in "iu":
        raise PublicationError(f"column {column.name!r} of a published table must hold whole numbers")
    return numbers.astype(np.int64)


def read_codes(column: pd.Series, domain: Domain) -> np.ndarray:
    """Codes of plain values."""
    _refuse_empty_cells(column)
    raw, uniques = pd.factorize(column)
    codes, absent = [], []
    for value in uniques:
        try:
            codes.append(domain.code_of(value))
        except KeyError:
            absent.append(value)
    if absent:
        raise PublicationError(f"column {domain.name!r} shows {listed(absent)}, which its domain does not have")
    return np.array(codes, dtype=np.int32)[raw]


def read_labels(column: pd.Series, domain: Domain) -> BoxColumn:
    """Boxes from their published text."""
    _refuse_empty_cells(column)
    raw, uniques = pd.factorize(column)
    parsed = [_parse(_text(value), domain) for value in uniques]
    if domain.kind == "hierarchy":
        return Nodes(domain, np.array([p[0] for p in parsed], dtype=np.int32)[raw])
    if domain.kind == "ordered":
        pairs = np.array([(p[0], p[-1]) for p in parsed], dtype=np.int32).reshape(-1, 2)
        return Intervals(domain, pairs[raw, 0], pairs[raw, 1])
    bits = np.zeros((len(uniques), (len(domain) + 63) // 64), dtype=np.uint64)
    for i, codes in enumerate(parsed):
        for code in codes:
            bits[i, code >> 6] |= np.uint64(1) << np.uint64(code & 63)
    return Sets(domain, bits[raw])


def _parse(text: str, domain: Domain) -> list[int]:
    """Codes that a box's text names: a node, a value, the two ends of an interval, or the members of a set."""
    try:
        if domain.hierarchy is not None:
            return [domain.hierarchy.box_labels.index(text)]
        codes = [domain.code_of(name) for name in split(text, domain)]
        if sorted(set(codes)) != codes or (domain.kind == "ordered" and len(codes) > 2):
            raise ValueError(text)
        return codes
    except (KeyError, ValueError):
        raise PublicationError(f"column {domain.name!r}: cannot read {text!r} as a generalized value") from None
