"""ClassCounts: how many records each class holds, and of which sensitive values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.errors import ParameterError, SchemaError, check_choice, check_integer, listed
from ppdp_lab.table.domain import Domain
from ppdp_lab.table.keys import histogram_segments
from ppdp_lab.table.keys.grouping import group


@dataclass(frozen=True)
class Histogram:
    """Sensitive values per class, sparsely: class c holds ``counts[i]`` times ``values[i]`` for the i of its slice.

    Cells are sorted by class, then by value; class c owns the cells ``offsets[c] : offsets[c + 1]``.
    """

    domain: Domain
    cell_class: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray

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
        names = self.domain.labels[self.values[cells][order]]
        parts = [f"{name} x {count}" for name, count in zip(names[:limit], self.counts[cells][order])]
        return ", ".join(parts) + (f" and {len(names) - limit} more" if len(names) > limit else "")


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
        self._totals = None if totals is None else [np.asarray(t) for t in totals]
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
        class_of, sensitive = _checked(class_of, n_classes, sensitive, domains)
        published = class_of >= 0
        if not published.all():
            class_of = class_of[published]
            sensitive = [column[published] for column in sensitive]
        cells = group([class_of, *sensitive], [n_classes, *map(len, domains)])
        values = [np.asarray(column)[cells.first] for column in sensitive]
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
        sizes = np.diff(offsets)
        if len(domains) != 1:
            return cls.count(
                np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
                len(sizes),
                sensitive,
                domains,
                totals,
            )
        cell_class, values, counts = histogram_segments(offsets, sensitive[0], len(domains[0]))
        return cls(sizes, cell_class, [values], counts, domains, totals)

    @classmethod
    def of_values(cls, classes: Iterable[Iterable[Any]], *, name: str = "sensitive") -> ClassCounts:
        """From the sensitive values themselves, one list per class; a tuple per record for several attributes."""
        classes = list(classes)
        rows = [(c, value) for c, values in enumerate(classes) for value in values]
        class_of = np.array([c for c, _ in rows], dtype=np.int32)
        if rows and isinstance(rows[0][1], tuple):
            columns = list(zip(*(value for _, value in rows)))
            names = [f"{name} {i + 1}" for i in range(len(columns))]
        else:
            columns, names = [tuple(value for _, value in rows)], [name]
        coded = [Domain.of(pd.Series(list(column), name=label)) for column, label in zip(columns, names)]
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
        """Histogram of one sensitive attribute per class."""
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
            self._histograms[i] = Histogram(self.domains[i], cell_class, values, counts, self.sizes)
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
        """Counts of each sensitive value in the whole table."""
        i = self.index(attribute)
        if self._totals is not None:
            return self._totals[i]
        return np.bincount(self._cell_values[i], weights=self._cell_counts, minlength=len(self.domains[i])).astype(
            np.int64
        )

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
        return f"<ClassCounts of {int(self.sizes.sum())} records in {self.n_classes} classes>"


def _checked(
    class_of: Any, n_classes: int, sensitive: Any, domains: Sequence[Domain]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Classes and codes that a kernel may see: whole numbers, equally many, within range."""
    n_classes = check_integer("n_classes", n_classes, at_least=0)
    columns = [np.asarray(class_of), *(np.asarray(column) for column in sensitive)]
    if len(columns) != len(domains) + 1:
        raise ParameterError(f"give codes of {len(domains)} sensitive column(s), not of {len(columns) - 1}")
    ends = [("class_of", -1, n_classes), *((f"codes of {d.name!r}", 0, len(d)) for d in domains)]
    for column, (name, low, end) in zip(columns, ends):
        if column.shape != columns[0].shape or column.ndim != 1 or (len(column) and column.dtype.kind not in "iu"):
            raise ParameterError(f"{name} must be a plain list of {len(columns[0])} whole numbers")
        if len(column) and not (column.min() >= low and column.max() < end):
            raise ParameterError(f"{name} must lie in {low} .. {end - 1}")
    return columns[0] if len(columns[0]) else columns[0].astype(np.int32), columns[1:]
