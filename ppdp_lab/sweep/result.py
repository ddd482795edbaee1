"""What a sweep hands back, and how it is kept: one tidy Parquet file per table, which says what its columns are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ppdp_lab import pages
from ppdp_lab.errors import DataFileError, listed, unknown
from ppdp_lab.io import atomic_write_all
from ppdp_lab.sweep.functions import Swept
from ppdp_lab.sweep.grid import Point, cell
from ppdp_lab.sweep.store import Outcome
from ppdp_lab.text import counted, cut

if TYPE_CHECKING:
    from matplotlib.figure import Figure


ROLES = "sweep"  # where a frame's attrs, and so its file, say which of its columns are what
NOTES = "sweep.json"
PICTURE = "picture"
SHOWN = 10  # rows that a notebook shows


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """The results of a sweep: tidy tables, what failed, and how much of it had to be run.

    Attributes
    ----------
    function : str
        What was swept.
    tables : dict of DataFrame
        Tidy results by name, the swept parameters first; a function has one table, a notebook may have several. The
        ``attrs`` of each say what its columns are.
    failures : DataFrame
        One row per point that failed: the point, the error in one line, the end of its traceback.
    points, executed, found : int
        Points of the grid; how many of them ran now, failed ones included, and how many were in the store already.
    folder : Path or None
        Where the tables and the first picture lie.

    Examples
    --------
    >>> frame = pd.DataFrame({"k": [2, 5], "loss": [0.1, 0.3]})
    >>> swept = Sweep("loss", {"results": described(frame, "loss", ["k"], ["loss"])}, points=2, executed=2)
    >>> swept, swept.parameters, swept.measures
    (<Sweep of loss: 2 points (2 executed, 0 found in the store, 0 failed), 2 rows>, ['k'], ['loss'])
    """

    function: str
    tables: Mapping[str, pd.DataFrame]
    failures: pd.DataFrame = field(default_factory=pd.DataFrame)
    points: int = 0
    executed: int = 0
    found: int = 0
    folder: Path | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """The table: the only one, or the first of several; one row per measurement, swept parameters first."""
        return next(iter(self.tables.values()), pd.DataFrame())

    @property
    def parameters(self) -> list[str]:
        """Columns of :attr:`frame` that were swept."""
        return list(self.frame.attrs.get(ROLES, {}).get("parameters", []))

    @property
    def measures(self) -> list[str]:
        """Columns of :attr:`frame` that were measured: numbers that are neither swept nor count something off."""
        return self.measures_of(None)

    def measures_of(self, table: str | None) -> list[str]:
        """The same of one of several tables."""
        frame = self.frame if table is None else self.tables[table]
        return list(frame.attrs.get(ROLES, {}).get("measures", []))

    @property
    def failed(self) -> int:
        """Number of points that failed, now or earlier."""
        return len(self.failures)

    @property
    def not_run(self) -> int:
        """Number of points without a result or failure: the sweep stopped early, or only retried failures."""
        return self.points - self.executed - self.found

    @property
    def errors(self) -> pd.DataFrame:
        """The failures, one row per distinct error: the number of points, the first of them, and the error.

        >>> failures = pd.DataFrame({"k": [2, 5, 9], "error": ["too small", "too small", "odd"], "traceback": ""})
        >>> Sweep("loss", {}, failures, points=3, executed=3).errors
           points first point      error
        0       2         k=2  too small
        1       1         k=9        odd
        """
        swept = [name for name in self.failures.columns if name not in ("error", "traceback")]
        rows: dict[str, dict[str, Any]] = {}
        for failure in self.failures.to_dict("records"):
            point = ", ".join(f"{name}={failure[name]}" for name in swept if not pd.isna(failure[name]))
            row = rows.setdefault(failure["error"], {"points": 0, "first point": point, "error": failure["error"]})
            row["points"] += 1
        return pd.DataFrame(list(rows.values()), columns=["points", "first point", "error"])

    @property
    def path(self) -> Path | None:
        """The Parquet file of :attr:`frame`."""
        return self.folder / f"{next(iter(self.tables))}.parquet" if self.folder and self.tables else None

    def long(self, table: str | None = None) -> pd.DataFrame:
        """One row per measured number: parameters, what else describes the row, ``measure`` and ``value``.

        What could not be measured, such as a loss of generalization where nothing is generalized, has no row.
        """
        frame = self._table(table)
        measures = frame.attrs[ROLES]["measures"]
        kept = [column for column in frame.columns if column not in measures]
        each = [frame[kept].assign(measure=name, value=frame[name]) for name in measures]
        return pd.concat(each, ignore_index=True).dropna(subset="value", ignore_index=True)

    def plot(self, measures: Sequence[str] | None = None, *, table: str | None = None) -> Figure:
        """A first picture: the numeric parameter with most values on x, the next ones as colour and rows, a panel per measure.

        Parameters
        ----------
        measures : list of str, optional
            Which of :attr:`measures`; the first six unless given.
        table : str, optional
            Which of several tables.
        """
        from ppdp_lab.sweep.picture import draw  # seaborn takes a second to import

        return draw(self._table(table), measures)

    def _table(self, name: str | None) -> pd.DataFrame:
        if not self.tables:
            raise DataFileError(f"this sweep of {self.function} has no results: all of its points failed; see failures")
        if name is not None and name not in self.tables:
            raise unknown("table", name, self.tables)
        return self.frame if name is None else self.tables[name]

    def _said(self) -> str:
        rows = ", ".join(
            counted(len(frame), "row") + (f" of {name}" if len(self.tables) > 1 else "")
            for name, frame in self.tables.items()
        )
        counts = f"{self.executed} executed, {self.found} found in the store, {self.failed} failed"
        counts += f", {self.not_run} not run" if self.not_run else ""
        return f"Sweep of {self.function}: {counted(self.points, 'point')} ({counts}), {rows or 'no rows'}"

    def __repr__(self) -> str:
        return cut(f"<{self._said()}>")

    def _repr_html_(self) -> str:
        """For notebooks: the line, the first rows of every table, and what failed."""
        shown = {name if len(self.tables) > 1 else "": frame for name, frame in self.tables.items()}
        if self.failed:
            shown["failures"] = self.errors
        parts: list[object] = []
        for name, frame in shown.items():
            rows = frame.to_numpy(dtype=object).tolist()
            parts += [pages.element("small", name) if name else "", pages.table(list(frame.columns), rows, limit=SHOWN)]
        return pages.card(self._said(), *parts)


def described(
    frame: pd.DataFrame, function: str, parameters: Sequence[str], measures: Sequence[str], provenance: str = ""
) -> pd.DataFrame:
    """The frame with a note of what its columns are, which its Parquet file keeps."""
    frame = frame.copy(deep=False)
    said = {"parameters": list(parameters), "measures": list(measures)}
    frame.attrs = {ROLES: {"function": function, **said, "provenance": provenance}}
    return frame


def write_sweep(sweep: Sweep) -> None:
    """Put tables and notes into the sweep's folder, all of them or none."""
    assert sweep.folder is not None
    sweep.folder.mkdir(parents=True, exist_ok=True)
    files: dict[Path, Any] = {
        sweep.folder / f"{name}.parquet": partial(frame.to_parquet, index=False) for name, frame in sweep.tables.items()
    }
    notes = {
        "function": sweep.function,
        "tables": list(sweep.tables),
        "points": sweep.points,
        "executed": sweep.executed,
        "found": sweep.found,
        "failures": sweep.failures.to_dict(orient="records"),
    }
    files[sweep.folder / NOTES] = json.dumps(notes, indent=2, default=str) + "\n"
    atomic_write_all(files)


