"""The pages as they are built, once for all tests that look at them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from docs.builder.pages import Site

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site() -> Site:
    return Site(ROOT, "Commands.")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built pages; built by the first process that asks for it, strictly, into no folder of the repository."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder, done = shared / "pages", shared / "pages.txt"
    with FileLock(shared / "pages.lock"):
        if not done.is_file():
            command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
            environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
            run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
            done.write_text(f"{run.returncode}\n{run.stdout}{run.stderr}")
    code, _, said = done.read_text().partition("\n")
    assert code == "0" and "WARNING" not in said, said
    return folder
