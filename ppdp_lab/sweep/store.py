"""The store: every finished point at once, in files of its own, under a key that says what it was computed from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.io import atomic_write_all

POINTS = "points"
DATED = 500  # files whose times tell how long a point takes


class StoreError(DataFileError):
    """A point's files cannot be written, for example because the disk is full; this ends the sweep."""


@dataclass(frozen=True)
class Outcome:
    """What came of a point: its tables' names, or the error; the seconds that it took; and in which sweep it was run.

    ``executed`` says whether that was the sweep at hand. ``first`` marks the first point that a process ran: its seconds include
    compiling and loading, so they do not predict how long other points take.
    """

    key: str
    point: dict[str, Any]
    seconds: float
    tables: list[str] = field(default_factory=list)
    error: str | None = None
    traceback: str = ""
    sweep: str = ""
    first: bool = False
    executed: bool = True

    @property
    def failed(self) -> bool:
        """Whether there is an error instead of results."""
        return self.error is not None


class Store:
    """The points of one function in a folder that any number of processes may share.

    A point is ``<key>.json`` and one ``<key>.<table>.parquet`` per table. The JSON file gets its name last: a point is there,
    whole, or it is not. Files that are broken count as not there.
    """

    def __init__(self, folder: str | Path, function: str) -> None:
        self.folder = Path(folder) / POINTS / re.sub(r"[^\w.-]", "_", function)

    def prepare(self) -> None:
        """Make the folder, or say why it cannot be made."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataFileError(
                f"no sweep can be kept in {str(self.folder)!r}: {error.strerror}; give another store"
            ) from None

    def look(self, key: str) -> Outcome | None:
        """What came of a point, if it was run before."""
        try:
            said = json.loads(self._note(key).read_text(encoding="utf-8"))
            found = Outcome(**said | {"executed": False})
            whole = found.key == key and all(self._table(key, name).is_file() for name in found.tables)
        except (OSError, ValueError, TypeError):
            return None
        return found if whole else None

    def keep(self, outcome: Outcome, tables: Mapping[str, pd.DataFrame] | None = None) -> Outcome:
        """Put a point on disk, all of it or nothing."""
        files: dict[Path, Any] = {
            self._table(outcome.key, name): partial(frame.to_parquet, index=False)
            for name, frame in (tables or {}).items()
        }
        note = {name: value for name, value in asdict(outcome).items() if name != "executed"}
        files[self._note(outcome.key)] = json.dumps(note, default=str) + "\n"
        try:
            atomic_write_all(files)
        except DataFileError as error:
            raise StoreError(str(error)) from error
        except (ValueError, TypeError) as error:  # pyarrow's own errors derive from these
            raise ParameterError(
                f"its results cannot be written as Parquet ({error}); give every column values of one plain type"
            ) from None
        return outcome

    def tables(self, outcome: Outcome) -> dict[str, pd.DataFrame]:
        """The tables of a point that is there."""
        return {name: pd.read_parquet(self._table(outcome.key, name)) for name in outcome.tables}

    def usual_seconds(self) -> list[float]:
        """Seconds per stored point, newest first, whatever the version; without failures and the first point of each process."""
        newest = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)[:DATED]
        found = (self.look(path.stem) for path in newest)
        return [one.seconds for one in found if one is not None and not one.failed and not one.first]

    def _note(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def _table(self, key: str, name: str) -> Path:
        return self.folder / f"{key}.{name}.parquet"
