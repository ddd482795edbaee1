"""What a form is: how a release is shown to the world.

A form is a subclass of :class:`Published` in a file of its own, entered in :data:`FORMS`. It says how it comes about from
a release's rows (:meth:`Published.show`), how it becomes frames and comes back from them, what it counts, which groups may
hold a given person, how it answers a count query. What it shows beyond that it lists in :attr:`Published.offers`; metrics
and attacks list what they need, and a form that lacks it is refused in words. Nobody else asks which form a release has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import pandas as pd

from ppdp_lab import pages
from ppdp_lab.errors import ParameterError, PublicationError, check_list, listed
from ppdp_lab.registry import Registry
from ppdp_lab.table import Boxes, ClassCounts, Domain, Microdata, Schema, Sets
from ppdp_lab.text import OneLine, counted, cut, few_names

GROUP, PSEUDONYM, COUNT, COUNTERFEITS = "group", "pseudonym", "count", "counterfeits"


class Feature(Enum):
    """What a form may show, and a metric or attack may need."""

    ROWS = "the sensitive values of every row"
    BOXES = "a region of the quasi-identifier space for every group"
    HOLDERS = "which groups may hold a person"
    VALUES = "how far each quasi-identifier is generalized"
    ANSWERS = "enough to estimate count queries"
    DENSITY = "how many records to expect at each combination of values"


class CountQueries(Protocol):
    """Count queries as a form reads them: selected values per quasi-identifier and per sensitive attribute."""

    @property
    def qi(self) -> tuple[Sets, ...]: ...

    @property
    def sensitive(self) -> tuple[Sets, ...]: ...

    def take(self, rows: Any) -> CountQueries: ...

    def __len__(self) -> int: ...


class Holders(Protocol):
    """The groups that may hold each of several persons."""

    def chunks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """Pieces of (first person, offsets, groups, rows of the group that match the person), persons in order."""
        ...

    def unite(self, masks: np.ndarray) -> np.ndarray:
        """Per person, the union of the masks of the groups that may hold them; 0 where there is none."""
        ...


@dataclass(frozen=True, eq=False)
class Parts(OneLine):
    """The rows of a release as its holder hands them to a form: counterfeits among them, in no particular order.

    ``row_group`` holds the group numbers that are to be published, ``boxes`` the region of each group.
    """

    schema: Schema
    qi_domains: tuple[Domain, ...]
    sensitive_domains: tuple[Domain, ...]
    n_groups: int
    numbered: bool
    row_group: np.ndarray
    qi: np.ndarray
    sensitive: np.ndarray
    boxes: Boxes
    counterfeits_per_group: np.ndarray | None = None
    pseudonyms: np.ndarray | None = None

    def header(self) -> dict[str, Any]:
        """The fields that every form has."""
        names = ("schema", "qi_domains", "sensitive_domains", "n_groups", "numbered")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False, kw_only=True)
class Published(OneLine, ABC):
    """The published side of a release: what an adversary sees, in coded form, and nothing else.

    It comes from :meth:`Release.published() <ppdp_lab.release.Release.published>`, or from published tables by
    :meth:`from_frame` and :meth:`from_frames`.

    Attributes
    ----------
    schema, qi_domains, sensitive_domains
        Columns, and the values they may have.
    n_groups : int
    numbered : bool
        Whether group numbers are published, or rows are told apart by their regions alone.
    counterfeits_per_group : array or None
        Published counterfeit statistics, if there are any counterfeits.
    pseudonyms : array or None
        Tracking number of each row, where the series publishes them.
    """

    form: ClassVar[str]
    """Its name, such as ``"generalized"``."""
    offers: ClassVar[frozenset[Feature]]
    """What it shows."""
    exact: ClassVar[bool] = False
    """Whether quasi-identifiers are shown as they are."""
    always_numbered: ClassVar[bool] = False
    """Whether group numbers are always published."""
    tables: ClassVar[tuple[str, ...]] = ("",)
    """Names of its tables; one without a name if there is only one."""

    schema: Schema
    qi_domains: tuple[Domain, ...]
    sensitive_domains: tuple[Domain, ...]
    n_groups: int
    numbered: bool
    counterfeits_per_group: np.ndarray | None = None
    pseudonyms: np.ndarray | None = None

    # ------------------------------------------------------------------ what every form says
    @classmethod
    @abstractmethod
    def show(cls, parts: Parts) -> Self:
        """What is published of a release's rows; the order of the rows must play no part."""

    @property
    @abstractmethod
    def sizes(self) -> np.ndarray:
        """Rows per group."""

    @abstractmethod
    def counts(self) -> ClassCounts:
        """Sizes and sensitive histograms per group."""

    @abstractmethod
    def frames(self) -> dict[str, pd.DataFrame]:
        """The published tables, by the names of :attr:`tables`."""

    @classmethod
    @abstractmethod
    def read(
        cls, frames: Mapping[str, pd.DataFrame], population: Microdata, counterfeits: pd.DataFrame | None = None
    ) -> Self:
        """The inverse of :meth:`frames`: ``population`` gives columns, domains and hierarchies; its rows play no part."""

    def __len__(self) -> int:
        """Published rows."""
        return int(self.sizes.sum())

    @property
    def real_sizes(self) -> np.ndarray:
        """Rows per group that stand for a person: counterfeits taken off where their number is published."""
        fakes = self.counterfeits_per_group
        return self.sizes if fakes is None else self.sizes - fakes

    @property
    def real_share(self) -> np.ndarray:
        """How much every row of a group counts: (n - f) / n, of a group of n rows with f counterfeits."""
        return self.real_sizes / np.maximum(self.sizes, 1)

    def recode(self, qi_domains: Sequence[Domain], sensitive_domains: Sequence[Domain]) -> Self:
        """The same tables coded over other domains, which have at least the values that are shown."""
        pairs = zip((*self.qi_domains, *self.sensitive_domains), (*qi_domains, *sensitive_domains))
        if all(mine is other for mine, other in pairs):
            return self
        header: dict[str, Any] = {"qi_domains": tuple(qi_domains), "sensitive_domains": tuple(sensitive_domains)}
        return replace(self, **header, **self.recoded(qi_domains, sensitive_domains))

    def recoded(self, qi_domains: Sequence[Domain], sensitive_domains: Sequence[Domain]) -> dict[str, Any]:
        """The fields of this form that hold codes, over other domains."""
        raise PublicationError(f"{self.form} tables cannot be compared with tables over other values")

    # ------------------------------------------------------------------ what a form may say
    def holders(self, qi_codes: np.ndarray) -> Holders:
        """The groups that may hold persons with these quasi-identifiers: one column of codes per person."""
        raise self.lacks(Feature.HOLDERS, "this question")

    def answer(self, queries: CountQueries) -> np.ndarray:
        """How many records each query is expected to select."""
        raise self.lacks(Feature.ANSWERS, "this question")

    def density(self, qi_codes: np.ndarray, sensitive_codes: np.ndarray) -> np.ndarray:
        """How many records to expect at each point of the quasi-identifier space with these sensitive values.

        ``sensitive_codes`` may hold fewer rows than there are sensitive columns: the others then play no part.
        """
        raise self.lacks(Feature.DENSITY, "this question")

    def counterfeit_statistics(self) -> pd.DataFrame:
        """Number of counterfeits in each group that has any."""
        per_group = self.counterfeits_per_group
        groups = np.zeros(0, dtype=np.int64) if per_group is None else np.flatnonzero(per_group)
        return pd.DataFrame({GROUP: groups, COUNTERFEITS: groups if per_group is None else per_group[groups]})

    # ------------------------------------------------------------------ looking at it
    def __repr__(self) -> str:
        quasi, sensitive = few_names(self.schema.quasi_identifiers), few_names(self.schema.sensitive)
        return cut(f"<Published: {self._said()}: {quasi} | {sensitive or 'nothing sensitive'}>")

    def _said(self) -> str:
        fakes = self.counterfeits_per_group
        told = "" if fakes is None else f", {int(fakes.sum())} of them counterfeit,"
        rows = f"{counted(len(self), 'row')}{told} in {counted(self.n_groups, 'group')}"
        return f"{self.form} table{'s' if len(self.tables) > 1 else ''} of {rows}"

    def head(self, rows: int = 5) -> dict[str, pd.DataFrame]:
        """The first rows of each table, to look at; they are sorted by what is published."""
        return {name: frame.head(rows) for name, frame in self.frames().items()}

    def head_html(self) -> pages.Html:
        """The first rows of each table, as HTML."""
        parts: list[object] = []
        for name, frame in (self.head() if len(self) else {}).items():
            said = f"first rows of the {name + ' ' if name else 'published '}table"
            rows = frame.to_numpy(dtype=object).tolist()
            # Sensitive columns are what people ask for first: they are shown however many others there are.
            table = pages.table(list(frame.columns), rows, last=self.schema.sensitive)
            parts += [pages.element("small", said), table]
        return pages.Html("".join(map(pages.text, parts)))

    def _repr_html_(self) -> str:
        return pages.card(f"Published: {self._said()}", self.head_html())

    # ------------------------------------------------------------------ as frames
    def to_frame(self, *, track: bool = False) -> pd.DataFrame:
        """The published table, of a form that is one table."""
        if len(self.tables) != 1:
            raise PublicationError(f"{self.form} tables are {len(self.tables)} frames; use to_frames()")
        return next(iter(self.frames().values()))

    def to_frames(self) -> tuple[pd.DataFrame, ...]:
        """The published tables, of a form that is several."""
        if len(self.tables) == 1:
            raise PublicationError(f"{self.form} tables are one frame; use to_frame()")
        return tuple(self.frames().values())

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
        kind = cls if not _abstract(cls) else FORMS["generalized"]
        return kind.read({"": frame}, _population(population), counterfeits)

    @classmethod
    def from_frames(
        cls,
        quasi: pd.DataFrame,
        sensitive: pd.DataFrame,
        population: Microdata,
        *,
        counterfeits: pd.DataFrame | None = None,
    ) -> Published:
        """Read the two tables of anatomized data back; parameters as for :meth:`from_frame`."""
        kind = cls if not _abstract(cls) else FORMS["anatomized"]
        return kind.read(dict(zip(kind.tables, (quasi, sensitive))), _population(population), counterfeits)

    # ------------------------------------------------------------------ leaving the process
    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled are the published tables: domains and hierarchies hold values that nobody has published."""
        statistics = None if self.counterfeits_per_group is None else self.counterfeit_statistics()
        return Tables, (self.form, self.frames(), statistics)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    # ------------------------------------------------------------------ refusals
    @classmethod
    def lacks(cls, feature: Feature, who: str) -> PublicationError:
        """The error that says what this form does not show."""
        able = [entry.name for entry in FORMS.entries() if feature in entry.member.offers]
        return PublicationError(
            f"{who} needs {feature.value}, which {cls.form} tables do not show; it reads {listed(able) or 'none'}"
        )

    @classmethod
    def require(cls, who: str, needs: Iterable[Feature]) -> None:
        """Refuse to be read by a metric or attack that needs what this form does not show."""
        for feature in needs:
            if feature not in cls.offers:
                raise cls.lacks(feature, who)


FORMS: Registry[type[Published]] = Registry("form")


@dataclass(frozen=True, eq=False)
class Tables(OneLine):
    """What comes out of a pickled :class:`Published`: the tables themselves, and nothing that they do not show.

    :meth:`over` makes it a Published again, by a population that knows columns, domains and hierarchies.
    """

    form: str
    shown: dict[str, pd.DataFrame]
    counterfeits: pd.DataFrame | None = None

    def frames(self) -> dict[str, pd.DataFrame]:
        """The published tables, by name."""
        return self.shown

    def over(self, population: Microdata) -> Published:
        """The tables in coded form."""
        return FORMS[self.form].read(self.shown, _population(population), self.counterfeits)

    def __repr__(self) -> str:
        rows = ", ".join(f"{len(frame)} rows" for frame in self.shown.values())
        return f"<{self.form} tables of {rows}; over(population) makes them a Published>"


def readable_by(needs: Iterable[Feature]) -> list[str]:
    """Names of the forms that show all that is needed."""
    wanted = set(needs)
    return [entry.name for entry in FORMS.entries() if wanted <= entry.member.offers]


def _abstract(kind: type[Published]) -> bool:
    return bool(getattr(kind, "__abstractmethods__", frozenset()))


def _population(given: object) -> Microdata:
    if not isinstance(given, Microdata):
        raise ParameterError(
            f"population must be a ppdp_lab.Microdata, which gives columns, domains and hierarchies, not "
            f"{type(given).__name__}"
        )
    return given


# --------------------------------------------------------------------
# Counterfeits: records that a publisher invents, among which nobody can be told from a real one.


@dataclass(frozen=True)
class Counterfeits(OneLine):
    """Invented records: class, sensitive codes, and quasi-identifier codes within the class's box.

    Those of a series also say who they are: ``ids`` are numbers that a counterfeit keeps for as long as it is published,
    ``pseudonyms`` its tracking numbers. Holder's side only.
    """

    class_of: np.ndarray
    sensitive: np.ndarray
    qi: np.ndarray
    ids: np.ndarray | None = None
    pseudonyms: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name in ("class_of", "ids", "pseudonyms"):
            given = getattr(self, name)
            if given is not None or name == "class_of":
                numbers = check_list(f"counterfeits: {name}", given)
                if numbers.dtype.kind == "u" and numbers.max(initial=0) < 2**63:
                    numbers = numbers.astype(np.int64)  # beside numbers of records, numpy would make them floats
                object.__setattr__(self, name, numbers)

    @staticmethod
    def none(table: Microdata) -> Counterfeits:
        """No counterfeit at all."""
        nobody = np.zeros(0, dtype=np.int64)
        return Counterfeits(
            np.zeros(0, dtype=np.int32),
            np.zeros((len(table.schema.sensitive), 0), dtype=np.int32),
            np.zeros((len(table.schema.quasi_identifiers), 0), dtype=np.int32),
            nobody,
            nobody,
        )

    def require_fit(self, table: Microdata) -> None:
        """Refuse arrays that do not fit together or the table."""
        n = len(whole_numbers("counterfeits: class_of", self.class_of, at_least=0))
        for name, codes, domains in (
            ("sensitive", self.sensitive, table.sensitive_domains),
            ("qi", self.qi, table.qi_domains),
        ):
            if not isinstance(codes, np.ndarray) or codes.shape != (len(domains), n) or codes.dtype.kind not in "iu":
                shape = getattr(codes, "shape", type(codes).__name__)
                raise ParameterError(
                    f"counterfeits: {name} must be whole numbers of shape {(len(domains), n)}, not {shape}"
                )
            for column, domain in zip(codes, domains):
                if n and not (column.min() >= 0 and column.max() < len(domain)):
                    raise ParameterError(f"counterfeits: codes of {domain.name!r} must lie in 0 .. {len(domain) - 1}")
        for name, numbers in (("ids", self.ids), ("pseudonyms", self.pseudonyms)):
            if numbers is not None and len(whole_numbers(f"counterfeits: {name}", numbers, at_least=0)) != n:
                raise ParameterError(f"counterfeits: {len(numbers)} {name} for {n} counterfeits; give one each")

    def __len__(self) -> int:
        return len(self.class_of)


def whole_numbers(name: str, values: Any, *, at_least: int) -> np.ndarray:
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


# --------------------------------------------------------------------
# Forms that publish the sensitive values of every row, next to the number of its group.


@dataclass(frozen=True, eq=False, kw_only=True)
class PublishedRows(Published):
    """What forms with one sensitive row per record share.

    Attributes
    ----------
    row_group, row_sensitive : arrays
        Group and sensitive codes of each published row, sorted by group and value: within a group, order tells nothing.
    """

    row_group: np.ndarray
    row_sensitive: np.ndarray

    @staticmethod
    def sorted_rows(parts: Parts) -> dict[str, Any]:
        """The fields of this class, from rows in any order."""
        tracks = [] if parts.pseudonyms is None else [parts.pseudonyms]
        order = np.lexsort([*tracks, *parts.sensitive[::-1], parts.row_group])
        return {
            "row_group": parts.row_group[order].astype(np.int32, copy=False),
            "row_sensitive": parts.sensitive[:, order],
            "counterfeits_per_group": parts.counterfeits_per_group,
            "pseudonyms": None if parts.pseudonyms is None else parts.pseudonyms[order],
        }

    def __len__(self) -> int:
        return len(self.row_group)

    @cached_property
    def sizes(self) -> np.ndarray:  # type: ignore[override]
        """Rows per group."""
        return np.bincount(self.row_group, minlength=self.n_groups)

    def recoded(self, qi_domains: Sequence[Domain], sensitive_domains: Sequence[Domain]) -> dict[str, Any]:
        """Rows in the order of their new codes."""
        new = [mine.map_to(other) for mine, other in zip(self.sensitive_domains, sensitive_domains)]
        codes = np.array([to[row] for to, row in zip(new, self.row_sensitive)], dtype=np.int32)
        codes = codes.reshape(self.row_sensitive.shape)
        order = np.lexsort([*([] if self.pseudonyms is None else [self.pseudonyms]), *codes[::-1], self.row_group])
        tracks = None if self.pseudonyms is None else self.pseudonyms[order]
        return {"row_sensitive": codes[:, order], "pseudonyms": tracks}  # groups stay where they are

    def counts(self) -> ClassCounts:
        """Sizes and sensitive histograms per group."""
        return ClassCounts.count(self.row_group, self.n_groups, self.row_sensitive, self.sensitive_domains)

    def sensitive_columns(self) -> dict[str, Any]:
        """The sensitive values of each row, by column."""
        return {d.name: d.decode_shown(codes) for d, codes in zip(self.sensitive_domains, self.row_sensitive)}
