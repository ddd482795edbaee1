"""Who a run is: everything that can change its results changes its name, before it runs."""

from __future__ import annotations

import ast
import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from ppdp_lab.errors import DataFileError, ParameterError, UnknownNameError
from ppdp_lab.lab import finish, identity, read
from ppdp_lab.lab.identity import data_names, fingerprint, identify, unchanged
from ppdp_lab.lab.parameters import cells

DATA = Path(__file__).parent / "data" / "experiments"
ROOT = Path(__file__).parents[2]
KNOWN = {"rows": 50, "seed": 1}


@pytest.fixture
def demo(tmp_path):
    shutil.copytree(DATA, tmp_path / "experiments")
    return read(tmp_path / "experiments" / "demo" / "experiment.toml")


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
        found = identify(experiment, scale, KNOWN | dict(parameters), results)
        return found.run, found.results

    base = hashes()
    assert hashes() == base == hashes({"rows": 50})  # a default said aloud is the same run
    assert hashes({"rows": 51})[1] != base[1]
    assert hashes(scale="paper")[0] != base[0] and hashes(scale="paper")[1] == base[1]
    demo.path.write_text(demo.path.read_text() + "\n# a remark\n")
    assert hashes()[0] != base[0] and hashes()[1] == base[1]
    drawing = demo.path.parent / "figures.py"
    changed = hashes()
    drawing.write_text(drawing.read_text() + "\n")
    assert hashes()[0] != changed[0] and hashes()[1] == base[1]
    measuring = demo.path.parent / "measure.py"
    code = measuring.read_text()
    measuring.write_text(code.replace("1 - ", "2 - "))
    assert hashes()[1] != base[1]
    measuring.write_text(code)
    text = demo.notebook.read_text()
    demo.notebook.write_text(text.replace('"outputs": []', '"outputs": [{"output_type": "stream", "text": "x"}]'))
    assert hashes()[1] == base[1]  # what was printed does not matter
    demo.notebook.write_text(text.replace("What does k cost?", "What?"))
    assert hashes()[1] == base[1]  # nor does what is explained
    demo.notebook.write_text(text.replace("seed = 1", "seed = 2"))
    assert hashes()[1] != base[1]
    assert hashes(experiment=replace(demo, name="other"))[1] != base[1]


@pytest.fixture
def source(demo, tmp_path, monkeypatch):
    """A copy of the package's source, to be changed: is the run another one, and are its results still valid?"""
    package = tmp_path / "package"
    shutil.copytree(identity.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "data"))
    monkeypatch.setattr(identity, "PACKAGE", package)
    identity.hashes.cache_clear()
    recorded = {name: identity.hashes()[name] for name in IMPORTED}
    before = identify(demo, "quick", KNOWN, tmp_path)

    def changed(name, old="", new="\n# a remark\n"):
        path = package / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1) if old else text + new)
        identity.hashes.cache_clear()
        after = identify(demo, "quick", KNOWN, tmp_path)
        assert after.results == before.results
        return after.run != before.run, unchanged(recorded)

    yield changed
    monkeypatch.undo()
    identity.hashes.cache_clear()


# What a kernel imports, in short.
IMPORTED = [
    "__init__.py", "anonymize/mondrian.py", "lab/bench.py", "lab/compare.py", "lab/drawing.py", "lab/experiment.py",
    "lab/notebook.py", "lab/runs.py", "pages.py", "plotting/boxes.py", "release/pictures.py", "release/release.py",
]  # fmt: skip


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("anonymize/mondrian.py", "", "\n"),
        ("lab/runs.py", "frame.reset_index(drop=True)", "frame.head(1).reset_index(drop=True)"),
        ("lab/bench.py", "0.6e-3", "0.5e-3"),
        ("release/pictures.py", "", "\n"),  # box_frame
    ],
)
def test_a_changed_module_that_the_kernel_imported_invalidates_the_results(source, name, old, new):
    assert source(name, old, new) == (False, False)


@pytest.mark.parametrize("name", ["holder/__init__.py", "attacks/exact.py", "cli/experiments.py", "explore/base.py"])
def test_a_comment_in_a_module_that_it_did_not_import_changes_nothing(source, name):
    assert source(name) == (False, True)


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("plotting/boxes.py", "COLOURS[1]", "COLOURS[2]"),
        ("lab/drawing.py", "", "\n"),
        ("lab/experiment.py", "", "\n"),
        ("lab/judge.py", "FLAT, RHO = 0.15, 0.10, 1.15, 0.9", "FLAT, RHO = 0.15, 0.10, 1.15, 0.8"),
    ],
)
def test_what_draws_and_judges_makes_another_run_of_the_same_results(source, name, old, new):
    assert source(name, old, new) == (True, True)


def test_a_run_that_recorded_nothing_is_not_valid():
    assert not unchanged(None) and not unchanged({}) and not unchanged({"gone.py": "0"})


def test_the_choice_of_k_in_a_notebook_changes_the_results(tmp_path):
    """The k of the lattice experiment's Figure 11 stands in the notebook, which counts whole."""
    notebook = tmp_path / "speedy.ipynb"
    shutil.copy(ROOT / "notebooks" / "speedy.ipynb", notebook)
    before, text = identity.notebook_hash(notebook), notebook.read_text()
    assert "chosen_k = 5" in text
    notebook.write_text(text.replace("chosen_k = 5", "chosen_k = 7"))
    assert identity.notebook_hash(notebook) != before


