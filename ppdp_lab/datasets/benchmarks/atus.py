"""Stand-in for ATUS (American Time Use Survey, household roster): 539,253 rows, nine quasi-identifiers."""

from __future__ import annotations

import numpy as np

from ppdp_lab.datasets.drawing import Codes, depending, spread, zipf
from ppdp_lab.datasets.trees import BIRTHPLACES, REGIONS, Trees, bands, flat, group_codes, listing
from ppdp_lab.table import Hierarchy

ROWS = 539_253

RACES = {
    "White": ["White"],
    "Black": ["Black"],
    "American Indian": ["American Indian"],
    "Asian or Pacific": ["Asian", "Hawaiian or Pacific Islander"],
    "More than one race": listing("""
        White-Black; White-American Indian; White-Asian; White-Pacific Islander; Black-American Indian; Black-Asian;
        Black-Pacific Islander; American Indian-Asian; American Indian-Pacific Islander; Asian-Pacific Islander;
        White-Black-American Indian; White-Black-Asian; White-American Indian-Asian; White-Asian-Pacific Islander;
        White-Black-American Indian-Asian; Black-American Indian-Asian; Two or three races, unspecified;
        Four or five races, unspecified"""),
}
SCHOOL = {
    "Up to high school": {
        "None or elementary": ["Not asked (child)", "No grade", "Grades 1-4", "Grades 5-6", "Grades 7-8"],
        "High school": listing("Grade 9; Grade 10; Grade 11; Grade 12, no diploma; GED; High school diploma"),
    },
    "College and above": {
        "College": ["Some college", "Associate, vocational", "Associate, academic", "Bachelor"],
        "Graduate school": ["Master", "Professional school", "Doctorate"],
    },
}
MARITAL = {
    "Married": ["Married, spouse present", "Married, spouse absent"],
    "Formerly married": ["Divorced", "Separated", "Widowed"],
    "Never married": ["Never married"],
    "Not asked": ["Not asked (child)"],
}
CITIZENSHIP = {
    "Native": ["Born in the United States", "Born in a territory", "Born abroad of American parents"],
    "Foreign born": ["Naturalized", "Not a citizen"],
    "Unknown": ["Unknown"],
}
LABOUR = {
    "Employed": ["Employed, at work", "Employed, absent"],
    "Unemployed": ["Unemployed, on layoff", "Unemployed, looking"],
    "Not in labour force": ["Not in labour force", "Not asked (child)"],
}


def hierarchies() -> Trees:
    """The nine hierarchies; infants form their own band of age, as 101 ages in bands of five make 21."""
    return {
        "region": Hierarchy.from_dict(REGIONS),
        "age": bands(0, 100, [5, 10, 20, 40], origin=1),
        "sex": flat(["Female", "Male", "Not recorded"]),
        "race": Hierarchy.from_dict(RACES),
        "marital-status": Hierarchy.from_dict(MARITAL),
        "citizenship": Hierarchy.from_dict(CITIZENSHIP),
        "birthplace": Hierarchy.from_dict(BIRTHPLACES),
        "school": Hierarchy.from_dict(SCHOOL),
        "labour-force-status": Hierarchy.from_dict(LABOUR),
    }


