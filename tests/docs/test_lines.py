"""Every block of the recipes and every shell line of the README runs, one after the other, on the files of the recipes."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.shell import PROGRAM, ROOT, blocks, lay_out, lines, type_in

RECIPES = blocks((ROOT / "docs" / "recipes.md").read_text(encoding="utf-8"))
README = lines(blocks((ROOT / "README.md").read_text(encoding="utf-8"))[2][1])
ELSEWHERE = [". .venv/bin/activate", "make docs"]  # test_built.py builds the pages


@pytest.mark.slow
def test_recipes_and_then_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path, "tour")
    space: dict = {}
    said: dict[str, str] = {}
    for language, block in RECIPES:
        if language == "toml":
            (tmp_path / "mine.toml").write_text(block)
        elif language == "sh":
            said |= {line: type_in(line) for line in lines(block)}
        else:
            exec(compile(block, "docs/recipes.md", "exec"), space)
    assert {language for language, _ in RECIPES} == {"python", "sh", "toml"}
    published = (tmp_path / "published.csv").read_text()
    assert len(published.splitlines()) == 901 and "Person" not in published
    assert not space["audit"], "the page says that an anonymizer that is run anew does not pass"
    assert space["changing"], "the page says that MDistinct passes if the auditor has its model"
    assert len(space["loss"]) == 12

    said |= {line: type_in(line) for line in README if line.startswith(PROGRAM)}
    assert [line for line in README if line not in said] == ELSEWHERE
    assert "adult-arx" in said["ppdp-lab data"] and "tour" in said["ppdp-lab list"]
    runs = {line: printed for line, printed in said.items() if " run " in line or " redraw " in line}
    assert len(runs) == 3 and all("Utility is lost as k grows." in printed for printed in runs.values())
    assert "own data" in said["ppdp-lab run tour -p dataset=mine.toml -p l=2"]
    assert (tmp_path / "mine" / "SCORECARD.md").is_file() and (tmp_path / "mine" / "tour" / "idea.png").is_file()
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 901
