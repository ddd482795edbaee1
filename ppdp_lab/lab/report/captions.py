"""Captions filled with what a run was made with: its parameters, the sizes that it chose, and the columns of its data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ppdp_lab import datasets
from ppdp_lab.errors import listed
from ppdp_lab.lab.experiment.words import OF_THE_DATA
from ppdp_lab.lab.report.text import data_name, number
from ppdp_lab.lab.run.record import Run


def words_of(run: Run) -> dict[str, str]:
    """What the placeholders of a caption stand for."""
    notes, handed = run.environment, run.handed_over
    values: dict[str, Any] = {**notes.get("parameters", {}), **handed.get("chosen", {})}
    for key in ("dataset", "datasets"):
        if values.get(key) is not None:
            several = values[key] if isinstance(values[key], list) else [values[key]]
            values[key] = [data_name(_called(name)) for name in several]
    for key in OF_THE_DATA:
        found = dict.fromkeys(name for data in handed["data"] for name in data.get(key, []))
        values[key] = " or ".join(found) if key == "sensitive" else list(found)
    return {name: _words(value) for name, value in values.items()}


def fill(text: str, words: Mapping[str, str]) -> str:
    """A caption with its placeholders filled.

    >>> fill("Fewer than e = {e} people.", {"e": "5"})
    'Fewer than e = 5 people.'
    """
    return text.format_map(words)


def _called(name: str) -> str:
    try:
        return datasets.called(name)
    except (OSError, ValueError):  # the file may be gone by the time that figures are drawn again
        return name.rpartition("/")[2].removesuffix(".toml")


def _words(value: Any) -> str:
    """
    >>> _words([2, 5, 8]), _words(0.3), _words(20000), _words(None)
    ('2, 5, 8', '0.3', '20,000', 'not said')
    """
    if isinstance(value, (list, tuple)):
        return listed(map(_words, value), 30).replace("'", "")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return "not said" if value is None else str(value)
