"""load: the data folder first, then bundled data, then a generated stand-in."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as parquet

from ppdp_lab.datasets import benchmarks, population
from ppdp_lab.datasets.adult import adult_hierarchies, load_adult
from ppdp_lab.datasets.own import describe_first, is_own, load_own, own_title
from ppdp_lab.datasets.trees import Trees
from ppdp_lab.datasets.views import IMPUTED, INVENTED, REAL, STAND_IN, UCI, VIEWS, View
from ppdp_lab.errors import DataFileError, UnknownNameError, check_integer, listed, unknown
from ppdp_lab.table import Microdata, Schema
from ppdp_lab.table.files.writing import FORMATS

FOLDER = "PPDP_LAB_DATA"
CENSUS_FILE = "census600k.parquet"
CENSUS_ROWS = 600_000
READABLE = (*FORMATS, ".gz", ".bz2", ".xz", ".xlsx", ".xls", ".json")  # what people have in place of a data set's name


def names() -> list[str]:
    """Names of the data sets that :func:`load` knows."""
    return list(VIEWS)


def called(name: str | Path) -> str:
    """What a data set is called in results and figures: its name, or the title of an own one.

    >>> called("occ")
    'occ'
    """
    return own_title(name) if is_own(name) else str(name)


def load(name: str | Path, *, rows: int | None = None, seed: int = 0, folder: str | Path | None = None) -> Microdata:
    """A data set by name, or a researcher's own by the path of a TOML file that describes it.

    Looks in the data folder (``folder``, else the environment variable ``PPDP_LAB_DATA``), then at bundled data, then
    generates a stand-in. ``table.provenance`` says which it was.

    Parameters
    ----------
    name : str or path
        One of :func:`names`, or a path ending in ``.toml``; see :func:`ppdp_lab.datasets.load_own`.
    rows : int, optional
        A random sample of so many rows; a stand-in is drawn at that size.
    seed : int
        Of the sample, or of the stand-in.
    folder : path, optional
        The data folder.

    Examples
    --------
    >>> load("adult", rows=1000)
    <Microdata of 1000 records: age, sex, race, marital-status, education, native-country, workclass | occupation (real)>
    """
    seed = check_integer("seed", seed, at_least=0)
    if rows is not None:
        rows = check_integer("rows", rows, at_least=1)
    if is_own(name):
        return sampled(load_own(name), rows, seed)
    if name not in VIEWS and isinstance(name, str) and (Path(name).exists() or Path(name).suffix.lower() in READABLE):
        raise UnknownNameError(f"unknown data set: {describe_first(name)}")
    view = VIEWS[name]  # type: ignore[index]
    place = data_folder(folder)
    if view.source == "adult":
        return sampled(_adult(view, place), rows, seed)
    if view.source == "census":
        if place is not None and (place / CENSUS_FILE).is_file():
            return sampled(_real_census(view, place / CENSUS_FILE), rows, seed)
        return census(view.name, rows=rows or CENSUS_ROWS, seed=seed)
    if place is not None and _has_arx_files(place, view.source):
        frame, trees = benchmarks.read_arx(place, view.source)
        return sampled(_with_hierarchies(frame, view, trees, REAL), rows, seed)
    frame, trees = benchmarks.generate(view.source, rows=rows, seed=seed)
    return _with_hierarchies(frame, view, trees, STAND_IN)


def census(name: str, *, rows: int = CENSUS_ROWS, seed: int = 0) -> Microdata:
    """The census stand-in under one of its views, whatever the data folder holds.

    >>> census("sal", rows=100)
    <Microdata of 100 records: age, gender, education, birthplace | salary (stand-in)>
    """
    views = {view.name: view for view in VIEWS.values() if view.source == "census"}
    if str(name) not in views:
        raise unknown("census data set", name, views)
    return _census_view(views[str(name)], population.generate(rows, seed), STAND_IN)


def data_folder(folder: str | Path | None = None) -> Path | None:
    """The data folder, if one is named; it must exist."""
    said = folder if folder is not None else os.environ.get(FOLDER)
    if not said:
        return None
    place = Path(said)
    if not place.is_dir():
        raise DataFileError(f"the data folder {str(place)!r} does not exist; set {FOLDER} to a folder, or unset it")
    return place


def describe(name: str | Path) -> str:
    """A data set in words: rows, columns, domains, hierarchies, provenance, licence."""
    table = load(name)
    view = VIEWS.get(str(name))
    lines = [f"{name}: {view.title}" if view else f"{name}: own data"]
    lines.append(f"{len(table):,} rows, {table.provenance}; fingerprint {table.fingerprint()}")
    if view is not None:
        lines.append(f"licence: {UCI if view.source == 'adult' else _licence(table)}")
    for role, columns in (("quasi-identifier", table.schema.quasi_identifiers), ("sensitive", table.schema.sensitive)):
        for column in columns:
            domain = table.domains[column]
            occurring = len(np.unique(table.codes(column)))
            if domain.hierarchy is not None:
                how = f"hierarchy {'-'.join(map(str, domain.hierarchy.level_sizes()))}"
            else:
                how = "ordered" if domain.kind == "ordered" else "plain categories"
            lines.append(f"  {column} ({role}): {occurring} of {len(domain)} values occur, {how}")
    return "\n".join(lines)


def catalogue() -> pd.DataFrame:
    """All data sets: what they are, and whether what :func:`load` would give here is real."""
    place = data_folder()
    rows = []
    for view in VIEWS.values():
        real = view.source == "adult" or (
            place is not None
            and ((place / CENSUS_FILE).is_file() if view.source == "census" else _has_arx_files(place, view.source))
        )
        provenance = (IMPUTED if view.imputed else REAL) if real else STAND_IN
        roles = f"{', '.join(view.quasi_identifiers)} | {', '.join(view.sensitive) or '-'}"
        rows.append({"name": view.name, "provenance": provenance, "title": view.title, "columns": roles})
    return pd.DataFrame(rows)


def _licence(table: Microdata) -> str:
    return INVENTED if table.provenance == STAND_IN else "that of the file in the data folder"


def sampled(table: Microdata, rows: int | None, seed: int) -> Microdata:
    """A random sample of so many rows, in their order; all of them if ``rows`` is None."""
    if rows is None or rows == len(table):
        return table
    if rows > len(table):
        raise DataFileError(f"{rows} rows were asked for, but the data set has {len(table)}; ask for fewer")
    return table.select(np.sort(np.random.default_rng(seed).choice(len(table), rows, replace=False)))


def _with_hierarchies(frame: pd.DataFrame, view: View, trees: Trees, provenance: str) -> Microdata:
    columns = [*view.quasi_identifiers, *view.sensitive]
    hierarchies = {c: trees[c] for c in columns if c in trees and c not in view.ordered}
    frame = frame[columns].copy()
    for column in view.ordered:
        frame[column] = frame[column].astype(int)
    # Declared, so that a series of samples is measured on the span of the whole data set.
    domains = {name: sorted(frame[name].unique()) for name in columns if name not in hierarchies}
    schema = Schema(view.quasi_identifiers, sensitive=view.sensitive, domains=domains)
    return Microdata(frame, schema, hierarchies, provenance=provenance)


def _adult(view: View, place: Path | None) -> Microdata:
    # Only this view has the benchmark's columns and hierarchies; the others use what is bundled.
    if view.name == "adult-arx" and place is not None and _has_arx_files(place, "adult"):
        frame, trees = benchmarks.read_arx(place, "adult")
        return _with_hierarchies(frame, view, trees, REAL)
    return _with_hierarchies(load_adult(), view, adult_hierarchies(), REAL)


def _has_arx_files(place: Path, source: str) -> bool:
    return any(path.name.lower() == f"{source}.csv" for path in place.iterdir())


def _real_census(view: View, path: Path) -> Microdata:
    columns = [*view.quasi_identifiers, *view.sensitive]
    try:
        present = parquet.read_schema(path).names
        codes = pd.read_parquet(path, columns=[name for name in columns if name in present])
    except (ValueError, OSError) as error:
        raise DataFileError(f"{str(path)!r} cannot be read as Parquet: {error}") from None
    missing = [name for name in columns if name not in present]
    if missing:
        raise DataFileError(f"{str(path)!r} lacks column(s) {listed(missing)}")
    if len(codes) == 0:
        raise DataFileError(f"{str(path)!r} has no rows")
    frame = {}
    for name in columns:
        labels = population.LABELS[name]
        column = codes[name].to_numpy()
        if column.dtype.kind not in "iu" or column.min() < 0 or column.max() >= len(labels):
            raise DataFileError(
                f"{str(path)!r}: {name} must hold codes 0 to {len(labels) - 1}, whole numbers all of them"
            )
        frame[name] = pd.Categorical.from_codes(column, categories=list(labels), ordered=True)
    return _census_view(view, pd.DataFrame(frame), IMPUTED if view.imputed else REAL)


def _census_view(view: View, frame: pd.DataFrame, provenance: str) -> Microdata:
    columns = [*view.quasi_identifiers, *view.sensitive]
    frame = frame[columns].copy()
    if not isinstance(frame["age"].dtype, pd.CategoricalDtype):
        ages = np.array(population.LABELS["age"])  # all 79, so that a sample has the same domain
        frame["age"] = pd.Categorical.from_codes(frame["age"].to_numpy() - ages[0], categories=ages, ordered=True)
    return Microdata(frame, Schema(view.quasi_identifiers, sensitive=view.sensitive), provenance=provenance)
