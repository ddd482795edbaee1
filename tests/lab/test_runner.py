"""Runs: the demonstration end to end, once; then what is not run again, what fails, and what is redrawn."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from ppdp_lab.errors import ParameterError, PPDPError, UnknownNameError
from ppdp_lab.lab import read, runner, scorecard
from ppdp_lab.lab import runs as folders
from ppdp_lab.lab import runs as tables
from ppdp_lab.lab.experiment import FAILS, HOLDS, NOT_MEASURABLE, NOT_TESTED
from ppdp_lab.lab.figures import DrawingError, present
from ppdp_lab.lab.judge import ClaimError
from ppdp_lab.lab.kernel import NotebookError
from ppdp_lab.lab.report import gallery
from ppdp_lab.lab.runner import reproduce, run
from ppdp_lab.lab.runs import HANDED_OVER, Run, latest

DATA = Path(__file__).parent / "data" / "experiments"
HEAD = 'name = "small"\ntitle = "t"\nnotebook = "small.ipynb"\n[scale.quick]\n[scale.paper]\n'


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demonstration, executed once for this file."""
    root = tmp_path_factory.mktemp("demo")
    shutil.copytree(DATA, root / "experiments")
    lines = []
    done = run(
        read(root / "experiments" / "demo" / "experiment.toml"),
        results=root / "results",
        scale="tiny",
        say=lines.append,
    )
    return root, done, lines


@pytest.fixture
def no_kernel(monkeypatch):
    """Whoever executes a notebook now fails."""

    def refuse(*_, **__):
        raise AssertionError("a notebook was executed")

    monkeypatch.setattr(runner, "execute", refuse)


