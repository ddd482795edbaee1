"""Release: what an anonymizer made, on the holder's side. Published: what an adversary sees of it.

A release knows the table, the ids, each record's class. What leaves it carries no identifier, no original index and no
original order: rows are sorted by what is published, groups are numbered after sorting.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import (
    BrokenRuleError,
    ParameterError,
    PublicationError,
    SchemaError,
    check_choice,
    check_list,
    listed,
)
from ppdp_lab.principles import Principle
from ppdp_lab.published import Published
from ppdp_lab.table import Boxes, ClassCounts, Microdata, group
from ppdp_lab.table._segments import sum_hashes

GENERALIZED, ANATOMIZED = "generalized", "anatomized"


@dataclass(frozen=True)
class Counterfeits:
    """Invented records: class, sensitive codes, and quasi-identifier codes within the class's box."""

    class_of: np.ndarray
    sensitive: np.ndarray
    qi: np.ndarray

    @staticmethod
    def none(table: Microdata) -> Counterfeits:
        """No counterfeit at all."""
        return Counterfeits(
            np.zeros(0, dtype=np.int32),
            np.zeros((len(table.schema.sensitive), 0), dtype=np.int32),
            np.zeros((len(table.schema.quasi_identifiers), 0), dtype=np.int32),
        )

    def require_shapes(self, table: Microdata) -> None:
        """Refuse arrays that do not fit together or the table."""
        n = len(_whole_numbers("counterfeits: class_of", self.class_of, at_least=0))
        for name, codes, columns in (
            ("sensitive", self.sensitive, table.schema.sensitive),
            ("qi", self.qi, table.schema.quasi_identifiers),
        ):
            if codes.shape != (len(columns), n):
                raise ParameterError(f"counterfeits: {name} has shape {codes.shape}, not {(len(columns), n)}")

    def __len__(self) -> int:
        return len(self.class_of)