def test_versions_of_what_computes_count(demo, tmp_path, monkeypatch):
    before = identify(demo, "quick", KNOWN, tmp_path)
    versions = identity.computing()
    assert set(versions) == {"python", "numpy", "numba", "scipy", "pandas"}
    assert versions["python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    for name in versions:
        monkeypatch.setattr(identity, "computing", lambda name=name: versions | {name: "0.0"})
        after = identify(demo, "quick", KNOWN, tmp_path)
        assert after.results != before.results and after.run != before.run, name


def presents(module: str) -> bool:
    """Whether a module, or the module that a name comes from, only draws and judges."""
    stems = [name.removeprefix("ppdp_lab.").replace(".", "/") for name in (module, module.rpartition(".")[0])]
    paths = [f"{stem}{end}" for stem in stems for end in ("/", ".py")]  # a room or a module
    return module.startswith("ppdp_lab.") and any(path.startswith(identity.DRAWING_AND_JUDGING) for path in paths)


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
def test_a_notebook_uses_its_figures_for_showing_and_finishing_only(path):
    """What draws does not enter the identity of results, so no number may come from it."""
    tree = ast.parse("\n".join(cell["source"] for cell in cells(path) if cell["cell_type"] == "code"))
    assert f'measure, figures = lab.code("{path.stem}")' in ast.unparse(tree).replace("'", '"').replace(
        "(measure, figures)", "measure, figures"
    )
    assert not [module for module in imported(tree).values() if presents(module)]
    calls = [(ast.unparse(n.func), n) for n in ast.walk(tree) if isinstance(n, ast.Call)]
    assert [name for name, _ in calls].count("lab.finish") == 1
    handed_over = {id(node) for name, n in calls if name in ("lab.show", "lab.finish") for node in ast.walk(n)}
    names = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == "figures" and id(n) not in handed_over]
    assert [type(n.ctx) for n in names] == [ast.Store]  # it is bound once, by lab.code


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*/measure.py")), ids=lambda path: path.parent.name)
def test_no_measurement_uses_what_only_draws(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = imported(tree)
    assert not [module for module in names.values() if presents(module)] and "figures" not in names


# Functions by which objects show themselves, and their helpers; nothing computes with them.
SHOWING = {"_repr_html_", "plot", "head_html", "picture_of", "table_html", "tree_html", "_branch", "_name"}


def computing() -> dict[str, ast.Module]:
    """The sources of what computes, by name; the lab and sweeps hand results on to what draws."""
    every = {path.relative_to(identity.PACKAGE).as_posix(): path for path in identity.PACKAGE.rglob("*.py")}
    others = identity.DRAWING_AND_JUDGING + identity.FRONTS + ("lab/", "sweep/", "shipped/")
    kept = {name: path for name, path in every.items() if not name.startswith(others)}
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in kept.items()}


def test_what_computes_uses_what_only_draws_where_objects_show_themselves():
    for name, tree in computing().items():
        drawing = {bound for bound, module in imported(tree).items() if presents(module)}
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        if name == "release/pictures.py":  # it draws, but for the boxes that results hold
            functions = [function for function in functions if function.name == "box_frame"]
        for function in functions:
            uses = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} & drawing
            assert not uses or function.name in SHOWING, f"{name}: {function.name} uses {uses}"


def test_nothing_computes_with_what_an_object_shows_of_itself():
    for name, tree in computing().items():
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        allowed = {id(n) for f in ast.walk(tree) if getattr(f, "name", "") in SHOWING for n in ast.walk(f)}
        assert not [c for c in calls if c.func.attr in {"_repr_html_", "head_html"} and id(c) not in allowed], name


def test_an_experiment_records_what_it_imported(demo, tmp_path, monkeypatch):
    """As lab.finish does in a kernel."""
    monkeypatch.setenv("PPDP_LAB_RUN", str(tmp_path))
    finish(pd.DataFrame({"k": [1]}))
    recorded = json.loads((tmp_path / "finish.json").read_text())["modules"]
    assert {"__init__.py", "lab/notebook.py", "table/microdata.py"} <= set(recorded) <= set(identity.hashes())


def test_what_makes_tables_decides_their_fingerprints(source, own, tmp_path, monkeypatch):
    fingerprint(str(own), tmp_path)
    loaded = []
    load = identity.datasets.load
    monkeypatch.setattr(identity.datasets, "load", lambda name: loaded.append(name) or load(name))
    for name, again in (
        ("anonymize/mondrian.py", 0),
        ("lab/runs.py", 0),
        ("table/domain.py", 1),
        ("datasets/own.py", 2),
    ):
        source(name)
        fingerprint(str(own), tmp_path)
        assert len(loaded) == again, name


def test_data_counts_and_is_loaded_once(demo, own, tmp_path, monkeypatch):
    results = tmp_path / "results"
    first = identify(demo, "quick", KNOWN | {"dataset": str(own)}, results)
    assert first.data[0].provenance and len(first.data[0].fingerprint) == 16

    loaded = []
    load = identity.datasets.load
    monkeypatch.setattr(identity.datasets, "load", lambda name: loaded.append(name) or load(name))
    assert identify(demo, "quick", KNOWN | {"dataset": str(own)}, results) == first and not loaded
    (tmp_path / "mine.csv").write_text("age,illness\n31,flu\n40,cold\n")
    os.utime(tmp_path / "mine.csv", (1, 1))
    second = identify(demo, "quick", KNOWN | {"dataset": str(own)}, results)
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
        identify(demo, "quick", KNOWN | {"dataset": str(own)}, tmp_path / "results")
    assert not (tmp_path / "results").exists()
