"""Who a run is: everything that can change its results changes its name, before it runs."""

from __future__ import annotations

import ast
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from ppdp_lab.errors import DataFileError, ParameterError, UnknownNameError
from ppdp_lab.lab import identity, read
from ppdp_lab.lab.identity import data_names, fingerprint, identify
from ppdp_lab.lab.parameters import cells

DATA = Path(__file__).parent / "data" / "experiments"
ROOT = Path(__file__).parents[2]
KNOWN = {"rows": 50, "seed": 1}


@pytest.fixture
def demo(tmp_path):
    shutil.copytree(DATA, tmp_path / "experiments")
    return read(tmp_path / "experiments" / "demo.toml")


@pytest.fixture
def own(tmp_path):
    """A table of one's own."""
    (tmp_path / "mine.csv").write_text("age,illness\n30,flu\n40,cold\n")
    path = tmp_path / "mine.toml"
    path.write_text('file = "mine.csv"\nquasi_identifiers = ["age"]\nsensitive = "illness"\n')
    return path


def test_each_part_counts(demo, tmp_path):
    results = tmp_path / "results"

    def hashes(parameters=(), scale="quick", experiment=demo):
        found = identify(experiment, scale, dict(parameters), KNOWN, results)
        return found.run, found.results

    base = hashes()
    assert hashes() == base == hashes({"rows": 50})  # a default said aloud is the same run
    assert hashes({"rows": 51})[1] != base[1]
    assert hashes(scale="paper")[0] != base[0] and hashes(scale="paper")[1] == base[1]
    demo.path.write_text(demo.path.read_text() + "\n# a remark\n")
    assert hashes()[0] != base[0] and hashes()[1] == base[1]
    drawing = demo.path.parent / "demo_drawings.py"
    changed = hashes()
    drawing.write_text(drawing.read_text() + "\n")
    assert hashes()[0] != changed[0] and hashes()[1] == base[1]
    text = demo.notebook.read_text()
    demo.notebook.write_text(text.replace('"outputs": []', '"outputs": [{"output_type": "stream", "text": "x"}]'))
    assert hashes()[1] == base[1]  # what was printed does not matter
    demo.notebook.write_text(text.replace("seed = 1", "seed = 2"))
    assert hashes()[1] != base[1]
    assert hashes(experiment=replace(demo, name="other"))[1] != base[1]


@pytest.fixture
def source(demo, tmp_path, monkeypatch):
    """A copy of the package's source, to be changed; returns both identities before and after a file is changed."""
    package = tmp_path / "package"
    shutil.copytree(identity.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "data"))
    monkeypatch.setattr(identity, "PACKAGE", package)

    def now():
        identity.source_hash.cache_clear()
        found = identify(demo, "quick", {}, KNOWN, tmp_path)
        return found.run, found.results

    def changed(name, old="", new="\n"):
        before, path = now(), package / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1) if old else text + new)
        after = now()
        return after[0] != before[0], after[1] != before[1]

    yield changed
    monkeypatch.undo()
    identity.source_hash.cache_clear()


COMPUTING = [
    ("release/boxes.py", "where[column.low] - half", "where[column.low]"),
    ("lab/run/tables.py", "frame.reset_index(drop=True)", "frame.head(1).reset_index(drop=True)"),
    ("lab/run/handover.py", "tables.named(results)", "tables.named(dict(results))"),
    ("lab/run/parameters.py", "read(text)", "str(text)"),
    ("lab/run/kernel.py", "same_package() | ", ""),
    ("lab/bench/base.py", "0, 4096", "0, 4095"),
    ("lab/bench/lattice.py", "0.6e-3", "0.5e-3"),
    ("lab/measure/speedy.py", "found.divided", "found.checks"),
    ("release/release.py", "", "\n"),
    ("table/__init__.py", "", "\n"),
]
PRESENTING = [
    ("plotting/boxes.py", "COLOURS[1]", "COLOURS[2]"),
    ("cli/experiments.py", "nothing to reproduce", "nothing here"),
    ("lab/drawings/speedy.py", "mean time of a search", "mean time"),
    ("lab/drawings/tour.py", "people exposed", "people found"),
    ("lab/report/scorecard.py", "Scorecard", "Scores"),
    ("lab/report/judging/kinds.py", "FLAT, RHO = 0.15, 0.10, 1.15, 0.9", "FLAT, RHO = 0.15, 0.10, 1.15, 0.8"),
]


@pytest.mark.parametrize("name, old, new", COMPUTING)
def test_what_computes_changes_the_results(source, name, old, new):
    assert source(name, old, new) == (True, True)


@pytest.mark.parametrize("name, old, new", PRESENTING)
def test_what_draws_judges_or_prints_changes_the_run_alone(source, name, old, new):
    assert source(name, old, new) == (True, False)


def test_the_choice_of_k_in_a_notebook_changes_the_results(tmp_path):
    """The k of the lattice experiment's Figure 11 stands in the notebook, which counts whole."""
    notebook = tmp_path / "speedy.ipynb"
    shutil.copy(ROOT / "notebooks" / "speedy.ipynb", notebook)
    before, text = identity.notebook_hash(notebook), notebook.read_text()
    assert "chosen_k = 5" in text
    notebook.write_text(text.replace("chosen_k = 5", "chosen_k = 7"))
    assert identity.notebook_hash(notebook) != before