def small(folder, *sources, toml=HEAD):
    """An experiment whose notebook has these cells after its parameters."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_markdown_cell("# Small"), nbformat.v4.new_code_cell("k = 5")]
    notebook.cells[1].metadata["tags"] = ["parameters"]
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in sources]
    folder.mkdir(exist_ok=True)
    nbformat.write(notebook, folder / "small.ipynb")
    (folder / "small.toml").write_text(toml)
    return read(folder / "small.toml")


def pretend(monkeypatch, figures=(), **columns):
    """In place of a kernel: leave behind what ``finish`` would."""

    def execute(notebook, output, parameters, environment, watch, *_):
        folder = Path(environment["PPDP_LAB_RUN"])
        shutil.copy(notebook, output)
        tables.write_tables({"results": pd.DataFrame(columns or {"v": [0.0]})}, folder)
        handed = {"tables": ["results"], "figures": list(figures), "data": [], "modules": ["table/domain.py"]}
        (folder / HANDED_OVER).write_text(json.dumps(handed))
        watch(0, 1)

    monkeypatch.setattr(runner, "execute", execute)


# ---------------------------------------------------------------------- the demonstration
def test_a_run_leaves_one_complete_folder(demo):
    root, done, lines = demo
    assert done.executed and done.folder.parent == root / "results" / "demo"
    files = sorted(p.relative_to(done.folder).as_posix() for p in done.folder.rglob("*") if p.is_file())
    drawn = [f"figures/{name}.{suffix}" for name in ("boxes", "loss") for suffix in ("png", "svg")]
    tables_of_demo = ["results/boxes.parquet", "results/loss.parquet"]
    assert files == ["environment.json", *drawn, "finish.json", "notebook.ipynb", *tables_of_demo, "verdicts.json"]
    assert [p.name for p in done.folder.parent.iterdir()] == [done.folder.name]
    assert lines[0] == "demo (tiny): 8 cells" and lines[-1].startswith("demo (tiny): 8 cells in ")
    executed = nbformat.read(done.folder / "notebook.ipynb", as_version=4)
    assert sum(o.output_type == "display_data" for c in executed.cells for o in c.get("outputs", [])) == 2


def test_results_are_tidy_and_judged(demo):
    _, done, _ = demo
    assert list(done.results) == ["loss", "boxes"] and done.results["loss"]["k"].tolist() == [2, 4, 8]
    assert not any(table.isna().any(axis=None) for table in done.results.values())
    verdicts = {v.id: v for v in done.verdicts}
    assert [v.verdict for v in verdicts.values()] == [HOLDS, FAILS, NOT_TESTED, NOT_MEASURABLE]
    assert verdicts["too-good"].reason == "The table is tiny, so its boxes are wide."


def test_the_environment_is_written_down(demo):
    notes = demo[1].environment
    assert notes["parameters"] == {"rows": 60, "ks": [2, 4, 8], "seed": 1, "pause": 0.0, "fail": False}
    assert (notes["seed"], notes["scale"], notes["provenance"], notes["given"]) == (1, "tiny", "invented", {})
    assert notes["identity"] == demo[1].folder.name and notes["seconds"] > 0
    machine = notes["machine"]
    assert machine["python"].startswith("CPython 3.") and machine["cores"] >= 1 and machine["cpu"]
    assert machine["dependencies"]["numpy"] and machine["ppdp_lab"] and "commit" in machine
    assert notes["data_used"][0]["rows"] == 60 and len(notes["data_used"][0]["fingerprint"]) == 16


def test_a_finished_run_is_not_run_again(demo, no_kernel):
    root, done, _ = demo
    again = run(
        read(root / "experiments" / "demo" / "experiment.toml"),
        results=root / "results",
        scale="tiny",
        say=lambda line: None,
    )
    assert again == Run(done.folder, executed=False)
    with pytest.raises(AssertionError, match="was executed"):
        run(read(root / "experiments" / "demo" / "experiment.toml"), results=root / "results", scale="tiny", force=True)
    assert [p.name for p in done.folder.parent.iterdir()] == [done.folder.name]


def test_redrawn_figures_have_the_same_bytes(demo):
    root, done, _ = demo
    figures = sorted((done.folder / "figures").iterdir())
    was = [(path.name, path.read_bytes()) for path in figures]
    for path in figures:
        path.unlink()
    present(read(root / "experiments" / "demo" / "experiment.toml"), done)
    assert [(path.name, path.read_bytes()) for path in figures] == was


def test_a_change_of_the_file_alone_needs_no_new_run(demo, no_kernel, tmp_path):
    root, done, _ = demo
    shutil.copytree(root, tmp_path / "copy")
    path = tmp_path / "copy" / "experiments" / "demo" / "experiment.toml"
    path.write_text(path.read_text().replace("paper = 0.001", "paper = 1.0"))
    again = run(read(path), results=tmp_path / "copy" / "results", scale="tiny", say=lambda line: None)
    assert again.folder.name != done.folder.name and not again.executed
    assert {v.id: v.verdict for v in again.verdicts}["too-good"] == HOLDS
    notebook = path.parent / "demo.ipynb"
    text = notebook.read_text()
    notebook.write_text(text.replace("What does k cost?", "What?"))  # a text computes nothing
    assert not run(read(path), results=tmp_path / "copy" / "results", scale="tiny", say=lambda line: None).executed
    notebook.write_text(text.replace("time.sleep(pause)", "time.sleep(pause + 0)"))
    with pytest.raises(AssertionError, match="was executed"):
        run(read(path), results=tmp_path / "copy" / "results", scale="tiny")


def test_results_are_valid_as_long_as_the_modules_that_the_kernel_imported_are(demo, no_kernel, tmp_path):
    root, done, _ = demo
    recorded = done.environment["modules"]
    assert {"anonymize/mondrian.py", "lab/notebook.py", "plotting/axes.py"} <= set(recorded)
    assert "lab/judge.py" not in recorded and "lab/runner.py" not in recorded  # these run outside the kernel

    def again(changed):
        """Run as if one of the recorded modules had another content then."""
        shutil.copytree(root, tmp_path / changed.replace("/", "-"))
        folder = tmp_path / changed.replace("/", "-")
        notes = folder / "results" / "demo" / done.folder.name / "environment.json"
        notes.write_text(notes.read_text().replace(recorded[changed], "0" * 64))
        path = folder / "experiments" / "demo"
        return run(read(path), results=folder / "results", scale="tiny", say=lambda line: None)

    assert not again("plotting/axes.py").executed
    for name in ("anonymize/mondrian.py", "table/microdata.py"):
        with pytest.raises(AssertionError, match="was executed"):
            again(name)


def test_broken_results_are_not_used_again(demo, no_kernel, tmp_path):
    root, done, _ = demo
    shutil.copytree(root, tmp_path / "copy")
    path = tmp_path / "copy" / "experiments" / "demo" / "experiment.toml"
    path.write_text(path.read_text() + "\n# a remark\n")
    (tmp_path / "copy" / "results" / "demo" / done.folder.name / "results" / "loss.parquet").write_text("no table")
    with pytest.raises(AssertionError, match="was executed"):
        run(read(path), results=tmp_path / "copy" / "results", scale="tiny")


def test_wrong_parameters_are_refused_before_anything_starts(demo, no_kernel):
    root, done, _ = demo
    experiment = read(root / "experiments" / "demo" / "experiment.toml")
    for given, scale, words in [({"row": 5}, "tiny", "did you mean 'rows'"), ({"rows": "x"}, "tiny", "a whole number")]:
        with pytest.raises(ParameterError, match=words):
            run(experiment, results=root / "results", scale=scale, given=given)
    with pytest.raises(UnknownNameError, match="did you mean 'tiny'"):
        run(experiment, results=root / "results", scale="tin")
    assert [p.name for p in done.folder.parent.iterdir()] == [done.folder.name]


def test_scorecard_and_gallery_show_paper_and_measured_values(demo, tmp_path):
    root, done, _ = demo
    experiment = read(root / "experiments" / "demo" / "experiment.toml")
    scored = scorecard.collect([experiment], root / "results", "tiny")
    plain = scorecard.plain(scored)
    for words in (
        "at most 0.001",
        "does not hold",
        "`too-good` (does not hold): The table is tiny",
        "seed 1",
        "rho = 1.00 over 3 points",
    ):
        assert words in plain
    assert "4 claims: 1 holds, 1 does not hold, 1 not tested" in plain
    path = gallery(scored, tmp_path / "figures", root / "results")
    assert "| The larger k, the more is lost. | Figure 1 | rises with k |" in path.read_text()
    assert (tmp_path / "figures" / "demo" / "loss.svg").read_bytes() == (
        done.folder / "figures" / "loss.svg"
    ).read_bytes()
    assert "no finished run" in scorecard.plain(scorecard.collect([experiment], root / "results", "paper"))


def test_two_columns_where_the_rows_differ(demo, tmp_path):
    """Real rows beside the stand-in; an experiment with one kind of rows has one column."""
    root, done, _ = demo
    experiment = read(root / "experiments" / "demo" / "experiment.toml")
    shutil.copytree(root / "results", tmp_path / "results")
    first = tmp_path / "results" / "demo" / done.folder.name
    second = first.with_name("f" * 16)
    shutil.copytree(first, second)
    for folder, kind in ((first, "stand-in"), (second, "real")):
        notes = json.loads((folder / "environment.json").read_text())
        notes["data_used"][0]["provenance"] = notes["provenance"] = kind
        (folder / "environment.json").write_text(json.dumps(notes))
    verdicts = json.loads((second / "verdicts.json").read_text())
    verdicts[1] |= {"measured": "0.0005", "verdict": HOLDS, "reason": ""}
    (second / "verdicts.json").write_text(json.dumps(verdicts))
    [scored] = scorecard.collect([experiment], tmp_path / "results", "tiny")
    assert scored.header[3:] == (
        "measured, stand-in", "verdict, stand-in", "measured, real rows", "verdict, real rows"
    )  # fmt: skip
    [row] = [row for row in scored.rows if row[0].startswith("Hardly anything")]
    assert row[4:] == (FAILS, "0.0005", HOLDS)
    text = scorecard.markdown([scored])
    assert "data stand-in and real" in text and "`too-good` (does not hold; stand-in): The table is tiny" in text
    assert "demo, real rows: 2 hold," in text and "demo, stand-in: 1 holds, 1 does not hold" in text
    path = gallery([scored], tmp_path / "figures", tmp_path / "results")
    assert "verdict, real rows" in path.read_text()


# ---------------------------------------------------------------------- failures
def test_a_failing_notebook_is_named_with_cell_and_error(tmp_path):
    experiment = small(tmp_path, "x = 1", "\n# the third cell of code\nraise ValueError('no\\nluck')", "print('never')")
    with pytest.raises(NotebookError) as error:
        run(experiment, results=tmp_path / "results", given={"k": 6}, say=lambda line: None)
    kept = next((tmp_path / "results" / "small").iterdir())
    said = "small.ipynb failed in cell 4 (`# the third cell of code`): ValueError: no luck"
    assert str(error.value) == f"{said} (kept in {kept})"
    assert kept.name.startswith("failed-") and (kept / "notebook.ipynb").is_file()
    assert folders.finished_runs(kept.parent) == []


def test_a_dying_kernel_is_reported(tmp_path):
    experiment = small(tmp_path, "import os", "os._exit(1)")
    with pytest.raises(NotebookError, match=r"kernel died in cell 4 of 4"):
        run(experiment, results=tmp_path / "results", say=lambda line: None)


def test_a_notebook_must_finish(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "execute", lambda *args: None)
    with pytest.raises(NotebookError, match=r"without lab\.finish"):
        run(small(tmp_path), results=tmp_path / "results", say=lambda line: None)


def test_figures_must_agree_with_the_file(tmp_path, monkeypatch):
    pretend(monkeypatch, figures=["fig1"])
    with pytest.raises(NotebookError, match=r"finishes with figures 'fig1', but small\.toml names none"):
        run(small(tmp_path), results=tmp_path / "results", say=lambda line: None)


@pytest.mark.parametrize(
    "source, draw, words",
    [
        ("def fig(results): 1 / 0", "d.py:fig", "ZeroDivisionError"),
        ("def fig(results): return 3", "d.py:fig", "returned int, not a matplotlib Figure"),
        ("def fib(results): ...", "d.py:fig", "did you mean 'fib'"),
        ("", "e.py:fig", "no file"),
        ("", "ppdp_lab.nowhere:fig", "cannot import ppdp_lab.nowhere"),
    ],
)
def test_a_drawing_that_fails_is_named(tmp_path, monkeypatch, source, draw, words):
    pretend(monkeypatch, figures=["fig"])
    (tmp_path / "d.py").write_text(source)
    experiment = small(tmp_path, toml=HEAD + f'[[figure]]\nname = "fig"\ncaption = "c"\ndraw = "{draw}"\n')
    with pytest.raises(PPDPError, match=words) as error:
        run(experiment, results=tmp_path / "results", say=lambda line: None)
    assert "figure 'fig'" in str(error.value)
    assert issubclass(DrawingError, PPDPError)


def test_a_claim_in_error_keeps_the_results_for_the_next_try(tmp_path, monkeypatch):
    claim = '[[claim]]\nid = "c"\ntext = "t"\nkind = "zero"\nvalue = "w"\n'
    pretend(monkeypatch, v=[0.0, 0.0])
    with pytest.raises(ClaimError, match=r"small\.toml: claim 'c': cannot compute value = 'w'"):
        run(small(tmp_path, toml=HEAD + claim), results=tmp_path / "results", say=lambda line: None)
    assert folders.finished_runs(tmp_path / "results" / "small") == []
    experiment = small(tmp_path, toml=HEAD + claim.replace('"w"', '"v"'))
    done = run(experiment, results=tmp_path / "results", say=lambda line: None)
    assert not done.executed and done.verdicts[0].verdict == HOLDS


def test_with_changed_parameters_an_unanswered_claim_is_not_tested(tmp_path, monkeypatch):
    claim = '[[claim]]\nid = "c"\ntext = "t"\nkind = "zero"\nvalue = "v"\nwhere = "v > 7"\n'
    pretend(monkeypatch)
    done = run(small(tmp_path, toml=HEAD + claim), results=tmp_path / "results", given={"k": 7}, say=lambda line: None)
    assert done.verdicts[0].verdict == NOT_TESTED and "selects none" in done.verdicts[0].reason
    assert latest("small", tmp_path / "results", "quick") is None


def test_an_interrupted_run_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "execute", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(small(tmp_path), results=tmp_path / "results", say=lambda line: None)
    assert list((tmp_path / "results" / "small").iterdir()) == []


# ---------------------------------------------------------------------- many runs
def test_reproduce_goes_on_after_a_failure(tmp_path, monkeypatch):
    pretend(monkeypatch)
    good = small(tmp_path / "a")
    bad = small(tmp_path / "b", toml="exclusive = true\n" + HEAD.replace('"small"', '"bad"', 1))
    monkeypatch.setattr(bad.__class__, "parameters", lambda self, scale: {"m": 1} if self.name == "bad" else {})
    lines = []
    runs, failures = reproduce([bad, good], results=tmp_path / "results", scale="quick", say=lines.append)
    assert list(runs) == ["small"] and runs["small"].executed
    assert list(failures) == ["bad"] and "unknown parameter" in failures["bad"]
    assert len(folders.finished_runs(tmp_path / "results" / "small")) == 1
    assert any(line.startswith("bad: failed: ") for line in lines)


def test_reproduce_in_processes(demo, tmp_path):
    """Two processes: one finds its run, the other its scale missing."""
    root, _, _ = demo
    experiment = read(root / "experiments" / "demo" / "experiment.toml")
    other = small(tmp_path)
    both = [experiment, other]
    runs, failures = reproduce(both, results=root / "results", scale="tiny", workers=2, say=lambda line: None)
    assert runs["demo"].results["loss"]["k"].tolist() == [2, 4, 8]
    assert list(failures) == ["small"] and "unknown scale" in failures["small"]
