"""Reading an experiment file: every complaint names the file, the entry, and what to write instead."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ppdp_lab.errors import DataFileError, listed, unknown
from ppdp_lab.lab.experiment.claims import Claim, Reason
from ppdp_lab.lab.experiment.model import ITSELF, Experiment, FigureEntry
from ppdp_lab.lab.experiment.ranges import Range
from ppdp_lab.lab.experiment.words import OF_THE_DATA, TYPES, placeholders
from ppdp_lab.lab.run.parameters import defined

_MODELS: dict[Any, Any] = {"": Experiment, "figure": FigureEntry, "claim": Claim}
DRAWINGS = "ppdp_lab.lab.drawings"


def read(path: str | Path) -> Experiment:
    """Read and check an experiment file, whose form :mod:`ppdp_lab.lab.experiment.model` describes."""
    path = Path(path)
    if not path.is_file():
        raise DataFileError(f"no experiment file {str(path)!r}")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFileError(f"{path.name}: not a TOML file: {error}") from None
    try:
        found = TypeAdapter(Experiment).validate_python(content | {ITSELF: path}, by_alias=True, by_name=False)
        where = f"{DRAWINGS}.{found.name.replace('-', '_')}"
        figures = [replace(f, draw=f.draw or f"{where}:{f.name.replace('-', '_')}") for f in found.figures]
        found = replace(found, notebook=_notebook(found.notebook, path), figures=tuple(figures))
        _check_captions(found)
        return found
    except ValidationError as error:
        raise DataFileError(_in_words(error, content, path.name)) from None


def _notebook(said: Path, path: Path) -> Path:
    for folder in (path.parent, path.resolve().parent.parent):
        if (folder / said).is_file():
            return (folder / said).resolve()
    raise DataFileError(f"{path.name}: no notebook {str(said)!r}, neither beside the file nor in the folder above it")


def _check_captions(experiment: Experiment) -> None:
    """Refuse a caption that speaks of a parameter which the notebook does not have."""
    for figure in experiment.figures:
        where = f"{experiment.path.name}, figure {figure.name}"
        for text in (figure.caption, figure.data):
            try:
                names = placeholders(text)
            except ValueError as error:
                raise DataFileError(f"{where}: its caption has a brace too many, or too few ({error})") from None
            known = [*defined(experiment.notebook), *OF_THE_DATA] if names else []
            strange = [name for name in names if name not in known]
            if strange:
                raise DataFileError(f"{where}: {unknown('placeholder', strange[0], known)}")


def _in_words(error: ValidationError, content: Any, where: str) -> str:
    """The first fault, and where it is; all that is missing in one place is named at once."""
    faults = error.errors()
    missing = ("missing", "string_too_short")
    fault = next((f for f in faults if f["type"] not in missing), faults[0])
    place: list[Any] = list(fault["loc"])
    kind, model = fault["type"], _MODELS[""]
    if len(place) > 1 and place[0] in _MODELS:
        what, number, *place = place
        model, entry = _MODELS[what], content[what][number]
        name = isinstance(entry, dict) and (entry.get("name") or entry.get("id"))
        where += f", {what} {name or number + 1}"
    if place[:1] == ["reason"] and len(place) > 2:
        model, where, place = Reason, f"{where}, reason {place[1] + 1}", place[2:]
    if place[:1] == ["range"] and len(place) > 2:
        model, where, place = Range, f"{where}, range {place[1]}", place[2:3]
    if kind in missing:
        keys = [f["loc"][-1] for f in faults if f["type"] in missing and f["loc"][:-1] == fault["loc"][:-1]]
        return f"{where} lacks {listed(keys)}"
    key = " ".join(map(str, place))
    if kind == "unexpected_keyword_argument":
        known = {field.validation_alias or name for name, field in model.__pydantic_fields__.items()}
        return f"{where}: {unknown('key', key, known - {ITSELF})}"
    if kind == "literal_error":
        known = set(re.findall(r"'(\w+)'", fault["ctx"]["expected"]))
        return f"{where}: {unknown(key, fault['input'], known)}"
    must = TYPES.get(kind.removesuffix("_type"))
    words = f"must be {must}, not {fault['input']!r}" if must else str(fault["ctx"]["error"])
    return f"{where}: {key} {words}" if key else f"{where}: {words}"
