"""Generalized tables: every row shows the region of its class, and its own sensitive values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdp_lab.errors import PublicationError, listed
from ppdp_lab.release.answers import combined_cells, density_in_boxes, spread_over_boxes
from ppdp_lab.release.forms import FORMS, GROUP, PSEUDONYM, CountQueries, Feature, Parts, PublishedRows
from ppdp_lab.release.reading import (
    distinct_cells,
    read_codes,
    read_labels,
    read_statistics,
    refuse_empty_cells,
    require_columns,
    whole_numbers,
)
from ppdp_lab.release.search import Regions, Search
from ppdp_lab.table import Boxes, Domain, Microdata


@FORMS.add(
    "generalized",
    accepts="any classes",
    promises="one table, in which the records of a class look alike but for their sensitive values",
    paper='P. Samarati, "Protecting respondents\' identities in microdata release", IEEE TKDE 13(6), 2001',
)
@dataclass(frozen=True, eq=False, kw_only=True)
class Generalized(PublishedRows):
    """One table of generalized quasi-identifiers and sensitive values.

    Attributes
    ----------
    boxes : Boxes
        Region of each group.
    """

    form = "generalized"
    offers = frozenset(Feature)

    boxes: Boxes

    @classmethod
    def show(cls, parts: Parts) -> Self:
        """Rows sorted by group and value."""
        return cls(**parts.header(), **cls.sorted_rows(parts), boxes=parts.boxes)

    def frames(self) -> dict[str, pd.DataFrame]:
        """The one table."""
        return {"": self.to_frame()}

    def to_frame(self, *, track: bool = False) -> pd.DataFrame:
        """One row per published record."""
        columns: dict[str, Any] = {GROUP: self.row_group} if self.numbered else {}
        for column in self.boxes:
            columns[column.domain.name] = pd.array(column.labels()[self.row_group], dtype="str")
        columns |= self.sensitive_columns()
        if track:
            if self.pseudonyms is None:
                raise PublicationError("these tables were published without pseudonyms; they cannot be tracked")
            columns[PSEUDONYM] = self.pseudonyms
        return pd.DataFrame(columns)

    def head(self, rows: int = 5) -> dict[str, pd.DataFrame]:
        """The first rows; only the regions that they show are put into words."""
        kept, group_of = np.unique(self.row_group[:rows], return_inverse=True)
        part: dict[str, Any] = {
            "row_group": group_of,
            "row_sensitive": self.row_sensitive[:, :rows],
            "boxes": self.boxes.take(kept),
        }
        return replace(self, n_groups=len(kept), counterfeits_per_group=None, pseudonyms=None, **part).frames()

    @classmethod
    def read(
        cls, frames: Mapping[str, pd.DataFrame], population: Microdata, counterfeits: pd.DataFrame | None = None
    ) -> Self:
        """From the table's text: a group is a number where numbers are published, else whatever shows the same region."""
        frame, schema = frames[""], population.schema
        require_columns("published frame", frame, schema.quasi_identifiers + schema.sensitive)
        rows = Boxes(tuple(read_labels(frame[d.name], d) for d in population.qi_domains), len(frame))
        numbers: Any
        if GROUP in frame.columns:
            refuse_empty_cells(frame[GROUP])
            group_of, numbers = distinct_cells(frame[GROUP], sort=True)
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
        return cls.show(
            Parts(
                schema=schema,
                qi_domains=population.qi_domains,
                sensitive_domains=population.sensitive_domains,
                n_groups=len(first),
                numbered=GROUP in frame.columns,
                row_group=group_of,
                qi=np.zeros((0, len(frame)), dtype=np.int32),
                sensitive=sensitive.reshape(len(schema.sensitive), len(frame)),
                boxes=rows.take(first),
                counterfeits_per_group=read_statistics(counterfeits, numbers, group_of),
                pseudonyms=whole_numbers(frame[PSEUDONYM]) if PSEUDONYM in frame.columns else None,
            )
        )

    def recoded(self, qi_domains: Sequence[Domain], sensitive_domains: Sequence[Domain]) -> dict[str, Any]:
        """Boxes and rows over other domains; an interval then covers what lies between its ends there."""
        return super().recoded(qi_domains, sensitive_domains) | {"boxes": self.boxes.recode(qi_domains)}

    # ------------------------------------------------------------------ what it tells
    def holders(self, qi_codes: np.ndarray) -> BoxHolders:
        """Groups whose box covers the person; every row of such a group matches."""
        return BoxHolders(self, qi_codes)

    def answer(self, queries: CountQueries) -> np.ndarray:
        """The records of a group are taken to be spread evenly over the values of its box."""
        cells, combined = combined_cells(self.row_group, self.row_sensitive, self.n_groups, self.sensitive_domains)
        return spread_over_boxes(self.boxes, cells, combined, self.real_share, queries)

    def density(self, qi_codes: np.ndarray, sensitive_codes: np.ndarray) -> np.ndarray:
        """As for :meth:`answer`; where boxes overlap their densities add up."""
        return density_in_boxes(self, qi_codes, sensitive_codes)


class BoxHolders:
    """Groups whose boxes cover persons.

    Cost: see :class:`~ppdp_lab.release.search.Search`.
    """

    def __init__(self, published: Generalized, qi_codes: np.ndarray) -> None:
        self.sizes = published.sizes
        self.search = Search(Regions.of_boxes(published.boxes), Regions.of_points(qi_codes, published.qi_domains))

    def chunks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """Pieces of the answer that fit in memory."""
        for start, offsets, groups in self.search.chunks():
            yield start, offsets, groups, self.sizes[groups]

    def unite(self, masks: np.ndarray) -> np.ndarray:
        """Per person, the union of the groups' masks."""
        return self.search.unite(masks)
