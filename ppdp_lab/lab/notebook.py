"""``lab.show``: a figure where its text is. ``lab.finish``: the last line of every notebook."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ppdp_lab.errors import ParameterError
from ppdp_lab.io import atomic_write
from ppdp_lab.lab import runs
from ppdp_lab.lab.catalogue import PACKAGE
from ppdp_lab.lab.runs import HANDED_OVER, RUN_FOLDER
from ppdp_lab.table import Microdata

_shown: set[str] = set()  # names of the figures that this notebook has shown where their text is


def show(
    draw: Callable[[Any], Any], *, data: Microdata | Iterable[Microdata] | str = (), **results: pd.DataFrame
) -> None:
    """Show one figure in a notebook, beside the text that speaks of it.

    Parameters
    ----------
    draw : function
        ``draw(results) -> Figure``, one of those that ``finish`` is given at the end; it is not shown again there.
    data : Microdata, list of Microdata, or str
        The tables that were used, for the caption; or words, such as "worked example", that say what the figure is drawn
        from, the same as in the experiment file.
    **results : DataFrame
        The result tables that the figure is drawn from, under the names that ``finish`` gives them.

    Examples
    --------
    >>> from ppdp_lab import plotting
    >>> def loss(results):
    ...     figure, ax = plotting.figure()
    ...     plotting.curves(ax, results["grid"], x="k", y="loss")
    ...     return plotting.label(ax, x="k", y="loss")
    >>> show(loss, grid=pd.DataFrame({"k": [2, 5], "loss": [0.1, 0.3]}))
    """
    if not callable(draw):
        raise ParameterError(f"show takes a function that draws, not {type(draw).__name__}")
    if not results:
        raise ParameterError("a figure is drawn from result tables, and there are no rows; name the tables")
    _shown.add(_name(draw))
    _show(draw(runs.as_given(runs.named(results))), data if isinstance(data, str) else _provenance(_used(data)))


def finish(
    results: pd.DataFrame | Mapping[str, pd.DataFrame],
    figures: Mapping[str, Any] | Iterable[Callable[[Any], Any]] = (),
    *,
    data: Microdata | Iterable[Microdata] = (),
    chosen: Mapping[str, Any] | None = None,
) -> None:
    """Hand over a notebook's results; show the figures that ``show`` has not shown already.

    In a run of the lab (``ppdp-lab run``) the results are written to the run's folder, one file per table, and the lab
    draws the figures from what was written and judges the claims. In JupyterLab nothing is written: a summary and the
    figures are shown.

    Parameters
    ----------
    results : DataFrame or dict of DataFrame
        Tidy results, one row per measurement: one table, then named ``results``, or several by name.
    figures : dict of name to function, or list of functions
        Functions ``draw(results) -> Figure``, under the names that the experiment file gives them (a function's own name
        in a list). They get what is handed over here: the one table, or a dict of them.
    data : Microdata or list of Microdata
        The tables that were used: their provenance goes into the captions.
    chosen : dict, optional
        Sizes that the notebook chose where a parameter left them open, by the parameter's name; captions are filled with them.

    Examples
    --------
    >>> finish(pd.DataFrame({"k": [2, 5], "loss": [0.1, 0.3]}))
    results: 2 rows, columns 'k', 'loss'
    """
    found = runs.named(results)
    if not any(map(len, found.values())):
        raise ParameterError("results have no rows; finish with what was measured")
    drawn = _by_name(figures)
    used = _used(data)
    folder = os.environ.get(RUN_FOLDER)
    if folder:
        runs.write_tables(found, Path(folder))
        handed = {"tables": list(found), "figures": list(drawn), "data": [_about(table) for table in used]}
        handed |= {"chosen": dict(chosen or {}), "modules": _imported()}
        atomic_write(Path(folder, HANDED_OVER), json.dumps(handed))
    for name, frame in found.items():
        print(f"{name}: {len(frame)} rows, columns {', '.join(map(repr, frame.columns))}")
    for name, draw in drawn.items():
        if _name(draw) in _shown:
            continue
        try:
            _show(draw(runs.as_given(found)) if callable(draw) else draw, _provenance(used))
        except Exception:
            if not folder:
                raise
            # The results are safe by now; the lab draws again by itself and will report this properly.
            print(f"figure {name!r} cannot be drawn:\n{traceback.format_exc()}")


def _imported() -> list[str]:
    """The files of this package that the notebook has imported, as paths within it: what its results depend on."""
    found = (
        getattr(module, "__file__", None) for name, module in list(sys.modules.items()) if name.startswith("ppdp_lab")
    )
    return sorted(
        Path(file).relative_to(PACKAGE).as_posix() for file in found if file and file.startswith(str(PACKAGE))
    )


def _used(data: Any) -> list[Microdata]:
    used = [data] if isinstance(data, Microdata) else list(data)
    for table in used:
        if not isinstance(table, Microdata):
            raise ParameterError(f"data must be a Microdata or a list of them, not {type(table).__name__}")
    return used


def _about(table: Microdata) -> dict[str, Any]:
    roles = {"quasi_identifiers": table.schema.quasi_identifiers, "sensitive": table.schema.sensitive}
    return {"rows": len(table), "provenance": table.provenance, "fingerprint": table.fingerprint(), **roles}


def _name(draw: Any) -> str:
    return f"{getattr(draw, '__module__', '')}.{getattr(draw, '__qualname__', id(draw))}"


def _by_name(figures: Any) -> dict[str, Any]:
    if isinstance(figures, Mapping):
        return {str(name): draw for name, draw in figures.items()}
    figures = [figures] if callable(figures) else list(figures)
    if not all(map(callable, figures)):
        raise ParameterError("figures must be a dict of name to drawing function, or a list of functions")
    return {draw.__name__: draw for draw in figures}


def _provenance(used: list[Microdata]) -> str:
    return ", ".join(dict.fromkeys(t.provenance for t in used))


def _show(figure: Any, provenance: str) -> None:
    from ppdp_lab import plotting

    if provenance:
        plotting.caption(figure, provenance=provenance)
    plotting.show(figure)
