"""Stand-in for FARS (persons in fatal road crashes): 100,937 rows, eight quasi-identifiers."""

from __future__ import annotations

import numpy as np

from ppdp_lab.datasets._bench_draw import Codes, depending, spread
from ppdp_lab.datasets._bench_labels import STATES
from ppdp_lab.datasets._bench_tables import HierarchyTables, bands, flat, group_codes, tree

ROWS = 100_937

SURVIVED = "Not applicable (survived)"
# Shares in per mille of those who died; race and origin are taken from death certificates only.
RACES = {
    "White": {"White": 800.0},
    "Black": {"Black": 125.0},
    "Asian or Pacific": {
        "Chinese": 2.0,
        "Japanese": 0.8,
        "Hawaiian": 1.0,
        "Filipino": 1.6,
        "Asian Indian": 1.8,
        "Korean": 1.3,
        "Samoan": 0.4,
        "Vietnamese": 1.5,
        "Guamanian": 0.3,
        "Other Asian or Pacific": 4.0,
        "Asian or Pacific, not specified": 1.2,
    },
    "American Indian or other": {
        "American Indian": 17.0,
        "Multiple races": 2.5,
        "Mixed Asian": 0.6,
        "All other races": 9.0,
        "Other Indian": 0.5,
    },
    "Not recorded": {SURVIVED: 0.0, "Unknown": 28.0},
}
ORIGINS = {
    "Not Hispanic": {"Not Hispanic": 800.0},
    "Mexican": {"Mexican": 65.0},
    "Caribbean": {"Puerto Rican": 7.0, "Cuban": 4.0},
    "Other Hispanic": {
        "Central or South American": 11.0,
        "European Spanish": 1.0,
        "Hispanic, origin not specified": 32.0,
    },
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
TERRITORIES = {
    "American Samoa": 0.4,
    "Guam": 1.2,
    "Northern Mariana Islands": 0.5,
    "Puerto Rico": 30.0,
    "US Virgin Islands": 1.0,
    "Unknown": 0.6,
}


def hierarchies() -> HierarchyTables:
    """The eight hierarchies, down to one value each."""
    northern, southern = ("Northeast", "Midwest"), ("South Atlantic", "South Central")
    return {
        "age": bands(0, 99, [5, 10, 20, 40]),
        "race": tree({group: list(values) for group, values in RACES.items()}),
        "death-month": tree(QUARTERS),
        "death-day": tree(_days()),
        "sex": flat(["Female", "Male", "Unknown"]),
        "hispanic": tree({group: list(values) for group, values in ORIGINS.items()}),
        "state": tree(
            {
                "North": {division: list(STATES[division]) for division in northern},
                "South": {division: list(STATES[division]) for division in southern},
                "West and islands": {"West": list(STATES["West"]), "Islands or unknown": list(TERRITORIES)},
            }
        ),
        "injury": tree({group: list(values) for group, values in INJURIES.items()}),
    }


def _days() -> dict[str, dict[str, list[str]]]:
    def span(first: int, last: int) -> dict[str, list[str]]:
        return {f"{first}-{last}": [str(day) for day in range(first, last + 1)]}

    return {
        "First half": span(1, 8) | span(9, 16),
        "Second half": span(17, 24) | span(25, 31),
        "No day": {"Day not recorded": [SURVIVED, "Unknown"]},
    }


def draw(rows: int, rng: np.random.Generator, tables: HierarchyTables) -> dict[str, Codes]:
    """Leaf numbers per attribute."""
    years = np.arange(100)
    age_weights = 0.35 + 2.4 * np.exp(-(((years - 20) / 6.0) ** 2)) + np.exp(-(((years - 38) / 18.0) ** 2))
    age = spread(rng, age_weights * np.exp(-np.exp((years - 85.0) / 6.0)), rows)
    state = spread(rng, _state_weights(tables), rows)
    sex = depending(rng, [[46, 53.8, 0.2], [29, 70.9, 0.1], [38, 61.9, 0.1]], np.digitize(age, [15, 65]))
    injury = depending(rng, _injury_weights(), np.digitize(age, [15, 30, 65]))
    died = group_codes(tables["injury"], 1)[injury] == list(INJURIES).index("Died")
    month = depending(rng, _month_weights(), died.astype(np.int64))
    division = group_codes(tables["state"], 1)[state]
    return {
        "age": age,
        "race": depending(rng, _race_weights(tables), division + 6 * died),
        "death-month": month,
        "death-day": depending(rng, _day_weights(), month),
        "sex": sex,
        "hispanic": depending(rng, _origin_weights(tables), division + 6 * died),
        "state": state,
        "injury": injury,
    }


def _state_weights(tables: HierarchyTables) -> np.ndarray:
    inhabitants = {name: count for states in STATES.values() for name, count in states.items()} | TERRITORIES
    return np.array([inhabitants[name] for name in tables["state"][0]])


def _injury_weights() -> np.ndarray:
    """By stage of life: children, the young, adults, the old; the older, the deadlier."""
    base = np.array([share for values in INJURIES.values() for share in values.values()])
    weights = np.tile(base, (4, 1))
    weights[:, list(_leaves(INJURIES)).index("Fatal injury")] *= [0.45, 0.8, 1.1, 2.6]
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


def _race_weights(tables: HierarchyTables) -> np.ndarray:
    """Rows: survivors by division, then the dead by division (the order of the state hierarchy)."""
    leaves, base = _leaves(RACES), np.array(list(_leaves(RACES).values()))
    dead = np.tile(base, (6, 1))
    group = group_codes(tables["race"], 1)
    dead[:, group == 1] *= np.array([0.8, 0.8, 1.8, 1.3, 0.4, 0.5])[:, None]
    dead[:, group == 2] *= np.array([1.2, 0.5, 0.6, 0.4, 2.5, 20])[:, None]
    dead[:, group == 3] *= np.array([0.3, 0.8, 0.4, 1.2, 2.5, 0.6])[:, None]
    return np.concatenate([_survivors(leaves), dead])


def _origin_weights(tables: HierarchyTables) -> np.ndarray:
    leaves, base = _leaves(ORIGINS), np.array(list(_leaves(ORIGINS).values()))
    dead = np.tile(base, (6, 1))
    group = group_codes(tables["hispanic"], 1)
    dead[:, group == 1] *= np.array([0.2, 0.3, 0.4, 1.7, 3.0, 0.1])[:, None]
    dead[:, group == 2] *= np.array([2.0, 0.4, 2.0, 0.2, 0.3, 40])[:, None]
    return np.concatenate([_survivors(leaves), dead])


def _survivors(leaves: dict[str, float]) -> np.ndarray:
    return np.tile([float(leaf == SURVIVED) for leaf in leaves], (6, 1))


def _leaves(groups: dict[str, dict[str, float]]) -> dict[str, float]:
    return {leaf: share for values in groups.values() for leaf, share in values.items()}