# Weights of marital status (columns as above) by stage of life: child, to 24, to 39, to 64, above.
MARITAL_BY_STAGE: list[list[float]] = [
    [0, 0, 0, 0, 0, 0, 1],
    [9, 1, 0.6, 0.5, 0.02, 89, 0],
    [52, 1.6, 8, 2.6, 0.3, 35, 0],
    [66, 1.5, 16, 2.8, 3, 11, 0],
    [56, 1.1, 10, 1, 28, 4, 0],
]
SCHOOL_BY_STAGE: list[list[float]] = [
    [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 0.1, 0.2, 1, 5, 9, 12, 13, 3, 2, 17, 27, 2, 2, 7, 0.3, 0.1, 0.02],
    [0, 0.2, 0.6, 1.7, 1.4, 1.7, 1.7, 2.3, 1.3, 3, 23, 19, 5, 5, 23, 8, 1.7, 1.3],
    [0, 0.3, 0.8, 1.7, 1.7, 1.4, 1.7, 2, 1.1, 2.5, 27, 17, 5, 4.5, 20, 9, 1.8, 1.6],
    [0, 0.7, 1.7, 2.5, 7, 3.5, 4.5, 4, 1.5, 2, 32, 14, 3, 2.5, 12, 6, 1.7, 1.3],
]
LABOUR_BY_STAGE: list[list[float]] = [
    [0, 0, 0, 0, 0, 100],
    [52, 1.5, 0.5, 7, 39, 0],
    [76, 2.4, 0.8, 4.5, 16, 0],
    [71, 2.6, 0.8, 3.2, 22, 0],
    [13, 0.6, 0.1, 0.5, 86, 0],
]
# Race by region; the last number is shared by all who are of more than one race.
RACE_BY_REGION = [
    [800, 125, 3, 45, 2, 15],
    [860, 95, 6, 25, 1, 13],
    [750, 205, 7, 25, 2, 12],
    [810, 50, 18, 88, 12, 22],
]
# Citizenship by group of race (rows White, Black, American Indian, Asian or Pacific, more than one).
CITIZENSHIP_BY_RACE = [
    [893, 6, 9, 38, 52, 2],
    [880, 4, 7, 55, 52, 2],
    [940, 4, 4, 16, 34, 2],
    [320, 5, 15, 370, 285, 5],
    [930, 8, 18, 24, 18, 2],
]
# World region of birth (columns as in the hierarchy) of those born abroad, by group of race.
ORIGIN_BY_RACE = [
    [0, 560, 60, 85, 200, 75, 20],
    [0, 30, 450, 40, 20, 10, 450],
    [0, 830, 20, 90, 30, 20, 10],
    [0, 6, 8, 8, 12, 936, 30],
    [0, 220, 130, 100, 150, 250, 150],
]


def draw(rows: int, rng: np.random.Generator, trees: Trees) -> dict[str, Codes]:
    """Leaf numbers per attribute."""
    years = np.arange(101)
    stage = np.digitize(years, [15, 25, 40, 65])
    region = spread(rng, [18, 23, 35, 24], rows)
    age = spread(rng, np.exp(-np.exp((years - 86.0) / 7.0)) * (1 - 0.3 * (years > 17) * (years < 27)), rows)
    sex = depending(rng, [[48.8, 51.1, 0.1], [51.5, 48.4, 0.1], [57.5, 42.4, 0.1]], np.digitize(age, [18, 65]))
    mixed = zipf(len(RACES["More than one race"]), 1.5)
    races = [[*heads, *(rest * mixed / mixed.sum())] for *heads, rest in RACE_BY_REGION]
    race = depending(rng, races, region)
    kin = group_codes(trees["race"], 1)[race]
    citizenship = depending(rng, CITIZENSHIP_BY_RACE, kin)
    return {
        "region": region,
        "age": age,
        "sex": sex,
        "race": race,
        "marital-status": depending(rng, MARITAL_BY_STAGE, stage[age]),
        "citizenship": citizenship,
        "birthplace": depending(rng, _birthplace_weights(), citizenship * len(ORIGIN_BY_RACE) + kin),
        "school": depending(rng, SCHOOL_BY_STAGE, stage[age]),
        "labour-force-status": depending(rng, LABOUR_BY_STAGE, stage[age]),
    }


def _birthplace_weights() -> np.ndarray:
    sizes = [len(names) for names in BIRTHPLACES.values()]
    within = np.concatenate([zipf(size, 1.1) / zipf(size, 1.1).sum() for size in sizes])
    abroad = np.repeat(np.array(ORIGIN_BY_RACE, dtype=float), sizes, axis=1) * within
    at_home = np.zeros_like(abroad)
    at_home[:, 0] = 1
    territory = np.zeros_like(abroad)
    territory[:, 1 : sizes[0]] = within[1 : sizes[0]]
    unknown = at_home * 800 + abroad / 5
    by_citizenship = [at_home, territory, abroad, abroad, abroad, unknown]
    return np.concatenate(by_citizenship)
