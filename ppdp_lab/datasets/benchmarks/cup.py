"""Stand-in for CUP (donors of a charity, KDD Cup 1998): 63,441 rows, eight quasi-identifiers."""

from __future__ import annotations

import numpy as np

from ppdp_lab.datasets.drawing import Codes, by_rank, depending, spread
from ppdp_lab.datasets.trees import INHABITANTS, Trees, bands, flat, listing, prefixes
from ppdp_lab.table import Hierarchy

ROWS = 63_441
ZIPS = 13_294

# The postal service's first digit of each state's zip codes; a charity of the West has few donors in the Northeast.
ZIP_AREAS = {
    0: "Connecticut; Maine; Massachusetts; New Hampshire; New Jersey; Rhode Island; Vermont; Puerto Rico",
    1: "Delaware; New York; Pennsylvania",
    2: "District of Columbia; Maryland; North Carolina; South Carolina; Virginia; West Virginia",
    3: "Alabama; Florida; Georgia; Mississippi; Tennessee",
    4: "Indiana; Kentucky; Michigan; Ohio",
    5: "Iowa; Minnesota; Montana; North Dakota; South Dakota; Wisconsin",
    6: "Illinois; Kansas; Missouri; Nebraska",
    7: "Arkansas; Louisiana; Oklahoma; Texas",
    8: "Arizona; Colorado; Idaho; Nevada; New Mexico; Utah; Wyoming",
    9: "Alaska; California; Hawaii; Oregon; Washington; Armed forces abroad",
}
AREA_WEIGHTS = [0.15, 0.15, 0.9, 1.3, 1.0, 1.2, 1.2, 1.1, 1.4, 1.6]
PEOPLE = INHABITANTS | {"Puerto Rico": 3.0, "Armed forces abroad": 2.0}


def hierarchies() -> Trees:
    """The eight hierarchies; zip codes lose one digit per level, amounts and counts go into bands."""
    below = ["Under 15,000", "15,000-24,999", "25,000-34,999", "35,000-49,999"]
    above = ["50,000-74,999", "75,000-99,999", "100,000 or more"]
    return {
        "zip": prefixes(5),
        "age": bands(0, 99, [5, 10, 20]),
        "gender": flat(["Female", "Male", "Unknown", "Joint account", "Company", "Other"]),
        "income": Hierarchy.from_dict({"Under 50,000": below, "50,000 or more": above}),
        "state": flat(sorted(PEOPLE)),
        "ramntall": bands(0, 5675, [1000, 2000, 4000]),
        "ngiftall": bands(0, 237, [20, 40, 80]),
        "minramnt": bands(0, 450, [100, 200, 400]),
    }


# Income classes by age: to 39, to 64, above.
INCOME_BY_AGE = [
    [10, 16, 13, 18, 24, 10, 9],
    [8, 13, 11, 17, 26, 12, 13],
    [20, 26, 14, 16, 14, 5, 5],
]


def draw(rows: int, rng: np.random.Generator, trees: Trees) -> dict[str, Codes]:
    """Leaf numbers per attribute."""
    state_of, weights = _geography(rng, trees)
    zip_code = spread(rng, weights, rows)
    years = np.arange(100)
    age_weights = (np.exp(-(((years - 62) / 21.0) ** 2)) + 0.002) * (years >= 5) * (years <= 98)
    age = spread(rng, age_weights, rows)
    stage = np.digitize(age, [40, 65])
    # a donor gives often or rarely, much or little: the three amounts follow from both
    frequency = rng.standard_normal(rows) + 0.02 * (age - 60)
    generosity = rng.standard_normal(rows) + 0.3 * (stage == 1)
    return {
        "zip": zip_code,
        "age": age,
        "gender": depending(rng, [[5300, 4300, 300, 60, 12, 8]] * 2 + [[5600, 3900, 300, 80, 8, 8]], stage),
        "income": depending(rng, INCOME_BY_AGE, stage),
        "state": state_of[zip_code],
        "ramntall": by_rank(rng, _amount_weights(), 0.7 * frequency + 0.5 * generosity),
        "ngiftall": by_rank(rng, _gift_weights(), frequency + 0.2 * rng.standard_normal(rows)),
        "minramnt": by_rank(rng, _least_weights(), generosity - 0.5 * frequency),
    }


