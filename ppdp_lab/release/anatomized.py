"""Anatomized tables: exact quasi-identifiers and sensitive values in two tables, joined by group only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from ppdp_lab.errors import PublicationError, SchemaError, listed
from ppdp_lab.release.answers import combined_cells, linked_density, share_of_rows
from ppdp_lab.release.forms import COUNT, FORMS, GROUP, CountQueries, Feature, Parts, PublishedRows
from ppdp_lab.release.reading import read_codes, read_statistics, refuse_empty_cells, require_columns, whole_numbers
from ppdp_lab.table import Domain, Microdata, group


@FORMS.add(
    "anatomized",
    accepts="any classes of a table with a sensitive column",
    promises="two tables: who is in which group, and which values each group holds",
    paper='X. Xiao, Y. Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006',
)
@dataclass(frozen=True, eq=False, kw_only=True)
class Anatomized(PublishedRows):
    """A quasi-identifier table and a sensitive table.

    Attributes
    ----------
    qi_rows, qi_group : arrays
        Exact quasi-identifier codes and group of each row, sorted on their own: nothing but the group number joins them
        to sensitive values.
    """

    form = "anatomized"
    offers = frozenset(Feature) - {Feature.BOXES}
    exact = True
    always_numbered = True
    tables = ("quasi", "sensitive")

    qi_rows: np.ndarray
    qi_group: np.ndarray

    @classmethod
    def show(cls, parts: Parts) -> Self:
        """Both tables sorted by what each of them shows."""
        order = np.lexsort((*parts.qi[::-1], parts.row_group))
        rows = parts.qi[:, order]
        return cls(**parts.header(), **cls.sorted_rows(parts), qi_rows=rows, qi_group=parts.row_group[order])

    def frames(self) -> dict[str, pd.DataFrame]:
        """Quasi-identifier table and sensitive table."""
        if not self.schema.sensitive:
            raise SchemaError("an anatomized release needs a sensitive column")
        quasi: dict[str, Any] = {d.name: d.decode_shown(codes) for d, codes in zip(self.qi_domains, self.qi_rows)}
        quasi[GROUP] = self.qi_group
        sensitive = pd.DataFrame({GROUP: self.row_group} | self.sensitive_columns())
        counted = sensitive.groupby(list(sensitive.columns), observed=True, sort=True).size()
        return {"quasi": pd.DataFrame(quasi), "sensitive": counted.rename(COUNT).reset_index()}

    @classmethod
    def read(
        cls, frames: Mapping[str, pd.DataFrame], population: Microdata, counterfeits: pd.DataFrame | None = None
    ) -> Self:
        """From the two tables; every group of the first must be in the second."""
        quasi, sensitive, schema = frames["quasi"], frames["sensitive"], population.schema
        require_columns("quasi-identifier table", quasi, [*schema.quasi_identifiers, GROUP])
        require_columns("sensitive table", sensitive, [GROUP, *schema.sensitive, COUNT])
        for column in (quasi[GROUP], sensitive[GROUP]):
            refuse_empty_cells(column)
        if not schema.sensitive:
            raise SchemaError("anatomized tables need a sensitive column, but the population's schema names none")
        times = whole_numbers(sensitive[COUNT])
        if (times < 1).any():
            raise PublicationError(f"column {COUNT!r} of the sensitive table must hold whole numbers from 1 on")
        if (times > len(quasi)).any() or times.sum() > len(quasi):  # a count at a time first: their sum may run over
            raise PublicationError(
                f"column {COUNT!r} of the sensitive table counts more records than the {len(quasi)} rows of the "
                f"quasi-identifier table; every record has one row there"
            )
        try:
            numbers = np.unique(sensitive[GROUP])
            strangers = np.setdiff1d(quasi[GROUP], numbers)
        except TypeError:
            raise PublicationError(
                f"column {GROUP!r} holds cells that have no order among them; give numbers"
            ) from None
        if len(strangers):
            raise PublicationError(
                f"group(s) {listed(strangers)} of the quasi-identifier table are not in the sensitive table"
            )
        repeat = np.repeat(np.arange(len(sensitive)), times)
        row_group = np.searchsorted(numbers, sensitive[GROUP].to_numpy())[repeat].astype(np.int32)
        codes = np.array([read_codes(sensitive[d.name], d) for d in population.sensitive_domains], dtype=np.int32)
        qi = np.array([read_codes(quasi[d.name], d) for d in population.qi_domains], dtype=np.int32)
        qi_group = np.searchsorted(numbers, quasi[GROUP].to_numpy()).astype(np.int32)
        order = np.lexsort((*codes[:, repeat][::-1], row_group))
        qi_order = np.lexsort((*qi[::-1], qi_group))
        return cls(
            schema=schema,
            qi_domains=population.qi_domains,
            sensitive_domains=population.sensitive_domains,
            n_groups=len(numbers),
            numbered=True,
            row_group=row_group[order],
            row_sensitive=codes[:, repeat][:, order],
            qi_rows=qi[:, qi_order],
            qi_group=qi_group[qi_order],
            counterfeits_per_group=read_statistics(counterfeits, numbers, row_group),
        )

    def recoded(self, qi_domains: Sequence[Domain], sensitive_domains: Sequence[Domain]) -> dict[str, Any]:
        """Both tables over other domains, each sorted by its new codes."""
        new = [mine.map_to(other) for mine, other in zip(self.qi_domains, qi_domains)]
        codes = np.array([to[row] for to, row in zip(new, self.qi_rows)], dtype=np.int32)
        order = np.lexsort((*codes[::-1], self.qi_group))
        return super().recoded(qi_domains, sensitive_domains) | {"qi_rows": codes[:, order]}

    # ------------------------------------------------------------------ what it tells
    def holders(self, qi_codes: np.ndarray) -> RowHolders:
        """Groups that show exactly the person's quasi-identifiers; as many rows match as show them."""
        return RowHolders(self, qi_codes)

    def answer(self, queries: CountQueries) -> np.ndarray:
        """A group adds its selected rows times the share of its selected sensitive values."""
        cells, combined = combined_cells(self.row_group, self.row_sensitive, self.n_groups, self.sensitive_domains)
        weights = self.real_share / np.maximum(self.sizes, 1)
        return share_of_rows(self.qi_rows, self.qi_group, cells, combined, weights, queries)

    def density(self, qi_codes: np.ndarray, sensitive_codes: np.ndarray) -> np.ndarray:
        """Every row may have any of the sensitive values of its group."""
        return linked_density(self, qi_codes, sensitive_codes)


