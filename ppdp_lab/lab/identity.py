"""What a run was made with: versions, hardware, commit."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import subprocess
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import ppdp_lab
from ppdp_lab import datasets
from ppdp_lab.anonymize.lattice.workers import CORES
from ppdp_lab.errors import ParameterError, comes_with
from ppdp_lab.lab.experiment import Experiment
from ppdp_lab.lab.parameters import cells
from ppdp_lab.lab.runs import write_json

PACKAGE = Path(ppdp_lab.__file__).parent
COMPUTING = ("numpy", "numba", "scipy", "pandas")
DEPENDENCIES = (*COMPUTING, "pyarrow", "matplotlib", "papermill", "ipykernel")


def describe() -> dict[str, Any]:
    """Package, dependencies, interpreter, processor and commit, for ``environment.json``."""
    return {
        "ppdp_lab": ppdp_lab.__version__,
        "commit": commit(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "dependencies": _versions(DEPENDENCIES),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "cores_available": CORES,
        "memory_gb": round(memory_gb(), 1),
    }


def computing() -> dict[str, str]:
    """What may change a number though no line of this package changes: the Python minor version, and versions of libraries."""
    return {"python": ".".join(platform.python_version_tuple()[:2]), **_versions(COMPUTING)}


def _versions(names: Iterable[str]) -> dict[str, str]:
    return {name: metadata.version(name) for name in names}


def commit() -> str | None:
    """The commit of the source tree that the package lies in, with ``+changes`` if it is not clean; None outside git."""
    try:
        head = _git("rev-parse", "HEAD")
        return head + ("+changes" if _git("status", "--porcelain", "--", str(PACKAGE)) else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(PACKAGE), *arguments], capture_output=True, text=True, check=True, timeout=20
    )
    return done.stdout.strip()


def cpu_model() -> str:
    """The processor's name."""
    known = Path("/proc/cpuinfo")  # on Linux only
    named = re.search("^model name.*: (.*)$", known.read_text() if known.is_file() else "", re.MULTILINE)
    return named[1] if named else platform.processor() or platform.machine()


def memory_gb() -> float:
    """Memory of the machine in GB."""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    with comes_with("lab"):
        import psutil
    return float(psutil.virtual_memory().total) / 1e9


# --------------------------------------------------------------------
# Who a run is: a hash of its parameters, notebook, experiment file, package source, data, and versions of what computes.
#
# Two hashes. The *run's* covers all of it and names the folder. That of its *results* leaves out the experiment file and the
# parts of the package that only draw, judge and print: if nothing but those changed, figures and verdicts are made anew from
# results that are already there. Whatever a notebook computes with lies outside those parts.


PRESENTATION = (
    "plotting/",
    "pages.py",
    "table/showing.py",
    "table/hierarchies/showing.py",
    "release/pictures.py",
    "attacks/results/pictures.py",
    "anonymize/lattice/nodes/pictures.py",
    "anonymize/lattice/nodes/sketches.py",
    "cli/",
    "explore/",
    "lab/classroom/",
    "lab/drawings/",
    "lab/report/",
    "lab/sweeping/picture.py",
)
CACHE = ".fingerprints.json"


@dataclass(frozen=True)
class DataSet:
    """A data set that a run uses: name, provenance, fingerprint of its rows."""

    name: str
    provenance: str
    fingerprint: str


@dataclass(frozen=True)
class Identity:
    """Hashes of a run and of its results, and the data that went into both."""

    run: str
    results: str
    data: tuple[DataSet, ...]


def identify(
    experiment: Experiment, scale: str, parameters: Mapping[str, Any], known: Mapping[str, Any], results: Path
) -> Identity:
    """The identity of a run, before it runs.

    ``parameters`` are those given to the notebook, ``known`` its own; ``results`` is where fingerprints are remembered.
    """
    effective = {**known, **parameters}
    data = tuple(fingerprint(name, results) for name in data_names(effective))
    common = {
        "experiment": experiment.name,
        "parameters": effective,
        "notebook": notebook_hash(experiment.notebook),
        "data": [(d.name, d.fingerprint) for d in data],
        "versions": computing(),
    }
    whole = {
        "scale": scale,
        "file": _sha(experiment.path.read_bytes()),
        "source": source_hash(),
        "drawings": drawings(experiment),
    }
    # Scale and file decide captions and verdicts, not results: a scale is its parameters, which are in `common`.
    return Identity(digest(common | whole), digest(common | {"source": source_hash(presentation=False)}), data)


def data_names(parameters: Mapping[str, Any]) -> list[str]:
    """Data sets that the parameters ``dataset`` and ``datasets`` name."""
    names: list[str] = []
    for key in ("dataset", "datasets"):
        said = parameters.get(key)
        several = said if isinstance(said, list) else [] if said is None else [said]
        if said == [] or not all(isinstance(name, str) for name in several):
            must = "a data set's name or TOML file in quotes, or a list of them"
            raise ParameterError(f"parameter {key!r} must be {must}, not {said!r}")
        names += several
    return list(dict.fromkeys(names))


def fingerprint(name: str, results: Path) -> DataSet:
    """Provenance and fingerprint of a data set, remembered as long as no file that it may come from changed."""
    key = digest([name, source_hash(presentation=False), computing(), _sources(name)])
    path = results / CACHE
    try:
        remembered = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        remembered = {}
    if key not in remembered:
        table = datasets.load(name)
        remembered[key] = [table.provenance, table.fingerprint()]
        results.mkdir(parents=True, exist_ok=True)
        write_json(path, remembered)
    return DataSet(name, *remembered[key])


def _sources(name: str) -> list[tuple[str, int, int]]:
    """Names, sizes and times of the files that a data set may come from: those of the data folder, or one's own."""
    files: list[Path] = []
    folder = os.environ.get("PPDP_LAB_DATA")
    if name.endswith(".toml"):
        path = Path(name)
        with contextlib.suppress(OSError, ValueError):  # load says what is wrong with it
            said = tomllib.loads(path.read_text(encoding="utf-8"))
            trees = said.get("hierarchies")
            named = [said.get("file"), *(trees.values() if isinstance(trees, dict) else ())]
            files = [path, *(path.parent / file for file in named if isinstance(file, str))]
    elif folder:
        files = sorted(Path(folder).rglob("*"))
    return [(str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in files if p.is_file()]


def notebook_hash(notebook: Path) -> str:
    """Hash of a notebook's cells; outputs and counters do not matter."""
    return digest([[cell["cell_type"], cell["source"]] for cell in cells(notebook)])


@cache
def source_hash(presentation: bool = True) -> str:
    """Hash of the package's source, with or without what only draws, judges and prints."""
    names = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    counted = {name: path for name, path in names.items() if presentation or not name.startswith(PRESENTATION)}
    return digest({name: _sha(path.read_bytes()) for name, path in counted.items()})


def drawings(experiment: Experiment) -> list[str]:
    """Hashes of drawing files that lie outside the package."""
    files = {figure.draw.rpartition(":")[0] for figure in experiment.figures}
    paths = [experiment.path.parent / file for file in sorted(files) if file.endswith(".py")]
    return [_sha(path.read_bytes()) for path in paths if path.is_file()]


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def digest(content: Any) -> str:
    """Sixteen letters that stand for a content that JSON can hold."""
    return _sha(json.dumps(content, sort_keys=True, default=str).encode())[:16]
