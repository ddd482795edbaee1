"""Stand-in for FARS (persons in fatal road crashes): 100,937 rows, eight quasi-identifiers."""

from __future__ import annotations

import numpy as np

from ppdp_lab.datasets.drawing import Codes, depending, spread
from ppdp_lab.datasets.trees import INHABITANTS, STATES, Trees, bands, flat, group_codes, joined, weighted
from ppdp_lab.table import Hierarchy

ROWS = 100_937

SURVIVED = "Not applicable (survived)"
# Shares in per mille of those who died; race and origin are taken from death certificates only.
RACES = {
    "White": {"White": 800.0},
    "Black": {"Black": 125.0},
    "Asian or Pacific": weighted("""
        Chinese 2; Japanese 0.8; Hawaiian 1; Filipino 1.6; Asian Indian 1.8; Korean 1.3; Samoan 0.4; Vietnamese 1.5;
        Guamanian 0.3; Other Asian or Pacific 4; Asian or Pacific, not specified 1.2"""),
    "American Indian or other": weighted("""
        American Indian 17; Multiple races 2.5; Mixed Asian 0.6; All other races 9; Other Indian 0.5"""),
    "Not recorded": {SURVIVED: 0.0, "Unknown": 28.0},
}
ORIGINS = {
    "Not Hispanic": {"Not Hispanic": 800.0},
    "Mexican": {"Mexican": 65.0},
    "Caribbean": {"Puerto Rican": 7.0, "Cuban": 4.0},
    "Other Hispanic": weighted("""
        Central or South American 11; European Spanish 1; Hispanic, origin not specified 32"""),
    "Not recorded": {SURVIVED: 0.0, "Unknown": 70.0, "Not reported": 10.0},
}
# Shares in per mille of all persons in the crash.
INJURIES = {
    "None": {"No injury": 265.0},
    "Light": {"Possible injury": 85.0, "Minor injury": 95.0},
    "Serious": {"Serious injury": 125.0, "Injured, severity unknown": 7.0},
    "Died": {"Fatal injury": 400.0, "Died before the crash": 1.0},
    "Not recorded": {"Unknown": 18.0, "Not reported": 3.0, "Not a motorist": 1.0},
}
QUARTERS = {
    "First half": {"Winter": ["January", "February", "March"], "Spring": ["April", "May", "June"]},
    "Second half": {"Summer": ["July", "August", "September"], "Autumn": ["October", "November", "December"]},
    "No month": {"Month not recorded": [SURVIVED, "Unknown"]},
}
DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
TERRITORIES = weighted("""
    American Samoa 0.4; Guam 1.2; Northern Mariana Islands 0.5; Puerto Rico 30; US Virgin Islands 1; Unknown 0.6""")


def hierarchies() -> Trees:
    """The eight hierarchies, down to one value each."""
    divisions = STATES | {"Islands or unknown": TERRITORIES}
    parts = {
        "North": ["Northeast", "Midwest"],
        "South": ["South Atlantic", "South Central"],
        "West and islands": ["West", "Islands or unknown"],
    }
    return {
        "age": bands(0, 99, [5, 10, 20, 40]),
        "race": _tree(RACES),
        "death-month": Hierarchy.from_dict(QUARTERS),
        "death-day": Hierarchy.from_dict(_days()),
        "sex": flat(["Female", "Male", "Unknown"]),
        "hispanic": _tree(ORIGINS),
        "state": Hierarchy.from_dict({part: {d: list(divisions[d]) for d in of} for part, of in parts.items()}),
        "injury": _tree(INJURIES),
    }


def _tree(groups: dict[str, dict[str, float]]) -> Hierarchy:
    return Hierarchy.from_dict({group: list(members) for group, members in groups.items()})


