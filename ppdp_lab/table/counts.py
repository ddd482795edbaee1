"""ClassCounts: how many records each class holds, and of which sensitive values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError, SchemaError, check_choice, check_integer, listed
from ppdp_lab.table._segments import histogram_segments
from ppdp_lab.table.checks import check_codes, check_columns, check_entries, check_offsets
from ppdp_lab.table.domain import Domain
from ppdp_lab.table.grouping import group, group_codes
from ppdp_lab.table.schema import REFUSE
from ppdp_lab.text import OneLine, counted, cut, readable

_LARGEST = 2**31 - 1  # codes and numbers of classes are int32


@dataclass(frozen=True)
class Histogram(OneLine):
    """Sensitive values per class, sparsely: class c holds ``counts[i]`` times ``values[i]`` for the i of its slice.

    Cells are sorted by class, then by value; class c owns the cells ``offsets[c] : offsets[c + 1]``. ``sizes`` are records per
    class; where missing values do not count, only those whose value is known, and ``gaps`` are the others.
    """

    domain: Domain
    cell_class: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray
    gaps: np.ndarray | None = None

    def __repr__(self) -> str:
        return cut(f"<Histogram of {self.domain.name!r}: {len(self.counts)} cells in {len(self.sizes)} classes>")

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where each class's cells begin."""
        return np.r_[0, np.cumsum(np.bincount(self.cell_class, minlength=len(self.sizes)))]

    @property
    def distinct(self) -> np.ndarray:
        """Number of distinct values per class."""
        return np.diff(self.offsets)

    def sum(self, cells: np.ndarray) -> np.ndarray:
        """Per class, the sum of a quantity given per cell."""
        return np.bincount(self.cell_class, weights=cells, minlength=len(self.sizes))

    def max(self, cells: np.ndarray) -> np.ndarray:
        """Per class, the maximum of a quantity given per cell; 0 for an empty class."""
        out = np.zeros(len(self.sizes), dtype=cells.dtype)
        starts = self.offsets[:-1]
        filled = self.distinct > 0
        if filled.any():
            out[filled] = np.maximum.reduceat(cells, starts[filled])
        return out

    @property
    def shares(self) -> np.ndarray:
        """Per cell, the share of its class's records."""
        return self.counts / self.sizes[self.cell_class]

    def words(self, cls: int, limit: int = 5) -> str:
        """The histogram of one class in words, most frequent value first."""
        cells = slice(self.offsets[cls], self.offsets[cls + 1])
        order = np.argsort(-self.counts[cells], kind="stable")
        values = self.values[cells][order]
        names = [self._name(value) for value in values[:limit].tolist()]
        parts = [f"{name} x {count}" for name, count in zip(names, self.counts[cells][order])]
        words = ", ".join(parts) + (f" and {len(values) - limit} more" if len(values) > limit else "")
        gaps = 0 if self.gaps is None else int(self.gaps[cls])
        return words + (f"{', ' if words else ''}{gaps} missing" if gaps else "")

    def _name(self, code: int) -> str:
        """A value in a few letters: sentences hold no numbers of seventeen digits."""
        if self.domain.hierarchy is None and code < self.domain.known and isinstance(self.domain.values[code], float):
            return readable(self.domain.values[code])
        return cut(str(self.domain.labels[code]), 40)


