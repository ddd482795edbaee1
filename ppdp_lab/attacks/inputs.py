"""A series of published tables and a background that fits it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ppdp_lab.attacks.background import Background, release_name
from ppdp_lab.errors import ParameterError, PublicationError, check_items
from ppdp_lab.release.forms import Feature, Published, PublishedRows
from ppdp_lab.table import Cells, ClassCounts, Domain, common_domains, group
from ppdp_lab.text import OneLine


def check_published(published: object, name: str) -> Published:
    """A published table, or a refusal that calls it by this name."""
    if isinstance(published, Published):
        return published
    hint = "; call its published()" if hasattr(published, "published") else ""
    raise ParameterError(f"{name}: an attack sees ppdp_lab.Published only, not {type(published).__name__}{hint}")


def check_series(
    series: Iterable[Published], background: Background, *, reads: Iterable[Feature] = (Feature.ROWS,)
) -> tuple[list[PublishedRows], Background]:
    """A series and a background on as many releases that the published rows have room for, both over one set of domains.

    Domains may differ from release to release, as those of publishers grow; values are matched by their text. Tables that do
    not show what is to be read are refused.
    """
    if not isinstance(background, Background):
        raise ParameterError(
            f"the background must be a ppdp_lab Background, not {type(background).__name__}; make one with "
            f"Background.of_series(tables) or Background.worst_case(releases)"
        )
    releases, known = check_shown(series, background, reads=reads)
    assert known is not None
    return releases, known


def check_shown(
    series: Iterable[Published], background: Background | None, *, reads: Iterable[Feature] = (Feature.ROWS,)
) -> tuple[list[PublishedRows], Background | None]:
    """As :func:`check_series`, where a background may be missing."""
    if isinstance(series, Published):
        raise ParameterError("a series is a list of published tables; put the single one into a list")
    series = check_items("a series of published tables", series)
    names = [release_name(number, len(series)) for number in range(len(series))]
    releases = [check_published(release, name) for release, name in zip(series, names)]
    if not releases:
        raise ParameterError("the series is empty; give at least one published table")
    for name, release in zip(names, releases):
        release.require(f"{name}: reading it", reads)
    sensitive = common_domains((name, release.sensitive_domains) for name, release in zip(names, releases))
    shown = [(name, release.qi_domains) for name, release in zip(names, releases)]
    if background is not None:
        _check_background(releases, names, background)
        shown.append(("the background", background.qi_domains))
    quasi = common_domains(shown)
    aligned = [release.recode(quasi, sensitive) for release in releases]
    return cast("list[PublishedRows]", aligned), None if background is None else background.recode(quasi)


def _check_background(releases: Sequence[Published], names: Sequence[str], background: object) -> None:
    if not isinstance(background, Background):
        raise ParameterError(f"the background must be a ppdp_lab Background, not {type(background).__name__}")
    if len(background) != len(releases):
        raise ParameterError(
            f"a background on {len(background)} releases does not fit a series of {len(releases)}; "
            f"take the part that fits, such as background[1:]"
        )
    for name, release, presence in zip(names, releases, background.releases):
        room = release.real_sizes
        if presence.groups is None:
            full = len(presence) > room.sum()
        else:
            if len(presence) and presence.groups.max() >= release.n_groups:
                raise ParameterError(
                    f"{name}: the background names group {int(presence.groups.max())}, "
                    f"but its groups are 0 to {release.n_groups - 1}"
                )
            full = bool((np.bincount(presence.groups, minlength=release.n_groups) > room).any())
        if full:
            raise ParameterError(
                f"{name}: the background puts more persons into it, or into one of its groups, than it has rows; "
                f"leave suppressed persons out (Background.worst_case(releases) does)"
            )


def require_constant(background: Background | None, name: str) -> None:
    """Refuse a background by which values change, in an attack that takes them to stay the same."""
    if isinstance(background, Background) and background.changes is not None:
        raise ParameterError(
            f"{name} takes values to stay the same, but the background's update model lets them change; use update_risks(), "
            f"intersection() or audit_series(), which follow the model, or background.with_model(None)"
        )


def use_tracks(series: Sequence[Published], track: bool | None) -> bool:
    """Whether to follow pseudonyms: as told, else exactly if every release carries them."""
    tracked = [release.pseudonyms is not None for release in series]
    if track and not all(tracked):
        raise PublicationError(
            f"{release_name(tracked.index(False), len(tracked))} carries no pseudonyms, so its rows cannot be tracked; "
            f"publish the series with track=True, or attack it with track=False"
        )
    return all(tracked) if track is None else track


@dataclass(frozen=True, eq=False)
class Values(OneLine):
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

    def of_groups(self, series: Sequence[PublishedRows]) -> list[Cells]:
        """The values of each published group, per release."""
        rows = zip(series, self.codes)
        return [Cells.count(release.row_group, codes, release.n_groups, self.n) for release, codes in rows]


def sensitive_values(series: Sequence[PublishedRows], attribute: str | None, *, together: bool = False) -> Values:
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
