"""``lab.finish``: the last line of every notebook."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.errors import ParameterError
from ppdp_lab.table import Microdata

RUN_FOLDER = "PPDP_LAB_RUN"
RESULTS, HANDED_OVER = "results.parquet", "finish.json"
PART = "part"


def finish(
    results: pd.DataFrame | Mapping[str, pd.DataFrame],
    figures: Mapping[str, Any] | Iterable[Callable[[pd.DataFrame], Any]] = (),
    *,
    data: Microdata | Iterable[Microdata] = (),
) -> None:
    """Hand over a notebook's results; show its figures.

    In a run of the lab (``ppdp-lab run``) the results are written to the run's folder, and the lab draws the figures from
    what was written and judges the claims. In JupyterLab nothing is written: a summary and the figures are shown.

    Parameters
    ----------
    results : DataFrame or dict of DataFrame
        Tidy results, one row a measurement. Several tables are stacked; a column ``part`` tells them apart.
    figures : dict of name to function, or list of functions
        Functions ``draw(results) -> Figure``, under the names that the experiment file gives them (a function's own name
        in a list).
    data : Microdata or list of Microdata
        The tables that were used: their provenance goes into the captions.

    Examples
    --------
    >>> finish(pd.DataFrame({"k": [2, 5], "loss": [0.1, 0.3]}))
    results: 2 rows, columns 'k', 'loss'
    """
    frame = tidy(results)
    drawn = named(figures)
    tables = [data] if isinstance(data, Microdata) else list(data)
    for table in tables:
        if not isinstance(table, Microdata):
            raise ParameterError(f"data must be a Microdata or a list of them, not {type(table).__name__}")
    folder = os.environ.get(RUN_FOLDER)
    if folder:
        _hand_over(Path(folder), frame, list(drawn), tables)
    print(f"results: {len(frame)} rows, columns {', '.join(map(repr, frame.columns))}")
    for name, draw in drawn.items():
        try:
            _show(draw(frame) if callable(draw) else draw, tables)
        except Exception:
            if not folder:
                raise
            # The results are safe by now; the lab draws again by itself and will report this properly.
            print(f"figure {name!r} cannot be drawn:\n{traceback.format_exc()}")


def tidy(results: Any) -> pd.DataFrame:
    """One frame of plain columns, from one or several frames; refuses what has no rows.

    >>> tidy({"a": pd.DataFrame({"k": [1]}), "b": pd.DataFrame({"time": [2.5]})})
      part    k  time
    0    a  1.0   NaN
    1    b  NaN   2.5
    """
    if isinstance(results, Mapping):
        for name, frame in results.items():
            if not isinstance(frame, pd.DataFrame):
                raise ParameterError(f"results[{name!r}] must be a DataFrame, not {type(frame).__name__}")
            if PART in frame.columns:
                raise ParameterError(f"results[{name!r}] already has a column {PART!r}; rename it")
        parts = [frame.assign(**{PART: str(name)}) for name, frame in results.items()]
        results = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
        results = results[[PART, *results.columns.drop(PART)]] if len(results) else results
    if not isinstance(results, pd.DataFrame):
        raise ParameterError(f"results must be a DataFrame or a dict of them, not {type(results).__name__}")
    if len(results) == 0:
        raise ParameterError("results have no rows; finish with what was measured")
    bad = [name for name in results.columns if not isinstance(name, str)]
    if bad:
        raise ParameterError(f"column names of results must be text, not {bad[0]!r}; rename it")
    return results.reset_index(drop=True)


def named(figures: Any) -> dict[str, Any]:
    """Figures by name."""
    if isinstance(figures, Mapping):
        return {str(name): draw for name, draw in figures.items()}
    if callable(figures):
        figures = [figures]
    drawn = {}
    for draw in figures:
        if not callable(draw):
            raise ParameterError("figures must be a dict of name to drawing function, or a list of functions")
        drawn[draw.__name__] = draw
    return drawn


def _hand_over(folder: Path, frame: pd.DataFrame, figures: list[str], tables: list[Microdata]) -> None:
    try:
        frame.to_parquet(folder / RESULTS, index=False)
    except (ValueError, TypeError) as error:  # pyarrow's own errors derive from these
        raise ParameterError(
            f"the results cannot be written as Parquet ({error}); give every column values of one plain type"
        ) from None
    data = [{"rows": len(t), "provenance": t.provenance, "fingerprint": t.fingerprint()} for t in tables]
    (folder / HANDED_OVER).write_text(json.dumps({"figures": figures, "data": data}), encoding="utf-8")


def _show(figure: Any, tables: list[Microdata]) -> None:
    from ppdp_lab import plotting

    if tables:
        plotting.caption(figure, provenance=", ".join(dict.fromkeys(t.provenance for t in tables)))
    plotting.show(figure)
