"""Who a run is: everything that can change its results changes its name, before it runs."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from ppdp_lab.errors import DataFileError, ParameterError, UnknownNameError
from ppdp_lab.lab import read
from ppdp_lab.lab.run import identity
from ppdp_lab.lab.run.identity import data_names, fingerprint, identify

DATA = Path(__file__).parents[1] / "data" / "experiments"
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


def test_the_package_source_counts(demo, tmp_path, monkeypatch):
    base = identify(demo, "quick", {}, KNOWN, tmp_path)
    package = tmp_path / "package"
    (package / "lab" / "bench").mkdir(parents=True)
    monkeypatch.setattr(identity, "PACKAGE", package)

    def now():
        identity.source_hash.cache_clear()
        found = identify(demo, "quick", {}, KNOWN, tmp_path)
        return found.run, found.results

    try:
        empty = now()
        assert empty[1] != base.results
        (package / "plotting.py").write_text("a")
        drawn = now()
        assert drawn[0] != empty[0] and drawn[1] == empty[1]
        (package / "lab" / "bench" / "base.py").write_text("a")
        timed = now()
        assert timed[1] != drawn[1]
        (package / "release.py").write_text("a")
        assert now()[1] != timed[1]
    finally:
        monkeypatch.undo()
        identity.source_hash.cache_clear()


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
