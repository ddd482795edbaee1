"""Release: what an anonymizer returns. The holder's side; ``published()`` gives the other."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdp_lab import pages
from ppdp_lab.errors import BrokenRuleError, ParameterError, PublicationError, SchemaError, check_choice, listed
from ppdp_lab.principles import Principle
from ppdp_lab.release.forms import FORMS, Counterfeits, Parts, Published, whole_numbers
from ppdp_lab.table import Boxes, ClassCounts, Microdata, group, sum_hashes
from ppdp_lab.text import WIDTH, counted, cut

if TYPE_CHECKING:
    pass
if TYPE_CHECKING:
    from matplotlib.figure import Figure


def fitting_boxes(boxes: Any, class_of: np.ndarray, codes: np.ndarray, n_classes: int) -> Boxes:
    """Boxes that were given, one per class, each covering its members; anything else is refused."""
    if not isinstance(boxes, Boxes):
        raise ParameterError(f"boxes must be a ppdp_lab.table.Boxes, one per class, not {type(boxes).__name__}")
    if len(boxes) != n_classes or len(boxes.columns) != len(codes):
        raise ParameterError(f"{len(boxes)} boxes of {len(boxes.columns)} columns do not fit {n_classes} classes")
    shown = class_of >= 0
    if not boxes.covers(class_of[shown], codes[:, shown]).all():
        raise BrokenRuleError("a box does not cover all members of its class; the release is withheld")
    return boxes


def ids_among(name: str, ids: Any, known: pd.Index) -> pd.Index:
    """Ids of the table, or a refusal in words."""
    try:
        index = ids if isinstance(ids, pd.Index) else pd.Index(list(ids), tupleize_cols=False)
        absent = index[known.get_indexer(index) < 0] if len(index) else index
    except TypeError:
        raise ParameterError(f"{name} must be a list of ids of the table, not {ids!r}") from None
    if len(absent):
        raise ParameterError(f"{name} names {listed(absent)}, which the table does not have; give ids of its records")
    return index


# --------------------------------------------------------------------
# Numbers of groups that follow from what is published of them alone.


def numbers_by_content(release: Release) -> np.ndarray:
    """Group number of each class, sorted by box, by a hash of its contents, by its counterfeits, then by the tie numbers."""
    content = np.zeros(release.n_classes, dtype=np.uint64)
    fake, table = release.counterfeit_codes, release.table
    sides = [(table.sensitive_codes, fake.sensitive, table.sensitive_domains)]
    if release.form.exact:
        sides.append((table.qi_codes, fake.qi, table.qi_domains))
    shown = release.class_of >= 0
    every = np.concatenate([release.class_of[shown], fake.class_of])
    for salt, (real, invented, domains) in enumerate(sides, start=1):
        if not domains:  # no sensitive column, so it tells nothing apart
            continue
        rows = np.concatenate([real[:, shown], invented], axis=1)
        sum_hashes(every, group(rows, [len(d) for d in domains]).class_of, salt, content)
    fakes = np.bincount(fake.class_of, minlength=release.n_classes)
    ties = np.zeros(release.n_classes, dtype=np.int64) if release.ties is None else release.ties
    order = np.lexsort([ties, fakes, content, *release.boxes.sort_keys()[::-1]])
    group_of = np.empty(release.n_classes, dtype=np.int32)
    group_of[order] = np.arange(release.n_classes, dtype=np.int32)
    return group_of


# --------------------------------------------------------------------
# Release: what an anonymizer made, on the holder's side. Published: what an adversary sees of it.
#
# A release knows the table, the ids, each record's class. What leaves it carries no identifier, no original index and no
# original order. How it is shown (:attr:`Release.style`) is a form of :mod:`ppdp_lab.release`: the release hands its rows over
# and asks nothing else.


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
    style : str
        Which form of :data:`ppdp_lab.release.forms.FORMS` it is published in: ``"generalized"`` (boxes), ``"anatomized"`` (exact
        quasi-identifiers and sensitive values in two tables joined by group only), ...
    grouped : bool
        Whether a ``group`` column is published, so that classes with equal boxes can be told apart. Some forms always
        have one.
    counterfeits : Counterfeits, optional
    dirty : array-like of ids
        Records of the table that the publisher added although they were not asked for.
    pseudonyms : array of int, optional
        A random number per record, stable over a series, for ``to_frame(track=True)``.
    ties : array of int, optional
        A number per class, for the order in which classes that look alike in all that is published are numbered.
    method : str
        How the release was made.
    seeded : bool
        Whether a seed decided who shares a class: then whoever knows source, seed and quasi-identifiers can replay it, and the
        release is for experiments, not for publication.

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
        style: str = "generalized",
        grouped: bool = False,
        counterfeits: Counterfeits | None = None,
        dirty: Any = (),
        pseudonyms: np.ndarray | None = None,
        ties: np.ndarray | None = None,
        method: str = "",
        seeded: bool = False,
    ) -> None:
        if not isinstance(table, Microdata):
            raise ParameterError(f"table must be a ppdp_lab.Microdata, not {type(table).__name__}")
        self.table = table
        numbers = whole_numbers("class_of", class_of, at_least=-1)
        if len(numbers) != len(table):
            raise ParameterError(
                f"class_of has shape {numbers.shape}; it needs one entry for each of {len(table)} records"
            )
        self.style = check_choice("style", style, FORMS)
        self.form = FORMS[style]
        self.grouped = grouped or self.form.always_numbered
        if counterfeits is not None and not isinstance(counterfeits, Counterfeits):
            raise ParameterError(f"counterfeits must be a ppdp_lab.release.Counterfeits, not {counterfeits!r}")
        self._counterfeits = Counterfeits.none(table) if counterfeits is None else counterfeits
        self._counterfeits.require_fit(table)
        self.dirty = ids_among("dirty", dirty, table.ids)
        self.pseudonyms = None if pseudonyms is None else whole_numbers("pseudonyms", pseudonyms, at_least=0)
        if self.pseudonyms is not None and len(self.pseudonyms) != len(table):
            raise ParameterError(f"{len(self.pseudonyms)} pseudonyms for {len(table)} records; give one each")
        self.method = method
        self.seeded = bool(seeded)
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
        self.ties = None if ties is None else whole_numbers("ties", ties, at_least=0)
        if self.ties is not None and len(self.ties) != self.n_classes:
            raise ParameterError(f"{len(self.ties)} tie numbers for {self.n_classes} classes; give one each")
        every = np.concatenate([self.class_of, self._counterfeits.class_of])
        codes = np.concatenate([table.qi_codes, self._counterfeits.qi], axis=1)
        given = boxes
        if given is None:
            self.boxes = Boxes.around(codes, table.qi_domains, every, self.n_classes)
        else:
            self.boxes = fitting_boxes(given, every, codes, self.n_classes)

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

    def per_class(self) -> pd.DataFrame:
        """Records that were asked for, dirty ones, counterfeits and suppressed ones of each class. Holder's side only.

        Suppressed records belong to no class: they stand in the last row, -1, if there are any.
        """
        numbers, dirty = np.arange(self.n_classes), np.asarray(self.table.ids.isin(self.dirty))
        added = np.bincount(self.class_of[dirty & (self.class_of >= 0)], minlength=self.n_classes)
        columns = {"records": self.real_sizes - added, "dirty": added, "counterfeits": self.sizes - self.real_sizes}
        frame = pd.DataFrame({**columns, "suppressed": 0}, index=pd.Index(numbers, name="class"))
        if len(self.suppressed):
            frame.loc[-1] = [0, 0, 0, len(self.suppressed)]
        return frame

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
        verdict = rule.check(self.counts())  # bare counts: error messages are logged, and boxes hold people's values
        if not verdict:
            raise BrokenRuleError(f"the release is withheld, because it breaks its own rule: {verdict}")
        return self

    def __len__(self) -> int:
        """Published rows, counterfeits included."""
        return int(self.sizes.sum())

    @property
    def shape(self) -> tuple[int, int]:
        """Published rows, and published columns: quasi-identifiers and sensitive ones."""
        return len(self), len(self.table.domains)

    def _said(self) -> list[str]:
        parts = [f"{counted(int(self.real_sizes.sum()), 'record')} in {counted(self.n_classes, 'class')}"]
        parts += [f"{len(self.suppressed)} suppressed"] if len(self.suppressed) else []
        parts += [counted(self.n_counterfeits, "counterfeit")] if self.n_counterfeits else []
        return parts + ([f"{len(self.dirty)} dirty"] if len(self.dirty) else [])

    def __repr__(self) -> str:
        note = " (seeded, not private)" if self.seeded else ""
        made = cut(self.method, WIDTH - 80)
        return cut(f"<Release of {', '.join(self._said())}{', by ' + made if made else ''}{note}>")

    def _repr_html_(self) -> str:
        sizes = self.sizes
        said: dict[str, object] = {"by": self.method} if self.method else {}
        if len(sizes):
            spread = f" to {sizes.max()}, {sizes.mean():.1f} on average" if sizes.min() < sizes.max() else ""
            said["rows per class"] = f"{sizes.min()}{spread}"
        said["published as"] = f"{self.style} table{'s' if len(self.form.tables) > 1 else ''}"
        if self.seeded:
            said["seeded"] = "not private: whoever knows the seed can replay who shares a class"
        return pages.card(f"Release of {', '.join(self._said())}", pages.pairs(said), self.published().head_html())

    def plot(self) -> Figure:
        """A picture: of one or two quasi-identifiers the boxes, else class sizes and how far each column is generalized.

        >>> import ppdp_lab as pl
        >>> table = pl.datasets.load("adult", rows=500).project(["age"])
        >>> figure = pl.Mondrian(pl.KAnonymity(20)).anonymize(table).plot()
        """
        from ppdp_lab.release.pictures import picture_of

        return picture_of(self)

    # ------------------------------------------------------------------ what may leave the house
    @cached_property
    def group_of_class(self) -> np.ndarray:
        """Published group number of each class: after sorting by all that is published of it.

        Without a group column, classes with equal boxes are one group to any reader. With one, classes are sorted by box,
        by a hash of their contents and by their counterfeits, so that numbers follow from what is published alone; ties
        between classes of equal contents are broken by the numbers that were handed over for that.
        """
        if not self.grouped:
            return self.boxes.groups()[0]
        return numbers_by_content(self)

    def published(self, *, track: bool = False) -> Published:
        """What an adversary sees, in coded form; with pseudonyms if the series is published with ``track=True``."""
        fake, table = self._counterfeits, self.table
        pseudonyms = None
        shown = self.class_of >= 0
        if track:
            if self.pseudonyms is None:
                raise PublicationError(
                    "only releases of a publisher can be tracked; this one stands alone and has no pseudonyms"
                )
            if len(fake) and fake.pseudonyms is None:
                raise PublicationError(
                    "these counterfeits have no pseudonyms and would stand out; it cannot be tracked"
                )
            invented = np.zeros(0, dtype=np.int64) if fake.pseudonyms is None else fake.pseudonyms
            pseudonyms = np.concatenate([self.pseudonyms[shown], invented])
        group_of = self.group_of_class
        n_groups = int(group_of.max()) + 1 if len(group_of) else 0
        one_class = np.empty(n_groups, dtype=np.int64)
        one_class[group_of] = np.arange(self.n_classes)
        return self.form.show(
            Parts(
                schema=table.schema,
                qi_domains=table.qi_domains,
                sensitive_domains=table.sensitive_domains,
                n_groups=n_groups,
                numbered=self.grouped,
                row_group=group_of[np.concatenate([self.class_of[shown], fake.class_of])],
                qi=np.concatenate([table.qi_codes[:, shown], fake.qi], axis=1),
                sensitive=np.concatenate([table.sensitive_codes[:, shown], fake.sensitive], axis=1),
                boxes=self.boxes.take(one_class),
                counterfeits_per_group=(
                    np.bincount(group_of[fake.class_of], minlength=n_groups) if len(fake) else None
                ),
                pseudonyms=pseudonyms,
            )
        )

    def to_frame(self, *, track: bool = False) -> pd.DataFrame:
        """The published table: readable values, counterfeits among the rows, unmarked.

        ``track=True`` adds a random ``pseudonym`` per person, stable over a series: what BPG's stronger adversary sees.
        """
        self._require_tables(1)
        return self.published(track=track).to_frame(track=track)

    def to_frames(self) -> tuple[pd.DataFrame, ...]:
        """The tables of a release that is published as several, such as an anatomized one."""
        self._require_tables(2)
        return self.published().to_frames()

    def _require_tables(self, n: int) -> None:
        tables = len(self.form.tables)
        if (tables == 1) != (n == 1):
            raise PublicationError(
                f"a release in {self.style} form is published as {tables} table(s); use "
                f"{'to_frame()' if tables == 1 else 'to_frames()'}"
            )

    def counterfeit_statistics(self) -> pd.DataFrame:
        """Number of counterfeits in each published group that has any."""
        return self.published().counterfeit_statistics()
