"""Reading an experiment file: every complaint names the file, the entry, and what to write instead."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ppdp_lab.errors import DataFileError, listed, unknown
from ppdp_lab.lab.experiment.model import AGGREGATES, NUMBERS, PAIRS, SCALES, TRENDS, Claim, Experiment, FigureEntry


def read(path: str | Path) -> Experiment:
    """Read and check an experiment file, whose form :mod:`ppdp_lab.lab.experiment.model` describes."""
    path = Path(path)
    if not path.is_file():
        raise DataFileError(f"no experiment file {str(path)!r}")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFileError(f"{path.name}: not a TOML file: {error}") from None
    return _experiment(content, path)


TEXT, FLAG, WHOLE, NUMBER, LIST, TABLE, NAMES, SEVERAL, VALUES, ANY = (
    "text",
    "true or false",
    "a whole number",
    "a number",
    "a list",
    "a table",
    "a name or a list of different names",
    "a list of different names",
    "a list of different values, none of them a list or a table",
    "anything",
)
_TOP = {"name": TEXT, "title": TEXT, "paper": TEXT, "notebook": TEXT, "exclusive": FLAG, "scale": TABLE}
_TOP |= {"figure": LIST, "claim": LIST}
_FIGURE = {"name": TEXT, "caption": TEXT, "draw": TEXT, "source": TEXT}
_CLAIM = {"id": TEXT, "text": TEXT, "source": TEXT, "kind": TEXT, "where": TEXT, "value": TEXT, "x": NAMES, "by": NAMES}
_CLAIM |= {"series": TEXT, "compare": VALUES, "at": VALUES, "aggregate": TEXT, "paper": ANY, "scales": SEVERAL}
_CLAIM |= {"needs_cores": WHOLE, "needs_memory_gb": NUMBER, "reason": TEXT}
_NEEDED = {"between": ["paper"], "at_most": ["paper"], "at_least": ["paper"], "about": ["paper"]}
_NEEDED |= {"rises": ["x"], "falls": ["x"]} | {kind: ["series", "compare", "x"] for kind in PAIRS}


def _fits(value: Any, what: str) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    flat = isinstance(value, list) and not any(isinstance(v, (list, dict)) for v in value)
    values = flat and len(set(value)) == len(value)
    several = values and all(isinstance(v, str) for v in value)
    return {
        TEXT: isinstance(value, str),
        FLAG: isinstance(value, bool),
        WHOLE: number and isinstance(value, int),
        NUMBER: number,
        LIST: isinstance(value, list),
        TABLE: isinstance(value, dict),
        NAMES: isinstance(value, str) or several,
        SEVERAL: several,
        VALUES: values,
        ANY: True,
    }[what]


def _check(content: Any, known: Mapping[str, str], needed: list[str], where: str) -> dict[str, Any]:
    """A table whose keys are known, have the right type, and are all there."""
    if not isinstance(content, dict):
        raise DataFileError(f"{where} must be a table, not {content!r}")
    for key, value in content.items():
        if key not in known:
            raise DataFileError(f"{where}: {unknown('key', key, known)}")
        if not _fits(value, known[key]):
            raise DataFileError(f"{where}: {key} must be {known[key]}, not {value!r}")
    missing = [key for key in needed if key not in content or content[key] == ""]
    if missing:
        raise DataFileError(f"{where} lacks {listed(missing)}")
    return content


def _experiment(content: dict[str, Any], path: Path) -> Experiment:
    where = path.name
    _check(content, _TOP, ["name", "title", "notebook", "scale"], where)
    name = content["name"]
    if not name.replace("-", "").replace("_", "").isalnum():
        raise DataFileError(f"{where}: name {name!r} must consist of letters, digits, '-' and '_': it names a folder")
    scales = _check(content["scale"], dict.fromkeys(SCALES, TABLE), ["quick", "paper"], f"{where}, scale")
    figures = tuple(_figure(entry, name, path, i + 1) for i, entry in enumerate(content.get("figure", [])))
    claims = tuple(_claim(entry, scales, where, i + 1) for i, entry in enumerate(content.get("claim", [])))
    for what, names in (("figure", [f.name for f in figures]), ("claim", [c.id for c in claims])):
        doubled = sorted({n for n in names if names.count(n) > 1})
        if doubled:
            raise DataFileError(f"{where}: {what} {listed(doubled)} stands more than once; give each its own name")
    return Experiment(
        name=name,
        title=content["title"],
        notebook=_notebook(content["notebook"], path),
        scales=scales,
        path=path,
        paper=content.get("paper", ""),
        exclusive=content.get("exclusive", False),
        figures=figures,
        claims=claims,
    )


def _notebook(said: str, path: Path) -> Path:
    for folder in (path.parent, path.resolve().parent.parent):
        if (folder / said).is_file():
            return (folder / said).resolve()
    raise DataFileError(f"{path.name}: no notebook {said!r}, neither beside the file nor in the folder above it")


def _figure(entry: Any, experiment: str, path: Path, number: int) -> FigureEntry:
    where = f"{path.name}, figure {entry.get('name', number) if isinstance(entry, dict) else number}"
    entry = _check(entry, _FIGURE, ["name", "caption"], where)
    if not entry["name"].replace("-", "_").isidentifier():
        raise DataFileError(f"{where}: a figure's name must consist of letters, digits, '-' and '_': it names a file")
    default = f"ppdp_lab.lab.drawings.{experiment.replace('-', '_')}:{entry['name'].replace('-', '_')}"
    draw = entry.get("draw", default)
    module, colon, function = draw.rpartition(":")
    if not (colon and module and function.isidentifier()):
        raise DataFileError(f"{where}: draw must be 'module:function' or 'file.py:function', not {draw!r}")
    return FigureEntry(entry["name"], entry["caption"], draw, entry.get("source", ""))


def _claim(entry: Any, scales: Mapping[str, Any], file: str, number: int) -> Claim:
    where = f"{file}, claim {entry.get('id', number) if isinstance(entry, dict) else number}"
    entry = _check(entry, _CLAIM, ["id", "text", "kind", "value"], where)
    kind = entry["kind"]
    if kind not in NUMBERS + TRENDS + PAIRS:
        raise DataFileError(f"{where}: {unknown('kind', kind, NUMBERS + TRENDS + PAIRS)}")
    _check(entry, _CLAIM, _NEEDED.get(kind, []), f"{where}: kind {kind!r}")
    said: dict[str, Any] = {key: _names(value) if _CLAIM[key] == NAMES else value for key, value in entry.items()}
    said |= {key: tuple(said[key]) for key in ("compare", "at", "scales") if key in said}
    claim = Claim(**said)
    both = [name for name in claim.by if name in claim.x]
    if both:
        raise DataFileError(f"{where}: {listed(both)} cannot be in x and in by; leave it out of one of them")
    for scale in claim.scales:
        if scale not in scales:
            raise DataFileError(f"{where}: {unknown('scale', scale, scales)}")
    if claim.aggregate and claim.aggregate not in AGGREGATES:
        raise DataFileError(f"{where}: {unknown('aggregate', claim.aggregate, AGGREGATES)}")
    if claim.aggregate and kind not in NUMBERS:
        raise DataFileError(f"{where}: aggregate leaves one value, and {kind!r} needs a curve")
    if bool(claim.series) != bool(claim.compare):
        raise DataFileError(f"{where}: series and compare belong together; one of them is missing")
    if claim.compare and len(claim.compare) != 2:
        raise DataFileError(f"{where}: compare must name two values of {claim.series!r}, not {len(claim.compare)}")
    if claim.compare and not claim.x:
        raise DataFileError(f"{where}: x must say which points of the two curves belong together")
    if kind in ("rises", "falls") and len(claim.x) != 1:
        raise DataFileError(f"{where}: x of {kind!r} must be one column; put the others into by")
    _check_paper(claim, where)
    return claim


def _names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _check_paper(claim: Claim, where: str) -> None:
    """The paper's value must have the form that the kind compares with."""
    paper, kind = claim.paper, claim.kind
    if kind == "between":
        if not (isinstance(paper, list) and len(paper) == 2 and all(_fits(p, NUMBER) for p in paper)):
            raise DataFileError(f"{where}: paper of 'between' must be [low, high], not {paper!r}")
        if paper[0] > paper[1]:
            raise DataFileError(f"{where}: paper = {paper!r} has its low end above its high end")
    elif kind in ("at_most", "at_least") and not _fits(paper, NUMBER):
        raise DataFileError(f"{where}: paper of {kind!r} must be a number, not {paper!r}")
    elif kind == "about":
        several = paper if isinstance(paper, list) else [paper]
        if not several or not all(_fits(p, NUMBER) and p != 0 for p in several):
            raise DataFileError(
                f"{where}: paper of 'about' must be a number other than 0, or a list of them, not {paper!r}"
            )
        if isinstance(paper, list) and (len(claim.at) != len(paper) or len(claim.x) != 1):
            raise DataFileError(f"{where}: {len(paper)} paper values need one x and as many points in at")
    elif kind == "zero" and paper not in (None, 0):
        raise DataFileError(f"{where}: paper of 'zero' is 0, not {paper!r}")
    elif kind in TRENDS + PAIRS and paper is not None and not isinstance(paper, str):
        raise DataFileError(f"{where}: paper of {kind!r} can only be words, not {paper!r}")
    if claim.at and not (kind == "about" and isinstance(paper, list)):
        raise DataFileError(f"{where}: at goes with kind 'about' and a list of paper values only")
