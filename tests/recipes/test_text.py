"""CONTRIBUTING.md, README.md, recipes and glossary say what is there: rooms, words, tests, files, an example that runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from recipes.following import RECIPES, ROOT, blocks
from recipes.following import TEXT as EXTENDING
from test_architecture import PACKAGE, ROOMS

import ppdp_lab as pl

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WORDS = re.split(r"^### (.+)\n", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
FAMILIES = (
    "principle",
    "metric",
    "attack",
    "anonymizer",
    "publisher",
    "form",
    "data set",
    "experiment",
    "kind of claim",
    "exercise",
)
GLOSSARY = (
    "adversary", "anonymizer", "attack", "background", "box", "bucket", "cell", "claim", "class", "counterfeit", "dirty",
    "domain", "experiment", "feature", "form", "group", "hierarchy", "holder", "identifier", "lattice", "metric",
    "microdata", "plain form", "principle", "published", "publisher", "quasi-identifier", "release", "rule", "scale",
    "sensitive", "series", "signature", "snapshot", "stand-in", "suppressed", "tracked", "unit", "update model", "verdict",
    "vocabulary",
)  # fmt: skip


def section(title: str) -> str:
    return re.split(r"^## ", CONTRIBUTING.split(f"## {title}\n")[1], flags=re.MULTILINE)[0]


def first_column(text: str) -> list[str]:
    return [row.split("|")[1].strip() for row in text.splitlines() if row.startswith("| ")][1:]


def test_every_package_is_named_in_its_order() -> None:
    cells = [re.findall(r"`(\w+)(?:\.py|/)`", cell) for cell in first_column(section("The packages"))]
    named = [name for cell in cells for name in cell]
    files = [*PACKAGE.glob("*.py"), *(door.parent for door in PACKAGE.glob("*/__init__.py"))]
    assert named == [room for room in ROOMS if room in {path.stem for path in files}]


def test_every_folder_that_is_named_exists() -> None:
    for row in (row for row in section("The packages").splitlines() if row.startswith("| `") and row.count("/`") > 1):
        room, *inside = re.findall(r"`(\w+)/`", row)
        for sub in inside:
            assert (PACKAGE / room / sub / "__init__.py").is_file() or (PACKAGE / sub).is_dir(), f"{room}/{sub}"


def test_ten_changes_name_their_files() -> None:
    table = EXTENDING.split("Ten changes")[1].split("All recipes")[0]
    rows = [row.split("|")[1:-1] for row in table.splitlines() if row.startswith("| a")]
    assert len(rows) == 10
    for what, written, edited in rows:
        assert re.search(r"`[\w/.]+`", written) and re.search(r"`tests/[\w/]+\.py`", edited), what


def test_every_word_is_explained_in_one_sentence() -> None:
    assert tuple(WORDS[::2]) == GLOSSARY == tuple(sorted(GLOSSARY)), "in the order of the alphabet"
    for word, meaning in zip(WORDS[::2], WORDS[1::2]):
        assert meaning.strip().endswith("."), word


def test_there_is_a_recipe_for_each_family_and_a_family_test_behind_it() -> None:
    assert [re.sub("^An? ", "", title) for title in RECIPES] == list(FAMILIES)
    for title, text in RECIPES.items():
        assert len(blocks(text)) == 1, title
        assert re.search(r"`tests/[\w/]+\.py`", text), f"{title}: which test holds it to account?"


def test_every_path_that_is_named_exists() -> None:
    prose = re.sub(r"^```.*?^```$", "", CONTRIBUTING + EXTENDING, flags=re.MULTILINE | re.DOTALL)
    paths = {path for path in re.findall(r"`([\w/.]+\.(?:py|ipynb|md|toml))`", prose) if "/" in path}
    assert len(paths) > 10
    for path in paths:
        assert (ROOT / path).is_file() or (ROOT / "ppdp_lab" / path).is_file(), path
    for path in re.findall(r"\]\(([\w/.]+)\)|`(notebooks/[\w.]+)`", README + CONTRIBUTING):
        assert (ROOT / "".join(path)).is_file(), path


def test_both_files_are_short() -> None:
    assert len(CONTRIBUTING.splitlines()) < 80 and len(README.splitlines()) < 80
    assert "make reproduce" in README and "make test" in README


def test_the_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PPDP_LAB_DATA", raising=False)
    (code,) = blocks(README)
    namespace: dict = {}
    exec(compile(code.replace("_000", "0"), "README.md", "exec"), namespace)  # a hundredth of the people
    series = namespace["series"]
    assert [release.n_classes > 0 for release in series] == [True] * len(series) and len(series) > 2
    assert (tmp_path / "published.csv").stat().st_size > 0 and namespace["rule"].check(namespace["release"])
    assert pl.MInvariance.load(tmp_path / "memory.npz").number == len(series)
