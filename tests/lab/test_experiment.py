"""Experiment files: what is read, and in which words a wrong one is refused."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ppdp_lab.errors import DataFileError, UnknownNameError
from ppdp_lab.lab import catalogue, code, read
from ppdp_lab.lab.catalogue import experiment, experiments, find_root

DEMO = Path(__file__).parent / "data" / "experiments" / "demo"
HEAD = 'name = "e"\ntitle = "t"\nnotebook = "n.ipynb"\n[scale.quick]\n[scale.paper]\nk = 5\n'
CLAIM = '[[claim]]\nid = "c"\ntext = "t"\nvalue = "v"\n'


@pytest.fixture
def write(tmp_path):
    def put(text, name="e.toml"):
        (tmp_path / "n.ipynb").write_text("{}")
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return put


def test_the_demonstration_is_read_whole():
    demo = read(DEMO)
    assert demo.name == "demo" and not demo.exclusive and demo.notebook.name == "demo.ipynb"
    assert demo.parameters("tiny") == {"rows": 60, "ks": [2, 4, 8]}
    assert [f.name for f in demo.figures] == ["loss", "boxes"]
    assert demo.claims[0].x == ("k",) and demo.claims[1].reason[0].text.startswith("The table is tiny")
    with pytest.raises(UnknownNameError, match="did you mean 'quick'"):
        demo.parameters("quik")


def test_drawings_have_a_default_place(write):
    path = write(HEAD + '[[figure]]\nname = "fig-3a"\ncaption = "c"\n')
    assert read(path).figures[0].draw == "figures.py:fig_3a"


def put(folder, text=HEAD):
    """An experiment in a folder of its own, with a notebook next to `experiments`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parents[1] / "n.ipynb").write_text("{}")
    (folder / "experiment.toml").write_text(text)


def test_a_notebook_may_lie_next_to_experiments(tmp_path):
    put(tmp_path / "experiments" / "e")
    assert read(tmp_path / "experiments" / "e").notebook == (tmp_path / "n.ipynb").resolve()
    put(tmp_path / "experiments" / "e", HEAD.replace("title", "titel"))
    with pytest.raises(DataFileError, match=r"^e/experiment\.toml: unknown key 'titel'"):
        read(tmp_path / "experiments" / "e" / "experiment.toml")