def read_sweep(path: str | Path) -> Sweep:
    """What a sweep has written, read again: its frame, and which columns are swept parameters and which are measures.

    Parameters
    ----------
    path : path
        The folder of a sweep (``sweep(...).folder``; the command line prints it), or one of the Parquet files in it.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> frame = described(pd.DataFrame({"k": [2, 5], "loss": [0.1, 0.3]}), "loss", ["k"], ["loss"], "stand-in")
    >>> write_sweep(Sweep("loss", {"results": frame}, points=2, executed=2, folder=folder))
    >>> swept = read_sweep(folder / "results.parquet")
    >>> swept.frame["loss"].tolist(), swept.parameters, swept.measures
    ([0.1, 0.3], ['k'], ['loss'])
    >>> swept.frame.attrs["sweep"]["provenance"]
    'stand-in'
    """
    path = Path(path)
    folder = path if path.is_dir() else path.parent
    try:
        notes = json.loads((folder / NOTES).read_text(encoding="utf-8"))
        names = notes["tables"] if path.is_dir() else [path.stem]
        found = {name: _read_table(folder / f"{name}.parquet") for name in names}
        counts: dict[str, int] = {key: int(notes[key]) for key in ("points", "executed", "found")}
        failures = pd.DataFrame(notes["failures"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        raise DataFileError(
            f"{str(path)!r} holds no sweep ({what}); name the folder that `ppdp-lab sweep` prints, or a .parquet file in it"
        ) from None
    return Sweep(notes["function"], found, failures, folder=folder, **counts)


def _read_table(path: Path) -> pd.DataFrame:
    frame = pd.read_parquet(path)
    missing = [c for role in ("parameters", "measures") for c in frame.attrs[ROLES][role] if c not in frame.columns]
    if missing:
        raise ValueError(f"{path.name} lacks {listed(missing)}")
    return frame


# --------------------------------------------------------------------
# From the tables of single points to tidy ones: swept parameters first, then what was measured.


PREFIX = "swept_"


def results_frame(
    swept: Swept, points: Sequence[tuple[Point, Mapping[str, pd.DataFrame]]], provenance: str
) -> dict[str, pd.DataFrame]:
    """One table for each that the points have, with the points' parameters before it.

    A parameter whose name the results have already stands there once if both say the same in every row, and under
    ``swept_<name>`` if they do not.
    """
    names = dict.fromkeys(name for _, tables in points for name in tables)
    return {
        name: _one(swept, [(p, tables[name]) for p, tables in points if name in tables], provenance) for name in names
    }


def _one(swept: Swept, parts: Sequence[tuple[Point, pd.DataFrame]], provenance: str) -> pd.DataFrame:
    measured = pd.concat([table for _, table in parts], ignore_index=True)
    given = dict.fromkeys(name for point, _ in parts for name in point if name not in swept.lists)
    columns: dict[str, Any] = {}
    for name in given:
        values = [cell(point.get(name)) for point, table in parts for _ in range(len(table))]
        column = pd.Series(values, name=name).convert_dtypes() if any(v is None for v in values) else pd.Series(values)
        if name in measured.columns and measured[name].tolist() == values:
            measured = measured.drop(columns=name)
        columns[f"{PREFIX}{name}" if name in measured.columns else name] = column
    frame = pd.concat([pd.DataFrame(columns, index=measured.index), measured], axis=1)
    left = [name for name in measured.columns if name not in swept.counting]
    numbers = [name for name in left if pd.api.types.is_numeric_dtype(measured[name])]
    return described(frame, swept.name, list(columns), numbers, provenance)


def failures_of(failed: Sequence[tuple[Point, Outcome]]) -> pd.DataFrame:
    """One row per point that failed: the point, the error, the end of its traceback."""
    rows = [
        {name: cell(value) for name, value in point.items()} | {"error": one.error, "traceback": one.traceback}
        for point, one in failed
    ]
    return pd.DataFrame(rows, columns=None if rows else ["error", "traceback"])
