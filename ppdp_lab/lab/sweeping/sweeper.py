"""``lab.sweep``: what a user gives, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ppdp_lab.errors import ParameterError, check_integer
from ppdp_lab.lab.sweeping.grid import Grid
from ppdp_lab.lab.sweeping.result import Sweep


def sweep(
    function: Any,
    grid: Grid,
    *,
    store: str | Path | None = None,
    processes: int | None = None,
    cluster: Any = None,
    retry: bool = False,
    force: bool = False,
    scale: str = "quick",
    stop_after: int | None = 10,
    say: Callable[[str], None] | None = print,
) -> Sweep:
    """Call a function at every point of a grid, in parallel, and keep every finished point at once.

    A sweep that was stopped or killed goes on where it stopped when the same call is made again: a point that is in the store,
    computed by the same code from the same data, is not run again.

    Parameters
    ----------
    function : callable, str or Experiment
        A function that takes its parameters by name and returns a number, a dict, a list of dicts or a DataFrame; one that
        is defined in a notebook will do. Or a text: ``"anonymize"`` or ``"publish"``, which take data sets, algorithms,
        publishers, rules, metrics and attacks by registry name; ``"package.module:function"``; an experiment's name or TOML
        file, whose notebook is then run by papermill at every point.
    grid : dict of lists
        Values by parameter; all combinations are run. A list of such dicts puts several grids together. It is checked before
        anything starts.
    store : path, optional
        The folder for points and results; ``results/sweeps`` unless given.
    processes : int, optional
        How many run side by side, each with one thread; as many as there are cores unless given. 0 runs all points in this
        very process, for debugging. A point that kills its process fails alone.
    cluster : address, distributed.Client or cluster, optional
        A dask cluster to run on instead, all of whose machines see the store.
    retry : bool
        Try the points again that failed, and run nothing else. Without it a failure that is in the store stays one.
    force : bool
        Run every point, whatever the store has.
    scale : str
        Of an experiment.
    stop_after : int or None
        Stop when the first ``stop_after`` points all fail with the same error and no point of the grid has succeeded.
        ``None`` runs every point.
    say : callable or None
        Takes the lines about number, time and progress.

    Returns
    -------
    Sweep
        With the tidy ``frame``, ``failures``, and ``plot()``. The same lies in its ``folder``, as Parquet, PNG and SVG.

    Examples
    --------
    >>> import tempfile
    >>> from ppdp_lab import lab
    >>> def loss(k, seed=0):
    ...     return {"loss": k / (10 + seed)}
    >>> swept = lab.sweep(loss, {"k": [2, 5], "seed": [0, 10]}, store=tempfile.mkdtemp(), processes=0, say=None)
    >>> swept
    <Sweep of loss: 4 points (4 executed, 0 found in the store, 0 failed), 4 rows>
    >>> swept.frame
       k  seed  loss
    0  2     0  0.20
    1  2    10  0.10
    2  5     0  0.50
    3  5    10  0.25

    A grid over built-in functions names what the registries have::

        lab.sweep("anonymize", {"dataset": ["adult", "occ"], "rows": 5000, "algorithm": ["mondrian", "kmember"],
                                "k": [2, 5, 10]})
    """
    if retry and force:
        raise ParameterError("retry runs what failed, force runs everything; choose one of them")
    if processes is not None:
        processes = check_integer("processes", processes, at_least=0)
    if stop_after is not None:
        stop_after = check_integer("stop_after", stop_after, at_least=1)
    # Not before something is swept: this takes all algorithms and metrics along.
    from ppdp_lab.lab.sweeping.running import Wanted, run_sweep

    wanted = Wanted(store, processes, cluster, retry, force, scale, stop_after, say or (lambda line: None))
    return run_sweep(function, grid, wanted)
