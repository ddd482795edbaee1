"""Random releases: partitions that no algorithm made, with suppressed records, counterfeits and pseudonyms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from strategies import Case, cases

from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.table import Microdata


@dataclass
class Parts:
    """What a release is built from."""

    case: Case
    class_of: np.ndarray
    counterfeits: Counterfeits
    pseudonyms: np.ndarray | None
    style: str
    grouped: bool

    def release(self, rows: list[int] | None = None, renumber: np.ndarray | None = None) -> Release:
        """The release; with its records in another order and its classes numbered otherwise, if told so."""
        rows = list(range(len(self.class_of))) if rows is None else rows
        renumber = np.arange(self.n_classes, dtype=np.int32) if renumber is None else renumber
        fake = self.counterfeits
        return Release(
            self.case.table(rows),
            np.append(renumber, -1)[self.class_of][rows],  # the last entry is where -1 points
            style=self.style,
            grouped=self.grouped,
            counterfeits=Counterfeits(renumber[fake.class_of], fake.sensitive, fake.qi),
            pseudonyms=None if self.pseudonyms is None else self.pseudonyms[rows],
            # Pseudonyms tell classes apart that look alike otherwise; then whoever publishes says how to number these.
            ties=None if self.pseudonyms is None else np.argsort(renumber),
        )

    @property
    def n_classes(self) -> int:
        return max(int(self.class_of.max(initial=-1)), int(self.counterfeits.class_of.max(initial=-1))) + 1


@st.composite
def invented(draw: st.DrawFn, table: Microdata, n_classes: int) -> Counterfeits:
    """A few counterfeits in classes that exist."""
    n = draw(st.integers(0, 4)) if n_classes else 0

    def codes(sizes: list[int]) -> np.ndarray:
        columns = [draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n)) for size in sizes]
        return np.array(columns, dtype=np.int32).reshape(len(sizes), n)

    classes = draw(st.lists(st.integers(0, max(n_classes - 1, 0)), min_size=n, max_size=n))
    sensitive, quasi = map(len, table.sensitive_domains), map(len, table.qi_domains)
    return Counterfeits(np.array(classes, dtype=np.int32), codes(list(sensitive)), codes(list(quasi)))


@st.composite
def parts(draw: st.DrawFn, style: str | None = None, fakes: bool = True, max_sensitive: int = 2) -> Parts:
    """The makings of a random release."""
    case = draw(cases(max_sensitive=max_sensitive))
    n = len(case.frame)
    marks = np.array(draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)))
    present = sorted(set(marks[marks >= 0].tolist()))
    class_of = np.array([present.index(mark) if mark >= 0 else -1 for mark in marks], dtype=np.int32)
    table = case.table()
    fake = draw(invented(table, len(present))) if fakes else Counterfeits.none(table)
    style = draw(st.sampled_from(["generalized", "anatomized"])) if style is None else style
    numbers = None if len(fake) else np.array(draw(st.permutations(range(100, 100 + n))))
    return Parts(case, class_of, fake, numbers, style, draw(st.booleans()))