class ClassCounts:
    """What a principle may look at: class sizes, sensitive values per class, and the whole table's totals.

    Examples
    --------
    >>> counts = ClassCounts.of_values([["flu", "flu", "HIV"], ["cancer", "flu"]])
    >>> counts.sizes.tolist(), counts.histogram().distinct.tolist()
    ([3, 2], [2, 2])
    """

    def __init__(
        self,
        sizes: np.ndarray,
        cell_class: np.ndarray,
        cell_values: Sequence[np.ndarray],
        cell_counts: np.ndarray,
        domains: Sequence[Domain],
        totals: Sequence[np.ndarray] | None = None,
    ) -> None:
        self.domains = tuple(domains)
        self.sizes = sizes
        self._cell_class = cell_class  # cells are sorted by class, then by values
        self._cell_values = list(cell_values)
        self._cell_counts = cell_counts
        self._totals = None if totals is None else list(map(np.asarray, totals))
        self._histograms: dict[int, Histogram] = {}

    @classmethod
    def count(
        cls,
        class_of: np.ndarray,
        n_classes: int,
        sensitive: Sequence[np.ndarray] | np.ndarray,
        domains: Sequence[Domain],
        totals: Sequence[np.ndarray] | None = None,
    ) -> ClassCounts:
        """Count records: ``class_of`` gives each one's class (-1: suppressed), ``sensitive`` its codes per attribute."""
        domains = _domains(domains)
        n_classes = check_integer("n_classes", n_classes, at_least=0, at_most=_LARGEST)
        class_of = check_codes("class_of", class_of, n_classes, low=-1)
        sensitive = check_columns("sensitive", sensitive, [len(d) for d in domains], n=len(class_of))
        published = class_of >= 0
        if not published.all():
            class_of = class_of[published]
            sensitive = [column[published] for column in sensitive]
        cells = group_codes([class_of, *sensitive], [max(n_classes, 1), *(max(len(d), 1) for d in domains)])
        values = [column[cells.first] for column in sensitive]
        sizes = np.bincount(class_of, minlength=n_classes)
        return cls(sizes, class_of[cells.first], values, cells.sizes, domains, totals)

    @classmethod
    def count_segments(
        cls,
        offsets: np.ndarray,
        sensitive: np.ndarray,
        domains: Sequence[Domain],
        totals: Sequence[np.ndarray] | None = None,
    ) -> ClassCounts:
        """Count records that lie class by class: class c owns positions ``offsets[c] : offsets[c + 1]``."""
        domains = _domains(domains)
        columns = check_columns("sensitive", sensitive, list(map(len, domains)))
        # without a sensitive column only the offsets say how many records there are
        n = len(columns[0]) if columns else int(check_codes("offsets", offsets, _LARGEST).max(initial=0))
        offsets = check_offsets("offsets", offsets, n)
        sizes = np.diff(offsets)
        if len(domains) != 1:
            class_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
            return cls.count(class_of, len(sizes), columns, domains, totals)
        cell_class, values, counts = histogram_segments(offsets, columns[0], len(domains[0]))
        return cls(sizes, cell_class, [values], counts, domains, totals)

    @classmethod
    def of_values(
        cls, classes: Iterable[Iterable[Any]], *, name: str = "sensitive", missing: str = REFUSE
    ) -> ClassCounts:
        """From the sensitive values themselves, one list per class; a tuple per record for several attributes.

        ``missing`` says what a missing value is; see :class:`~ppdp_lab.table.Microdata`.
        """
        classes = [check_entries("each of classes", values) for values in check_entries("classes", classes)]
        rows = [(c, value) for c, values in enumerate(classes) for value in values]
        class_of = np.array([c for c, _ in rows], dtype=np.int32)
        if rows and isinstance(rows[0][1], tuple):
            widths = {len(value) if isinstance(value, tuple) else 0 for _, value in rows}
            if widths != {len(rows[0][1])} or 0 in widths:
                raise ParameterError("every record must be a tuple of equally many values, one per sensitive attribute")
            columns = list(zip(*(value for _, value in rows)))
            names = [f"{name} {i + 1}" for i in range(len(columns))]
        else:
            columns, names = [tuple(value for _, value in rows)], [name]
        series = [pd.Series(list(column), name=label) for column, label in zip(columns, names)]
        coded = [Domain.of(column, missing=missing) for column in series]
        return cls.count(class_of, len(classes), [codes for _, codes in coded], [domain for domain, _ in coded])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the sensitive attributes."""
        return tuple(domain.name for domain in self.domains)

    def index(self, attribute: str | None = None) -> int:
        """Position of a sensitive attribute; without a name, of the only one."""
        if not self.domains:
            raise SchemaError("this rule looks at sensitive values, but the schema names no sensitive column; name one")
        if attribute is None:
            if len(self.domains) > 1:
                raise SchemaError(
                    f"the table has several sensitive columns, {listed(self.attributes)}; say which one with attribute=..."
                )
            return 0
        return self.attributes.index(check_choice("attribute", attribute, self.attributes))

    def histogram(self, attribute: str | None = None) -> Histogram:
        """Histogram of one sensitive attribute per class, of known values where missing ones do not count.

        This is the one place that leaves missing values out, so that they protect nobody under any principle.

        >>> counts = ClassCounts.of_values([["HIV", "HIV", None], [None, "flu", "HIV"]], missing="value")
        >>> counts.histogram().distinct.tolist(), counts.histogram().sizes.tolist(), counts.histogram().words(0)
        ([1, 2], [2, 2], 'HIV x 2, 1 missing')
        """
        i = self.index(attribute)
        if i not in self._histograms:
            if len(self.domains) == 1:
                cell_class, values, counts = self._cell_class, self._cell_values[0], self._cell_counts
            else:
                cells = group([self._cell_class, self._cell_values[i]], [self.n_classes, len(self.domains[i])])
                cell_class, values = self._cell_class[cells.first], self._cell_values[i][cells.first]
                counts = np.bincount(cells.class_of, weights=self._cell_counts, minlength=cells.n_classes).astype(
                    np.int64
                )
            domain, sizes, gaps = self.domains[i], self.sizes, None
            if domain.ignored is not None:
                there = values != domain.ignored
                gaps = np.bincount(cell_class[~there], weights=counts[~there], minlength=self.n_classes).astype(
                    np.int64
                )
                cell_class, values, counts, sizes = cell_class[there], values[there], counts[there], sizes - gaps
            self._histograms[i] = Histogram(domain, cell_class, values, counts, sizes, gaps)
        return self._histograms[i]

    def given_the_others(self, attribute: str) -> tuple[ClassCounts, np.ndarray]:
        """Split each class by the values of all *other* sensitive attributes.

        Returns the finer counts and, for each finer class, the class it came from.
        """
        i = self.index(attribute)
        others = [j for j in range(len(self.domains)) if j != i]
        fine = group(
            [self._cell_class, *(self._cell_values[j] for j in others)],
            [self.n_classes, *(len(self.domains[j]) for j in others)],
        )
        sizes = np.bincount(fine.class_of, weights=self._cell_counts, minlength=fine.n_classes).astype(np.int64)
        order = np.lexsort((self._cell_values[i], fine.class_of))
        values, counts = self._cell_values[i][order], self._cell_counts[order]
        finer = ClassCounts(sizes, fine.class_of[order], [values], counts, [self.domains[i]], [self.totals(attribute)])
        return finer, self._cell_class[fine.first]

    def totals(self, attribute: str | None = None) -> np.ndarray:
        """Counts of each sensitive value in the whole table; 0 for the missing one where it does not count."""
        i = self.index(attribute)
        if self._totals is not None:
            totals = self._totals[i]
        else:
            size = len(self.domains[i])
            totals = np.bincount(self._cell_values[i], weights=self._cell_counts, minlength=size).astype(np.int64)
        ignored = self.domains[i].ignored
        return totals if ignored is None else np.where(np.arange(len(totals)) == ignored, 0, totals)

    def whole(self) -> ClassCounts:
        """The counts of the table as one single class."""
        size = np.array([self.sizes.sum()])
        if not self.domains:
            return ClassCounts(size, self._cell_class[:0], [], self._cell_counts[:0], ())
        cells = group(self._cell_values, [len(domain) for domain in self.domains])
        values = [column[cells.first] for column in self._cell_values]
        counts = np.bincount(cells.class_of, weights=self._cell_counts, minlength=cells.n_classes).astype(np.int64)
        return ClassCounts(size, np.zeros(cells.n_classes, dtype=np.int32), values, counts, self.domains, self._totals)

    def __len__(self) -> int:
        return self.n_classes

    def __repr__(self) -> str:
        return f"<ClassCounts of {counted(int(self.sizes.sum()), 'record')} in {counted(self.n_classes, 'class')}>"


def _domains(domains: Any) -> tuple[Domain, ...]:
    """The domains of the sensitive attributes, or a refusal in words."""
    domains = domains if type(domains) is tuple else tuple(check_entries("domains", domains))
    if not {*map(type, domains)} <= {Domain} and not all(isinstance(domain, Domain) for domain in domains):
        raise ParameterError("domains must be ppdp_lab.table.Domain objects, one per sensitive attribute")
    return domains