WRONG = [
    ("name = [", "not a TOML file"),
    ('name = "e"', "lacks 'title', 'notebook', 'scale'"),
    (HEAD.replace("title", "titel"), "unknown key 'titel'; did you mean 'title'?"),
    (HEAD.replace('"t"', "3"), "title must be text, not 3"),
    (HEAD.replace('"e"', '"../e"'), "it names a file or folder"),
    (HEAD.replace("[scale.paper]\nk = 5\n", ""), "scale lacks 'paper'"),
    (HEAD + "[scale.papr]\n", "unknown key 'papr'; did you mean 'paper'?"),
    (HEAD.replace("n.ipynb", "m.ipynb"), "no notebook 'm.ipynb'"),
    ("exclusive = 1\n" + HEAD, "exclusive must be true or false"),
    (HEAD + '[[figure]]\nname = "f"\n', "figure f lacks 'caption'"),
    (
        HEAD + '[[figure]]\nname = "a/b"\ncaption = "c"\n',
        "'a/b' must consist of letters, digits, '-' and '_': it names a file",
    ),
    (HEAD + '[[figure]]\nname = "f"\ncaption = "c"\ndraw = "loss"\n', "must be 'module:function'"),
    (HEAD + '[[figure]]\nname = "f"\ncaption = "c"\n' * 2, "'f' stands more than once"),
    (HEAD + CLAIM.replace("[[claim]]", "[[claims]]"), "unknown key 'claims'; did you mean 'claim'?"),
    ('path = "f.toml"\n' + HEAD, "unknown key 'path'"),
    ("scale = 3\n" + HEAD.split("[scale")[0], "scale must be a table, not 3"),
    (HEAD.replace("[scale.paper]\nk = 5\n", "[scale]\npaper = 5\n"), "scale paper must be a table, not 5"),
    ("claim = 3\n" + HEAD, "claim must be a list, not 3"),
    ("figure = [3]\n" + HEAD, "figure 1: must be a table, not 3"),
    (HEAD + '[[figure]]\nname = "3a"\ncaption = "c"\n', "draw must be 'module:function'"),
    (HEAD + CLAIM, "claim c lacks 'kind'"),
    (HEAD + CLAIM.replace('"c"', '""'), "claim 1 lacks 'id', 'kind'"),
    (HEAD + CLAIM + 'kind = "zero"\nneeds_cores = true\n', "needs_cores must be a whole number, not True"),
    (HEAD + CLAIM + 'kind = "zero"\nneeds_memory_gb = true\n', "needs_memory_gb must be a number, not True"),
    (HEAD + CLAIM + 'kind = "zero"\nreason = 3\n', "reason must be a list, not 3"),
    (HEAD + CLAIM + 'kind = "zero"\n[[claim.reason]]\nmeasured = "3"\n', "claim c, reason 1 lacks 'text'"),
    (HEAD + CLAIM + 'kind = "zero"\n[[claim.reason]]\ntext = "t"\nmesured = "3"\n', "did you mean 'measured'?"),
    (HEAD + CLAIM + 'kind = "flat"\nvoid = "k == 1"\n', "void names points, and 'flat' has none"),
    (HEAD + CLAIM + 'kind = "rise"\n', "unknown kind 'rise'; did you mean 'rises'?"),
    (HEAD + CLAIM + 'kind = "rises"\n', "kind 'rises' lacks 'x'"),
    (HEAD + CLAIM + 'kind = "zero"\nwher = "k == 1"\n', "unknown key 'wher'; did you mean 'where'?"),
    (HEAD + CLAIM + 'kind = "zero"\npaper = 1\n', "paper of 'zero' must be 0, not 1"),
    (HEAD + CLAIM + 'kind = "zero"\nscales = ["papr"]\n', "unknown scale 'papr'; did you mean 'paper'?"),
    (HEAD + CLAIM + 'kind = "zero"\nscales = [["quick"]]\n', "scales must be a list of different names"),
    (HEAD + CLAIM + 'kind = "flat"\nby = ["m", "m"]\n', "by must be a name or a list of different names"),
    (HEAD + CLAIM + 'kind = "rises"\nx = "k"\nby = ["k"]\n', "'k' cannot be in x and in by"),
    (HEAD + CLAIM + 'kind = "zero"\nneeds_cores = "4"\n', "needs_cores must be a whole number"),
    (HEAD + CLAIM + 'kind = "zero"\naggregate = "avg"\n', "unknown aggregate 'avg'"),
    (HEAD + CLAIM + 'kind = "rises"\nx = "k"\naggregate = "mean"\n', "'rises' needs a curve"),
    (HEAD + CLAIM + 'kind = "rises"\nx = ["k", "m"]\n', "must be one column"),
    (HEAD + CLAIM + 'kind = "rises"\nx = "k"\npaper = 3\n', "paper of 'rises' must be words, not 3"),
    (HEAD + CLAIM + 'kind = "between"\npaper = 3\n', "must be [low, high] with low at most high, not 3"),
    (HEAD + CLAIM + 'kind = "between"\npaper = [3, 2]\n', "must be [low, high] with low at most high, not [3, 2]"),
    (HEAD + CLAIM + 'kind = "at_most"\npaper = "3"\n', "must be a number, not '3'"),
    (HEAD + CLAIM + 'kind = "about"\npaper = 0\n', "other than 0"),
    (HEAD + CLAIM + 'kind = "about"\nx = "k"\nat = [1]\npaper = [1, 2]\n', "as many points in at"),
    (HEAD + CLAIM + 'kind = "about"\nx = "k"\nat = [[1], [2]]\npaper = [1, 2]\n', "at must be a list of different"),
    (HEAD + CLAIM + 'kind = "about"\nx = "k"\nat = [1, 1]\npaper = [1, 2]\n', "at must be a list of different"),
    (HEAD + CLAIM + 'kind = "at_most"\npaper = 1\nat = [1]\n', "at goes with kind 'about'"),
    (HEAD + CLAIM + 'kind = "below"\nseries = "s"\n', "kind 'below' lacks 'compare', 'x'"),
    (HEAD + CLAIM + 'kind = "below"\nx = "k"\nseries = "s"\ncompare = ["a"]\n', "must name two values"),
    (HEAD + CLAIM + 'kind = "below"\nx = "k"\nseries = "s"\ncompare = [["a"], "b"]\n', "compare must be a list of"),
    (HEAD + CLAIM + 'kind = "zero"\nseries = "s"\n', "belong together"),
    (HEAD + CLAIM + 'kind = "at_most"\npaper = 1\nseries = "s"\ncompare = ["a", "b"]\n', "x must say which points"),
]


@pytest.mark.parametrize("text, words", WRONG)
def test_a_wrong_file_is_refused_in_words(write, text, words):
    with pytest.raises(DataFileError) as error:
        read(write(text))
    assert words in str(error.value)
    assert str(error.value).startswith("e.toml")


