"""How far a cell is: what its progress bars say, read off the messages of the kernel while it runs."""

from __future__ import annotations

import html
import logging
import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ppdp_lab.errors import PPDPError, comes_with
from ppdp_lab.lab.identity import PACKAGE
from ppdp_lab.lab.parameters import cells

_SHARE = re.compile(r"^(?:(?P<what>.*?):)?\s*(?P<share>\d+)%")


class CellProgress:
    """Tells what the bars of the running cell say, such as ``seed 33%, k 67%``; an outer bar stands before an inner one.

    tqdm draws widgets in a notebook, and text on stderr where there are none; both say ``name: 33%``. A bar that is full
    says nothing any more.

    >>> told = []
    >>> progress = CellProgress(told.append)
    >>> progress.see({"msg_type": "stream", "content": {"name": "stderr", "text": "\\rseed:  33%|###       | 1/3"}})
    >>> told
    ['seed 33%']
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.bars: dict[str, str] = {}

    def begin(self) -> None:
        """A new cell: the bars of the last one are gone."""
        self.bars.clear()

    def see(self, message: Mapping[str, Any]) -> None:
        """Look at one message."""
        kind, content = message.get("msg_type", ""), message.get("content", {})
        if kind == "stream" and content.get("name") == "stderr":
            self._says("stderr", re.split(r"[\r\n]", content.get("text", "").rstrip())[-1])
        elif kind in ("comm_open", "comm_msg"):
            value = content.get("data", {}).get("state", {}).get("value")
            if isinstance(value, str):
                self._says(content.get("comm_id", ""), html.unescape(value))

    def _says(self, bar: str, text: str) -> None:
        found = _SHARE.match(text.strip())
        if found is None:
            return
        before = dict(self.bars)
        if int(found["share"]) >= 100:
            self.bars.pop(bar, None)
        else:
            self.bars[bar] = f"{(found['what'] or '').strip()} {found['share']}%".strip()
        if self.bars and self.bars != before:
            self.tell(", ".join(self.bars.values()))


# --------------------------------------------------------------------
# Executing a notebook with papermill, in a kernel of the interpreter that runs this code.


ENGINE = "ppdp_lab"


class NotebookError(PPDPError, RuntimeError):
    """A notebook failed: which cell, what it begins with, and the error."""


@contextmanager
def without_addresses() -> Iterator[None]:
    """Keep jsonschema from making ready, while it is imported, to check addresses by their grammar: nbformat never asks it to,
    and it takes longer than all the rest (2.4 of 3.2 seconds). It takes the package for one that is not installed."""
    name = "rfc3987_syntax"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # import refuses it
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
    configuration say. ``watch(done, total)`` is called before each cell; if it has a method ``tell(said)``, that one is called
    whenever a progress bar of the running cell moves.
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
                tell=getattr(watch, "tell", lambda said: None),
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
    """Teach papermill to tell us which cell it is at, and how far the cell is."""
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class WatchedClient(PapermillNotebookClient):
        """papermill's own client; what the kernel says is looked at as it comes in."""

        def process_message(self, msg: Any, *args: Any, **kwargs: Any) -> Any:
            self.nb_man.inside.see(msg)
            return super().process_message(msg, *args, **kwargs)

    class WatchedEngine(NBClientEngine):
        """papermill's own engine, observed."""

        @classmethod
        def execute_managed_notebook(
            cls, nb_man: Any, kernel_name: str, *, watch: Any = None, tell: Any = None, **kwargs: Any
        ) -> Any:
            start = nb_man.cell_start
            nb_man.inside = CellProgress(tell)

            def cell_start(cell: Any, cell_index: int | None = None, **more: Any) -> Any:
                nb_man.inside.begin()
                watch(cell_index or 0, len(nb_man.nb.cells))
                return start(cell, cell_index, **more)

            nb_man.cell_start = cell_start
            known = {name: value for name, value in kwargs.items() if name in WatchedClient.class_trait_names()}
            return WatchedClient(nb_man, kernel_name=kernel_name, log=logging.getLogger("papermill"), **known).execute()

    papermill_engines.register(ENGINE, WatchedEngine)
