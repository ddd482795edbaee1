"""Notebooks in JupyterLab: Run All ends without an error and with pictures, and an explorer's slider moves both.

`make test` opens the tour and one explorer; with PPDP_LAB_ALL_NOTEBOOKS, as `make long` sets it, every notebook there is,
exercises with their solutions among them. Experiments are opened as copies whose parameters are those of their tiny scale.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from watching import PICTURE, changed, seen, slide

from ppdp_lab.lab import catalogue
from ppdp_lab.lab.parameters import absolute

ROOT = Path(__file__).parents[2]
EXPERIMENTS = {experiment.name: experiment for experiment in catalogue.experiments(ROOT)}
EXPLORERS = sorted(path.stem for path in (ROOT / "notebooks" / "explore").glob("*.ipynb"))
EXERCISES = sorted(path.stem for path in (ROOT / "notebooks" / "exercises").glob("*.ipynb"))
ALL = bool(os.environ.get("PPDP_LAB_ALL_NOTEBOOKS"))
LONG = 300_000  # milliseconds
# Every code cell has a number, or one of them failed: those after it never get theirs. An error's type of output is another
# one in older versions of JupyterLab, where it shares that of stderr; there only a traceback has colours.
ENDED = """() => {
    const cells = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-InputPrompt')];
    return cells.length && cells.every(prompt => /\\[\\d+\\]/.test(prompt.innerText))
        || document.querySelector('[data-mime-type="application/vnd.jupyter.error"]')
        || document.querySelector('[data-mime-type="application/vnd.jupyter.stderr"] .ansi-red-fg');
}"""


def copied(source: Path, target: Path, parameters: dict) -> None:
    """A copy of a notebook with other parameters."""
    notebook = json.loads(source.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if "parameters" in cell["metadata"].get("tags", []):
            cell["source"] = [*cell["source"], *(f"\n{name} = {value!r}" for name, value in parameters.items())]
    target.write_text(json.dumps(notebook), encoding="utf-8")


def run_all(page, address: str, path: Path) -> list[str]:
    """Open a notebook, run all of it, wait until it has ended, save it; returns the errors that stand in the file."""
    # A workspace of its own: JupyterLab would open the notebooks of earlier tests again.
    page.goto(address.replace("/lab?", f"/lab/workspaces/{path.stem}/tree/{path.name}?"))
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    status = page.locator("#jp-main-statusbar", has_text=re.compile(r"\|\s*Idle"))
    status.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.locator(".lm-Menu-item[data-command='runmenu:run-all']").click()
    page.wait_for_function(ENDED, timeout=LONG)
    status.wait_for(timeout=LONG)
    with page.expect_response(lambda answer: answer.request.method == "PUT" and path.name in answer.url):
        page.keyboard.press("Control+s")
    code = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    failed = [output for cell in code for output in cell["outputs"] if output["output_type"] == "error"]
    assert failed or all(cell["execution_count"] for cell in code), "a cell was not run"
    return [f"{output['ename']}: {output['evalue']}" for output in failed]


def test_a_notebook_that_fails_is_noticed(page, jupyter):
    address, folder = jupyter
    path = folder / "failing.ipynb"
    copied(ROOT / "notebooks" / "exercises" / "diversity.ipynb", path, {})
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in code:
        cell["source"] = ["pass"]
    code[1]["source"] = ["1 / 0"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert run_all(page, address, path) == ["ZeroDivisionError: division by zero"]


@pytest.mark.parametrize("name", sorted(EXPERIMENTS) if ALL else ["tour"])
def test_a_notebook_runs_to_its_end(page, jupyter, screenshot, name):
    address, folder = jupyter
    experiment = EXPERIMENTS[name]
    path = folder / f"{name}.ipynb"
    copied(experiment.notebook, path, absolute(experiment.parameters("tiny"), experiment.path.parent))
    page.set_viewport_size({"width": 1280, "height": 12_000})  # JupyterLab draws what is on the screen only
    assert run_all(page, address, path) == []
    # Counted in the file: of a long notebook JupyterLab attaches only what is near the screen.
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == len(experiment.figures)
    shown = page.locator(".jp-OutputArea-output img")
    shown.first.wait_for()
    assert all(image.evaluate("e => e.naturalWidth") > 100 for image in shown.all())
    page.set_viewport_size({"width": 1280, "height": 1400})
    shown.first.scroll_into_view_if_needed()
    screenshot(page, f"lab-{name}")


@pytest.mark.parametrize("name", EXPLORERS if ALL else ["partition"])
def test_an_explorer_stands_in_a_notebook(page, jupyter, screenshot, name):
    address, folder = jupyter
    path = folder / f"explore-{name}.ipynb"
    copied(ROOT / "notebooks" / "explore" / f"{name}.ipynb", path, {})
    page.set_viewport_size({"width": 1280, "height": 2_400})
    assert run_all(page, address, path) == []
    page.wait_for_selector(PICTURE)
    before = seen(page)
    slide(page, name)
    assert changed(page, before) != before and not page.locator("[role=alert]").count()
    screenshot(page, f"lab-explore-{name}")


@pytest.mark.skipif(not ALL, reason="make long opens the exercises, make test runs their checks without a browser")
@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_with_its_solution_runs_to_its_end(page, jupyter, screenshot, name):
    address, folder = jupyter
    path = folder / f"exercise-{name}.ipynb"
    copied(ROOT / "notebooks" / "exercises" / f"{name}.ipynb", path, {})
    page.set_viewport_size({"width": 1280, "height": 4_000})
    assert run_all(page, address, path) == []
    screenshot(page, f"lab-exercise-{name}")
