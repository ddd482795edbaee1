"""Random small streams, and a judge of m-invariant series that reads published sides and the holder's ids only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from ppdp_lab.errors import InfeasibleError
from ppdp_lab.republish import Publisher, Snapshot
from ppdp_lab.table import Microdata, Schema


@st.composite
def streams(draw, *, max_persons=24, max_releases=5, returning=False, distinct=False, values=(3, 6)):
    """Snapshots of one table: everybody is there for some releases, in one stay unless ``returning``.

    About half of the persons are in the first snapshot, with all values equally often: most streams can be published.
    With ``distinct`` no two persons are of the same age.
    """
    n_values = draw(st.integers(*values))
    n = draw(st.integers(n_values, max_persons))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frame = pd.DataFrame(
        {
            "age": 20 + rng.permutation(n) if distinct else rng.integers(20, 40, n),
            "town": rng.choice(["here", "near", "far"], n),
            "illness": [f"illness {i % n_values}" for i in range(n)],
        },
        index=[f"p{i}" for i in range(n)],
    )
    table = Microdata(frame, Schema(["age", "town"], sensitive="illness"))
    n_releases = draw(st.integers(2, max_releases))
    at_first = np.arange(n) < max(n // 2 // n_values, 1) * n_values
    there = rng.random((n, n_releases)) < 0.7
    there[:, 0] = at_first
    if not returning:
        first = np.where(at_first, 0, rng.integers(0, n_releases, n))
        last = rng.integers(first, n_releases)
        numbers = np.arange(n_releases)
        there = (first[:, None] <= numbers) & (numbers <= last[:, None])
    return [table.select(here) for here in there.T if here.any()]


def publish_all(publisher: Publisher, tables: list[Microdata]) -> list:
    """Releases of a stream, up to the first table that is refused for good reason."""
    releases = []
    for table in tables:
        try:
            releases.append(publisher.publish(table))
        except InfeasibleError as error:
            check_refusal(str(error), publisher, table)
            break
    return releases


def check_refusal(message: str, publisher: Publisher, table: Microdata) -> None:
    """A refused table really has a value above 1/m, and the message names it with its share."""
    counts = Counter(table.frame["illness"])
    m = publisher.m
    most = max(counts.values())
    named = [value for value, count in counts.items() if count == most and repr(value) in message]
    assert m * most > len(table), message
    assert named and f"has {most} of {len(table)} ({most / len(table):.1%})" in message


def groups_of(release) -> dict[str, tuple[int, tuple[tuple[str, int], ...]]]:
    """Published group of each id, and that group's values with their counts, read from the published tables."""
    if release.style == "anatomized":
        rows = release.to_frames()[1]
    else:
        rows = release.to_frame().groupby(["group", "illness"], observed=True).size().rename("count").reset_index()
    values = defaultdict(list)
    for group, illness, count in rows[["group", "illness", "count"]].itertuples(index=False):
        values[group].append((illness, count))
    numbers = release.group_of_class
    return {
        person: (int(numbers[c]), tuple(sorted(values[numbers[c]])))
        for person, c in zip(release.records, release.class_of)
        if c >= 0
    }


def judge(releases: list, m: int, *, fine: bool) -> None:
    """Fail unless a series is m-invariant."""
    signature: dict[str, frozenset[str]] = {}
    for release in releases:
        illness = release.table.frame["illness"]
        for person, (_, values) in groups_of(release).items():
            counts = [count for _, count in values]
            assert len(values) >= m
            assert max(counts) == min(counts) == (1 if fine else counts[0])
            assert max(counts) / sum(counts) <= 1 / m
            names = frozenset(name for name, _ in values)
            assert illness[person] in names
            assert signature.setdefault(person, names) == names


def same_release(one, other) -> None:
    """Fail unless two releases publish the same, and invent the same."""
    for a, b in zip(_frames(one), _frames(other), strict=True):
        pd.testing.assert_frame_equal(a, b)
    pd.testing.assert_frame_equal(one.counterfeits, other.counterfeits)


def same_in_any_order(make: Callable[[], Publisher], tables: list[Microdata], rng: np.random.Generator) -> None:
    """Fail if the releases of a stream depend on the order of its rows.

    Two new records that are equal in all respects may change places, and then go separate ways. So only releases up to
    the first with such a pair are compared.
    """
    shuffled = [table.select(rng.permutation(len(table))) for table in tables]
    for one, other in zip(publish_all(make(), tables), publish_all(make(), shuffled), strict=True):
        same_release(one, other)
        if one.table.frame.duplicated().any():
            return


def same_but_for_names(one, other, names: dict[int, int]) -> None:
    """Fail unless two releases, tracked, are the same up to a renaming of pseudonyms.

    ``names`` is the renaming so far, which grows: it must be one and the same for a whole series.
    """
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())
    assert one.records.tolist() == other.records.tolist() and one.class_of.tolist() == other.class_of.tolist()
    for mine, theirs in zip(one.pseudonyms.tolist(), other.pseudonyms.tolist()):
        assert names.setdefault(mine, theirs) == theirs
    assert len(set(names.values())) == len(names)
    tracked = [release.to_frame(track=True).drop(columns="group", errors="ignore") for release in (one, other)]
    tracked[0]["pseudonym"] = tracked[0]["pseudonym"].map(names)
    pd.testing.assert_frame_equal(*(frame.sort_values("pseudonym", ignore_index=True) for frame in tracked))


def _frames(release) -> tuple[pd.DataFrame, ...]:
    tables = release.to_frames() if release.style == "anatomized" else (release.to_frame(),)
    return (*tables, release.counterfeit_statistics())


def snapshots(tables: list[Microdata]) -> list[Snapshot]:
    return [Snapshot.after(before, table, i) for i, (before, table) in enumerate(zip([None, *tables], tables))]
