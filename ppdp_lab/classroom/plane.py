"""Exercise: Mondrian on a plane. Where to cut, what to do with ties, and when to stop.

References
----------
.. [1] K. LeFevre, D. DeWitt, R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.classroom.answers import Unreadable, any_of, kind_of, labels, people, without_a_row
from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise

SPAN = {"age": 80, "income": 160_000}
"""How far the values of the whole table lie apart: widths are shares of it."""
Parts = tuple[set[str], set[str]] | None


def cut(points: pd.DataFrame, k: int) -> Parts:
    """The two parts of a strict cut at the median, along the widest column that allows one; None if there is none.

    >>> cut(pd.DataFrame({"age": [20, 30, 50], "income": [9000] * 3}, index=["Ann", "Ben", "Cleo"]), 1) == (
    ...     {"Ann", "Ben"}, {"Cleo"})
    True
    """
    for column in _widest_first(points):
        parts = _at_the_median(points[column])
        if min(map(len, parts)) >= k:
            return parts
    return None


def _widest_first(points: pd.DataFrame, unit: dict[str, int] | None = None) -> list[str]:
    unit = SPAN if unit is None else unit
    return sorted(points.columns, key=lambda column: -float(np.ptp(points[column])) / unit[column])


def _at_the_median(values: pd.Series) -> tuple[set[str], set[str]]:
    middle = values.sort_values().iloc[(len(values) - 1) // 2]
    return set(values.index[values <= middle]), set(values.index[values > middle])


# ---------------------------------------------------------------------- wrong ways
def returns_nothing(points: pd.DataFrame, k: int) -> None:
    """No return, or one that is never reached."""


def median_on_both_sides(points: pd.DataFrame, k: int) -> Parts:
    """Up to the median left, from the median on right."""
    for column in _widest_first(points):
        values = points[column]
        left, right = _at_the_median(values)
        if min(len(left), len(right)) >= k:
            return left, set(values.index[values >= values[list(left)].max()])
    return None


def ties_divided(points: pd.DataFrame, k: int) -> Parts:
    """Sorted and halved: people with the same value may part."""
    for column in _widest_first(points):
        order = list(points[column].sort_values(kind="stable").index)
        half = (len(order) + 1) // 2
        if min(half, len(order) - half) >= k and len(set(points[column])) > 1:
            return set(order[:half]), set(order[half:])
    return None


def small_parts(points: pd.DataFrame, k: int) -> Parts:
    """Cuts as long as there is something on both sides, whatever k is."""
    return cut(points, 1)


def widest_in_raw_units(points: pd.DataFrame, k: int) -> Parts:
    """A thousand in money is more than eighty years."""
    for column in _widest_first(points, dict.fromkeys(SPAN, 1)):
        parts = _at_the_median(points[column])
        if min(map(len, parts)) >= k:
            return parts
    return None


def gives_up(points: pd.DataFrame, k: int) -> Parts:
    """The widest column or none."""
    parts = _at_the_median(points[_widest_first(points)[0]])
    return parts if min(map(len, parts)) >= k else None


def more_than_k(points: pd.DataFrame, k: int) -> Parts:
    """Exactly k people count as too few."""
    return cut(points, k + 1)


def at_the_middle_of_the_range(points: pd.DataFrame, k: int) -> Parts:
    """Halfway between least and largest value, however many people live there."""
    for column in _widest_first(points):
        values = points[column]
        middle = (values.min() + values.max()) / 2
        left, right = set(values.index[values <= middle]), set(values.index[values > middle])
        if min(len(left), len(right)) >= k:
            return left, right
    return None


# ---------------------------------------------------------------------- right ways
def frames(points: pd.DataFrame, k: int) -> Any:
    """Two frames, by the quantile of pandas."""
    widths = (points.max() - points.min()) / pd.Series(SPAN)
    for column in widths.sort_values(ascending=False, kind="stable").index:
        median = points[column].quantile(0.5, interpolation="lower")
        low = points[column] <= median
        if low.sum() >= k and (~low).sum() >= k:
            return points[low], points[~low]
    return None


def lists(points: pd.DataFrame, k: int) -> Any:
    """Sorted lists, right part first; the mean of the two middle values cuts at the same place."""
    columns = list(points.columns)
    columns.sort(key=lambda c: (max(points[c]) - min(points[c])) / SPAN[c], reverse=True)
    for column in columns:
        middle = float(np.median(points[column]))
        right = [person for person in points.index if points.loc[person, column] > middle]
        left = [person for person in points.index if points.loc[person, column] <= middle]
        if len(right) >= k <= len(left):
            return [right, left]
    return None


# ---------------------------------------------------------------------- cases
def draw(rng: Random, *, columns: int, most: int) -> Case:
    """Up to eight people; ties in width are left out, since nothing says which column is to come first."""
    while True:
        names = people(rng, 3, 8)
        frame = pd.DataFrame(
            {
                "age": [rng.choice(range(20, 101, 10)) for _ in names],
                "income": [rng.choice(range(10_000, 170_001, 20_000)) for _ in names],
            },
            index=names,
        )
        if columns == 1:
            other = rng.choice(list(SPAN))
            frame[other] = frame[other].iloc[0]
        widths = [float(np.ptp(frame[column])) / SPAN[column] for column in SPAN]
        if widths[0] != widths[1]:
            return frame, rng.randint(1, most)


def smaller(points: pd.DataFrame, k: int) -> Iterator[Case]:
    """Without a person, with a smaller k, or with a value that somebody else has."""
    yield from ((fewer, k) for fewer in without_a_row(points) if _told_apart(fewer))
    if k > 1:
        yield points, k - 1
    for column in points:
        least = points[column].min()
        for person in points.index[points[column] != least]:
            simpler = points.copy()
            simpler.loc[person, column] = least
            if _told_apart(simpler):
                yield simpler, k


def _told_apart(points: pd.DataFrame) -> bool:
    widths = [float(np.ptp(points[column])) / SPAN[column] for column in points]
    return len(set(widths)) == len(widths)


def show(points: pd.DataFrame, k: int) -> str:
    """The points and k."""
    return f"{points.to_string()}\nk = {k}"


def read(value: Any) -> frozenset[frozenset[str]] | None:
    """Two parts, whichever comes first; None for no cut."""
    if value is None:
        return None
    if isinstance(value, (str, dict, set, frozenset, pd.DataFrame)) or not hasattr(value, "__iter__"):
        raise Unreadable(kind_of(value))
    parts = [labels(part) for part in value]
    if len(parts) != 2:
        raise Unreadable(f"{len(parts)} things instead of two")
    return frozenset(parts)


def concern(case: Case, given: frozenset[frozenset[str]] | None, right: Any) -> Concern:
    """Somebody in too small a part, in two parts, in none, or apart from people like them."""
    points, k = case
    order = list(points.index)
    if given is None:
        return Concern(
            order[0], "Nobody is endangered, but the box around them stays wider than k asks for: readers lose."
        )
    parts = sorted(given, key=len)
    twice = parts[0] & parts[-1] if len(parts) > 1 else frozenset()
    left_out = frozenset(order) - frozenset().union(*parts)
    if twice:
        return Concern(
            any_of(twice, order),
            "Published in both parts: whoever finds the same row in two boxes has narrowed both down.",
        )
    if left_out:
        return Concern(any_of(left_out, order), "In neither part: the row is lost for the readers.")
    if len(parts[0]) < k:
        alone, among = any_of(parts[0] or parts[-1], order), len(parts[0])
        known = f"knows which row is {alone}'s" if among <= 1 else f"finds the row with a chance of 1 in {among}"
        size = "nobody" if among == 0 else "one person" if among == 1 else f"{among} people"
        return Concern(alone, f"One part has {size} in it where k = {k} was promised: an adversary {known}.")
    for one, other in ((one, other) for one in order for other in order):
        if (points.loc[one] == points.loc[other]).all() and (one in parts[0]) != (other in parts[0]):
            return Concern(
                one,
                f"{other} has the same values and is in the other part: both boxes hold both of them, so an adversary "
                "who finds the two boxes apart knows that something else than these columns decided.",
            )
    if right is None:
        return Concern(order[0], "This class is finished: every allowed cut leaves a part with fewer than k people.")
    moved = min((a - b for a in given for b in right), key=lambda some: (not some, len(some), sorted(some)))
    return Concern(
        any_of(moved, order) if moved else order[0],
        "Lands on the other side than Mondrian puts them: an adversary knows a box that tells more in one column and less in "
        "the other than was meant.",
    )


EXERCISE = Exercise(
    name="plane",
    title="Mondrian on a plane",
    minutes=30,
    explorer="partition",
    tasks=(
        Task(
            name="cut",
            returns="the two parts, each a collection of row labels or a frame, or None if there is no cut",
            answer=cut,
            read=read,
            steps={
                "median": lambda rng: draw(rng, columns=1, most=1),
                "widest": lambda rng: draw(rng, columns=2, most=1),
                "stop": lambda rng: draw(rng, columns=2, most=4),
            },
            smaller=smaller,
            show=show,
            concern=concern,
            mistakes=(
                Mistake(
                    returns_nothing,
                    "never cutting at all: None means that no cut is allowed; is a return missing?",
                ),
                Mistake(
                    median_on_both_sides,
                    "putting the median on both sides: <= on one side needs > on the other.",
                ),
                Mistake(
                    small_parts,
                    "cutting without looking at k: each part must keep k people, or the cut is not made.",
                ),
                Mistake(
                    widest_in_raw_units,
                    "comparing widths in raw units: money always looks wider than years; take each width as a share of SPAN.",
                ),
                Mistake(
                    ties_divided,
                    "sorting and halving: people with the same value must stay together, or the boxes overlap.",
                ),
                Mistake(
                    gives_up,
                    "giving up after the widest column: if that cut is not allowed, the other column may allow one.",
                ),
                Mistake(
                    more_than_k,
                    "asking for more than k people in each part: k are enough.",
                ),
                Mistake(
                    at_the_middle_of_the_range,
                    "cutting in the middle of the range: the median halves the people, not the map.",
                ),
            ),
            right_too=(frames, lists),
        ),
    ),
)  # fmt: skip
check = EXERCISE.check
