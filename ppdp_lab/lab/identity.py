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
from ppdp_lab.lab.catalogue import PACKAGE
from ppdp_lab.lab.experiment import Experiment
from ppdp_lab.lab.parameters import cells
from ppdp_lab.lab.runs import write_json

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
# The identity of a run: what its results, figures and verdicts depend on.
#
# Results depend on the parameters, the notebook's code, the Python files of the experiment except figures.py, the data, the
# libraries that compute, and the modules of this package that the kernel imported. Nobody knows the last before the run, so a
# finished run records them with their hashes, and its results are valid as long as none of them changed. Figures and
# verdicts depend on the experiment file, on figures.py and on the modules below; they are made again from results that are
# there. A change anywhere else in the package changes nothing.


DRAWING_AND_JUDGING = (
    "plotting/",
    "pages.py",
    "anonymize/lattice/pictures.py",
    "lab/drawing.py",
    "lab/experiment.py",
    "lab/figures.py",
    "lab/judge.py",
)
# What else no number comes from; no notebook of an experiment imports it.
FRONTS = ("cli/", "explore/", "classroom/", "lab/report.py", "lab/scorecard.py", "sweep/picture.py")
MAKING_TABLES = ("datasets/", "table/", "io/", "errors.py")  # a data set is what these make of its files
CACHE = ".fingerprints.json"


@dataclass(frozen=True)
class DataSet:
    """A data set that a run uses: name, provenance, fingerprint of its rows."""

    name: str
    provenance: str
    fingerprint: str


@dataclass(frozen=True)
class Identity:
    """Hashes of a run and of what its results depend on, the imported modules aside; and the data that went into both."""

    run: str
    results: str
    data: tuple[DataSet, ...]


def identify(experiment: Experiment, scale: str, params: Mapping[str, Any], results: Path) -> Identity:
    """The identity of a run, before it runs.

    ``params`` are all parameters of the notebook and their values, those of the scale included; ``results`` is where
    fingerprints are remembered.
    """
    data = tuple(fingerprint(name, results) for name in data_names(params))
    measuring, drawing = code_of(experiment)
    of_results = {
        "experiment": experiment.name,
        "parameters": dict(params),
        "notebook": notebook_hash(experiment.notebook),
        "code": measuring,
        "data": [(d.name, d.fingerprint) for d in data],
        "versions": computing(),
    }
    whole = of_results | {
        "scale": scale,
        "file": _sha(experiment.path.read_bytes()),
        "drawing": drawing,
        "modules": {name: sha for name, sha in hashes().items() if name.startswith(DRAWING_AND_JUDGING)},
    }
    return Identity(digest(whole), digest(of_results), data)


def code_of(experiment: Experiment) -> tuple[dict[str, str], dict[str, str]]:
    """Hashes of the Python files in the experiment's folder: those that results depend on, and those that only draw."""
    drawing = {figure.draw.rpartition(":")[0] for figure in experiment.figures} | {"figures.py"}
    every = {path.name: _sha(path.read_bytes()) for path in sorted(experiment.path.parent.glob("*.py"))}
    measuring = {name: sha for name, sha in every.items() if name not in drawing}
    return measuring, {name: sha for name, sha in every.items() if name in drawing}


def unchanged(modules: Mapping[str, str] | None) -> bool:
    """Whether a run recorded modules, and they are still the same but for those that only draw and judge."""
    now = hashes()
    return bool(modules) and all(
        now.get(name) == sha for name, sha in (modules or {}).items() if not name.startswith(DRAWING_AND_JUDGING)
    )


def data_names(parameters: Mapping[str, Any]) -> list[str]:
    """Data sets that the parameters ``dataset`` and ``datasets`` name."""
    names: list[str] = []
    for key in ("dataset", "datasets"):
        value = parameters.get(key)
        several = value if isinstance(value, list) else [] if value is None else [value]
        if value == [] or not all(isinstance(name, str) for name in several):
            must = "a data set's name or TOML file in quotes, or a list of them"
            raise ParameterError(f"parameter {key!r} must be {must}, not {value!r}")
        names += several
    return list(dict.fromkeys(names))


def fingerprint(name: str, results: Path) -> DataSet:
    """Provenance and fingerprint of a data set, remembered as long as nothing that it is made from or with changed."""
    made_with = {module: sha for module, sha in hashes().items() if module.startswith(MAKING_TABLES)}
    key = digest([name, made_with, computing(), _sources(name)])
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
    """Names, sizes and times of the files that a data set may come from: bundled ones and the data folder's, or one's own."""
    files = sorted((PACKAGE / "datasets" / "data").rglob("*"))
    folder = os.environ.get("PPDP_LAB_DATA")
    if name.endswith(".toml"):
        path = Path(name)
        with contextlib.suppress(OSError, ValueError):  # load says what is wrong with it
            content = tomllib.loads(path.read_text(encoding="utf-8"))
            trees = content.get("hierarchies")
            named = [content.get("file"), *(trees.values() if isinstance(trees, dict) else ())]
            files = [path, *(path.parent / file for file in named if isinstance(file, str))]
    elif folder:
        files += sorted(Path(folder).rglob("*"))
    return [(str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in files if p.is_file()]


def notebook_hash(notebook: Path) -> str:
    """Hash of a notebook's code; texts, outputs and counters do not matter."""
    return digest([cell["source"] for cell in cells(notebook) if cell["cell_type"] == "code"])


def source_hash() -> str:
    """Hash of all modules of the package that may compute something, for what does not record which it imported."""
    return digest({name: sha for name, sha in hashes().items() if not name.startswith(DRAWING_AND_JUDGING + FRONTS)})


@cache
def hashes() -> dict[str, str]:
    """Hashes of the package's modules, by their path within it, as they were when first asked for."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(PACKAGE / "shipped"))
    return {path.relative_to(PACKAGE).as_posix(): _sha(path.read_bytes()) for path in paths}


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def digest(content: Any) -> str:
    """Sixteen letters that stand for a content that JSON can hold."""
    return _sha(json.dumps(content, sort_keys=True, default=str).encode())[:16]
