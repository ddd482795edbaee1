"""The census stand-in: invented people, drawn from count tables that were measured on real ones.

The OCC and SAL tables of the papers may not be passed on. What is bundled instead is a small Bayesian
network over the same seven attributes. Each has at most two parents (`NETWORK`), and
``data/census_tables.npz`` says how many people of a real table share which combination of parents and value
(``tests/tools/measure_census.py`` of the repository is the script that counts them). People are drawn attribute by attribute,
independently of each other.

**What the tables do not tell.** A privacy package does not ship unique people, so for every attribute:

1. A combination of parents and value that fewer than five people share is not stored.
2. The people of such combinations are counted together over all values of the second parent; those whom this
   does not place, over all values of both. Such a merged cell is stored only if it counts at least five
   people, and only if they would all fit, up to four in each, into the cells that it merges even with any
   one of these left empty: it proves of no cell that somebody is in it. Whoever is still left over is not
   counted at all. Within one attribute every person is thus in one stored cell or in none: there is nothing
   to subtract.
3. Every stored count is rounded to the nearest multiple of five. Tables of different attributes overlap, but
   with rounded counts the difference of two sums of stored cells never proves that somebody, but fewer than
   five, makes it up: what it may stand for always reaches down to nobody, or up to five and more.

These are counts with a threshold, not a differentially private release: nothing is promised against solving
for all tables at once.

**What is put in their place.** A merged cell is spread over the cells that it merges, in proportion to how
many people their second parent (where both are merged: their pair of parents) has in the rest of the same
table. A combination of parents that nobody is left in takes the distribution of its first parent, then the
attribute's.

**Labels.** Those of gender, education and birthplace are inferred: the measured table says only that there
are two genders, 17 steps of education, and states before world regions. Its counts fit the survey's own
order: grades, then degrees; states by name, the District of Columbia among them; islands, Europe, Asia,
Americas, Africa, Oceania. Code 0 of gender has nearly all of the building trades, so it is read as male.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import numpy as np
import pandas as pd

from ppdp_lab.datasets.drawing import pick
from ppdp_lab.datasets.trees import INHABITANTS, listing
from ppdp_lab.errors import check_integer

FIRST_AGE = 17

LABELS: dict[str, tuple[int, ...] | tuple[str, ...]] = {
    "age": tuple(range(FIRST_AGE, FIRST_AGE + 79)),
    "gender": ("male", "female"),
    "marital": ("never married", "married", "spouse absent", "separated", "divorced", "widowed"),
    "education": tuple(
        listing("""
            no schooling; up to grade 4; grade 5 or 6; grade 7 or 8; grade 9; grade 10; grade 11; grade 12, no diploma;
            high school diploma; high school equivalency; some college, under 1 year; some college, no degree;
            associate's degree; bachelor's degree; master's degree; professional degree; doctorate""")
    ),
    "birthplace": (
        *sorted(INHABITANTS),
        *listing("U.S. island areas; Europe; Asia; other Americas; Africa; Oceania"),
    ),
    "occupation": tuple(f"occupation group {number:02d}" for number in range(1, 51)),
    "salary": (*(f"{low:,} - {low + 3_999:,}" for low in range(0, 196_000, 4_000)), "196,000 and over"),
}
"""What the codes 0, 1, ... of each attribute stand for, in the order of the columns."""

NETWORK: dict[str, tuple[str, ...]] = {
    "age": (),
    "education": ("age",),
    "salary": ("education", "age"),
    "occupation": ("education", "salary"),
    "gender": ("occupation", "salary"),
    "birthplace": ("education", "age"),
    "marital": ("age", "salary"),
}
"""Each attribute's parents, in the order of drawing. Small cells are merged over the second parent first."""


def table_names(attribute: str) -> list[str]:
    """Name the tables of an attribute, from all parents down to none.

    >>> table_names("salary")
    ['salary|education,age', 'salary|education', 'salary']
    """
    parents = NETWORK[attribute]
    return [f"{attribute}|{','.join(parents[:kept])}".rstrip("|") for kept in range(len(parents), -1, -1)]