class RowHolders:
    """Groups that show persons' exact quasi-identifiers; persons must differ from each other."""

    def __init__(self, published: Anatomized, qi_codes: np.ndarray) -> None:
        n = qi_codes.shape[1]
        columns = np.concatenate([qi_codes, published.qi_rows], axis=1)
        rows = group(columns, [len(domain) for domain in published.qi_domains])
        person_at = np.full(rows.n_classes, -1, dtype=np.int64)
        person_at[rows.class_of[:n]] = np.arange(n)
        person = person_at[rows.class_of[n:]]
        shown = person >= 0
        pairs = group([person[shown], published.qi_group[shown]], [n, published.n_groups])
        self.offsets = np.r_[0, np.cumsum(np.bincount(person[shown][pairs.first], minlength=n))]
        self.groups = published.qi_group[shown][pairs.first]
        self.matches = pairs.sizes

    def chunks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """The whole answer in one piece."""
        yield 0, self.offsets, self.groups, self.matches

    def unite(self, masks: np.ndarray) -> np.ndarray:
        """Per person, the union of the groups' masks."""
        out = np.zeros((len(self.offsets) - 1, masks.shape[1]), dtype=np.uint64)
        held = np.diff(self.offsets) > 0
        if held.any():
            out[held] = np.bitwise_or.reduceat(masks[self.groups], self.offsets[:-1][held], axis=0)
        return out
