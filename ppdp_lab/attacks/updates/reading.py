"""Update models in TOML files."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from ppdp_lab.attacks.updates.model import UpdateModel
from ppdp_lab.errors import DataFileError, ParameterError, PPDPError, listed
from ppdp_lab.table.files.kinds import text_of

_KEYS = ("blocks", "absorbing", "updates", "chances")


def model_from_toml(path: str | Path) -> UpdateModel:
    """The update model in a TOML file; see :meth:`ppdp_lab.attacks.UpdateModel.from_toml`."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"path must be the path of a TOML file that describes an update model, not {path!r}")
    path = Path(path)
    where = repr(str(path))
    if not path.is_file():
        raise DataFileError(f"no update model {where}; give the path of a TOML file")
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataFileError(f"{where} is not UTF-8 text ({error}); save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise DataFileError(f"{where} is not valid TOML: {error}") from None
    strange = [key for key in said if key not in _KEYS]
    if strange:
        raise DataFileError(f"{where} has unknown key(s) {listed(strange)}; known are {listed(_KEYS)}")
    try:
        return _model(said, where)
    except DataFileError:
        raise
    except PPDPError as error:
        raise DataFileError(f"{where}: {error}") from None


def _model(said: dict[str, Any], where: str) -> UpdateModel:
    rows: dict[str, dict[str, float]] = {}

    def enter(value: Any, row: dict[str, float]) -> None:
        if text_of(value) in rows:
            raise DataFileError(f"{where}: {value!r} stands under more than one heading, or twice; name it once")
        rows[text_of(value)] = row

    for block in _list(said, "blocks", where):
        names = [text_of(value) for value in _list({"blocks": block}, "blocks", where)]
        for value in names:
            enter(value, {name: 1 / len(names) for name in names})
    for value in _list(said, "absorbing", where):
        enter(value, {text_of(value): 1.0})
    for value, targets in _table(said, "updates", where).items():
        names = [text_of(target) for target in _list({value: targets}, value, where)]
        enter(value, {name: 1 / len(names) for name in names})
    for value, shares in _table(said, "chances", where).items():
        wrong = [
            p
            for p in _table({value: shares}, value, where).values()
            if isinstance(p, bool) or not isinstance(p, (int, float))
        ]
        if wrong:
            raise DataFileError(f"{where}: the chances of {value!r} must be numbers, not {listed(wrong)}")
        enter(value, {text_of(name): float(p) for name, p in shares.items()})
    for row in list(rows.values()):
        for name in row:
            rows.setdefault(name, {name: 1.0})
    if not rows:
        raise DataFileError(f"{where} names no value; give blocks, absorbing, [updates] or [chances.VALUE]")
    place = {value: i for i, value in enumerate(rows)}
    return UpdateModel(
        list(rows),
        [[place[name] for name in row] for row in rows.values()],
        [list(row.values()) for row in rows.values()],
    )


def _list(said: dict[str, Any], key: str, where: str) -> list[Any]:
    given = said.get(key, [])
    if not isinstance(given, list):
        raise DataFileError(f"{where}: {key} must be a list, not {given!r}")
    return given


def _table(said: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    given = said.get(key, {})
    if not isinstance(given, dict):
        raise DataFileError(f"{where}: {key} must be a table with one line per value, not {given!r}")
    return given
