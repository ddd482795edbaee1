"""Parameters: those of a notebook, those of the command line, and whether they fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ppdp_lab.errors import DataFileError, ParameterError
from ppdp_lab.lab.parameters import absolute, check, defined, parse, parse_all, parse_sweep

DEMO = Path(__file__).parent / "data" / "experiments" / "demo" / "demo.ipynb"


def notebook(path, *sources, tag=1):
    cells = [
        {"cell_type": "code", "source": s, "metadata": {"tags": ["parameters"]} if i < tag else {}}
        for i, s in enumerate(sources)
    ]
    path.write_text(json.dumps({"cells": cells}))
    return path


def test_parameters_agree_with_papermill():
    import papermill

    ours = defined(DEMO)
    assert ours == {"rows": 50, "ks": [2, 4, 8], "seed": 1, "pause": 0.0, "fail": False}
    assert set(papermill.inspect_notebook(str(DEMO))) == set(ours)


def test_tuples_become_lists_and_annotations_are_read(tmp_path):
    path = notebook(tmp_path / "n.ipynb", "ks = (2, 5)\ndataset: str = 'adult'  # which\nnone = None\nd = {1: (2,)}")
    assert defined(path) == {"ks": [2, 5], "dataset": "adult", "none": None, "d": {"1": [2]}}


@pytest.mark.parametrize(
    "source, tag, words",
    [
        ("k = 5", 0, "has 0 cells tagged"),
        ("k = 2 + fun(3)", 1, "plain values only"),
        ("import os", 1, "line 1 is not an assignment"),
        ("a = b = 3", 1, "not an assignment to one name"),
        ("a.b = 3", 1, "not an assignment to one name"),
        ("k = (", 1, "plain values only"),
    ],
)
def test_a_parameters_cell_holds_plain_assignments(tmp_path, source, tag, words):
    with pytest.raises(DataFileError, match=words):
        defined(notebook(tmp_path / "n.ipynb", source, tag=tag))


@pytest.mark.parametrize(
    "content, words",
    [
        ("hello", ""),
        ('{"cells": [{"source": "k = 5"}]}', ".*: cell 1 has no cell_type"),
        (
            '{"cells": [{"cell_type": "code", "source": "", "metadata": null}]}',
            ".*: metadata of cell 1 must be a table",
        ),
        (
            '{"cells": [{"cell_type": "code", "source": "", "metadata": {"tags": null}}]}',
            ".*: tags of cell 1 must be a list",
        ),
    ],
)
def test_what_is_no_notebook_is_refused(tmp_path, content, words):
    (tmp_path / "n.ipynb").write_text(content)
    with pytest.raises(DataFileError, match=r"n\.ipynb is not a notebook" + words):
        defined(tmp_path / "n.ipynb")


@pytest.mark.parametrize(
    "text, value",
    [
        ("k=5", 5),
        ("k=1_000", 1000),
        ("k=0.5", 0.5),
        ("k=true", True),
        ("k=False", False),
        ("k=None", None),
        ("k=null", None),
        ('k="5"', "5"),
        ("k='a b'", "a b"),
        ("k=(1, 2)", [1, 2]),
        ("k=a=b", "a=b"),
        ("k=", ""),
    ],
)
def test_values_have_the_type_that_they_look_like(text, value):
    assert parse(text) == ("k", value) and type(parse(text)[1]) is type(value)


def test_wrong_texts_are_refused():
    for text in ("k", "=5", "a b=5"):
        with pytest.raises(ParameterError, match="key=value"):
            parse(text)
        with pytest.raises(ParameterError, match="key=value"):
            parse_sweep(text)
    with pytest.raises(ParameterError, match="'k' more than once"):
        parse_all(["k=1", "k=2"])
    with pytest.raises(ParameterError, match="no value to sweep"):
        parse_sweep("k=")


def test_parameters_are_checked_against_the_notebook():
    known = {"k": 5, "ks": [2], "share": 0.5, "fast": False, "dataset": "adult", "anything": None}
    check({"k": 7, "ks": [1, 2], "share": 1, "fast": True, "dataset": "x.toml", "anything": [3]}, known, "n.ipynb")
    for given, words in [
        ({"kk": 5}, r"unknown parameter of n\.ipynb: 'kk'; did you mean 'ks' or 'k'|did you mean 'k'"),
        ({"k": "7"}, "must be a whole number, not '7'"),
        ({"k": True}, "must be a whole number, not True"),
        ({"ks": 2}, r"must be a list, not 2; write ks=\[2\]"),
        ({"fast": 1}, "must be true or false"),
        ({"dataset": 3}, "must be text"),
    ]:
        with pytest.raises(ParameterError, match=words):
            check(given, known, "n.ipynb")


def test_what_a_refusal_says_to_write_is_accepted():
    with pytest.raises(ParameterError) as refused:
        check(dict([parse("datasets=own/mine.toml")]), {"datasets": ["occ", "sal"]}, "n.ipynb")
    said = str(refused.value).rpartition("; write ")[2]
    assert parse(said) == ("datasets", ["own/mine.toml"])
    assert parse("datasets=[occ, own/mine.toml]") == ("datasets", ["occ", "own/mine.toml"])


def test_own_data_keeps_its_place(tmp_path):
    here = str((tmp_path / "mine.toml").resolve())
    assert absolute({"dataset": "mine.toml", "k": 1}, tmp_path) == {"dataset": here, "k": 1}
    assert absolute({"datasets": ["occ", "mine.toml"]}, tmp_path) == {"datasets": ["occ", here]}
