"""Adult: the 30,162 complete rows of the training file of UCI's census income data, and hierarchies for it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ppdp_lab.datasets.places import listing
from ppdp_lab.datasets.trees import Trees, column, leaf_index, read_tree

DATA = Path(__file__).parent / "data"
COLUMNS = listing("""
    age; workclass; fnlwgt; education; education-num; marital-status; occupation; relationship; race; sex; capital-gain;
    capital-loss; hours-per-week; native-country; salary-class""")
WITHOUT_HIERARCHY = ("fnlwgt", "capital-gain", "capital-loss")


def load_adult() -> pd.DataFrame:
    """The complete rows (no value missing) of UCI Adult's training file [1]_, all 15 columns.

    Text columns are ordered categories: all leaves of the attribute's hierarchy, in its order. The licence (CC BY 4.0)
    and what was changed stand in the notice beside the file.

    Examples
    --------
    >>> adult = load_adult()
    >>> adult.shape
    (30162, 15)
    >>> adult["salary-class"].value_counts().to_dict()
    {'<=50K': 22654, '>50K': 7508}

    References
    ----------
    .. [1] B. Becker, R. Kohavi. Adult. UCI Machine Learning Repository, 1996. doi:10.24432/C5XW20.
    """
    frame = pd.read_csv(DATA / "adult.csv.xz", keep_default_na=False)
    for name, tree in adult_hierarchies().items():
        frame[name] = column(tree, leaf_index(tree).get_indexer(pd.Index(frame[name])))
    return frame


def adult_hierarchies() -> Trees:
    """A hierarchy for every Adult attribute that serves as quasi-identifier or sensitive value.

    Leaves of ``age``, ``education-num`` and ``hours-per-week`` are whole numbers.

    Examples
    --------
    >>> hierarchies = adult_hierarchies()
    >>> hierarchies["workclass"].level_sizes()
    [8, 3, 1]
    >>> hierarchies["age"].levels(39)
    ['39', '35-39', '30-39', '20-39', '*']
    """
    names = [name for name in COLUMNS if name not in WITHOUT_HIERARCHY]
    return {name: read_tree(DATA / "hierarchies" / f"adult_hierarchy_{name}.csv") for name in names}
