"""The command line: a user's own file end to end, and one line for whatever is refused."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from ppdp_lab import __version__
from ppdp_lab.anonymize import ALGORITHMS
from ppdp_lab.cli import app
from ppdp_lab.lab import bench, catalogue, runner, runs
from ppdp_lab.lab.bench import Measurement

REPOSITORY = Path(__file__).parents[1]
DATA = Path(__file__).parent / "lab" / "data" / "experiments"


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Call the command line in an empty folder; the environment is put back afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PPDP_LAB_ROOT", str(tmp_path))
    monkeypatch.setenv("PPDP_LAB_DATA", "")

    def invoke(*arguments, code=0):
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return invoke


def refusal(result):
    """The one line of a refusal."""
    assert result.stdout == "" and result.stderr.count("\n") == 1 and result.stderr.startswith("ppdp-lab: ")
    return result.stderr


@pytest.fixture
def people(tmp_path):
    chance = np.random.default_rng(1)
    n = 120
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": chance.integers(20, 70, n),
            "zip": chance.choice(["04370", "04378", "04352", "14370"], n),
            "disease": chance.choice(["flu", "HIV", "None", "NA"], n),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "zip.csv").write_text(
        "04370;0437*;04***;*\n04378;0437*;04***;*\n04352;0435*;04***;*\n14370;1437*;14***;*\n"
    )
    return tmp_path / "people.csv"


GOOD = ("--qi", "age,zip", "--sensitive", "disease", "--hierarchy", "zip=zip.csv")


# ---------------------------------------------------------------------- anonymize
def test_a_file_is_anonymized(call, people, tmp_path):
    result = call("anonymize", people, *GOOD, "--k", 5, "--l", 2, "-o", "out.csv")
    out = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    assert list(out.columns) == ["age", "zip", "disease"] and len(out) == 120
    classes = out.groupby(["age", "zip"])["disease"]
    assert classes.size().min() >= 5 and classes.nunique().min() >= 2
    assert set(out["zip"]) <= {"04370", "04378", "04352", "14370", "0437*", "0435*", "04***", "14***", "*"}
    lines = {line[:26].strip(): line[26:].split() for line in result.stdout.splitlines()}
    assert lines["smallest group"][0] == "1" and int(lines["smallest group"][1]) == classes.size().min()
    assert lines["prosecutor risk, largest"] == ["100.0%", f"{1 / classes.size().min():.1%}"]
    assert lines["prosecutor risk, mean"][1] == f"{classes.ngroups / 120:.1%}"
    assert int(lines["groups with one disease"][0]) > 0 and lines["groups with one disease"][1] == "0"
    assert lines["loss, GCP"][0] == "0.0%" and lines["loss, GCP"][1] != "0.0%"
    assert "left out, since no role names them: name" in result.stdout
    assert "written: out.csv" in result.stdout and result.stderr == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.csv", "people.csv", "zip.csv"]


def test_one_gap_changes_neither_types_nor_what_is_promised(call, tmp_path):
    frame = pd.DataFrame(
        {
            "born": [f"19{i:02d}-0{1 + i % 9}-1{i % 10}" for i in range(60)],
            "age": range(20, 80),
            "disease": ["flu", "HIV", "cold"] * 20,
        }
    )
    frame.astype({"age": object}).to_csv("whole.csv", index=False)
    gaps = frame.astype({"age": object})
    gaps.loc[5, "born"] = gaps.loc[17, "age"] = None
    gaps.to_csv("gaps.csv", index=False)
    ask = ("--qi", "born,age", "--sensitive", "disease", "--k", 3, "--missing", "value", "-o", "out.csv")
    losses, shown = {}, {}
    for name in ("gaps.csv", "whole.csv"):
        said = call("anonymize", name, *ask).stdout
        assert "dates: born" in said and "whole numbers: age" in said
        shown[name] = pd.read_csv("out.csv", keep_default_na=False)["born"]
        assert shown[name].str.fullmatch(r"\[19[-\d]{8}, 19[-\d]{8}\]( or \(missing\))?").all()
        lines = dict(line.split("  ", 1) for line in said.splitlines() if line.startswith("loss"))
        losses[name] = [float(lines[f"loss, {loss}"].split()[1].rstrip("%")) for loss in ("GCP", "non-uniform entropy")]
    assert shown["gaps.csv"].str.endswith("or (missing)").any()
    assert losses["gaps.csv"][0] > losses["whole.csv"][0] - 1  # a gap is not a gain
    everybody = gaps.assign(disease="HIV")
    everybody.loc[30, "disease"] = None
    everybody.to_csv("hiv.csv", index=False)
    assert "HIV x 59, 1 missing" in refusal(call("anonymize", "hiv.csv", *ask, "--l", 2, code=2))
    said = call("anonymize", "hiv.csv", *ask[:-4], "--l", 2, "--missing", "category").stdout
    assert "published as (missing) and counted as a value" in said


def test_codes_are_not_taken_for_numbers(call, tmp_path):
    long = ["12345678901234567890", "12345678901234567891"]
    pd.DataFrame({"zip": ["0437", "1437"], "long": long, "n": [" 5", "7"], "s": ["1.50", "1.5"]}).to_csv("f.csv")
    result = call("anonymize", "f.csv", "--qi", "zip,long,n", "--sensitive", "s", "--k", 2, "-o", "out.csv")
    assert "no role names them: (column 1)" in result.stdout  # the index, as pandas writes it
    out = pd.read_csv("out.csv", dtype=str)
    assert out.iloc[0, :3].tolist() == ["{0437, 1437}", "{" + ", ".join(long) + "}", "[5, 7]"]
    assert out["s"].tolist() == ["1.5", "1.5"]  # one value written in two ways must not count as two


def test_anatomy_writes_two_tables(call, people, tmp_path):
    call("anonymize", people, *GOOD, "--algorithm", "anatomy", "--l", 2, "--seed", 3, "-o", "out.csv")
    quasi = pd.read_csv(tmp_path / "out-quasi.csv", dtype=str)
    sensitive = pd.read_csv(tmp_path / "out-sensitive.csv", keep_default_na=False)
    assert list(quasi.columns) == ["age", "zip", "group"] and sensitive["count"].sum() == 120
    assert quasi["zip"].str.len().eq(5).all()
    assert sensitive.groupby("group")["disease"].nunique().min() >= 2
    assert not (tmp_path / "out.csv").exists()


def test_t_and_options_reach_the_algorithm(call, people):
    result = call("anonymize", people, *GOOD, "--t", 0.2, "-p", "choose=distinct", "-p", "strict=false")
    assert "Mondrian(TCloseness(0.2), strict=False, choose='distinct')" in result.stdout


def test_a_rule_can_be_typed(call, people):
    result = call("anonymize", people, *GOOD, "--rule", "KAnonymity(4) & EntropyLDiversity(1.5)", "--l", 2)
    assert "Mondrian(KAnonymity(4) & EntropyLDiversity(1.5) & DistinctLDiversity(2))" in result.stdout
    assert "nothing written" in result.stdout


def test_options_that_an_algorithm_passes_on_are_its_own(call, people):
    zips = ("--qi", "zip", "--hierarchy", "zip=zip.csv", "--k", 5)
    result = call("anonymize", people, *zips, "--algorithm", "speedy", "-p", "suppression=0.1", "-p", "threads=1")
    assert "suppression=0.1" in result.stdout


def test_every_algorithm_of_the_package_can_be_named(call, people):
    for name in ALGORITHMS:
        words = call("anonymize", people, *GOOD, "--algorithm", name, code=2)
        assert "--k" in refusal(words) or "--l" in refusal(words)


WRONG = [
    (["nowhere.csv", *GOOD, "--k", 5], "no file 'nowhere.csv'"),
    (["people.csv", "--k", 5], "--qi age,zip"),
    (["people.csv", *GOOD], "--k, --l or --t"),
    (["people.csv", "--qi", "age,zip,", "--k", 5], "empty name"),
    (
        ["people.csv", "--qi", "age,zap", "--k", 5],
        "file 'people.csv' lacks column(s) 'zap'; its columns are 'name', 'age'",
    ),
    (["people.csv", "--qi", "age", "--sensitive", "age", "--k", 5], "--qi and --sensitive both name 'age'; choose one"),
    (["people.csv", *GOOD, "--k", 500], "500"),
    (["people.csv", *GOOD, "--k", 0], "k must be at least 1"),
    (["people.csv", *GOOD, "--l", 9], "no partition of this table"),
    (["people.csv", "--qi", "age", "--k", 5, "--l", 2], "protects a sensitive column; name it with --sensitive"),
    (
        ["people.csv", "--qi", "age", "--sensitive", "zip,disease", "--k", 5, "--l", 2],
        "for example: --rule \"KAnonymity(5) & DistinctLDiversity(2, attribute='zip')\"",
    ),
    (
        ["people.csv", "--qi", "age", "--sensitive", "zip,disease", "--algorithm", "anatomy", "--l", 2],
        "Anatomy protects one sensitive column; give --sensitive one of 'zip', 'disease'",
    ),
    (["people.csv", *GOOD, "--k", 5, "--algorithm", "mondrain"], "did you mean 'mondrian'"),
    (["people.csv", *GOOD, "--k", 5, "--algorithm", "anatomy"], "anatomy cannot promise --k"),
    (["people.csv", *GOOD, "--k", 5, "-p", "chose=distinct"], "did you mean 'choose'"),
    (["people.csv", *GOOD, "--k", 5, "--algorithm", "flash", "--seed", 3], "unknown option of flash: 'seed'"),
    (
        ["people.csv", *GOOD, "--k", 5, "--algorithm", "speedy", "-p", "switches=1"],
        "unknown option of speedy: 'switches'",
    ),
    (
        ["people.csv", *GOOD, "--k", 5, "--algorithm", "flash", "-p", "smallest=5"],
        "unknown option of flash: 'smallest'",
    ),
    (["people.csv", *GOOD, "--k", 5, "--algorithm", "speedy", "-p", "metric=npc"], "did you mean 'ncp'"),
    (["people.csv", *GOOD, "--rule", "KAnonymity(5"], "it is not complete; write calls such as KAnonymity(5) & Dist"),
    (["people.csv", *GOOD, "--rule", "KAnonymity(5) and KAnonymity(3)"], "rules are joined by &, not by and / or"),
    (["people.csv", *GOOD, "--rule", "Mondrian(KAnonymity(2))"], "describes a Mondrian, not a Principle"),
    (["people.csv", *GOOD, "--rule", "KAnonymity(5)", "--algorithm", "anatomy"], "anatomy cannot promise --rule"),
    (["people.csv", *GOOD, "--k", 5, "--hierarchy", "zip"], "column=file.csv"),
    (["people.csv", *GOOD, "--k", 5, "--hierarchy", "zip=zip.csv"], "two files"),
    (["people.csv", "--qi", "age", "--hierarchy", "age=nowhere.csv", "--k", 5], "no hierarchy file"),
    (["people.csv", "--qi", "age", "--hierarchy", "age=zip.csv", "--k", 5], "absent from its hierarchy"),
    (["people.csv", "--qi", "age", "--hierarchy", "zip=zip.csv", "--k", 5], "neither quasi-identifiers nor sensitive"),
    (["empty.csv", "--qi", "age", "--k", 5], "file 'empty.csv' cannot be read as CSV: it is empty"),
    (["header.csv", "--qi", "age", "--k", 5], "no rows"),
    (
        ["ragged.csv", "--qi", "age", "--k", 5],
        "'ragged.csv' cannot be read as CSV: line 3: 3 fields",
    ),
    (
        ["binary.csv", "--qi", "age", "--k", 5],
        "line 2, column 'age': the byte 0xff is not UTF-8 text",
    ),
    (
        ["people.csv", "--qi", "age", "--hierarchy", "age=binary.csv", "--k", 5],
        "hierarchy file 'binary.csv' cannot",
    ),
    (["people.csv", *GOOD, "--k", 5, "--separator", ", "], "must be one character"),
    (["people.csv", *GOOD, "--k", 5, "--separator", '"'], "--separator must be one character"),
    (["surplus.csv", "--qi", "a", "--k", 1], "line 2: the rows have more fields than the header has names"),
    (["doubled.csv", "--qi", "a", "--k", 1], "more than one column named 'a'"),
    (
        ["missing.csv", "--qi", "age", "--k", 1],
        "column 'age' has 1 missing value(s), first in line(s) 3; fill",
    ),
]


@pytest.mark.parametrize("arguments, words", WRONG)
def test_a_refusal_is_one_line_and_writes_nothing(call, people, tmp_path, arguments, words):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("age\n")
    (tmp_path / "ragged.csv").write_text("age\n1\n2,3,4\n")
    (tmp_path / "binary.csv").write_bytes(b"age\n\xff\x81\n")
    (tmp_path / "missing.csv").write_text('age,b\n1,2\n"",3\n')
    (tmp_path / "surplus.csv").write_text("a,b\n1,2,3\n1,2,3\n")
    (tmp_path / "doubled.csv").write_text("a,a\n1,2\n")
    files = sorted(tmp_path.iterdir())
    assert words in refusal(call("anonymize", *arguments, "-o", "out.csv", code=2))
    assert sorted(tmp_path.iterdir()) == files


def test_the_reader_says_what_it_found_and_takes_what_it_is_given(call, tmp_path):
    (tmp_path / "f.csv").write_bytes(
        "zip;weight;disease\n01234;71,5;NA\n01235;80,25;flu\n01234;;grün\n".encode("cp1252")
    )
    ask = ("anonymize", "f.csv", "--qi", "zip,weight", "--sensitive", "disease", "--k", 2, "-o", "out.csv")
    refused = refusal(call(*ask, code=2))
    assert "column 'weight' has 1 missing value(s), first in line(s) 4" in refused
    assert "use --missing drop (leave such rows out), --missing value" in refused and "missing = " not in refused
    said = call(*ask, "--missing", "drop").stdout
    for words in (
        "read f.csv as CSV: 2 rows\n  separator semicolon (found), decimal comma (found), cp1252 (found)",
        "text (codes: some begin with 0): zip\n  numbers: weight",
        "missing: 1 of weight (an empty cell); 1 rows dropped",
        "note: column 'disease' has 1 cell(s) 'NA', which look like a mark for a missing value",
        "note: not UTF-8 (line 4, column 'disease' holds the byte 0xfc)",
    ):
        assert words in said
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "zip;weight;disease"
    given = ("--separator", ";", "--decimal", ",", "--encoding", "cp1252", "--missing", "value", "--numbers", "zip")
    said = call(*ask, *given, "--missing-values", "NA,?").stdout
    assert "separator semicolon (given), decimal comma (given), cp1252 (given)" in said
    assert "1 of weight, 1 of disease (an empty cell or 'NA' or '?'); published as (missing)" in said
    assert "(missing)" in (tmp_path / "out.csv").read_text()
    for wrong, words in [
        (("--decimal", "x"), "--decimal must be one of '.', ','"),
        (("--missing", "keep"), "--missing must be one of 'refuse', 'value', 'category', 'drop'"),
        (("--encoding", "klingon"), "--encoding must be the name of a text encoding"),
        (("--text", "zip", "--numbers", "zip"), "--text and --numbers both name 'zip'"),
        (("--numbers", "disease"), "line 2, column 'disease': 'NA' is no number"),
        (("--numbers", "disease"), "list it in --missing-values, or list the column in --text"),
        (("--text", "zap"), "--text names 'zap', which file 'f.csv' does not have"),
    ]:
        assert words in refusal(call(*ask, "--missing", "drop", *wrong, code=2))


def test_parquet_and_the_mark_before_formulas(call, tmp_path):
    pd.DataFrame({"age": [1, 2], "note": ["=1+1", "x"]}).to_parquet("f.parquet")
    ask = ("--qi", "age", "--sensitive", "note", "--k", 2)
    assert "as parquet: 2 rows" in call("anonymize", "f.parquet", *ask, "-o", "out.csv", "--guard").stdout
    assert "'=1+1" in (tmp_path / "out.csv").read_text()
    call("anonymize", "out.csv", *ask, "--guarded", "-o", "back.csv")
    assert "'" not in (tmp_path / "back.csv").read_text() and "=1+1" in (tmp_path / "back.csv").read_text()


def test_cells_that_begin_like_formulas_are_counted(call, tmp_path):
    pd.DataFrame({"age": [-1, 2, 3, 4], "=note": ["=1+1", "@x", "-5", "fine"]}).to_csv("f.csv", index=False)
    ask = ("anonymize", "f.csv", "--qi", "age", "--sensitive", "=note", "--k", 2, "-o")
    said = call(*ask, "out.csv").stdout
    assert "warning: 3 cell(s) begin with =, +, -, @, a tab or a carriage return" in said and "use --guard" in said
    assert "formula" not in call(*ask, "out.csv", "--guard").stdout
    assert "formula" not in call(*ask, "out.parquet").stdout
    assert "--guard is for CSV files" in refusal(call(*ask, "out.parquet", "--guard", code=2))


def test_columns_that_identify_people_are_warned_of_without_their_values(call, people, tmp_path):
    said = call("anonymize", people, "--qi", "name,zip", "--sensitive", "disease", "--k", 5).stdout
    assert "warning: quasi-identifier 'name': nearly every record has a value of its own (120 different texts" in said
    assert "person " not in said  # no value
    assert "warning" not in call("anonymize", people, *GOOD, "--k", 5).stdout


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("out.parquet", pd.read_parquet),
        ("out.arrow", pd.read_feather),
        ("out.feather", pd.read_feather),
        ("out.TSV", lambda path: pd.read_csv(path, sep="\t", dtype={"zip": str}, keep_default_na=False)),
        ("out", lambda path: pd.read_csv(path, dtype={"zip": str}, keep_default_na=False)),
    ],
)
def test_the_extension_decides_the_format(call, people, name, read):
    ask = ("anonymize", people, "--qi", "age,zip", "--sensitive", "disease", "--k", 5, "--seed", 1, "-o")
    call(*ask, "plain.csv")
    call(*ask, name)
    plain = pd.read_csv("plain.csv", dtype={"zip": str}, keep_default_na=False)
    pd.testing.assert_frame_equal(read(name), plain, check_dtype=False)


def test_an_unknown_format_is_refused_before_anything_is_read(call, people):
    words = refusal(call("anonymize", people, *GOOD, "--k", 5, "-o", "out.xlsx", code=2))
    assert "'.xlsx' is not a known format; use one of .csv, .tsv, .txt, .parquet, .arrow, .feather" in words


@pytest.mark.parametrize("name", ["people.csv", "."])
def test_a_file_in_place_of_a_data_set_leads_to_the_toml_file(call, people, name):
    assert "a TOML file" in refusal(call("data", name, code=2))


def test_outputs_that_cannot_be_written_are_refused_first(call, people, tmp_path):
    was = people.read_bytes()
    for output, words in [
        ("people.csv", "choose another name"),
        ("zip.csv", "choose another name"),
        ("nowhere/out.csv", "no folder 'nowhere'"),
        (".", "is a folder"),
    ]:
        assert words in refusal(call("anonymize", people, *GOOD, "--k", 5, "-o", output, code=2))
    assert people.read_bytes() == was


@pytest.mark.parametrize("part", ["quasi", "sensitive"])
def test_two_tables_do_not_overwrite_what_was_read(call, people, tmp_path, part):
    read = people.rename(tmp_path / f"p-{part}.csv")
    was, files = read.read_bytes(), sorted(tmp_path.iterdir())
    anatomy = ("--algorithm", "anatomy", "--l", 2)
    assert f"'p-{part}.csv' is read" in refusal(call("anonymize", read.name, *GOOD, *anatomy, "-o", "p.csv", code=2))
    assert read.read_bytes() == was and sorted(tmp_path.iterdir()) == files
    call("anonymize", read.name, *GOOD, "--k", 5, "-o", "p.csv")  # one table has the name as it is


# ---------------------------------------------------------------------- experiments
def test_without_experiments_it_says_so(call, monkeypatch):
    assert "tour" in call("list").stdout  # those that come with the package
    monkeypatch.setattr(catalogue, "SHIPPED", ())
    assert "no experiments" in call("list").stdout
    assert "nothing to reproduce" in call("reproduce").stdout
    assert "no experiments/*/experiment.toml" in refusal(call("run", "tour", code=2))


@pytest.fixture
def root(call, tmp_path, monkeypatch):
    """A folder with the demonstration, and a kernel that hands over ready results."""
    shutil.copytree(DATA, tmp_path / "experiments")
    executed = []

    def execute(notebook, output, parameters, environment, watch, *_):
        shutil.copy(notebook, output)
        folder, rows = Path(environment["PPDP_LAB_RUN"]), parameters["rows"]
        boxes = pd.DataFrame({"x0": [0.0], "x1": [1.0], "y0": [0.0], "y1": [1.0], "size": [rows]})
        losses = pd.DataFrame({"method": "m", "k": [2, 4, 8], "loss": [0.1, 0.2, 0.3], "suppressed": 0})
        runs.write_tables({"loss": losses, "boxes": boxes}, folder)
        handed = {"tables": ["loss", "boxes"], "figures": ["loss", "boxes"], "data": [], "modules": ["__init__.py"]}
        (folder / "finish.json").write_text(json.dumps(handed))
        executed.append(parameters)
        watch(0, 7)

    monkeypatch.setattr(runner, "execute", execute)
    return executed


def test_run_list_redraw_and_report(call, root, tmp_path):
    assert "The larger k, the more is lost." in call("run", "demo").stdout
    assert "already finished" in call("run", "demo").stdout and len(root) == 1
    call("run", "demo", "--force")
    assert len(root) == 2
    listed = call("list").stdout.splitlines()[-1]
    assert listed.startswith("demo") and listed.endswith("quick")
    (figure,) = tmp_path.glob("results/demo/*/figures/loss.svg")
    was = figure.read_bytes()
    figure.unlink()
    assert "does not hold" in call("redraw", "demo").stdout and figure.read_bytes() == was
    call("report", "--scale", "quick", "--to", "figures")
    assert (tmp_path / "figures" / "demo" / "loss.svg").read_bytes() == was
    assert "1 does not hold" in (tmp_path / "figures" / "SCORECARD.md").read_text()
    assert "no experiment was run at scale 'paper'" in refusal(call("report", code=2))


def test_a_run_with_changed_parameters_is_reported_by_its_folder(call, root, tmp_path):
    printed = call("run", "demo", "-p", "rows=70").stdout
    assert printed.startswith(f"Results go to {tmp_path / 'results'}\n")
    (folder,) = (path.parent for path in tmp_path.glob("results/demo/*/figures"))
    assert printed.endswith(f"All of it on one page: ppdp-lab report {folder} --html demo.html\n")
    refused = refusal(call("report", "demo", "--scale", "quick", "--html", "page.html", code=2))
    assert f"or name the folder of a run with changed parameters, such as {folder}" in refused
    assert "say where the report" in refusal(call("report", folder, code=2))
    call("run", "demo")
    call("report", folder, "demo", "--scale", "quick", "--html", "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "scale quick, rows=70" in page and page.count("<h2") == 2
    links = re.findall('href="#([^"]+)"', page)
    assert len(links) == 2 and all(page.count(f'id="{link}"') == 1 for link in links)
    call("report", folder, "--to", "mine")
    drawn = folder / "figures" / "loss.svg"
    assert (tmp_path / "mine" / "demo" / "loss.svg").read_bytes() == drawn.read_bytes()
    drawn.unlink()
    call("redraw", folder)
    assert drawn.is_file()


@pytest.mark.parametrize("to", ["results", "results/demo", "results/new", "."])
def test_a_report_does_not_touch_the_runs(call, root, tmp_path, to):
    call("run", "demo")
    files = sorted(tmp_path.rglob("*"))
    assert "the results folder" in refusal(call("report", "--scale", "quick", "--to", to, code=2))
    assert sorted(tmp_path.rglob("*")) == files


def test_a_report_leaves_files_that_are_not_its_own(call, root, tmp_path):
    call("run", "demo")
    mine = tmp_path / "fg" / "demo" / "mine.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    (mine.parent / "loss.svg").write_text("old")
    call("report", "--scale", "quick", "--to", "fg")
    assert mine.read_text() == "mine" and "<svg" in (mine.parent / "loss.svg").read_text()


def test_an_unknown_scale_is_refused_before_anything_is_written(call, root, tmp_path):
    call("reproduce")
    card = tmp_path / "results" / "SCORECARD.md"
    was = card.read_text()
    sweep = ["sweep", "demo", "-p", "rows=30", "--processes", "0"]
    for command in (["reproduce"], ["report"], ["redraw", "demo"], ["run", "demo"], sweep):
        assert "did you mean 'quick'" in refusal(call(*command, "--scale", "quik", code=2))
    assert card.read_text() == was and len(root) == 1 and not (tmp_path / "figures").exists()


COMMANDS = {
    "run": ["run", "demo"],
    "report": ["report", "--scale", "quick"],
    "redraw": ["redraw", "demo"],
}


@pytest.mark.parametrize(
    "file, content, commands",
    [
        ("environment.json", "{", ["run", "report", "redraw"]),
        ("environment.json", "[]", ["run", "report", "redraw"]),
        ("environment.json", '{"scale": "quick"}', ["run", "report", "redraw"]),
        ("verdicts.json", "{", ["run", "report"]),
        ("verdicts.json", '[{"id": 1}]', ["run", "report"]),
        ("finish.json", "5", ["redraw"]),
        ("finish.json", '{"figures": 5, "data": []}', ["redraw"]),
        ("finish.json", '{"figures": [], "data": []}', ["redraw"]),
        ("results/loss.parquet", "no table", ["redraw"]),
    ],
)
def test_a_run_that_cannot_be_read_is_named(call, root, tmp_path, file, content, commands):
    call("run", "demo")
    (folder,) = (path for path in (tmp_path / "results" / "demo").iterdir())
    (folder / file).write_text(content)
    for command in commands:
        words = refusal(call(*COMMANDS[command], code=2))
        assert f"the run in {folder} cannot be read: {file} " in words and "delete that folder and run again" in words
    assert (folder / file).read_text() == content and not (tmp_path / "figures").exists()
    shutil.rmtree(folder)
    call("run", "demo")


def test_list_goes_on_after_a_broken_run(call, root, tmp_path):
    call("run", "demo")
    call("run", "demo", "--scale", "paper")
    (folder,) = (
        p.parent for p in tmp_path.glob("results/demo/*/environment.json") if '"scale": "paper"' in p.read_text()
    )
    (folder / "environment.json").write_text("{")
    result = call("list")
    assert result.stdout.splitlines()[-1].endswith("quick") and f"the run in {folder} cannot be read" in result.stderr


def test_list_counts_runs_with_changed_parameters(call, root):
    for rows in (30, 40):
        call("run", "demo", "-p", f"rows={rows}")
    assert " ".join(call("list").stdout.split()).endswith(" 2 with changed parameters")
    call("run", "demo")
    listed = " ".join(call("list").stdout.split())
    assert listed.endswith(" quick, 2 with changed parameters")


def test_reproduce_prints_and_writes_the_scorecard(call, root, tmp_path):
    printed = call("reproduce").stdout
    assert "4 claims: 1 holds, 1 does not hold" in printed
    assert "# Scorecard" in (tmp_path / "results" / "SCORECARD.md").read_text()
    (figures,) = tmp_path.glob("results/demo/*/figures")
    assert f"demo        2        {figures}" in printed


def test_show_says_what_an_experiment_takes_and_where_its_figures_are(call, root, tmp_path):
    printed = call("show", "demo").stdout
    assert printed.startswith("demo: Loss and number of classes under Mondrian\npaper: made up for the tests\n")
    lines = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if line}
    assert lines["parameter"] == ["default", "at", "tiny", "at", "quick", "at", "paper"]
    assert lines["rows"][1:] == ["60", "80", "400"] and "not drawn yet; use: ppdp-lab run demo" in printed
    assert "4 claims: ppdp-lab show demo --claims" in printed and "The larger k, the more is lost." not in printed
    call("run", "demo", "-p", "rows=70")
    (figures,) = tmp_path.glob("results/demo/*/figures")
    printed = call("show", "demo", "--claims").stdout
    assert "loss-rises" in printed and "The larger k, the more is lost." in printed
    assert f"of the newest run (quick, rows=70): {figures}" in printed and "does not hold" in printed
    assert "did you mean 'demo'" in refusal(call("show", "dmo", code=2))


@pytest.mark.parametrize("path", catalogue.files(REPOSITORY).values(), ids=lambda path: path.stem)
def test_show_leaves_no_placeholder_in_a_caption(path, call):
    printed = call("show", path).stdout  # where nothing was run
    figures = printed.partition("\nfigure ")[2].partition("not drawn yet")[0]
    assert figures and not re.findall(r"[{}]|not said|None", figures)


def test_show_fills_captions_with_the_values_of_the_scale(call):
    printed = " ".join(call("show", REPOSITORY / "experiments" / "tour").stdout.split())
    assert "with distinct l-diversity (l = 3), with t-closeness (t = 0.3)" in printed
    assert "Mondrian's boxes over two attributes, k-anonymity alone" in printed
    assert "People whose sensitive value is certain (left)" in printed
    assert "Captions show the values at scale quick. not drawn yet; use: ppdp-lab run tour" in printed


def test_sweep_makes_one_table(call, root):
    printed = call("sweep", "demo", "-p", "rows=30,40", "-p", "seed=1,2", "--processes", "0").stdout
    assert [(p["rows"], p["seed"]) for p in root] == [(30, 1), (30, 2), (40, 1), (40, 2)]
    assert (
        "12 rows in" in printed and "loss.parquet" in printed and "4 rows in" in printed and "boxes.parquet" in printed
    )


def test_sweep_shows_equal_failures_once_and_stops_unless_told_to_keep_going(call, tmp_path):
    (tmp_path / "mine.py").write_text("def fails(k):\n    raise ValueError('always the same')\n")
    grid = ["-p", "k=" + ",".join(map(str, range(30))), "--processes", "0", "--store", str(tmp_path / "store")]
    stopped = call("sweep", f"{tmp_path / 'mine.py'}:fails", *grid, code=2)
    assert stopped.stdout.count("always the same") == 2, "at once, and in the table"
    assert "10 of 30 points failed, 20 were not run" in stopped.stderr and "--keep-going" in stopped.stdout
    (row,) = [
        line for line in stopped.stdout.splitlines() if line.endswith("always the same") and "failed at" not in line
    ]
    assert row.split() == ["10", "k=0", "ValueError:", "always", "the", "same"]
    finished = call("sweep", f"{tmp_path / 'mine.py'}:fails", *grid, "--keep-going", code=2)
    assert "30 of 30 points failed; see the errors above" in finished.stderr


def test_a_folder_without_results_is_not_a_finished_run(call, root, tmp_path):
    call("run", "demo")
    (folder,) = (tmp_path / "results" / "demo").iterdir()
    shutil.rmtree(folder / "results")
    assert call("list").stdout.splitlines()[-1].rstrip().endswith("paper")  # the scales; nothing is finished
    assert "no experiment was run at scale 'quick'" in refusal(call("report", "--scale", "quick", code=2))
    assert "no finished run to draw from" in refusal(call("redraw", "demo", code=2))
    call("run", "demo")
    assert len(root) == 2 and call("list").stderr == ""


def test_names_and_parameters_are_refused_with_near_misses(call, root, tmp_path):
    assert "did you mean 'demo'" in refusal(call("run", "dmeo", code=2))
    assert "did you mean 'rows'" in refusal(call("run", "demo", "-p", "row=3", code=2))
    assert "did you mean 'quick'" in refusal(call("run", "demo", "--scale", "quik", code=2))
    assert "key=value" in refusal(call("run", "demo", "-p", "rows", code=2))
    assert "no experiment file" in refusal(call("run", "other.toml", code=2))
    assert "no finished run" in refusal(call("redraw", "demo", code=2))
    assert "nowhere: no such folder" in refusal(call("run", "demo", "--data-dir", "nowhere", code=2))
    assert "no folder" in refusal(call("--root", "nowhere", "list", code=2))
    assert not root and not (tmp_path / "results" / "demo").exists()


def test_the_data_folder_is_passed_on(call, root, tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    call("run", "demo", "--data-dir", "real")
    assert os.environ["PPDP_LAB_DATA"] == str((tmp_path / "real").resolve())


# ---------------------------------------------------------------------- the rest
def test_data_sets_are_listed_and_described(call):
    assert "adult" in call("data").stdout
    assert "occupation (sensitive)" in call("data", "adult").stdout
    assert "did you mean 'adult'" in refusal(call("data", "adlt", code=2))


def test_bench_compares_with_units_and_targets(call, monkeypatch):
    lines = [Measurement("sorting", 0.02, "lexsort", 0.01, 3), Measurement("slow", 0.05, "lexsort", 0.01, 3)]
    monkeypatch.setattr(bench, "suites", lambda: {"core": lambda: lines})
    printed = call("bench").stdout.splitlines()
    assert printed[-2].split() == ["sorting", "20", "ms", "2.00", "x", "lexsort", "3", "ok"]
    assert printed[-1].split()[-2:] == ["3", "over"]
    assert "did you mean 'core'" in refusal(call("bench", "coer", code=2))


def test_version(call):
    assert call("--version").stdout == f"ppdp-lab {__version__}\n"