def _days() -> dict[str, dict[str, list[str]]]:
    def span(first: int, last: int) -> dict[str, list[str]]:
        return {f"{first}-{last}": [str(day) for day in range(first, last + 1)]}

    return {
        "First half": span(1, 8) | span(9, 16),
        "Second half": span(17, 24) | span(25, 31),
        "No day": {"Day not recorded": [SURVIVED, "Unknown"]},
    }


def draw(rows: int, rng: np.random.Generator, trees: Trees) -> dict[str, Codes]:
    """Leaf numbers per attribute."""
    years = np.arange(100)
    age_weights = 0.35 + 2.4 * np.exp(-(((years - 20) / 6.0) ** 2)) + np.exp(-(((years - 38) / 18.0) ** 2))
    age = spread(rng, age_weights * np.exp(-np.exp((years - 85.0) / 6.0)), rows)
    state = spread(rng, [(INHABITANTS | TERRITORIES)[name] for name in trees["state"].leaves], rows)
    sex = depending(rng, [[46, 53.8, 0.2], [29, 70.9, 0.1], [38, 61.9, 0.1]], np.digitize(age, [15, 65]))
    injury = depending(rng, _injury_weights(), np.digitize(age, [15, 30, 65]))
    died = group_codes(trees["injury"], 1)[injury] == list(INJURIES).index("Died")
    month = depending(rng, _month_weights(), died.astype(np.int64))
    division = group_codes(trees["state"], 1)[state]
    return {
        "age": age,
        "race": depending(rng, _race_weights(trees), division + 6 * died),
        "death-month": month,
        "death-day": depending(rng, _day_weights(), month),
        "sex": sex,
        "hispanic": depending(rng, _origin_weights(trees), division + 6 * died),
        "state": state,
        "injury": injury,
    }


def _injury_weights() -> np.ndarray:
    """By stage of life: children, the young, adults, the old; the older, the deadlier."""
    shares = joined(INJURIES)
    weights = np.tile(list(shares.values()), (4, 1))
    weights[:, list(shares).index("Fatal injury")] *= [0.45, 0.8, 1.1, 2.6]
    return weights


def _month_weights() -> np.ndarray:
    survived = [0.0] * 12 + [1, 0]
    return np.array([survived, [75, 70, 78, 80, 88, 87, 92, 92, 87, 90, 84, 82, 0, 4]])


def _day_weights() -> np.ndarray:
    weights = np.zeros((14, 33))
    for month, days in enumerate(DAYS_IN_MONTH):
        weights[month, :days] = 1
        weights[month, 32] = 0.05
    weights[12, 31] = weights[13, 32] = 1
    return weights


def _race_weights(trees: Trees) -> np.ndarray:
    black, asian, other = [0.8, 0.8, 1.8, 1.3, 0.4, 0.5], [1.2, 0.5, 0.6, 0.4, 2.5, 20], [0.3, 0.8, 0.4, 1.2, 2.5, 0.6]
    return _by_division(RACES, trees["race"], [black, asian, other])


def _origin_weights(trees: Trees) -> np.ndarray:
    mexican, caribbean = [0.2, 0.3, 0.4, 1.7, 3.0, 0.1], [2.0, 0.4, 2.0, 0.2, 0.3, 40]
    return _by_division(ORIGINS, trees["hispanic"], [mexican, caribbean])


def _by_division(shares: dict[str, dict[str, float]], tree: Hierarchy, factors: list[list[float]]) -> np.ndarray:
    """Weights of survivors by division, then of the dead by division (the order of the state hierarchy).

    ``factors[i]`` says how much more frequent group i + 1 is in each division than it is anywhere; group 0 is as it is.
    """
    leaves = joined(shares)
    dead = np.tile(list(leaves.values()), (6, 1))
    group = group_codes(tree, 1)
    for i, factor in enumerate(factors, start=1):
        dead[:, group == i] *= np.array(factor)[:, None]
    survivors = np.tile([float(leaf == SURVIVED) for leaf in leaves], (6, 1))
    return np.concatenate([survivors, dead])
