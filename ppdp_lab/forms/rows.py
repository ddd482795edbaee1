"""Forms that publish the sensitive values of every row, next to the number of its group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ppdp_lab.forms.base import Parts, Published
from ppdp_lab.table import ClassCounts, Domain


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