def test_versions_of_what_computes_count(demo, tmp_path, monkeypatch):
    before = identify(demo, "quick", {}, KNOWN, tmp_path)
    versions = identity.computing()
    assert set(versions) == {"python", "numpy", "numba", "scipy", "pandas"}
    assert versions["python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in versions:
        monkeypatch.setattr(identity, "computing", lambda name=name: versions | {name: "0.0"})
        after = identify(demo, "quick", {}, KNOWN, tmp_path)
        assert after.results != before.results and after.run != before.run, name


def presents(module: str) -> bool:
    """Whether a module, or the module that a name comes from, only draws, judges or prints."""
    names = [module, module.rpartition(".")[0]]
    stems = [name.removeprefix("ppdp_lab.").replace(".", "/") for name in names if name.startswith("ppdp_lab.")]
    paths = [f"{stem}{end}" for stem in stems for end in ("/", ".py/")]  # a room or a module
    entries = tuple(f"{entry}/" if entry.endswith(".py") else entry for entry in identity.PRESENTATION)
    return any(path.startswith(entries) for path in paths)


def imported(tree: ast.AST) -> dict[str, str]:
    """Names that a source binds by importing, and the modules that they are or come from."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(alias.asname or alias.name).partition(".")[0]: alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_uses_what_presents_for_showing_and_finishing_only(path):
    """What draws does not enter the identity of results, so no number may come from it."""
    code = "\n".join(cell["source"] for cell in cells(path) if cell["cell_type"] == "code")
    tree = ast.parse(code)
    drawing = {name for name, module in imported(tree).items() if presents(module)}
    calls = [(ast.unparse(n.func), n) for n in ast.walk(tree) if isinstance(n, ast.Call)]
    assert [name for name, _ in calls].count("lab.finish") == 1
    handed_over = {id(node) for name, n in calls if name in ("lab.show", "lab.finish") for node in ast.walk(n)}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in drawing and id(n) not in handed_over}
    assert drawing and not used


SHOWING = {"_repr_html_", "plot", "head_html"}  # methods by which objects show themselves; nothing computes with them
# finish shows figures, the runner draws and judges, sweeps draw
HANDING_OVER = {"lab/run/handover.py", "lab/runner.py", "lab/sweeping/running.py"}


def computing() -> dict[str, ast.Module]:
    """The sources of what computes, by name."""
    every = {path.relative_to(identity.PACKAGE).as_posix(): path for path in identity.PACKAGE.rglob("*.py")}
    kept = {name: path for name, path in every.items() if not name.startswith(identity.PRESENTATION)}
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in kept.items()}


def test_what_computes_uses_what_only_presents_where_objects_show_themselves():
    """But for what hands results on to it. No notebook uses own_file."""
    found = {}
    for name, tree in computing().items():
        drawing = {bound for bound, module in imported(tree).items() if presents(module)}
        showing = {id(n) for f in ast.walk(tree) if getattr(f, "name", "") in SHOWING for n in ast.walk(f)}
        uses = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in drawing and id(n) not in showing}
        if uses:
            found[name] = uses
    assert set(found) - {"lab/own_file.py"} == HANDING_OVER, found


def test_nothing_computes_with_what_an_object_shows_of_itself():
    for name, tree in computing().items():
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        allowed = {id(n) for f in ast.walk(tree) if getattr(f, "name", "") in SHOWING for n in ast.walk(f)}
        assert not [c for c in calls if c.func.attr in {"_repr_html_", "head_html"} and id(c) not in allowed], name


def test_data_counts_and_is_loaded_once(demo, own, tmp_path, monkeypatch):
    results = tmp_path / "results"
    first = identify(demo, "quick", {"dataset": str(own)}, KNOWN, results)
    assert first.data[0].provenance and len(first.data[0].fingerprint) == 16

    loaded = []
    load = identity.datasets.load
    monkeypatch.setattr(identity.datasets, "load", lambda name: loaded.append(name) or load(name))
    assert identify(demo, "quick", {"dataset": str(own)}, KNOWN, results) == first and not loaded
    (tmp_path / "mine.csv").write_text("age,illness\n31,flu\n40,cold\n")
    os.utime(tmp_path / "mine.csv", (1, 1))
    second = identify(demo, "quick", {"dataset": str(own)}, KNOWN, results)
    assert loaded == [str(own)] and second.run != first.run and second.results != first.results


def test_data_sets_are_named_by_parameters(tmp_path):
    assert data_names({"dataset": "adult", "datasets": ["occ", "adult"], "k": 3}) == ["adult", "occ"]
    assert data_names({"dataset": None}) == []
    with pytest.raises(UnknownNameError, match="did you mean 'adult'"):
        fingerprint("adlt", tmp_path)
    for wrong in ({"dataset": 5}, {"datasets": ["occ", 5]}, {"datasets": {"occ": 1}}):
        with pytest.raises(ParameterError, match="must be a data set's name or TOML file in quotes"):
            data_names(wrong)


@pytest.mark.parametrize(
    "add, words", [("# \xfcber\n", "not UTF-8"), ('hierarchies = "x"\n', "hierarchies must be a table")]
)
def test_a_wrong_description_of_own_data_is_refused(demo, own, tmp_path, add, words):
    own.write_bytes(own.read_bytes() + add.encode("latin-1"))
    with pytest.raises(DataFileError, match=words):
        identify(demo, "quick", {"dataset": str(own)}, KNOWN, tmp_path / "results")
    assert not (tmp_path / "results").exists()