def _geography(rng: np.random.Generator, trees: Trees) -> tuple[Codes, np.ndarray]:
    """The state of every zip code, and how many donors it has: none at most codes, many at a few."""
    number = {name: code for code, name in enumerate(trees["state"].leaves)}
    state_of = np.empty(100_000, dtype=np.int64)
    share = np.empty(len(number))
    for digit, names in ZIP_AREAS.items():
        states = listing(names)
        people = np.array([PEOPLE[state] for state in states])
        # every state gets at least two of the area's hundred three-digit prefixes
        blocks = 2 + np.floor(people / people.sum() * (100 - 2 * len(states))).astype(np.int64)
        blocks[people.argmax()] += 100 - blocks.sum()
        codes = [number[state] for state in states]
        state_of[digit * 10_000 : (digit + 1) * 10_000] = np.repeat(codes, blocks * 100)
        share[codes] = people * AREA_WEIGHTS[digit]
    popularity = rng.lognormal(sigma=1.2, size=100_000)
    used = _used_zips(rng, state_of, share)
    weights = np.where(used, popularity, 0.0)
    per_state = np.bincount(state_of, weights=weights, minlength=len(number))
    return state_of, weights * (share / per_state)[state_of]


def _used_zips(rng: np.random.Generator, state_of: Codes, share: np.ndarray) -> np.ndarray:
    """Which zip codes have donors: two in every state at least, the rest where the people are."""
    # A race: the smaller the time drawn, the sooner a code is used. Rates are a state's share over its number of codes,
    # so each state gets codes in proportion to its people.
    order = rng.exponential(size=len(state_of)) / share[state_of] * np.bincount(state_of)[state_of]
    by_state = np.lexsort((order, state_of))
    starts = np.searchsorted(state_of[by_state], np.arange(len(share)))
    # The first two codes of every state win in any case.
    order[by_state[np.concatenate([starts, starts + 1])]] = 0
    used = np.zeros(len(state_of), dtype=bool)
    used[np.argsort(order, kind="stable")[:ZIPS]] = True
    return used


def _tail(dense: int, count: int, last: int) -> Codes:
    """The values from ``dense`` on that occur: ``count`` of them, ever sparser, ending at ``last``."""
    steps = np.linspace(0, 1, count) ** 2
    return np.unique(np.round(dense + np.arange(count) + steps * (last - dense - count + 1)).astype(np.int64))


def _amount_weights() -> np.ndarray:
    amounts = np.concatenate([np.arange(13, 413), _tail(413, 414, 5675)])
    weights = np.zeros(5676)
    weights[amounts] = np.exp(-0.5 * ((np.log(amounts) - np.log(78)) / 0.85) ** 2) / amounts + 4e-8
    weights[amounts] *= np.where(amounts % 5 == 0, 2.0, 1.0)
    return weights


def _gift_weights() -> np.ndarray:
    gifts = np.concatenate([np.arange(1, 66), _tail(66, 16, 237)])
    weights = np.zeros(238)
    weights[gifts] = gifts * np.exp(-gifts / 6.0) + 0.6 / gifts
    return weights


def _least_weights() -> np.ndarray:
    least = np.concatenate([np.arange(0, 26), np.arange(30, 105, 5), _tail(110, 17, 450)])
    weights = np.zeros(451)
    weights[least] = least * np.exp(-least / 4.0) * np.where(least % 5 == 0, 3.0, 1.0) + 0.9 / (1 + least)
    return weights
