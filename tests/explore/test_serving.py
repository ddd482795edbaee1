"""``ppdp-lab explore``: what it lists, what it refuses, and that it ends cleanly. Pages themselves: tests/browser/."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppdp_lab.cli import app
from ppdp_lab.errors import DataFileError
from ppdp_lab.explore import EXPLORERS
from ppdp_lab.explore.serving import serve, start_page

ROOT = Path(__file__).parents[2]


def test_the_start_page_lists_every_explorer_and_loads_nothing_from_elsewhere():
    page = start_page(ROOT / "notebooks" / "explore", "/base/")
    for entry in EXPLORERS.entries():
        assert f'href="/base/voila/render/{entry.name}.ipynb"' in page
    assert all(f">{title}</a>" in page for title in ("Partition", "Bucket graph", "Trade-off", "Own table"))
    assert "http" not in page and "<script" not in page


@pytest.mark.parametrize("content", ['{"cells": []}', "", '{"cells": [{"source": ["1 + 1"]}]}', "[]"])
def test_a_notebook_without_its_heading_is_listed_by_its_name(tmp_path, content):
    for entry in EXPLORERS.entries():
        (tmp_path / f"{entry.name}.ipynb").write_text(content)
    assert ">partition</a>" in start_page(tmp_path)


def test_a_folder_without_notebooks_is_refused(tmp_path):
    with pytest.raises(
        DataFileError, match=r"no notebook of .*partition.* run this in the repository, or name it with --root"
    ):
        serve(tmp_path, browser=False)


def test_a_port_that_is_taken_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(DataFileError, match=f"port {port} cannot be had: .*; choose another with --port"):
            serve(ROOT / "notebooks" / "explore", port=port, browser=False)


@pytest.mark.parametrize("lacking", ["ipywidgets", "voila"])
def test_a_missing_extra_is_one_line(monkeypatch, lacking):
    monkeypatch.setitem(sys.modules, lacking, None)
    done = CliRunner().invoke(app, ["explore", "--no-browser"])
    assert done.exit_code == 2 and lacking in done.output and "ppdp_lab[explore]" in done.output
    assert len(done.output.strip().splitlines()) == 1


@pytest.mark.slow
def test_it_asks_for_its_token_and_ends_with_ctrl_c(tmp_path):
    command = [sys.executable, "-u", "-m", "ppdp_lab.cli", "--root", str(ROOT), "explore", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path)
    try:
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=\S+", address), address
        with urllib.request.urlopen(address) as answer:
            assert "Explorers" in answer.read().decode()
            allowed = answer.headers["Content-Security-Policy"]
            assert "default-src 'self'" in allowed and not re.search(r"https?:|\*", allowed)  # nothing from elsewhere
        with urllib.request.urlopen(address.partition("?")[0]) as answer:  # without it, the page that asks for it
            assert "login" in answer.url
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0]
        assert process.returncode == 0 and "Ended." in rest and "Traceback" not in rest
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
