"""Without extras: everything but notebooks works, and what needs an extra says which, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ppdp_lab.errors import MissingExtraError, PPDPError, comes_with
from ppdp_lab.io import still_runs

ROOT = Path(__file__).parents[1]
# What the extras bring along, by the names under which it is imported.
EXTRAS = (
    "papermill", "ipykernel", "IPython", "jupyter_client", "nbclient", "nbformat", "psutil", "jupyterlab", "ipywidgets",
    "seaborn", "cloudpickle", "voila", "distributed", "nbgrader", "mkdocs", "pytest", "hypothesis",
)  # fmt: skip
REFUSE = f"""
import importlib.abc, sys
class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Refuse())
"""
USE = """
import pandas as pd, ppdp_lab as pl
from ppdp_lab import holder, lab
for room in pl._ROOMS:
    getattr(pl, room)
frame = pd.DataFrame({"age": [34, 51, 29, 33], "disease": ["flu", "flu", "HIV", "flu"]})
table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
release = pl.Mondrian(pl.KAnonymity(2)).anonymize(table)
print(pl.KAnonymity(2).check(release), pl.metrics.gcp(release), len(release.to_frame()))
print(pl.attacks.homogeneity(release.published()))
release.plot(), release._repr_html_(), table._repr_html_()
from ppdp_lab.lab.bench import suites
suites()
from ppdp_lab.lab.identity import memory_gb
assert memory_gb() > 0.1
"""


def without_extras(code: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error::UserWarning", "-c", REFUSE + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


def command(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from ppdp_lab.cli import main; sys.argv = ['ppdp-lab', *sys.argv[1:]]; main()"
    return without_extras(code, *arguments, folder=folder)


def test_the_extras_are_no_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {line.partition(">")[0] for line in project["dependencies"]}
    assert not needed & {name.lower() for name in EXTRAS} and "numpy" in needed


def test_algorithms_attacks_and_metrics_work_without(tmp_path: Path) -> None:
    done = without_extras(USE, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "KAnonymity(2) holds in all 2 classes" in done.stdout and not done.stderr


@pytest.mark.slow
def test_the_command_line_works_without(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("age,illness\n30,flu\n31,cold\n40,flu\n44,cold\n")
    rule = ["--qi", "age", "--sensitive", "illness", "--k", "2", "-o", "out.csv"]
    for arguments in (["list"], ["data"], ["data", "adult"], ["anonymize", "mine.csv", *rule]):
        done = command("--root", str(ROOT), *arguments, folder=tmp_path)
        assert done.returncode == 0 and not done.stderr, done.stderr
    assert (tmp_path / "out.csv").read_text().startswith("age,illness\n")


@pytest.mark.parametrize("asked", [("run", "tour"), ("reproduce",)])
def test_what_needs_an_extra_says_which(asked: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "experiments").symlink_to(ROOT / "experiments")
    (tmp_path / "notebooks").symlink_to(ROOT / "notebooks")
    done = command("--root", str(tmp_path), *asked, folder=tmp_path)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].endswith("is not installed; it comes with: pip install 'ppdp_lab[lab]'"), lines
    assert lines[0].startswith(("ppdp-lab: papermill", "ppdp-lab: ipykernel"))
    assert not any((tmp_path / "results").glob("tour/*")) and not (tmp_path / "results" / "SCORECARD.md").exists()


def test_a_sweep_runs_in_one_process_without_extras(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def square(k):\n    return {'squared': k * k}\n")
    asked = ("--root", str(tmp_path), "sweep", "mine:square", "-p", "k=2,3", "--store", str(tmp_path / "store"))
    refused = command(*asked, folder=tmp_path)
    assert refused.returncode == 2 and "Traceback" not in refused.stderr
    assert refused.stderr.splitlines()[-1].endswith("is not installed; it comes with: pip install 'ppdp_lab[lab]'")
    done = command(*asked, "--processes", "0", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no picture: seaborn is not installed; it comes with: pip install 'ppdp_lab[lab]'" in done.stdout
    assert list((tmp_path / "store").rglob("*.parquet"))


def test_the_error_names_package_and_extra() -> None:
    with (
        pytest.raises(
            MissingExtraError, match=r"^no_such is not installed; it comes with: pip install 'ppdp_lab\[docs\]'$"
        ),
        comes_with("docs"),
    ):
        import no_such.part  # type: ignore[import-not-found] # noqa: F401
    assert issubclass(MissingExtraError, PPDPError) and issubclass(MissingExtraError, ImportError)
    with pytest.raises(ModuleNotFoundError, match="ppdp_lab"), comes_with("docs"):  # our own fault, not an extra's
        import ppdp_lab.no_such_room  # type: ignore[import-not-found] # noqa: F401


@pytest.mark.parametrize("psutil", [True, False])
def test_a_process_is_alive_with_and_without_psutil(psutil: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not psutil:
        monkeypatch.setitem(sys.modules, "psutil", None)
    import time

    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    assert still_runs(os.getpid(), time.time()) and not still_runs(done.pid, time.time())
    assert not still_runs(os.getpid(), time.time() - 40 * 86400)  # a number that was given out again
