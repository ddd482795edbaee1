"""Exercise: skewness. Belief before and after, and how far a class is from the whole table.

References
----------
.. [1] N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.classroom.answers import number
from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise
from ppdp_lab.text import table

Counts = Mapping[str, int]
LEVELS = ("none", "low", "medium", "high", "extreme")


def gain(counts: Counts, totals: Counts) -> float:
    """How many times as likely a value became at most: its share in the class over its share in the table.

    >>> gain({"positive": 25, "negative": 25}, {"positive": 100, "negative": 9900})
    50.0
    """
    n, whole = sum(counts.values()), sum(totals.values())
    return max((count / n) / (totals[value] / whole) for value, count in counts.items())


def distance(counts: Counts, totals: Counts, order: list[str]) -> float:
    """Earth mover's distance between ordered values, the longest way being 1 ([1]_, section 5.1).

    >>> distance({"high": 2}, {"low": 2, "medium": 2, "high": 2}, ["low", "medium", "high"])
    0.5
    """
    carried = accumulate(_share(counts, value) - _share(totals, value) for value in order)
    return sum(map(abs, carried)) / (len(order) - 1)


def _share(counts: Counts, value: str) -> float:
    return counts.get(value, 0) / sum(counts.values())


# ---------------------------------------------------------------------- wrong ways to a gain
def share_in_the_class(counts: Counts, totals: Counts) -> float:
    """The belief afterwards alone."""
    return max(counts.values()) / sum(counts.values())


def difference(counts: Counts, totals: Counts) -> float:
    """Afterwards minus before."""
    return max(_share(counts, value) - _share(totals, value) for value in counts)


def counts_not_shares(counts: Counts, totals: Counts) -> float:
    """Rows of the class over rows of the table."""
    return max(count / totals[value] for value, count in counts.items())


def most_frequent_value(counts: Counts, totals: Counts) -> float:
    """The ratio of the value that most have, not the largest ratio."""
    value = max(counts, key=lambda v: counts[v])
    return _share(counts, value) / _share(totals, value)


# ---------------------------------------------------------------------- wrong ways to a distance
def without_order(counts: Counts, totals: Counts, order: list[str]) -> float:
    """Any two values equally far apart."""
    return sum(abs(_share(counts, value) - _share(totals, value)) for value in order) / 2


def not_divided(counts: Counts, totals: Counts, order: list[str]) -> float:
    """Steps of one place, not of a share of the whole way."""
    return distance(counts, totals, order) * (len(order) - 1)


def alphabetical(counts: Counts, totals: Counts, order: list[str]) -> float:
    """Values in the order of their letters."""
    return distance(counts, totals, sorted(order))


def means_compared(counts: Counts, totals: Counts, order: list[str]) -> float:
    """How far the mean moved: what goes up and what goes down cancel out."""
    moved = sum(place * (_share(counts, value) - _share(totals, value)) for place, value in enumerate(order))
    return abs(moved) / (len(order) - 1)


def values_of_the_class_only(counts: Counts, totals: Counts, order: list[str]) -> float:
    """Values that the class does not show are forgotten."""
    carried = accumulate(_share(counts, v) - _share(totals, v) for v in order if counts.get(v, 0))
    return sum(map(abs, carried)) / (len(order) - 1)


# ---------------------------------------------------------------------- right ways
def gain_by_pandas(counts: Counts, totals: Counts) -> Any:
    """Two Series divided; values that the class lacks are missing and drop out."""
    after, before = pd.Series(counts, dtype=float), pd.Series(totals, dtype=float)
    return (after / after.sum() / (before / before.sum())).max()


def gain_by_numpy(counts: Counts, totals: Counts) -> Any:
    """Cross-multiplied arrays."""
    rows = np.array([[counts.get(value, 0), totals[value]] for value in totals])
    return np.float64((rows[:, 0] * rows[:, 1].sum() / (rows[:, 1] * rows[:, 0].sum())).max())


def distance_by_loops(counts: Counts, totals: Counts, order: list[str]) -> float:
    """Earth in hand: carry what is too much to the next value."""
    n, whole, hand, work = sum(counts.values()), sum(totals.values()), 0.0, 0.0
    for value in order[:-1]:
        hand += counts.get(value, 0) / n - totals.get(value, 0) / whole
        work += abs(hand)
    return work / (len(order) - 1)


def distance_by_pandas(counts: Counts, totals: Counts, order: list[str]) -> Any:
    """The mean distance between the two cumulative distributions."""
    frame = pd.DataFrame({"class": pd.Series(counts), "table": pd.Series(totals)}).reindex(order).fillna(0)
    shares = (frame / frame.sum()).cumsum()
    return (shares["class"] - shares["table"]).abs().iloc[:-1].mean()


# ---------------------------------------------------------------------- cases
def draw(rng: Random, *, least: int = 2) -> tuple[dict[str, int], dict[str, int], list[str]]:
    """A class within a table, and the values in order; values that the class lacks are not named in its counts."""
    start = rng.randint(0, 1)
    order = list(LEVELS[start : start + rng.randint(least, len(LEVELS) - start)])
    totals = {value: rng.randint(2, 12) for value in order}
    counts = {value: rng.randint(0, min(totals[value], 6)) for value in order}
    counts[rng.choice(order)] += 1
    named = rng.sample(order, len(order))
    return {v: counts[v] for v in named if counts[v]}, {v: max(totals[v], counts[v]) for v in order}, order


def smaller(counts: Counts, totals: Counts, order: list[str] | None = None) -> Iterator[Case]:
    """One row fewer in the class, or in the rest of the table, or a value that nobody in the class has left out."""
    rest = () if order is None else (order,)
    for value in totals:
        if value not in counts and len(totals) > 2:
            fewer = {v: n for v, n in totals.items() if v != value}
            yield (counts, fewer, *(() if order is None else ([v for v in order if v != value],)))
    for value in counts:
        if sum(counts.values()) > 1:
            yield ({v: n - (v == value) for v, n in counts.items() if n > (v == value)}, totals, *rest)
    for value in totals:
        if totals[value] > max(counts.get(value, 0), 1):
            yield (counts, {v: n - (v == value) for v, n in totals.items()}, *rest)


def show(counts: Counts, totals: Counts, order: list[str] | None = None) -> str:
    """Rows per value in the class and in the whole table."""
    rows = [[value, str(counts.get(value, "")), str(totals[value])] for value in order or totals]
    lines = [table(["value", "in the class", "in the table"], rows)]
    return "\n".join(lines + ([] if order is None else [f"from low to high: {', '.join(order)}"]))


def gain_concern(case: Case, given: float, right: float) -> Concern:
    """Ann, who is in the class, and the value of which most is learned."""
    counts, totals = case
    n, whole = sum(counts.values()), sum(totals.values())
    value = max(counts, key=lambda v: counts[v] / totals[v])
    told = "is now thought to be larger than it is" if given > right else "is a larger step than your number says"
    return Concern(
        "Ann, who is in the class",
        f"In the whole table {totals[value]} of {whole} rows say {value!r}, in her class {counts[value]} of {n}. "
        f"What the adversary learned of Ann {told}.",
    )


def distance_concern(case: Case, given: float, right: float) -> Concern:
    """Ann again: how far her class leads away from the table."""
    counts, totals, order = case
    there, everywhere = (
        sum(place * _share(some, value) for place, value in enumerate(order)) for some in (counts, totals)
    )
    direction = "other" if abs(there - everywhere) < 1e-9 else "higher" if there > everywhere else "lower"
    how = "less" if given < right else "more"
    return Concern(
        "Ann, who is in the class",
        f"An adversary who knows her class now expects {direction} values than before; your number says that this tells "
        f"{how} of her than it does.",
    )


EXERCISE = Exercise(
    name="skewness",
    title="Skewness",
    minutes=25,
    tasks=(
        Task(
            name="gain",
            returns="one number, the largest ratio of belief after to belief before",
            answer=gain,
            read=number,
            steps={"gain": lambda rng: draw(rng)[:2]},
            smaller=smaller,
            show=show,
            concern=gain_concern,
            mistakes=(
                Mistake(
                    share_in_the_class,
                    "the largest share in the class: half of a class is no news if half of the table is like that; divide by "
                    "what was believed before.",
                ),
                Mistake(
                    difference,
                    "the difference of the two shares: from 1 % to 2 % and from 50 % to 51 % differ by the same, but the "
                    "first doubles a suspicion; take the ratio.",
                ),
                Mistake(
                    counts_not_shares,
                    "dividing rows by rows: a class is smaller than the table, so compare shares of each.",
                ),
                Mistake(
                    most_frequent_value,
                    "the ratio of the most frequent value of the class: the value that gains most is often a rare one.",
                ),
            ),
            right_too=(gain_by_pandas, gain_by_numpy),
        ),
        Task(
            name="distance",
            returns="one number from 0 to 1, the earth mover's distance",
            answer=distance,
            read=number,
            steps={"distance": lambda rng: draw(rng, least=3)},
            smaller=smaller,
            show=show,
            concern=distance_concern,
            mistakes=(
                Mistake(
                    without_order,
                    "the distance for values without an order: earth that is carried from the lowest value to the highest "
                    "goes a longer way than to the neighbour.",
                ),
                Mistake(
                    not_divided,
                    "counting whole steps: the way from the first value to the last has length 1, so divide by the number of "
                    "steps in it.",
                ),
                Mistake(
                    alphabetical,
                    "taking the values in alphabetical order: use the one in `order`.",
                ),
                Mistake(
                    means_compared,
                    "comparing two means: earth that goes up and earth that goes down both cost, they do not cancel out.",
                ),
                Mistake(
                    values_of_the_class_only,
                    "going through the values of the class only: earth also lies where the class has nobody.",
                ),
            ),
            right_too=(distance_by_loops, distance_by_pandas),
        ),
    ),
)  # fmt: skip
check = EXERCISE.check
