"""Stand-ins for the k-anonymity benchmark sets whose rows may not be passed on: cup, fars, atus and ihis.

A stand-in has the real set's number of rows, its quasi-identifiers in the benchmark's order, and hierarchies with the
same number of labels on every level, so the lattice that a search walks through has the same shape. Its rows are
invented: skewed, and correlated as plain knowledge suggests. They say nothing about any person or population.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pandas as pd

from ppdp_lab.datasets.benchmarks import atus, cup, fars, ihis
from ppdp_lab.datasets.trees import Trees, column
from ppdp_lab.errors import check_integer, unknown

STAND_INS: dict[str, ModuleType] = {"cup": cup, "fars": fars, "atus": atus, "ihis": ihis}


def generate(name: str, rows: int | None = None, seed: int = 0) -> tuple[pd.DataFrame, Trees]:
    """Generate a stand-in for one of the benchmark sets of [1]_.

    Parameters
    ----------
    name : str
        ``"cup"``, ``"fars"``, ``"atus"`` or ``"ihis"``.
    rows : int, optional
        Number of rows; by default that of the real set. With fewer, rare values may be missing.
    seed : int
        The same seed gives the same rows.

    Returns
    -------
    frame : pandas.DataFrame
        The quasi-identifiers in the benchmark's order: whole numbers, or text as ordered categories.
    hierarchies : dict of str to Hierarchy
        One for each quasi-identifier; the top is ``*``.

    Examples
    --------
    >>> frame, hierarchies = generate("atus", rows=1000)
    >>> list(frame)[:3]
    ['region', 'age', 'sex']
    >>> hierarchies["age"].level_sizes()
    [101, 21, 11, 6, 4, 1]

    References
    ----------
    .. [1] F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. A. Kuhn. Flash: efficient, stable and optimal
       k-anonymity. PASSAT 2012.
    """
    if name not in STAND_INS:
        raise unknown("benchmark stand-in", name, STAND_INS)
    module = STAND_INS[name]
    count = module.ROWS if rows is None else check_integer("rows", rows, at_least=1)
    rng = np.random.default_rng(check_integer("seed", seed, at_least=0))
    trees: Trees = module.hierarchies()
    codes = module.draw(count, rng, trees)
    return pd.DataFrame({name: column(tree, codes[name]) for name, tree in trees.items()}), trees