class Release:
    """One anonymized table, on the holder's side.

    Parameters
    ----------
    table : Microdata
        The records that were to be published.
    class_of : array of int
        Class of each record of the table; -1 for a suppressed one. Classes are 0, 1, ... and none is empty.
    boxes : Boxes, optional
        Generalized region of each class; the smallest that covers its members and counterfeits unless given.
    style : {"generalized", "anatomized"}
        Publish boxes, or exact quasi-identifiers and sensitive values in two tables joined by group only.
    grouped : bool
        Whether a ``group`` column is published, so that classes with equal boxes can be told apart. Always so for
        anatomized releases.
    counterfeits : Counterfeits, optional
    dirty : array-like of ids
        Records that the publisher added although they were not asked for.
    pseudonyms : array of int, optional
        A random number per record, stable over a series, for ``to_frame(track=True)``.
    method : str
        How the release was made.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 51, 29, 33], "disease": ["flu", "flu", "HIV", "flu"]})
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> Release(table, np.array([0, 1, 0, 1])).to_frame()
            age disease
    0  [29, 34]     HIV
    1  [29, 34]     flu
    2  [33, 51]     flu
    3  [33, 51]     flu
    """

    def __init__(
        self,
        table: Microdata,
        class_of: np.ndarray,
        boxes: Boxes | None = None,
        *,
        style: str = GENERALIZED,
        grouped: bool = False,
        counterfeits: Counterfeits | None = None,
        dirty: Any = (),
        pseudonyms: np.ndarray | None = None,
        method: str = "",
    ) -> None:
        if not isinstance(table, Microdata):
            raise ParameterError(f"table must be a ppdp_lab.Microdata, not {type(table).__name__}")
        self.table = table
        numbers = _whole_numbers("class_of", class_of, at_least=-1)
        if len(numbers) != len(table):
            raise ParameterError(
                f"class_of has shape {numbers.shape}; it needs one entry for each of {len(table)} records"
            )
        self.style = check_choice("style", style, (GENERALIZED, ANATOMIZED))
        self.grouped = grouped or style == ANATOMIZED
        self._counterfeits = Counterfeits.none(table) if counterfeits is None else counterfeits
        self._counterfeits.require_shapes(table)
        self.dirty = pd.Index(dirty)
        self.pseudonyms = None if pseudonyms is None else _whole_numbers("pseudonyms", pseudonyms, at_least=0)
        if self.pseudonyms is not None and len(self.pseudonyms) != len(table):
            raise ParameterError(f"{len(self.pseudonyms)} pseudonyms for {len(table)} records; give one each")
        self.method = method
        last = max(int(numbers.max(initial=-1)), int(self._counterfeits.class_of.max(initial=-1)))
        rows = len(table) + len(self._counterfeits)
        if last >= rows:  # so many classes might not even fit in memory
            raise ParameterError(f"class {last} is too high for {rows} rows: number classes 0, 1, ... without gaps")
        self.n_classes = last + 1
        self.class_of = numbers.astype(np.int32, copy=False)
        members = self.class_of[self.class_of >= 0]
        self.real_sizes = np.bincount(members, minlength=self.n_classes)
        if (self.sizes == 0).any():
            raise ParameterError(
                f"class(es) {listed(np.flatnonzero(self.sizes == 0).tolist())} have no member; number classes 0, 1, ..."
            )
        every = np.concatenate([self.class_of, self._counterfeits.class_of])
        codes = np.concatenate([table.qi_codes, self._counterfeits.qi], axis=1)
        if boxes is None:
            boxes = Boxes.around(codes, table.qi_domains, every, self.n_classes)
        elif len(boxes) != self.n_classes or len(boxes.columns) != len(table.schema.quasi_identifiers):
            raise ParameterError(
                f"{len(boxes)} boxes of {len(boxes.columns)} columns do not fit {self.n_classes} classes"
            )
        else:
            shown = every >= 0
            if not boxes.covers(every[shown], codes[:, shown]).all():
                raise BrokenRuleError("a box does not cover all members of its class; the release is withheld")
        self.boxes = boxes

    # ------------------------------------------------------------------ the holder's side
    @property
    def records(self) -> pd.Index:
        """Ids of the records, suppressed ones included."""
        return self.table.ids

    @property
    def sizes(self) -> np.ndarray:
        """Published rows per class, counterfeits included."""
        return self.real_sizes + np.bincount(self._counterfeits.class_of, minlength=self.n_classes)

    @property
    def suppressed(self) -> pd.Index:
        """Ids of the records that are not published."""
        return self.table.ids[self.class_of < 0]

    @property
    def n_counterfeits(self) -> int:
        """Number of invented records."""
        return len(self._counterfeits)

    @property
    def counterfeits(self) -> pd.DataFrame:
        """The invented records: class, sensitive values, quasi-identifiers. Holder's side only."""
        schema, fake = self.table.schema, self._counterfeits
        if "class" in self.table.domains:
            raise SchemaError("a column named 'class' would hide the class of each counterfeit; use counterfeit_codes")
        columns: dict[str, Any] = {"class": fake.class_of}
        for names, codes in ((schema.sensitive, fake.sensitive), (schema.quasi_identifiers, fake.qi)):
            for name, column in zip(names, codes):
                columns[name] = self.table.domains[name].decode(column)
        return pd.DataFrame(columns)

    @property
    def counterfeit_codes(self) -> Counterfeits:
        """The invented records in coded form. Holder's side only."""
        return self._counterfeits

    def counts(self, *, counterfeits: bool = True) -> ClassCounts:
        """Sizes and sensitive histograms per class, as published: counterfeits count unless told otherwise."""
        class_of, sensitive = self.class_of, self.table.sensitive_codes
        if counterfeits and len(self._counterfeits):
            class_of = np.concatenate([class_of, self._counterfeits.class_of])
            sensitive = np.concatenate([sensitive, self._counterfeits.sensitive], axis=1)
        return ClassCounts.count(class_of, self.n_classes, sensitive, self.table.sensitive_domains, self.table.totals())

    def checked(self, rule: Principle) -> Release:
        """This release, if it keeps the rule; a release that breaks its own rule is never returned."""
        if not isinstance(rule, Principle):
            raise ParameterError(f"rule must be a principle such as KAnonymity(5), not {rule!r}")
        verdict = rule.check(self)
        if not verdict:
            raise BrokenRuleError(f"the release is withheld, because it breaks its own rule: {verdict}")
        return self

    def __repr__(self) -> str:
        parts = [f"{int(self.real_sizes.sum())} records in {self.n_classes} classes"]
        for count, name in (
            (len(self.suppressed), "suppressed"),
            (self.n_counterfeits, "counterfeits"),
            (len(self.dirty), "dirty"),
        ):
            if count:
                parts.append(f"{count} {name}")
        return f"<Release of {', '.join(parts)}{', by ' + self.method if self.method else ''}>"

    # ------------------------------------------------------------------ what may leave the house
    @cached_property
    def group_of_class(self) -> np.ndarray:
        """Published group number of each class: after sorting by all that is published of it.

        Without a group column, classes with equal boxes are one group to any reader. With one, classes are sorted by box,
        by a hash of their contents and by their counterfeits, so that numbers follow from what is published alone.
        """
        if not self.grouped:
            return self.boxes.groups()[0]
        content = np.zeros(self.n_classes, dtype=np.uint64)
        fake, table = self._counterfeits, self.table
        sides = [(table.sensitive_codes, fake.sensitive, table.sensitive_domains)]
        if self.style == ANATOMIZED:
            sides.append((table.qi_codes, fake.qi, table.qi_domains))
        shown = self.class_of >= 0
        every = np.concatenate([self.class_of[shown], fake.class_of])
        for salt, (real, invented, domains) in enumerate(sides, start=1):
            rows = np.concatenate([real[:, shown], invented], axis=1)
            sum_hashes(every, group(rows, [len(d) for d in domains]).class_of, salt, content)
        fakes = np.bincount(fake.class_of, minlength=self.n_classes)
        follows = np.full(self.n_classes, -1, dtype=np.int64)  # pseudonyms tell classes of equal contents apart
        if self.pseudonyms is not None:
            np.maximum.at(follows, self.class_of[shown], self.pseudonyms[shown])
        order = np.lexsort([follows, fakes, content, *self.boxes.sort_keys()[::-1]])
        group_of = np.empty(self.n_classes, dtype=np.int32)
        group_of[order] = np.arange(self.n_classes, dtype=np.int32)
        return group_of

    def published(self, *, track: bool = False) -> Published:
        """What an adversary sees, in coded form; with pseudonyms if the series is published with ``track=True``."""
        if track and self.pseudonyms is None:
            raise PublicationError(
                "only releases of a publisher can be tracked; this one stands alone and has no pseudonyms"
            )
        if track and len(self._counterfeits):
            raise PublicationError("a release with counterfeits cannot be tracked: they have no person to follow")
        group_of = self.group_of_class
        n_groups = int(group_of.max()) + 1 if len(group_of) else 0
        fake = self._counterfeits
        shown = self.class_of >= 0
        row_group = group_of[np.concatenate([self.class_of[shown], fake.class_of])]
        sensitive = np.concatenate([self.table.sensitive_codes[:, shown], fake.sensitive], axis=1)
        pseudonyms = self.pseudonyms[shown] if track and self.pseudonyms is not None else None
        one_class = np.empty(n_groups, dtype=np.int64)
        one_class[group_of] = np.arange(self.n_classes)
        qi = qi_group = None
        if self.style == ANATOMIZED:
            qi = np.concatenate([self.table.qi_codes[:, shown], fake.qi], axis=1)
            order = np.lexsort((*qi[::-1], row_group))
            qi, qi_group = qi[:, order], row_group[order]
        keys = ([] if pseudonyms is None else [pseudonyms]) + [*sensitive[::-1], row_group]
        order = np.lexsort(keys)
        fakes = np.bincount(group_of[fake.class_of], minlength=n_groups) if len(fake) else None
        return Published(
            schema=self.table.schema,
            qi_domains=self.table.qi_domains,
            sensitive_domains=self.table.sensitive_domains,
            boxes=self.boxes.take(one_class) if self.style == GENERALIZED else None,
            row_group=row_group[order],
            row_sensitive=sensitive[:, order],
            n_groups=n_groups,
            numbered=self.grouped,
            qi_rows=qi,
            qi_group=qi_group,
            counterfeits_per_group=fakes,
            pseudonyms=None if pseudonyms is None else pseudonyms[order],
        )

    def to_frame(self, *, track: bool = False) -> pd.DataFrame:
        """The published table: readable generalized values, counterfeits among the rows, unmarked.

        ``track=True`` adds a random ``pseudonym`` per person, stable over a series: what BPG's stronger adversary sees.
        """
        if self.style == ANATOMIZED:
            raise PublicationError("an anatomized release is published as two tables; use to_frames()")
        return self.published(track=track).to_frame(track=track)

    def to_frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The two tables of an anatomized release: quasi-identifiers with group, and group with sensitive counts."""
        if self.style != ANATOMIZED:
            raise PublicationError("a generalized release is published as one table; use to_frame()")
        if not self.table.schema.sensitive:
            raise SchemaError("an anatomized release needs a sensitive column")
        return self.published().to_frames()

    def counterfeit_statistics(self) -> pd.DataFrame:
        """Number of counterfeits in each published group that has any."""
        return self.published().counterfeit_statistics()


def _whole_numbers(name: str, values: Any, *, at_least: int) -> np.ndarray:
    """A list of whole numbers, or a refusal in words."""
    numbers = check_list(name, values)
    if len(numbers) == 0:
        return numbers.astype(np.int64)
    if numbers.dtype.kind not in "iu":
        raise ParameterError(f"{name} must hold whole numbers, not {listed(numbers, 3)} ({numbers.dtype})")
    wrong = [end for end in (int(numbers.min()), int(numbers.max())) if not at_least <= end < 2**63]
    if wrong:
        raise ParameterError(f"{name} must hold whole numbers from {at_least} to 2**63 - 1, not {wrong[0]}")
    return numbers.astype(np.int64) if numbers.dtype.kind == "u" else numbers
