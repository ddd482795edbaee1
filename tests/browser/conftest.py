"""A chromium that is there, and servers on loopback behind a token, one of each kind for all tests of a file.

Screenshots go to results/screenshots/, or to the folder that PPDP_LAB_SCREENSHOTS names.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 300_000  # milliseconds: a loaded machine takes long to start a kernel
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)


@contextmanager
def server(command: list[str], address: str, folder: Path) -> Iterator[str]:
    """Run a server until the block ends; yields the first address that fits in what it prints."""
    log = folder / "server.log"
    settings = {
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }  # fmt: skip
    env = os.environ | {name: str(folder / sub) for name, sub in settings.items()} | {"PYTHONUNBUFFERED": "1"}
    env.pop("PPDP_LAB_DATA", None)
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder, env=env)
    try:
        deadline = time.monotonic() + PATIENCE / 1000
        while not (found := re.search(address, log.read_text(errors="replace"))):
            assert process.poll() is None and time.monotonic() < deadline, log.read_text(errors="replace")
            time.sleep(0.1)
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT if "ppdp_lab.cli" in command else signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def chromium():
    """A browser, or the reason why there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("there is no chromium on this machine: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(chromium):
    """A browser without cookies, which forgets everything."""
    context = chromium.new_context(viewport={"width": 1280, "height": 1150})
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context):
    return context.new_page()


@pytest.fixture(scope="module")
def voila(tmp_path_factory) -> Iterator[str]:
    """``ppdp-lab explore``: the address of its start page, token and all."""
    folder = tmp_path_factory.mktemp("voila")
    command = [sys.executable, "-m", "ppdp_lab.cli", "--root", str(ROOT), "explore", "--no-browser"]
    with server(command, r"http://127\.0\.0\.1:\d+/\?token=\S+", folder) as address:
        yield address


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """JupyterLab over a folder of its own: its address with the token, and the folder."""
    folder = tmp_path_factory.mktemp("jupyter")
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    quiet = folder / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--port=0", "--allow-root",
        f"--ServerApp.root_dir={notebooks}", "--LabApp.extension_manager=readonly",
    ]  # fmt: skip
    with server(command, r"http://127\.0\.0\.1:\d+/lab\?token=\w+", folder) as address:
        yield address, notebooks


@pytest.fixture
def screenshot():
    """Keep a picture of a page, to be looked at."""
    folder = Path(os.environ.get("PPDP_LAB_SCREENSHOTS") or ROOT / "results" / "screenshots")
    folder.mkdir(parents=True, exist_ok=True)

    def keep(page, name: str) -> Path:
        target = folder / f"{name}.png"
        page.screenshot(path=target, full_page=True)
        return target

    return keep
