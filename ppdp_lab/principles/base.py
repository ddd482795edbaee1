"""What a principle is: a statement that is true or false of every class of a release."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol, Self, runtime_checkable

import numpy as np

from ppdp_lab import pages
from ppdp_lab.errors import InfeasibleError, ParameterError
from ppdp_lab.registry import Plain, Registry
from ppdp_lab.table import Boxes, ClassCounts
from ppdp_lab.text import WIDTH, OneLine, cut

TOLERANCE = 1e-9  # three equal values must pass entropy >= log 3, which floating point alone denies them


@runtime_checkable
class HasCounts(Protocol):
    """Anything that can tell its class counts: a Release, a Published."""

    def counts(self) -> ClassCounts: ...


@dataclass(frozen=True, eq=False)
class Verdict(OneLine):
    """What a principle says of a release: overall, per class, and why a failing class fails."""

    rule: Principle
    safe: np.ndarray
    counts: ClassCounts = field(repr=False)
    boxes: Boxes | None = field(default=None, repr=False)

    @property
    def holds(self) -> bool:
        """Whether every class is safe."""
        return bool(self.safe.all())

    def __bool__(self) -> bool:
        return self.holds

    @property
    def failing(self) -> np.ndarray:
        """Numbers of the classes that are not safe."""
        return np.flatnonzero(~self.safe)

    @property
    def strongest(self) -> Principle | None:
        """The rule with the strongest parameters that every class keeps; see :meth:`Principle.strongest`."""
        return self.rule.strongest(self.counts)

    def why(self, limit: int = 10) -> list[str]:
        """A sentence for each failing class, at most ``limit``.

        A class is named by its generalized quasi-identifiers; where only its counts are known, by its number.
        """
        failing = self.failing[:limit]
        return [f"{name}: {self.rule.explain(self.counts, int(c))}" for name, c in zip(self._names(failing), failing)]

    def _names(self, classes: np.ndarray) -> list[str]:
        if self.boxes is None:
            return [f"class {c}" for c in classes]
        columns = [(column.domain.name, column.labels()) for column in self.boxes.take(classes)]
        return [
            "class with " + cut(", ".join(f"{name} {cut(str(labels[i]), 40)}" for name, labels in columns), WIDTH)
            for i in range(len(classes))
        ]

    def _head(self) -> str:
        return "; ".join([f"{self.rule} {self._where()}", *self._kept()])

    def _where(self) -> str:
        many = len(self.safe)
        if not many:
            return "holds, for there is no class"
        if many == 1:
            return f"{'holds' if self.holds else 'fails'} in the only class"
        return f"holds in all {many} classes" if self.holds else f"fails in {len(self.failing)} of {many} classes"

    def _kept(self) -> list[str]:
        """The strongest parameters; of several rules also where one of them has none."""
        if not self.counts.sizes.any():
            return []
        found = [(part, part.strongest(self.counts)) for part in self.rule.parts()]
        kept = [strongest for _, strongest in found if strongest is not None]
        lost = [part for part, strongest in found if strongest is None]
        if kept == list(self.rule.parts()):
            return ["no stronger one does"]
        said = [f"the strongest that holds is {' & '.join(map(str, kept))}"] if kept else []
        return said + [
            f"{f'of {part} ' if kept else ''}not even the weakest one does" for part in lost[: None if kept else 1]
        ]

    def _reasons(self) -> list[str]:
        rest = len(self.failing) - 3
        return [*self.why(3), *([f"and {rest} more"] if rest > 0 else [])]

    def __str__(self) -> str:
        return "\n  ".join([self._head(), *self._reasons()])

    def __repr__(self) -> str:
        line = f"<Verdict: {self._head()}>"
        # Of a long rule what was asked for is left out: what holds says more, and names the same rules.
        return line if len(line) <= WIDTH else cut(f"<Verdict: {'; '.join([self._where(), *self._kept()])}>")

    def _repr_html_(self) -> str:
        words = pages.verdict(self.holds, self._head())
        return pages.card(
            f"Verdict: the rule {self._where()}", words, pages.listing(self._reasons()) if self.failing.size else ""
        )


class Principle(Plain, ABC):
    """When is a class safe?

    A principle sees :class:`~ppdp_lab.table.ClassCounts` only: class sizes, sensitive histograms and the whole table's
    totals. A new one says :meth:`safe`, :meth:`explain`, :meth:`_strongest` and which of the two closures it has; it stands in
    :data:`PRINCIPLES` and can be written as text, such as ``KAnonymity(5) & DistinctLDiversity(3)``.

    Attributes
    ----------
    superset_closed : bool
        Every superset of a safe class is safe (what the BPG paper calls monotonous).
    union_closed : bool
        The union of two safe classes is safe. Follows from ``superset_closed``.
    minimum_size : int
        No class smaller than this can be safe; algorithms skip hopeless cuts by it.
    """

    superset_closed: bool = False
    union_closed: bool = False

    @property
    def minimum_size(self) -> int:
        """No smaller class can be safe."""
        return 1

    @abstractmethod
    def safe(self, counts: ClassCounts) -> np.ndarray:
        """One boolean per class. An empty class is safe: it tells nothing."""

    @abstractmethod
    def explain(self, counts: ClassCounts, cls: int) -> str:
        """Why class ``cls`` is not safe, as the end of a sentence that names the class."""

    def check(self, release: HasCounts | ClassCounts) -> Verdict:
        """Judge a release, or bare counts.

        >>> from ppdp_lab import KAnonymity
        >>> print(KAnonymity(3).check(ClassCounts.of_values([["flu", "flu"], ["HIV", "flu", "flu"]])))
        KAnonymity(3) fails in 1 of 2 classes; the strongest that holds is KAnonymity(2)
          class 0: 2 records, fewer than k = 3
        """
        counts = self._counts_of(release)
        boxes = getattr(release, "boxes", None)
        return Verdict(self, self.safe(counts), counts, boxes if isinstance(boxes, Boxes) else None)

    def strongest(self, release: HasCounts | ClassCounts) -> Self | None:
        """The same rule with the strongest parameters that a release, or bare counts, still keeps.

        Shares and distances are rounded to six digits towards the weaker side, so that what comes back holds. None if even the
        weakest parameter fails, or if nothing is published: then every parameter holds.

        >>> from ppdp_lab import KAnonymity
        >>> KAnonymity(2).strongest(ClassCounts.of_values([["flu", "flu", "HIV"], ["HIV", "flu", "flu", "flu"]]))
        KAnonymity(3)
        """
        counts = self._counts_of(release)
        return self._strongest(counts) if (counts.sizes > 0).any() else None

    @abstractmethod
    def _strongest(self, counts: ClassCounts) -> Self | None:
        """The rule with the strongest parameters that these classes keep; at least one of them is not empty."""

    def _counts_of(self, release: object) -> ClassCounts:
        if isinstance(release, ClassCounts):
            return release
        if isinstance(release, HasCounts):
            return release.counts()
        raise ParameterError(
            f"{self} checks a Release, a Published or a ClassCounts, not {type(release).__name__}; anonymize the table first"
        )

    def require_feasible(self, counts: ClassCounts) -> None:
        """Refuse a table that cannot meet the rule however it is partitioned.

        Under a union-closed rule some partition is safe only if the whole table, as one class, is.
        """
        if self.union_closed or self.superset_closed:
            whole = counts.whole()
            if not self.safe(whole)[0]:
                raise InfeasibleError(
                    f"no partition of this table can meet {self}: even as one single class it fails: "
                    f"{self.explain(whole, 0)}; weaken the rule or publish fewer records"
                )

    def __and__(self, other: Principle) -> All:
        if not isinstance(other, Principle):
            return NotImplemented
        return All(*self.parts(), *other.parts())

    def parts(self) -> tuple[Principle, ...]:
        """The principles this one is composed of."""
        return (self,)

    def __bool__(self) -> bool:
        raise ParameterError(
            f"{self} is a rule, neither true nor false; join rules by & instead of and, and ask {self}.check(release)"
        )


PRINCIPLES: Registry[type[Principle]] = Registry("principle")


def rounded_down(value: float) -> float:
    """A number to six digits after the point, not above it by more than the tolerance of every check.

    >>> rounded_down(2 / 3), rounded_down(2.9999999999)
    (0.666666, 3.0)
    """
    return math.floor(value * 1e6 + TOLERANCE * 1e5) / 1e6


def rounded_up(value: float) -> float:
    """As :func:`rounded_down`, not below it.

    >>> rounded_up(2 / 3), rounded_up(0.25)
    (0.666667, 0.25)
    """
    return -rounded_down(-value)


@PRINCIPLES.add(accepts="several principles", promises="every one of them", paper="written a & b")
class All(Principle):
    """Several principles at once; written ``a & b``.

    >>> from ppdp_lab import DistinctLDiversity, KAnonymity
    >>> rule = KAnonymity(10) & DistinctLDiversity(3)
    >>> rule, rule.superset_closed, rule.minimum_size
    (KAnonymity(10) & DistinctLDiversity(3), True, 10)
    """

    def __init__(self, *rules: Principle) -> None:
        if not rules:
            raise ParameterError("All needs at least one principle")
        for rule in rules:
            if not isinstance(rule, Principle):
                raise ParameterError(f"All composes principles such as KAnonymity(5), not {rule!r}")
        self.rules = rules
        self.superset_closed = all(rule.superset_closed for rule in rules)
        self.union_closed = all(rule.union_closed or rule.superset_closed for rule in rules)

    @property
    def minimum_size(self) -> int:
        """No smaller class can be safe."""
        return max(rule.minimum_size for rule in self.rules)

    def safe(self, counts: ClassCounts) -> np.ndarray:
        """One boolean per class."""
        safe = self.rules[0].safe(counts)
        for rule in self.rules[1:]:
            safe = safe & rule.safe(counts)
        return safe

    def explain(self, counts: ClassCounts, cls: int) -> str:
        """Why class ``cls`` is not safe: the reasons of all parts that fail."""
        return "; ".join(rule.explain(counts, cls) for rule in self.rules if not rule.safe(counts)[cls])

    def _strongest(self, counts: ClassCounts) -> All | None:
        """The strongest of every part; None if one of them has none."""
        found = [rule._strongest(counts) for rule in self.rules]
        return All(*(rule for rule in found if rule is not None)) if None not in found else None

    def require_feasible(self, counts: ClassCounts) -> None:
        """Refuse a table that cannot meet some part, by that part's own words."""
        for rule in self.rules:
            rule.require_feasible(counts)

    def parts(self) -> tuple[Principle, ...]:
        """The principles this one is composed of."""
        return self.rules

    def __iter__(self) -> Iterator[Principle]:
        return iter(self.rules)

    def __repr__(self) -> str:
        return " & ".join(map(repr, self.rules))
