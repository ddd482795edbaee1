"""Stand-in for IHIS (Integrated Health Interview Series): 1,193,504 rows, nine quasi-identifiers."""

from __future__ import annotations

import numpy as np

from ppdp_lab.datasets.drawing import Codes, depending, spread, zipf
from ppdp_lab.datasets.trees import REGIONS, Trees, bands, flat, listing
from ppdp_lab.table import Hierarchy

ROWS = 1_193_504

# The first races hold most people; the rest, by falling frequency, the remaining few per cent.
RACES = listing("""
    White; Black; Other race; Multiple race, no primary race; Other Asian; Asian Indian; Chinese; Filipino;
    American Indian; White-American Indian; White-Black; Mexican; White-Asian; Vietnamese; Korean; Japanese;
    Black-American Indian; Primary race not releasable; White-other race; Pacific Islander; Hawaiian; Alaska Native;
    Puerto Rican; Black-other race; Cambodian; Laotian; Black-Asian; Pakistani; Thai; Samoan;
    White-Black-American Indian; Indonesian; White-Hawaiian; Guamanian; American Indian-Asian; Aleut; Refused;
    Unknown""")
EDUCATION = [
    *listing("Not asked (child); Never attended; Kindergarten only"),
    *[f"Grade {grade}" for grade in range(1, 12)],
    *listing("""
        Grade 12, no diploma; High school diploma; GED; Some college, no degree; Associate, technical;
        Associate, academic; Bachelor; Master; Professional school; Doctorate; Refused; Unknown"""),
]
MARITAL = {
    "Married": ["Married, spouse present", "Married, spouse absent", "Married, spouse unknown"],
    "Not married": ["Never married", "Living with partner", "Divorced", "Separated", "Widowed"],
    "Not recorded": ["Not asked (child)", "Unknown"],
}


def hierarchies() -> Trees:
    """The nine hierarchies; years reach back to 1900, though only fifteen of them occur."""
    return {
        "year": bands(1900, 2011, [5, 10, 20, 40]),
        "quarter": Hierarchy.from_dict(
            {"First half": ["Quarter 1", "Quarter 2"], "Second half": ["Quarter 3", "Quarter 4"]}
        ),
        "region": Hierarchy.from_dict(REGIONS),
        "pernum": bands(1, 25, [2, 4]),
        "age": bands(0, 99, [5, 10, 20]),
        "marital-status": Hierarchy.from_dict(MARITAL),
        "sex": flat(["Female", "Male"]),
        "race": flat(RACES),
        "education": flat(EDUCATION),
    }


# Marital status (columns as above) by stage of life: child, to 24, to 39, to 64, above.
MARITAL_BY_STAGE: list[list[float]] = [
    [0, 0, 0, 0, 0, 0, 0, 0, 100, 0.02],
    [9, 0.4, 0.2, 78, 10, 0.7, 0.7, 0.05, 0, 0.6],
    [55, 1.1, 0.5, 24, 9, 7, 2.6, 0.4, 0, 0.5],
    [66, 1.2, 0.5, 8, 4, 14, 2.8, 3, 0, 0.5],
    [55, 0.8, 0.4, 4, 1, 9, 1, 28, 0, 0.5],
]
SEX_BY_STAGE: list[list[float]] = [[49, 51], [50, 50], [51, 49], [51.5, 48.5], [58, 42]]
# Schooling in groups (child, none to grade 8, grades 9 to 12, high school, college, degrees, not recorded).
SCHOOL_GROUPS = np.repeat(np.arange(7), [1, 10, 4, 2, 3, 4, 2])
SCHOOL_BY_STAGE: list[list[float]] = [
    [38, 50, 11, 0.2, 0, 0, 1],
    [0, 3, 25, 32, 33, 6, 1],
    [0, 5, 8, 28, 31, 27, 1],
    [0, 7, 8, 31, 27, 26, 1],
    [0, 17, 14, 33, 18, 16, 2],
]
# Place in the household: children rarely come first, the old rarely late; falls off geometrically.
FIRST_BY_STAGE = [0.03, 0.3, 0.52, 0.62, 0.7]
DECAY_BY_STAGE = [0.5, 0.5, 0.3, 0.22, 0.25]
RACES_BY_REGION = [
    [800, 130, 22, 48],
    [850, 110, 14, 26],
    [740, 210, 14, 36],
    [790, 60, 50, 100],
]


def draw(rows: int, rng: np.random.Generator, trees: Trees) -> dict[str, Codes]:
    """Leaf numbers per attribute."""
    years = np.arange(1900, 2012)
    ages = np.arange(100)
    stage_of = np.digitize(ages, [15, 25, 40, 65])
    year = spread(rng, np.where(years >= 1997, 1 + 0.25 * np.sin(years), 0.0), rows)
    region = spread(rng, [18, 22, 36, 24], rows)
    age = spread(rng, np.exp(-np.exp((ages - 84.0) / 8.0)) * (1 - 0.2 * (ages > 17) * (ages < 27)), rows)
    stage = stage_of[age]
    tail = zipf(len(RACES) - 3, 1.3)
    races = [[*heads[:3], *(heads[3] * tail / tail.sum())] for heads in RACES_BY_REGION]
    return {
        "year": year,
        "quarter": spread(rng, [24, 25, 26, 25], rows),
        "region": region,
        "pernum": depending(rng, _pernum_weights(), stage),
        "age": age,
        "marital-status": depending(rng, MARITAL_BY_STAGE, stage),
        "sex": depending(rng, SEX_BY_STAGE, stage),
        "race": depending(rng, races, region),
        "education": depending(rng, _education_weights(), stage),
    }


def _pernum_weights() -> np.ndarray:
    weights = np.empty((5, 25))
    for stage, (first, decay) in enumerate(zip(FIRST_BY_STAGE, DECAY_BY_STAGE, strict=True)):
        weights[stage, 0] = first
        weights[stage, 1:] = (1 - first) * (1 - decay) * decay ** np.arange(24) + 2e-6
    return weights


def _education_weights() -> np.ndarray:
    within = np.ones(len(EDUCATION))
    within[SCHOOL_GROUPS == 3] = [5, 1]
    within[SCHOOL_GROUPS == 4] = [4, 1, 1]
    within[SCHOOL_GROUPS == 5] = [60, 25, 5, 4]
    within[SCHOOL_GROUPS == 6] = [1, 4]
    totals = np.bincount(SCHOOL_GROUPS, weights=within)
    return np.array(SCHOOL_BY_STAGE)[:, SCHOOL_GROUPS] * within / totals[SCHOOL_GROUPS]
