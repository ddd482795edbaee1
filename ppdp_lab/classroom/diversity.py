"""Exercise: break a 2-diverse table. Members of classes with one value, and facts about single persons.

References
----------
.. [1] A. Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity", ACM TKDD 1(1), 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import pandas as pd

from ppdp_lab.classroom.answers import DISEASES, any_of, labels, people, without_a_row
from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise

Facts = Mapping[str, set[str]]
QI = ["age", "zip"]
BOXES = [("20-39", "43**"), ("40-59", "43**"), ("20-39", "45**"), ("40-59", "45**")]


def certain(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> set[str]:
    """Everybody whose value is certain: one value is left in their class that they are not known not to have.

    >>> frame = pd.DataFrame({"zip": ["43**"] * 3, "disease": ["flu", "flu", "HIV"]}, index=["Ann", "Ben", "Cleo"])
    >>> certain(frame, ["zip"], "disease", {"Ben": {"HIV"}})
    {'Ben'}
    """
    found = set()
    for _, members in frame.groupby(qi):
        shown = set(members[value])
        found |= {person for person in members.index if len(shown - set(ruled_out.get(person, ()))) == 1}
    return found


# ---------------------------------------------------------------------- wrong ways
def one_of_each_class(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> set[str]:
    """The first member of a class speaks for all."""
    found = certain(frame, qi, value, ruled_out)
    return {person for _, members in frame.groupby(qi) for person in [p for p in members.index if p in found][:1]}


def facts_for_everybody(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> set[str]:
    """A value that one person cannot have is struck out everywhere."""
    every = set().union(*ruled_out.values()) if ruled_out else set()
    return certain(frame, qi, value, dict.fromkeys(frame.index, every))


def facts_for_the_class(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> set[str]:
    """A value that one person cannot have is struck out for the whole class."""
    told: dict[str, set[str]] = {}
    for _, members in frame.groupby(qi):
        every = set().union(*(ruled_out.get(person, set()) for person in members.index))
        told |= dict.fromkeys(members.index, every)
    return certain(frame, qi, value, told)


def facts_counted(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> set[str]:
    """Facts are subtracted as numbers, whether or not the class shows the value."""
    shown = frame.groupby(qi)[value].transform("nunique")
    return {person for person in frame.index if shown[person] - len(ruled_out.get(person, ())) == 1}


def facts_forgotten(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> set[str]:
    """Homogeneity alone."""
    return certain(frame, qi, value, {})


def first_column_only(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> set[str]:
    """Classes by one quasi-identifier instead of all."""
    return certain(frame, qi[:1], value, ruled_out)


# ---------------------------------------------------------------------- right ways
def by_loops(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> list[str]:
    """Row against row, no grouping."""
    found = []
    for person, row in frame.iterrows():
        left = [
            other[value]
            for _, other in frame.iterrows()
            if all(other[column] == row[column] for column in qi) and other[value] not in ruled_out.get(person, ())  # type: ignore[call-overload]
        ]
        if len(set(left)) == 1:
            found.append(person)
    return found  # type: ignore[return-value]


def by_pandas(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> pd.Series:
    """Each person beside all rows of the class, facts struck out; a column of True and False."""
    pairs = frame.reset_index(names="person").merge(frame, on=qi, suffixes=("_own", ""))
    known = [(person, struck) for person, values in ruled_out.items() for struck in values]
    hidden = pd.MultiIndex.from_tuples(known) if known else []
    left = pairs[~pd.MultiIndex.from_frame(pairs[["person", value]]).isin(hidden)]
    return left.groupby("person")[value].nunique().eq(1)


# ---------------------------------------------------------------------- cases
def draw(rng: Random, *, facts: bool) -> Case:
    """Up to seven people in up to four classes; no fact contradicts the table."""
    names, palettes = people(rng, 3, 7), {}
    for box in BOXES:
        palettes[box] = rng.sample(DISEASES, rng.choice([1, 2, 2, 3]) if facts else rng.choice([1, 1, 2]))
    boxes = [rng.choice(BOXES[: rng.choice([2, 4])]) for _ in names]
    frame = pd.DataFrame(boxes, columns=QI, index=names)
    frame["disease"] = [rng.choice(palettes[box]) for box in boxes]
    told: dict[str, set[str]] = {}
    for person in names if facts else []:
        others = [disease for disease in DISEASES if disease != frame.loc[person, "disease"]]
        if rng.random() < 0.5:
            told[person] = set(rng.sample(others, rng.randint(1, 2)))
    return frame, QI, "disease", told


def smaller(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> Iterator[Case]:
    """Without a row, a fact, or a difference between two classes."""
    for fewer in without_a_row(frame):
        yield fewer, qi, value, {person: known for person, known in ruled_out.items() if person in fewer.index}
    for person, known in ruled_out.items():
        for struck in sorted(known):
            less = {**ruled_out, person: known - {struck}}
            yield frame, qi, value, {name: values for name, values in less.items() if values}
    first = tuple(frame.iloc[0][qi])
    for person in frame.index:
        if tuple(frame.loc[person, qi]) != first:
            alike = frame.copy()
            alike.loc[person, qi] = first
            yield alike, qi, value, ruled_out


def show(frame: pd.DataFrame, qi: list[str], value: str, ruled_out: Facts) -> str:
    """The table, names beside it, and the facts."""
    known = [f"{person} is known not to have {', '.join(sorted(values))}" for person, values in ruled_out.items()]
    return "\n".join([frame.to_string(), *known])


def concern(case: Case, given: frozenset[str], right: frozenset[str]) -> Concern:
    """Somebody whose value is an open secret, or somebody who was given up too early."""
    frame, qi, value, ruled_out = case
    person = any_of(right - given or given - right, list(frame.index))
    if person not in frame.index:
        return Concern(str(person), "This is none of the row labels; answer with those of frame.index.")
    where = " and ".join(f"{column} {frame.loc[person, column]}" for column in qi)
    if person in right:
        known = f", and that it is not {' or '.join(sorted(ruled_out[person]))}" if person in ruled_out else ""
        return Concern(
            person,
            f"A neighbour who knows {where} of {person}{known} now knows the disease, {frame.loc[person, value]}; your answer "
            f"leaves {person} out.",
        )
    return Concern(
        person,
        f"A neighbour who knows {where} of {person} still has a choice of several diseases; your answer says that there is "
        f"none.",
    )


EXERCISE = Exercise(
    name="diversity",
    title="Break a 2-diverse table",
    minutes=20,
    explorer="own_table",
    tasks=(
        Task(
            name="certain",
            returns="the row labels of everybody whose value is certain, as a set or list",
            answer=certain,
            read=labels,
            steps={"members": lambda rng: draw(rng, facts=False), "facts": lambda rng: draw(rng, facts=True)},
            smaller=smaller,
            show=show,
            concern=concern,
            mistakes=(
                Mistake(
                    one_of_each_class,
                    "naming one member of each class that gives its value away: a class is no person, everybody in it is "
                    "concerned.",
                ),
                Mistake(
                    facts_for_everybody,
                    "striking a value out for all classes as soon as somebody cannot have it: a fact is about one person, "
                    "and the others may well have that value.",
                ),
                Mistake(
                    facts_for_the_class,
                    "striking a value out for a whole class because one of its members cannot have it: the neighbours of "
                    "the other members know nothing of it.",
                ),
                Mistake(
                    facts_counted,
                    "subtracting the number of facts from the number of values: a fact about a value that the class does "
                    "not show rules nothing out.",
                ),
                Mistake(
                    facts_forgotten,
                    "not using ruled_out at all: facts turn two possible values into one.",
                ),
                Mistake(
                    first_column_only,
                    "grouping by the first quasi-identifier only: a class agrees on all of them.",
                ),
            ),
            right_too=(by_loops, by_pandas),
        ),
    ),
)  # fmt: skip
check = EXERCISE.check