def distribution(attribute: str, tables: Mapping[str, np.ndarray]) -> np.ndarray:
    """Probability of each value of an attribute (last axis) given its parents (the axes before it).

    Merged cells are spread as the module's docstring says.

    >>> distribution("gender", load_tables()).shape
    (50, 50, 2)
    """
    first, *merged = (tables[name] for name in table_names(attribute))
    spread = first.astype(float)
    missing = first == 0
    for kept, cells in zip(reversed(range(len(merged))), merged, strict=True):
        # The axes that were merged: with one parent kept those of the second, with none those of both.
        over = tuple(range(kept, first.ndim - 1))
        # How many people each merged parent, or pair of parents, has in what was placed so far.
        share = spread.sum(axis=(*range(kept), -1))[..., np.newaxis]
        weight = np.where(missing, share, 0.0)
        # where nobody shares any of the merged cells' parents, each of the cells is as likely as the next
        weight = np.where(weight.sum(axis=over, keepdims=True) > 0, weight, missing)
        total = weight.sum(axis=over, keepdims=True)
        cells = np.expand_dims(cells, over)
        spread += np.divide(weight * cells, total, out=np.zeros_like(spread), where=total > 0)
        # A merged cell that is stored has placed its people; the next, coarser one is only about those still missing.
        missing &= cells == 0
    known = spread
    # Parents with nobody left take the distribution of the first parent alone, then that of the attribute.
    for kept in reversed(range(len(merged))):
        wider = known.sum(axis=tuple(range(kept, first.ndim - 1)), keepdims=True)
        spread = np.where(spread.sum(axis=-1, keepdims=True) > 0, spread, wider)
    spread[spread.sum(axis=-1) == 0] = 1.0
    return spread / spread.sum(axis=-1, keepdims=True)


def draw(tables: Mapping[str, np.ndarray], rows: int, seed: int) -> dict[str, np.ndarray]:
    """Draw the codes of ``rows`` people, one array per attribute."""
    generator = np.random.default_rng(seed)
    codes: dict[str, np.ndarray] = {}
    for attribute, parents in NETWORK.items():
        row = np.zeros(rows, dtype=np.int64)
        for parent in parents:
            row = row * len(LABELS[parent]) + codes[parent]
        share = distribution(attribute, tables).reshape(-1, len(LABELS[attribute]))
        codes[attribute] = pick(generator, share, row)
    return codes


@cache
def load_tables() -> dict[str, np.ndarray]:
    """Read the bundled count tables."""
    path = files(__package__ or "") / "data" / "census_tables.npz"
    with path.open("rb") as file, np.load(file) as archive:
        return {name: archive[name] for name in archive.files}


def generate(rows: int = 600_000, seed: int = 0) -> pd.DataFrame:
    """Generate the census stand-in: independent invented people, the same for the same seed.

    Parameters
    ----------
    rows
        How many people.
    seed
        Where chance starts.

    Returns
    -------
    pandas.DataFrame
        ``age`` as a whole number (95 stands for 95 and over); ``gender``, ``marital``, ``education``,
        ``birthplace``, ``occupation`` and ``salary`` (dollars a year) as ordered categories.

    Examples
    --------
    >>> people = generate(1_000, seed=7)
    >>> list(people.columns)
    ['age', 'gender', 'marital', 'education', 'birthplace', 'occupation', 'salary']
    >>> people["education"].cat.ordered, bool(people["age"].between(17, 95).all())
    (True, True)
    """
    rows = check_integer("rows", rows, at_least=1)
    seed = check_integer("seed", seed, at_least=0)
    codes = draw(load_tables(), rows, seed)
    columns: dict[str, object] = {}
    for attribute, labels in LABELS.items():
        if attribute == "age":
            columns[attribute] = codes[attribute] + FIRST_AGE
        else:
            kind = pd.CategoricalDtype(list(labels), ordered=True)
            columns[attribute] = pd.Categorical.from_codes(codes[attribute].astype(np.int8), dtype=kind)
    return pd.DataFrame(columns)
