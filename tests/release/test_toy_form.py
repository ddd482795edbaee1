"""A form of one's own, in one file: exact quasi-identifiers, and noisy counts of sensitive values per group.

Metrics and attacks that need no more than it shows read it; all others refuse it by saying what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab import attacks, metrics
from ppdp_lab.errors import ParameterError, PublicationError
from ppdp_lab.release.answers import share_of_rows
from ppdp_lab.release.forms import FORMS, CountQueries, Feature, Parts, Published
from ppdp_lab.table import Cells, ClassCounts, Microdata


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisyCounts(Published):
    """Who is in which group, exactly; how many of the group have which value, with a little noise."""

    form = "noisy counts"
    offers = frozenset({Feature.HOLDERS, Feature.VALUES, Feature.ANSWERS})
    exact = True
    always_numbered = True
    tables = ("quasi", "noisy")

    qi_rows: np.ndarray
    qi_group: np.ndarray
    noisy: np.ndarray  # groups by values

    @classmethod
    def show(cls, parts: Parts) -> Self:
        order = np.lexsort((*parts.qi[::-1], parts.row_group))
        n_values = len(parts.sensitive_domains[0])
        cells = parts.row_group.astype(np.int64) * n_values + parts.sensitive[0]
        counts = np.bincount(cells, minlength=parts.n_groups * n_values).reshape(parts.n_groups, n_values)
        noise = np.random.default_rng(1).laplace(scale=0.5, size=counts.shape)
        return cls(**parts.header(), qi_rows=parts.qi[:, order], qi_group=parts.row_group[order], noisy=counts + noise)

    @property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.qi_group, minlength=self.n_groups)

    def counts(self) -> ClassCounts:
        raise self.lacks(Feature.ROWS, "counting values")

    def frames(self) -> dict[str, pd.DataFrame]:
        quasi: dict[str, Any] = {d.name: d.decode(codes) for d, codes in zip(self.qi_domains, self.qi_rows)}
        noisy = pd.DataFrame(self.noisy, columns=list(self.sensitive_domains[0].labels))
        return {"quasi": pd.DataFrame(quasi | {"group": self.qi_group}), "noisy": noisy}

    @classmethod
    def read(
        cls, frames: Mapping[str, pd.DataFrame], population: Microdata, counterfeits: pd.DataFrame | None = None
    ) -> Self:
        quasi = frames["quasi"]
        rows = np.array([[d.code_of(v) for v in quasi[d.name]] for d in population.qi_domains], dtype=np.int32)
        return cls(
            schema=population.schema,
            qi_domains=population.qi_domains,
            sensitive_domains=population.sensitive_domains,
            n_groups=len(frames["noisy"]),
            numbered=True,
            qi_rows=rows,
            qi_group=quasi["group"].to_numpy(),
            noisy=frames["noisy"].to_numpy(),
        )

    def holders(self, qi_codes: np.ndarray) -> Any:
        return _Holders(self, qi_codes)

    def answer(self, queries: CountQueries) -> np.ndarray:
        n_groups, n_values = self.noisy.shape
        cells = Cells(
            np.arange(n_groups + 1) * n_values, np.tile(np.arange(n_values), n_groups), self.noisy.ravel(), n_values
        )
        return share_of_rows(
            self.qi_rows, self.qi_group, cells, np.arange(n_values)[None, :], 1 / np.maximum(self.sizes, 1), queries
        )


class _Holders:
    def __init__(self, published: NoisyCounts, qi_codes: np.ndarray) -> None:
        self.found = []
        for person in qi_codes.T:
            groups = published.qi_group[(published.qi_rows == person[:, None]).all(axis=0)]
            self.found.append(np.unique(groups, return_counts=True))

    def chunks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        offsets = np.r_[0, np.cumsum([len(groups) for groups, _ in self.found])]
        yield 0, offsets, *(np.concatenate(parts) for parts in zip(*self.found))

    def unite(self, masks: np.ndarray) -> np.ndarray:
        return np.array([np.bitwise_or.reduce(masks[groups], axis=0) for groups, _ in self.found])


@pytest.fixture
def toy() -> Iterator[None]:
    with FORMS.trying():
        FORMS.add("noisy counts", accepts="tables with a sensitive column", promises="nothing", paper="none")(
            NoisyCounts
        )
        yield


@pytest.fixture
def release(toy: None) -> pl.Release:
    frame = pd.DataFrame(
        {"age": [20, 25, 30, 35, 40, 45, 20, 25], "ill": ["flu", "HIV", "flu", "cold", "flu", "cold", "HIV", "flu"]}
    )
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    return pl.Release(table, np.array([0, 0, 0, 0, 1, 1, 1, 1]), style="noisy counts")


READS = {"ail", "c_avg", "classification_metric", "discernibility", "fem", "gcp", "iloss", "information_loss", "ncp"}
READS |= {"non_uniform_entropy", "precision", "query_error", "vem"}


@pytest.mark.parametrize("name", sorted(metrics.METRICS))
def test_metrics_read_or_refuse_it(name: str, release: pl.Release) -> None:
    needed: dict[str, Any] = {
        "c_avg": {"k": 2},
        "query_error": {"queries": metrics.queries_by_width(release.table, 0.5, n=20, seed=1), "zero": 1},
    }
    metric = metrics.get(name)
    assert ("noisy counts" in metric.forms) == (name in READS)
    if name in READS:
        value = metric(release, **needed.get(name, {}))
        low, high = metric.bounds(release, **needed.get(name, {}))
        assert (low is None or value >= low) and (high is None or value <= high)
    else:
        with pytest.raises(
            PublicationError, match=f"{name} needs .*, which noisy counts tables do not show; it reads "
        ):
            metric(release, **needed.get(name, {}))


@pytest.mark.parametrize("attack", list(attacks.ATTACKS.values()), ids=lambda attack: attack.name)
def test_attacks_read_or_refuse_it(attack: Any, release: pl.Release) -> None:
    background = attacks.Background.of(release.table)
    seen = {"release": (release.published(),), "pair": (release.published(),) * 2, "series": ([release.published()],)}
    known = attacks.Background.of_series([release.table] * 2) if attack.sees == "pair" else background
    if attack.name == "record linkage":
        found = attack(*seen[attack.sees], known)
        assert found.scores.round(3).tolist() == [0.125, 0.125, 0.25, 0.25, 0.25, 0.25, 0.125, 0.125]
        assert "noisy counts" in attack.forms
    else:
        assert "noisy counts" not in attack.forms
        with pytest.raises(
            PublicationError, match=f"{attack.name} needs the sensitive values of every row, which noisy"
        ):
            attack(*seen[attack.sees], known, **attack.settings)


def test_its_own_answers_are_close_and_a_rule_cannot_count_them(release: pl.Release) -> None:
    queries = metrics.Queries.of(release.table, [{"age": (0, 99)}, {"ill": "flu"}, {"age": 30}])
    assert np.abs(metrics.estimates(release, queries) - [8, 4, 1]).max() < 3
    assert pl.KAnonymity(4).check(release)  # the holder counts records, not what is shown of them
    with pytest.raises(PublicationError, match="counting values needs the sensitive values of every row"):
        pl.KAnonymity(4).check(release.published())


def test_it_becomes_frames_and_comes_back(release: pl.Release) -> None:
    quasi, noisy = release.to_frames()
    assert list(quasi.columns) == ["age", "group"] and list(noisy.columns) == ["HIV", "cold", "flu"]
    again = NoisyCounts.read({"quasi": quasi, "noisy": noisy}, release.table)
    assert np.array_equal(again.qi_rows, release.published().qi_rows)  # type: ignore[attr-defined]
    with pytest.raises(PublicationError, match="published as 2 table"):
        release.to_frame()


def test_a_publisher_can_use_it(toy: None) -> None:
    table = pl.datasets.load("occ", rows=400)
    release = pl.MInvariance(4, style="noisy counts", seed=1).publish(table)
    assert release.published().form == "noisy counts"
    with pytest.raises(PublicationError, match="needs the sensitive values of every row"):
        attacks.intersection([release.published()], attacks.Background.worst_case([release]))


def test_without_it_the_name_is_unknown() -> None:
    assert "noisy counts" not in FORMS
    with pytest.raises(ParameterError, match="style must be one of 'anatomized', 'generalized'"):
        pl.MInvariance(4, style="noisy counts")
