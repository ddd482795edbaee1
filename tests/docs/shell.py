"""Lines of a shell block as somebody would type them, at a small size, in a folder of their own."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from typer.testing import CliRunner

from ppdp_lab import cli

ROOT = Path(__file__).parents[2]
PROGRAM = "ppdp-lab"


def blocks(text: str) -> list[tuple[str, str]]:
    """The code blocks of a text, each with its language."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def lines(block: str) -> list[str]:
    """The commands of a block, without what is said about them."""
    return [line.partition(" #")[0].strip() for line in block.splitlines() if line.strip()]


def type_in(line: str) -> str:
    """Call the program as a line of a shell does, any experiment at its tiny scale; what it prints."""
    program, *words = shlex.split(line)
    assert program == PROGRAM, line
    if words[0] in ("run", "sweep"):
        words += ["--scale", "tiny"]
    if any(word.startswith("dataset=") for word in words):
        words += ["-p", "rows=600"]  # a table of one's own is small, too
    words = ["tiny" if before == "--scale" else word for before, word in zip(["", *words], words)]
    done = CliRunner().invoke(cli.app, words)
    assert done.exit_code == 0, f"{line}\n{done.output}{done.exception or ''}"
    return done.output


def lay_out(folder: Path, experiment: str) -> None:
    """An experiment as a user has it, so that results go to this folder."""
    shutil.copytree(ROOT / "experiments" / experiment, folder / "experiments" / experiment)
    (folder / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / f"{experiment}.ipynb", folder / "notebooks")
