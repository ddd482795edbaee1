"""A series of published tables and a background that fits it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.attacks._units import Units
from ppdp_lab.attacks.background import Background, check_domains
from ppdp_lab.errors import ParameterError, PublicationError
from ppdp_lab.published import Published
from ppdp_lab.table import ClassCounts, Domain, group


def check_published(published: object, what: str = "an attack") -> Published:
    """A published table, or a refusal in words."""
    if isinstance(published, Published):
        return published
    hint = "; call its published()" if hasattr(published, "published") else ""
    raise ParameterError(f"{what} sees ppdp_lab.Published only, not {type(published).__name__}{hint}")


def check_series(
    series: Iterable[Published], background: Background | None, *, optional: bool = False
) -> list[Published]:
    """A series over one set of domains, and a background on as many releases that the published rows have room for.

    Without ``optional`` there must be a background.
    """
    if isinstance(series, Published):
        raise ParameterError("a series is a list of published tables; put the single one into a list")
    if not isinstance(series, Iterable):
        raise ParameterError(f"a series is a list of published tables, not {type(series).__name__}")
    releases = [check_published(release, f"release {i} of a series") for i, release in enumerate(series)]
    if not releases:
        raise ParameterError("the series is empty; give at least one published table")
    for number, release in enumerate(releases):
        check_domains(f"release {number}", release.qi_domains, releases[0].qi_domains)
        check_domains(f"release {number}", release.sensitive_domains, releases[0].sensitive_domains)
    if background is not None or not optional:
        _check_background(releases, background)
    return releases


def _check_background(releases: Sequence[Published], background: object) -> None:
    if not isinstance(background, Background):
        raise ParameterError(
            f"the background must be a ppdp_lab Background, not {type(background).__name__}; make one with "
            f"Background.of_series(tables) or Background.worst_case(releases)"
        )
    if len(background) != len(releases):
        raise ParameterError(
            f"a background on {len(background)} releases does not fit a series of {len(releases)}; "
            f"take the part that fits, such as background[1:]"
        )
    check_domains("the background", background.qi_domains, releases[0].qi_domains)
    for number, (release, presence) in enumerate(zip(releases, background.releases)):
        room = real_sizes(release)
        if presence.groups is None:
            full = len(presence) > room.sum()
        else:
            if len(presence) and presence.groups.max() >= release.n_groups:
                raise ParameterError(
                    f"release {number}: the background names group {int(presence.groups.max())}, "
                    f"but its groups are 0 to {release.n_groups - 1}"
                )
            full = bool((np.bincount(presence.groups, minlength=release.n_groups) > room).any())
        if full:
            raise ParameterError(
                f"release {number}: the background puts more persons into it, or into one of its groups, than it has rows; "
                f"leave suppressed persons out (Background.worst_case(releases) does)"
            )


def real_sizes(published: Published) -> np.ndarray:
    """Rows per group that stand for a person: counterfeits taken off where their number is published."""
    fakes = published.counterfeits_per_group
    return published.sizes if fakes is None else published.sizes - fakes


def use_tracks(series: Sequence[Published], track: bool | None) -> bool:
    """Whether to follow pseudonyms: as told, else exactly if every release carries them."""
    tracked = [release.pseudonyms is not None for release in series]
    if track and not all(tracked):
        raise PublicationError(
            f"release {tracked.index(False)} carries no pseudonyms, so its rows cannot be tracked; "
            f"publish the series with track=True, or attack it with track=False"
        )
    return all(tracked) if track is None else track


@dataclass(frozen=True, eq=False)
class Values:
    """The sensitive value of each published row of a series, as one code.

    For one attribute the code is the attribute's. For several together it is the number of their combination, and
    ``columns`` holds each attribute's code per combination.
    """

    codes: list[np.ndarray]
    n: int
    domains: tuple[Domain, ...]
    columns: list[np.ndarray]

    @property
    def labels(self) -> np.ndarray:
        """The values as text."""
        parts = [domain.labels[codes] for domain, codes in zip(self.domains, self.columns)]
        return parts[0] if len(parts) == 1 else np.array([" | ".join(row) for row in zip(*parts)], dtype=object)


def sensitive_values(series: Sequence[Published], attribute: str | None, *, together: bool = False) -> Values:
    """Values of one sensitive attribute, or with ``together`` of all of them unless one is named."""
    domains = series[0].sensitive_domains
    if together and attribute is None and len(domains) > 1:
        rows = np.concatenate([release.row_sensitive for release in series], axis=1)
        joint = group(rows, [len(domain) for domain in domains])
        cuts = np.cumsum([len(release) for release in series])[:-1]
        return Values(np.split(joint.class_of, cuts), joint.n_classes, domains, list(rows[:, joint.first]))
    empty = np.zeros(0, dtype=np.int32)
    i = ClassCounts(np.zeros(0, dtype=np.int64), empty, [empty] * len(domains), empty, domains).index(attribute)
    codes = [release.row_sensitive[i] for release in series]
    return Values(codes, len(domains[i]), (domains[i],), [np.arange(len(domains[i]))])


def histories(series: Sequence[Published], background: Background) -> tuple[list[Units], np.ndarray]:
    """Units of each release, and each person's unit in each of them: -1 where the person is absent."""
    units = [Units(r, presence, i) for i, (r, presence) in enumerate(zip(series, background.releases))]
    history = np.full((background.n_persons, len(series)), -1, dtype=np.int32)
    for number, (unit, presence) in enumerate(zip(units, background.releases)):
        history[presence.persons, number] = unit.unit_of
    return units, history


def alike(history: np.ndarray, sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Persons with equal histories: (cell of each person, history of each cell)."""
    cells = group(list((history + 1).T), [size + 1 for size in sizes])
    return cells.class_of, history[cells.first]
