"""Parameters of a notebook: what its ``parameters`` cell defines, and what the command line may say about them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ppdp_lab.errors import DataFileError, ParameterError, listed, unknown
from ppdp_lab.text import TYPES

TAG = "parameters"


def cells(notebook: Path) -> list[dict[str, Any]]:
    """The cells of a notebook file."""
    try:
        content = json.loads(notebook.read_text(encoding="utf-8"))
        return [_cell(cell, i) for i, cell in enumerate(content["cells"], start=1)]
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{notebook.name} is not a notebook (nbformat 4): {error}") from None


def _cell(cell: dict[str, Any], number: int) -> dict[str, Any]:
    """A cell with its source in one piece and its tags as a list."""
    cell = {"metadata": {}, **cell, "source": "".join(cell["source"])}
    if not isinstance(cell.get("cell_type"), str):
        raise ValueError(f"cell {number} has no cell_type")
    if not isinstance(cell["metadata"], dict):
        raise ValueError(f"metadata of cell {number} must be a table, not {cell['metadata']!r}")
    tags = cell["metadata"].get("tags", [])
    if not isinstance(tags, list):
        raise ValueError(f"tags of cell {number} must be a list, not {tags!r}")
    return cell | {"tags": tags}


def defined(notebook: Path) -> dict[str, Any]:
    """Names and values that the notebook's one ``parameters`` cell assigns.

    It may hold assignments of plain values only (numbers, text, lists, dictionaries, None), since papermill puts another
    cell of assignments after it.
    """
    tagged = [cell for cell in cells(notebook) if TAG in cell["tags"]]
    if len(tagged) != 1:
        raise DataFileError(
            f"{notebook.name} has {len(tagged)} cells tagged {TAG!r}; it needs exactly one, which assigns its parameters"
        )
    values: dict[str, Any] = {}
    try:
        for statement in ast.parse(tagged[0]["source"]).body:
            match statement:
                case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                    values[name] = plain(ast.literal_eval(value))
                case _:
                    raise ValueError(f"line {statement.lineno} is not an assignment to one name")
    except (SyntaxError, ValueError) as error:
        raise DataFileError(
            f"{notebook.name}: the {TAG!r} cell must assign plain values only, one per line: {error}"
        ) from None
    return values


def plain(value: Any) -> Any:
    """A value as JSON has it: tuples become lists."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return value


def parse(text: str) -> tuple[str, Any]:
    """``key=value`` from the command line; the value is read as JSON or a Python literal, else it is text.

    >>> parse("k=5"), parse("ks=[2, 5]"), parse("dataset=adult"), parse("fast=true"), parse("share=1e-3")
    (('k', 5), ('ks', [2, 5]), ('dataset', 'adult'), ('fast', True), ('share', 0.001))
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise ParameterError(f"-p needs key=value, not {text!r}")
    return name.strip(), literal(value.strip())


def literal(text: str) -> Any:
    """The value that a text stands for; the words of a list need no quotes.

    >>> literal("[2, 5]"), literal("[occ, own/mine.toml]"), literal("occ")
    ([2, 5], ['occ', 'own/mine.toml'], 'occ')
    """
    for read in (json.loads, ast.literal_eval):
        try:
            return plain(read(text))
        except (ValueError, SyntaxError):
            continue
    if text.startswith("[") and text.endswith("]"):
        return [literal(piece.strip()) for piece in _pieces(text[1:-1])]
    return text


def parse_sweep(text: str) -> tuple[str, list[Any]]:
    """``key=1,2,3`` from the command line.

    >>> parse_sweep("k=2,5,10"), parse_sweep("ks=[2,5],[10]"), parse_sweep("dataset=occ,sal")
    (('k', [2, 5, 10]), ('ks', [[2, 5], [10]]), ('dataset', ['occ', 'sal']))
    >>> parse_sweep("rule=KAnonymity(5),RecursiveCLDiversity(2, 3)")
    ('rule', ['KAnonymity(5)', 'RecursiveCLDiversity(2, 3)'])
    """
    name, _, value = text.partition("=")
    whole = literal(f"[{value}]")
    name, _ = parse(f"{name}=0") if "=" in text else parse(text)
    if not whole or whole == [""]:
        raise ParameterError(f"-p {text!r} gives no value to sweep over; write {name}=1,2,3")
    return name, whole


def _pieces(text: str) -> list[str]:
    """What stands between commas that are in no brackets."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    return pieces


def check(given: Mapping[str, Any], known: Mapping[str, Any], notebook: str) -> None:
    """Refuse parameters that the notebook does not have, or whose value is of another type than its own."""
    for name, value in given.items():
        if name not in known:
            raise ParameterError(str(unknown(f"parameter of {notebook}:", name, known)))
        default = known[name]
        if default is None or value is None or _alike(value, default):
            continue
        must = TYPES.get(type(default).__name__)
        hint = f"; write {name}=[{value}]" if isinstance(default, list) else ""
        raise ParameterError(
            f"parameter {name!r} of {notebook} is {default!r} unless said otherwise, so it must be {must}, "
            f"not {value!r}{hint}"
        )


def _alike(value: Any, default: Any) -> bool:
    kinds = (int, float) if isinstance(default, float) else type(default)
    return isinstance(value, kinds) and isinstance(value, bool) == isinstance(default, bool)


def parse_all(texts: Iterable[str]) -> dict[str, Any]:
    """All ``-p key=value`` of a command line; a key may stand there once."""
    return _once([parse(text) for text in texts], "to try several values use sweep")


def parse_grid(texts: Iterable[str]) -> dict[str, list[Any]]:
    """All ``-p key=1,2,3`` of a command line; a key may stand there once."""
    return _once([parse_sweep(text) for text in texts], "put all of its values into one, as in k=2,5")


def _once(pairs: list[tuple[str, Any]], hint: str) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise ParameterError(f"-p gives {listed(doubled)} more than once; {hint}")
    return dict(pairs)


def absolute(parameters: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Paths of own data (``dataset`` or ``datasets`` ending in .toml) made absolute: the notebook runs in another folder."""

    def one(value: Any) -> Any:
        return str((folder / value).resolve()) if isinstance(value, str) and value.endswith(".toml") else value

    out = dict(parameters)
    for name in ("dataset", "datasets"):
        if name in out:
            out[name] = [one(v) for v in out[name]] if isinstance(out[name], list) else one(out[name])
    return out
