"""The real benchmark sets, for whoever has them, from files as ARX's benchmarks use them."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

from ppdp_lab.datasets.benchmarks import atus, cup, fars, ihis
from ppdp_lab.datasets.trees import Trees, column_of, leaf_index, read_tree
from ppdp_lab.errors import (
    DataFileError,
    HierarchyError,
    MissingValueError,
    SchemaError,
    check_integer,
    listed,
    unknown,
)
from ppdp_lab.table import Hierarchy

# Quasi-identifiers in the benchmark's order; behind an equals sign the name that ARX's files give, where it is another.
_ATTRIBUTES = {
    "adult": "sex age race marital-status education native-country workclass occupation salary-class",
    "cup": "zip age gender income state ramntall ngiftall minramnt",
    "fars": """
        age=iage race=irace death-month=ideathmon death-day=ideathday sex=isex hispanic=ihispanic state=istatenum
        injury=iinjury""",
    "atus": """
        region age sex race marital-status citizenship=citizenship-status birthplace
        school=highest-level-of-school-completed labour-force-status=labor-force-status""",
    "ihis": "year quarter region pernum age marital-status=marstat sex race=racea education=educ",
}
# Per data set, the spellings of each quasi-identifier, ours first.
ATTRIBUTES: dict[str, dict[str, list[str]]] = {
    name: {word.split("=")[0]: word.split("=") for word in text.split()} for name, text in _ATTRIBUTES.items()
}


def read_arx(folder: str | Path, name: str) -> tuple[pd.DataFrame, Trees]:
    """Read a real benchmark set: ``NAME.csv`` and one ``NAME_hierarchy_ATTRIBUTE.csv`` per quasi-identifier.

    The rows are separated by semicolons, with a header; a hierarchy has no header and lines ``leaf;level 1;...;*``.
    Upper and lower case, spaces, underscores and hyphens in names do not matter, and ARX's own names for the attributes
    (``iage``, ``MARSTAT``, ``Labor force status``) are understood. Other columns are left out.

    Parameters
    ----------
    folder : str or Path
        Where the files lie; hierarchies may also lie in its folder ``hierarchies``.
    name : str
        ``"adult"``, ``"cup"``, ``"fars"``, ``"atus"`` or ``"ihis"``.

    Returns
    -------
    frame, hierarchies
        As :func:`ppdp_lab.datasets.benchmarks.generate` gives them.

    Examples
    --------
    >>> read_arx("no/such/folder", "cup")
    Traceback (most recent call last):
        ...
    ppdp_lab.errors.DataFileError: no folder 'no/such/folder'; put cup.csv and its hierarchies into one
    """
    if name not in ATTRIBUTES:
        raise unknown("benchmark set", name, ATTRIBUTES)
    place = Path(folder)
    if not place.is_dir():
        raise DataFileError(f"no folder {str(folder)!r}; put {name}.csv and its hierarchies into one")
    files = {_plain(path.name): path for part in (place / "hierarchies", place) for path in sorted(part.glob("*.*"))}
    rows = _read_rows(files, place, name)
    found = {_plain(heading): heading for heading in rows.columns.astype(str)}
    trees: Trees = {}
    columns: dict[str, pd.Series] = {}
    for attribute, spellings in ATTRIBUTES[name].items():
        heading = next((found[spelling] for spelling in spellings if spelling in found), None)
        if heading is None:
            raise SchemaError(
                f"{name}.csv has no column {' or '.join(map(repr, spellings))}; its columns are {listed(rows.columns)}"
            )
        wanted = [f"{name}-hierarchy-{spelling}.csv" for spelling in spellings]
        path = next((files[file] for file in wanted if file in files), None)
        if path is None:
            raise DataFileError(
                f"no hierarchy for {attribute!r} in {str(place)!r}: write {name}_hierarchy_{heading}.csv with lines "
                "leaf;level 1;...;*"
            )
        trees[attribute] = read_tree(path)
        columns[attribute] = _coded(rows[heading], trees[attribute], f"{name}.csv, column {heading!r}", path)
    return pd.DataFrame(columns), trees


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().lower())


def _read_rows(files: dict[str, Path], place: Path, name: str) -> pd.DataFrame:
    path = files.get(f"{name}.csv")
    if path is None:
        raise DataFileError(
            f"no {name}.csv in {str(place)!r}; it holds the rows, separated by semicolons, with a header"
        )
    try:
        rows = pd.read_csv(path, sep=";", dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise DataFileError(f"{path} is not a table separated by semicolons with a header ({error})") from None
    if rows.empty:
        raise DataFileError(f"{path} holds no rows")
    return rows


def _coded(values: pd.Series, tree: Hierarchy, where: str, path: Path) -> pd.Series:
    # a million rows hold few values: look each one up once
    value_of, kinds = pd.factorize(values)
    leaf_of = leaf_index(tree).astype(str).get_indexer(pd.Index(kinds))
    missing = [str(kind) for kind, leaf in zip(kinds, leaf_of, strict=True) if leaf < 0]
    if "" in missing:
        count = int((values == "").sum())
        raise MissingValueError(f"{where}: {count} empty cells; drop those rows or give the empty value a leaf")
    if missing:
        raise HierarchyError(f"{where}: values that {path.name} does not hold: {listed(missing)}. Add a line for each")
    return column_of(tree, leaf_of[value_of])


# --------------------------------------------------------------------
# Stand-ins for the k-anonymity benchmark sets whose rows may not be passed on: cup, fars, atus and ihis.
#
# A stand-in has the real set's number of rows, its quasi-identifiers in the benchmark's order, and hierarchies with the
# same number of labels on every level, so the lattice that a search walks through has the same shape. Its rows are
# invented: skewed, and correlated as plain knowledge suggests. They say nothing about any person or population.


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
    return pd.DataFrame({name: column_of(tree, codes[name]) for name, tree in trees.items()}), trees