def test_experiments_are_found_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv("PPDP_LAB_ROOT", str(tmp_path))
    assert "tour" in [e.name for e in experiments(find_root())]  # a folder without any has those of the package
    monkeypatch.setattr(catalogue, "SHIPPED", ())
    assert experiments(find_root()) == []
    with pytest.raises(DataFileError, match=r"no experiments/\*/experiment\.toml"):
        experiment("e", find_root())
    put(tmp_path / "experiments" / "other")
    with pytest.raises(DataFileError, match="name is 'e', but the folder is 'other'"):
        experiments(find_root())
    (tmp_path / "experiments" / "other").rename(tmp_path / "experiments" / "e")
    assert [e.name for e in experiments(find_root())] == ["e"]
    for path in ("experiments/e", "experiments/e/experiment.toml"):
        assert experiment(str(tmp_path / path), tmp_path / "elsewhere").name == "e"
    with pytest.raises(UnknownNameError, match="Known: 'e'"):
        experiment("f", find_root())
    monkeypatch.setenv("PPDP_LAB_ROOT", str(tmp_path / "nowhere"))
    with pytest.raises(DataFileError, match="PPDP_LAB_ROOT"):
        find_root()


@pytest.mark.parametrize(
    "caption, words",
    [
        ("l = {ll}", "e.toml, figure f: unknown placeholder 'll'; did you mean 'l'?"),
        ("{sensitiv}", "did you mean 'sensitive'?"),
        ("{l", "e.toml, figure f: its caption has a brace too many, or too few"),
    ],
)
def test_a_caption_speaks_of_parameters_and_columns_only(write, tmp_path, caption, words):
    def with_caption(text):
        path = write(HEAD + f'[[figure]]\nname = "f"\ncaption = "{text}"\n')
        cell = {"cell_type": "code", "source": "l = 3", "metadata": {"tags": ["parameters"]}}
        (tmp_path / "n.ipynb").write_text(json.dumps({"cells": [cell]}))
        return read(path)

    assert with_caption("{sensitive}, l = {l}, {{cancer, flu}}").figures[0].name == "f"
    with pytest.raises(DataFileError) as error:
        with_caption(caption)
    assert words in str(error.value)


def test_results_of_a_package_go_to_the_working_folder(tmp_path, monkeypatch):
    """Experiments that come with the package are found anywhere; what is run of them stays with whoever runs it."""
    monkeypatch.delenv("PPDP_LAB_ROOT", raising=False)
    (tmp_path / "experiments").mkdir()  # somebody's folder of that name, without an experiment in it
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert find_root() == tmp_path / "below"
    assert "tour" in [e.name for e in experiments(find_root())]
    put(tmp_path / "experiments" / "e")
    assert find_root() == tmp_path and [e.name for e in experiments(tmp_path)] == ["e"]


# ---------------------------------------------------------------------- the code of an experiment
@pytest.fixture
def edited(tmp_path, monkeypatch):
    """A copy of the demonstration whose code says that it is a copy."""
    shutil.copytree(DEMO.parent, tmp_path / "experiments")
    folder = tmp_path / "experiments" / "demo"
    (folder / "measure.py").write_text("def losses(releases, rows):\n    return 'edited'\n")
    (folder / "figures.py").write_text("from .measure import losses\n\ndef loss(results):\n    return losses(0, 0)\n")
    monkeypatch.delenv("PPDP_LAB_ROOT", raising=False)
    monkeypatch.delenv(catalogue.RUNNING, raising=False)
    yield folder
    for name in [name for name in sys.modules if name.startswith("experiments.demo")]:
        del sys.modules[name]


def test_an_edited_copy_runs_its_own_code(edited, tmp_path, monkeypatch):
    original, _ = code(str(DEMO))
    assert original.losses({}, 1).empty
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    measure, figures = code("demo")
    assert measure.losses(0, 0) == figures.loss(0) == "edited"  # a relative import finds the copy, too
    assert code("demo") == (measure, figures) and Path(measure.__file__).parent == edited
    assert pickle.loads(pickle.dumps(measure.losses)) is measure.losses
    monkeypatch.setenv(catalogue.RUNNING, str(DEMO))  # the experiment that is being run, wherever its notebook is
    assert Path(code("demo")[0].__file__).parent == DEMO
    monkeypatch.chdir(tmp_path.parent)  # a folder without experiments has those of the package
    assert Path(code("tour")[0].__file__).parent == catalogue.PACKAGE.parent / "experiments" / "tour"


def test_a_process_can_be_told_where_the_code_is(edited, tmp_path):
    """As workers of a pool are, which import nothing from the folder of an experiment by themselves."""
    source = (
        "from pathlib import Path; import pickle\nfrom ppdp_lab.lab import catalogue\n"
        f"catalogue.load(Path({str(edited / 'measure.py')!r}))\n"
        "print(pickle.loads(b'cexperiments.demo.measure\\nlosses\\n.')(0, 0))"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "edited\n", done.stderr


def test_code_that_is_not_there_is_named(edited):
    text = (edited / "measure.py").read_text()
    (edited / "measure.py").write_text("1 / 0")
    with pytest.raises(catalogue.FunctionError, match=r"plan: cannot import measure\.py: ZeroDivisionError"):
        catalogue.function_of("measure.py:plan", read(edited), "plan")
    (edited / "measure.py").write_text(text)
    (edited / "figures.py").unlink()
    with pytest.raises(DataFileError, match=r"no file .*figures\.py"):
        code(str(edited))
