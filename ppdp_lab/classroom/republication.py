"""Exercise: naive re-publication. What several releases tell of one person together.

References
----------
.. [1] S. Ganta, S. Kasiviswanathan, A. Smith, "Composition attacks and auxiliary information in data privacy", KDD 2008.
.. [2] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import and_, or_
from random import Random
from typing import Any

import pandas as pd

from ppdp_lab.classroom.answers import people, tally, without_a_row
from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise

Series = Sequence[pd.DataFrame]
ILLNESSES = ("flu", "HIV", "cancer", "measles", "asthma", "ulcer")


def candidates(series: Series, person: str) -> Counter[str]:
    """What the person may have, each value as often as all of the person's groups show it.

    >>> may = pd.DataFrame({"group": [1, 1], "disease": ["flu", "HIV"]}, index=["Ann", "Ben"])
    >>> june = pd.DataFrame({"group": [1, 1], "disease": ["flu", "cold"]}, index=["Ann", "Cleo"])
    >>> candidates([may, june], "Ann")
    Counter({'flu': 1})
    """
    return reduce(and_, (_beside(release, person) for release in series if person in release.index))


def _beside(release: pd.DataFrame, person: str) -> Counter[str]:
    return Counter(release.loc[release["group"] == release.loc[person, "group"], "disease"])


# ---------------------------------------------------------------------- wrong ways
def absent_releases_counted(series: Series, person: str) -> Counter[str]:
    """A release without the person is intersected as a whole."""
    shown = (_beside(r, person) if person in r.index else Counter(r["disease"]) for r in series)
    return reduce(and_, shown)


def absent_releases_empty(series: Series, person: str) -> Counter[str]:
    """A release without the person has no group of theirs, so nothing remains."""
    return reduce(and_, (_beside(r, person) if person in r.index else Counter() for r in series))


def sets_only(series: Series, person: str) -> set[str]:
    """Which values, and not how often."""
    return set(candidates(series, person))


def whole_releases(series: Series, person: str) -> Counter[str]:
    """All rows of a release, not those of the person's group."""
    return reduce(and_, (Counter(release["disease"]) for release in series if person in release.index))


def united(series: Series, person: str) -> Counter[str]:
    """Everything that was ever shown beside the person."""
    return reduce(or_, (_beside(release, person) for release in series if person in release.index))


def last_release_only(series: Series, person: str) -> Counter[str]:
    """As if nothing had been published before."""
    return _beside([release for release in series if person in release.index][-1], person)


# ---------------------------------------------------------------------- right ways
def by_loops(series: Series, person: str) -> dict[str, int]:
    """Least count over the releases, value by value."""
    found: dict[str, int] | None = None
    for release in series:
        if person not in release.index:
            continue
        counts: dict[str, int] = {}
        for _, row in release.iterrows():
            if row["group"] == release.loc[person, "group"]:
                counts[row["disease"]] = counts.get(row["disease"], 0) + 1
        found = counts if found is None else {v: min(n, counts.get(v, 0)) for v, n in found.items()}
    return found or {}


def by_pandas(series: Series, person: str) -> Any:
    """A table of counts, one column per release, and its smallest column."""
    mine = [release[release["group"] == release.loc[person, "group"]] for release in series if person in release.index]
    return pd.concat([part["disease"].value_counts() for part in mine], axis=1).fillna(0).min(axis=1).astype(int)


# ---------------------------------------------------------------------- cases
def draw(rng: Random, *, absent: bool, repeated: bool) -> Case:
    """Two or three releases of up to eight people in two groups; everybody keeps their disease."""
    names = people(rng, 4, 6 if not repeated else 8)
    diseases = dict(
        zip(names, rng.choices(ILLNESSES[:2], k=len(names)) if repeated else rng.sample(ILLNESSES, len(names)))
    )
    person = rng.choice(names)
    series = []
    for number in range(rng.randint(2, 3)):
        here = [name for name in names if name == person or rng.random() < 0.8]
        if absent and number and rng.random() < 0.5 and len(here) > 1:
            here.remove(person)
        rows = {name: (rng.randint(1, 2), diseases[name]) for name in here}
        series.append(pd.DataFrame.from_dict(rows, orient="index", columns=["group", "disease"]))
    return series, person


def smaller(series: Series, person: str) -> Iterator[Case]:
    """Without a release, a row, or a group."""
    held = [person in release.index for release in series]
    for i in range(len(series)):
        if len(series) > 1 and sum(held[:i] + held[i + 1 :]) > 0:
            yield [*series[:i], *series[i + 1 :]], person
    for i, release in enumerate(series):
        for fewer in without_a_row(release, keep=person):
            yield [*series[:i], fewer, *series[i + 1 :]], person


def show(series: Series, person: str) -> str:
    """The releases one below the other."""
    parts = [f"release {number}:\n{release.to_string()}" for number, release in enumerate(series, 1)]
    return "\n".join([*parts, f"person: {person}"])


def concern(case: Case, given: dict[str, int], right: dict[str, int]) -> Concern:
    """The person asked for."""
    series, person = case
    truth = next(release.loc[person, "disease"] for release in series if person in release.index)
    if given.get(truth, 0) == 0:
        return Concern(
            person, f"Your answer rules out {truth}, which {person} has: an adversary who reasons so is misled."
        )
    extra = [value for value in given if given[value] > right.get(value, 0)]
    if extra:
        kept = f"more rows of {extra[0]} than" if extra[0] in right else f"{extra[0]}, which is not in"
        return Concern(
            person,
            f"An adversary who lays the releases side by side rules out more than you do: you keep {kept} one of {person}'s "
            f"groups, so {person} looks safer than is true.",
        )
    less = next(value for value in right if right[value] > given.get(value, 0))
    return Concern(
        person,
        f"An adversary counts rows: {less} stands more often in every group of {person} than your answer says, and how sure "
        f"a guess is depends on that.",
    )


EXERCISE = Exercise(
    name="republication",
    title="Naive re-publication",
    minutes=20,
    explorer="series",
    tasks=(
        Task(
            name="candidates",
            returns="how often each value is left, as a Counter, a dict or a list of values",
            answer=candidates,
            read=tally,
            steps={
                "intersection": lambda rng: draw(rng, absent=False, repeated=False),
                "absent": lambda rng: draw(rng, absent=True, repeated=False),
                "counts": lambda rng: draw(rng, absent=True, repeated=True),
            },
            smaller=smaller,
            show=show,
            concern=concern,
            mistakes=(
                Mistake(
                    absent_releases_counted,
                    "counting a release that the person is not in: its values say nothing about somebody who is not there.",
                ),
                Mistake(
                    absent_releases_empty,
                    "taking a release without the person for an empty group: then nothing is left, though everybody has a "
                    "disease; skip it.",
                ),
                Mistake(
                    sets_only,
                    "intersecting sets: if two of three remaining rows say flu, the guess is right with 2 to 1; keep how "
                    "often each value is left.",
                ),
                Mistake(
                    whole_releases,
                    "taking all rows of a release: the adversary knows the group, and only its rows can be the person's.",
                ),
                Mistake(
                    united,
                    "putting the releases' values together: each release rules values out, none brings one back.",
                ),
                Mistake(
                    last_release_only,
                    "looking at the last release alone: the earlier ones cannot be taken back.",
                ),
            ),
            right_too=(by_loops, by_pandas),
        ),
    ),
)  # fmt: skip
check = EXERCISE.check
