"""Executing a notebook with papermill, in a kernel of the interpreter that runs this code."""

from __future__ import annotations

import logging
import os
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ppdp_lab.errors import PPDPError, comes_with
from ppdp_lab.lab.catalogue import PACKAGE
from ppdp_lab.lab.parameters import cells

ENGINE = "ppdp_lab"


class NotebookError(PPDPError, RuntimeError):
    """A notebook failed: which cell, what it begins with, and the error."""


@contextmanager
def without_addresses() -> Iterator[None]:
    """Make jsonschema believe, while it is imported, that the optional package rfc3987_syntax is not installed.

    jsonschema would compile that package's grammar of web addresses, which nbformat never uses. Importing papermill takes
    2.3 seconds of processor time with the grammar and 0.6 without it. jsonschema has no setting for this.
    """
    name = "rfc3987_syntax"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # importing it raises ImportError
    try:
        yield
    finally:
        del sys.modules[name]


def require() -> None:
    """Refuse where what runs notebooks is not installed, before anything starts."""
    with comes_with("lab"), without_addresses():
        import ipykernel
        import papermill

    _ = papermill, ipykernel


def execute(
    notebook: Path,
    output: Path,
    parameters: Mapping[str, Any],
    environment: Mapping[str, str],
    watch: Callable[[int, int], None],
) -> None:
    """Run a notebook from top to bottom in its own folder and save it with its outputs.

    No kernel needs to be installed: the kernel is always ``sys.executable``, whatever the notebook's metadata or a Jupyter
    configuration say. ``watch(done, total)`` is called before each cell.
    """
    with comes_with("lab"), without_addresses():
        import nbclient.exceptions
        import papermill
        from jupyter_client.kernelspec import KernelSpec
        from jupyter_client.manager import AsyncKernelManager
        from papermill.exceptions import PapermillExecutionError

    _register_engine()
    # The kernel's own log is not for readers: errors of cells stand in the notebook, and an interrupt is how it is ended.
    here = KernelSpec(
        argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=CRITICAL"],
        env=same_package() | dict(environment),
        display_name="Python 3",
        language="python",
    )

    class OwnKernel(AsyncKernelManager):
        """A kernel of this very interpreter."""

        @property
        def kernel_spec(self) -> KernelSpec:
            return here

    at = [0, 0]

    def watching(done: int, total: int) -> None:
        at[:] = done, total
        watch(done, total)

    logging.getLogger("papermill").setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of papermill's and zmq's making; the notebook's own stand in its outputs
            papermill.execute_notebook(
                notebook,
                output,
                parameters=dict(parameters),
                engine_name=ENGINE,
                kernel_name="python3",
                language="python",
                progress_bar=False,
                cwd=notebook.parent,
                kernel_manager_class=OwnKernel,
                watch=watching,
            )
    except PapermillExecutionError as error:
        first = next((line for line in error.source.splitlines() if line.strip()), "").strip()
        said = f"{error.ename}: {error.evalue}".strip().removesuffix(":")
        place = f"cell {_number_in(output, error.source)} (`{first}`)"
        raise NotebookError(f"{notebook.name} failed in {place}: {' '.join(said.split())}") from None
    except (nbclient.exceptions.DeadKernelError, nbclient.exceptions.CellTimeoutError, RuntimeError) as error:
        if isinstance(error, PPDPError):
            raise
        raise NotebookError(
            f"{notebook.name}: the kernel died in cell {at[0] + 1} of {at[1]}, perhaps for lack of memory: "
            f"{' '.join(str(error).split())[:300]}"
        ) from None


def same_package() -> dict[str, str]:
    """What a new process needs in its environment to find the very package whose source was hashed, wherever it starts."""
    home = str(PACKAGE.parent)
    if home in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        return {}
    paths = [home, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def _number_in(output: Path, source: str) -> int:
    """Number of a failed cell in the notebook as its author sees it, without the cells that papermill put in."""

    added = {"injected-parameters", "papermill-error-cell-tag"}
    own = [cell for cell in cells(output) if not added & set(cell["tags"])]
    for number, cell in enumerate(own, start=1):
        if any(part.get("output_type") == "error" for part in cell.get("outputs", [])):
            return number
    return next((n for n, cell in enumerate(own, start=1) if cell["source"] == source), 0)


def _register_engine() -> None:
    """Have papermill call ``watch`` before each cell."""
    from papermill.engines import NBClientEngine, papermill_engines

    class WatchedEngine(NBClientEngine):
        """papermill's own engine, observed."""

        @classmethod
        def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, *, watch: Any = None, **kwargs: Any) -> Any:
            start = nb_man.cell_start

            def cell_start(cell: Any, cell_index: int | None = None, **more: Any) -> Any:
                watch(cell_index or 0, len(nb_man.nb.cells))
                return start(cell, cell_index, **more)

            nb_man.cell_start = cell_start
            return super().execute_managed_notebook(nb_man, kernel_name, **kwargs)

    papermill_engines.register(ENGINE, WatchedEngine)
