"""The recipes for users: every block of the page runs, one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.shell import ROOT, blocks, lay_out, lines, type_in

TEXT = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_all_recipes_run_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lay_out(tmp_path, "tour")
    space: dict = {}
    printed: list[str] = []
    for language, block in blocks(TEXT):
        if language == "toml":
            (tmp_path / "patients.toml").write_text(block)
        elif language == "sh":
            printed += [type_in(line) for line in lines(block)]
        else:
            exec(compile(block, "docs/recipes.md", "exec"), space)
    assert {language for language, _ in blocks(TEXT)} == {"python", "sh", "toml"}
    published = (tmp_path / "published.csv").read_text()
    assert len(published.splitlines()) == 901 and "Person" not in published
    assert not space["audit"], "the page says that an anonymizer that is run anew does not pass"
    assert len(space["loss"]) == 12 and any("own data" in text for text in printed)
