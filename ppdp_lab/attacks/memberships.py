"""Everything that is in some group of a series: the persons, and rows that are no person's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ppdp_lab.attacks._class_pairs import members_of
from ppdp_lab.attacks.background import Background, in_a_list, release_name
from ppdp_lab.attacks.inputs import check_series, require_constant
from ppdp_lab.errors import ParameterError, SchemaError
from ppdp_lab.release import Release
from ppdp_lab.release.forms import Published, PublishedRows
from ppdp_lab.table import Domain, Histogram, mixed
from ppdp_lab.text import OneLine

Named = Sequence[tuple[np.ndarray, np.ndarray]]
"""Per release, the numbers of its counterfeits and the published group of each."""


def named_counterfeits(releases: Sequence[Release]) -> Named:
    """Which counterfeit of which release is which, with the holder's help: the worst case of an adversary who knows.

    Works for releases of publishers that number their counterfeits. Without it an attack takes every row that is no
    person's for a stranger of its own in each release.
    """
    named = []
    releases = in_a_list("releases", releases)
    for number, release in enumerate(releases):
        name = release_name(number, len(releases))
        if not isinstance(release, Release):
            raise ParameterError(f"{name} must be a ppdp_lab.Release, not {type(release).__name__}")
        fake = release.counterfeit_codes
        ids = fake.ids
        if ids is None and len(fake):
            raise ParameterError(f"{name} has counterfeits without numbers; its publisher does not follow them")
        ids = np.zeros(0, dtype=np.int64) if ids is None else ids
        named.append((ids, release.group_of_class[fake.class_of]))
    return named


@dataclass(frozen=True, eq=False)
class Memberships(OneLine):
    """Who is in which group of which release.

    A tuple, as the paper has it, is whatever fills a row: numbered persons first, in the order of the background, then
    counterfeits that can be told apart, then strangers, each of whom is in one release only. ``present`` holds, per
    release, tuples and their groups.
    """

    series: list[PublishedRows]
    ids: pd.Index
    counterfeits: np.ndarray
    present: list[tuple[np.ndarray, np.ndarray]]
    n: int

    @classmethod
    def of(cls, series: Sequence[Published], background: Background, counterfeits: Named | None = None) -> Memberships:
        """Persons from a background that knows groups; whoever else fills a group is a counterfeit or a stranger."""
        releases, background = check_series(series, background)
        if len(releases[0].sensitive_domains) != 1:
            raise SchemaError("the equivalence attack reads exactly one sensitive column")
        require_constant(background, "the equivalence attack")
        if not background.knows_groups:
            raise ParameterError("the equivalence attack knows everybody's group; use Background.worst_case(releases)")
        none = (np.zeros(0, dtype=np.int64),) * 2
        named = [none] * len(releases) if counterfeits is None else in_a_list("counterfeits", counterfeits)
        if len(named) != len(releases):
            raise ParameterError(f"counterfeits of {len(named)} releases do not fit a series of {len(releases)}")
        numbers = np.unique(np.concatenate([np.asarray(ids, dtype=np.int64) for ids, _ in named]))
        n = background.n_persons + len(numbers)
        present = []
        for number, (release, presence, (ids, fake_groups)) in enumerate(zip(releases, background.releases, named)):
            name = release_name(number, len(releases))
            fakes = background.n_persons + np.searchsorted(numbers, ids)
            if len(fake_groups) and not 0 <= np.min(fake_groups) <= np.max(fake_groups) < release.n_groups:
                raise ParameterError(
                    f"{name}: counterfeits stand in groups beyond 0 to {release.n_groups - 1}; take them from "
                    f"named_counterfeits(releases)"
                )
            assert presence.groups is not None
            groups = np.concatenate([presence.groups, fake_groups]).astype(np.int64)
            room = release.sizes - np.bincount(groups, minlength=release.n_groups)
            if (room < 0).any():
                raise ParameterError(f"{name}: more persons and counterfeits in a group than it has rows")
            strangers = np.repeat(np.arange(release.n_groups), room)
            everyone = np.concatenate([presence.persons, fakes, n + np.arange(len(strangers))])
            present.append((everyone.astype(np.int64), np.concatenate([groups, strangers])))
            n += len(strangers)
        return cls(releases, background.ids, numbers, present, n)

    @property
    def n_persons(self) -> int:
        """Number of persons."""
        return len(self.ids)

    @property
    def domain(self) -> Domain:
        """The sensitive attribute."""
        return self.series[0].sensitive_domains[0]

    def labels(self) -> list[str]:
        """A name for each tuple."""
        strangers = self.n - self.n_persons - len(self.counterfeits)
        return [
            *map(str, self.ids),
            *(f"counterfeit {number}" for number in self.counterfeits),
            *(f"stranger {number}" for number in range(strangers)),
        ]

    def histograms(self) -> list[Histogram]:
        """Sensitive values per group, per release."""
        return [release.counts().histogram() for release in self.series]

    def buckets(self) -> tuple[list[np.ndarray], int, int]:
        """Bucket of each group, per release: groups whose values are in the same proportions share one.

        Also the number of buckets and the fewest values in any.
        """
        counted = self.histograms()
        keys = [proportions(histogram) for histogram in counted]
        fewest = min(int(h.distinct.min(initial=len(h.domain))) for h in counted)
        distinct, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        cuts = np.cumsum([len(key) for key in keys])[:-1]
        return np.split(inverse, cuts), len(distinct), fewest

    def composed(self) -> Iterator[list[tuple[np.ndarray, ...]]]:
        """Per release, what the kernels compare of it and of each release before it.

        Each entry is (class of each tuple then and now, begins and members of the classes then and now, bucket of each
        class then and now); a class of -1 means absence.
        """
        earlier: list[tuple[np.ndarray, ...]] = []
        for (who, where), release, bucket in zip(self.present, self.series, self.buckets()[0]):
            now = np.full(self.n, -1, dtype=np.int32)
            now[who] = where
            begins, members = members_of(now, release.n_groups)
            yield [(then, now, b, m, begins, members, was, bucket) for then, b, m, was in earlier]
            earlier.append((now, begins, members, bucket))


def proportions(histogram: Histogram) -> np.ndarray:
    """One number per class for the proportions of its values, the same in every release."""
    return proportion_hashes(histogram.domain, histogram.values, histogram.counts, histogram.offsets)


def proportion_hashes(domain: Domain, values: np.ndarray, counts: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """A 64-bit hash of each multiset's values and their proportions, by text, so that codes may differ between releases.

    Two different ones among n collide with a probability of about n^2 / 2^65.
    """
    starts = offsets[:-1]
    if not len(starts):
        return np.zeros(0, dtype=np.uint64)
    unit = np.repeat(np.gcd.reduceat(counts, starts), np.diff(offsets))
    return np.add.reduceat(mixed(domain.hashes[values] + (counts // unit).astype(np.uint64)), starts)
