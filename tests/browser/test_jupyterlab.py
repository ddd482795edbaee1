"""Notebooks in JupyterLab: Run All ends without an error and with pictures, and an explorer's slider moves both.

`make test` opens the tour and one explorer; with PPDP_LAB_ALL_NOTEBOOKS, as `make long` sets it, every notebook there is.
Experiments are opened as copies whose parameters are those of their tiny scale.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from watching import PICTURE, changed, seen, slide

from ppdp_lab.lab.experiment import catalogue

ROOT = Path(__file__).parents[2]
EXPERIMENTS = {experiment.name: experiment for experiment in catalogue.experiments(ROOT)}
EXPLORERS = sorted(path.stem for path in (ROOT / "notebooks" / "explore").glob("*.ipynb"))
ALL = bool(os.environ.get("PPDP_LAB_ALL_NOTEBOOKS"))
LONG = 300_000  # milliseconds


def copied(source: Path, target: Path, parameters: dict) -> None:
    """A copy of a notebook with other parameters."""
    notebook = json.loads(source.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if "parameters" in cell["metadata"].get("tags", []):
            cell["source"] = [*cell["source"], *(f"\n{name} = {value!r}" for name, value in parameters.items())]
    target.write_text(json.dumps(notebook), encoding="utf-8")


def run_all(page, address: str, name: str) -> None:
    """Open a notebook, run all of it, and wait until every cell has run."""
    own = name.removesuffix(
        ".ipynb"
    )  # a workspace of its own: JupyterLab would open the notebooks of earlier tests again
    page.goto(address.replace("/lab?", f"/lab/workspaces/{own}/tree/{name}?"))
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    status = page.locator("#jp-main-statusbar", has_text=re.compile(r"\|\s*Idle"))
    status.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.locator(".lm-Menu-item[data-command='runmenu:run-all']").click()
    page.wait_for_function(
        """() => { const code = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')];
           return code.length && code.every(c => /\\[\\d+\\]/.test(c.querySelector('.jp-InputPrompt')?.innerText || ''))
               || document.querySelector('.jp-RenderedText[data-mime-type="application/vnd.jupyter.stderr"] .ansi-red-fg'); }""",
        timeout=LONG,
    )
    status.wait_for(timeout=LONG)


def problems(page) -> str:
    """What the notebook complains about."""
    failed = page.locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]')
    return "\n".join(failed.all_inner_texts())


@pytest.mark.parametrize("name", sorted(EXPERIMENTS) if ALL else ["tour"])
def test_a_notebook_runs_to_its_end(page, jupyter, screenshot, name):
    address, folder = jupyter
    experiment = EXPERIMENTS[name]
    copied(experiment.notebook, folder / f"{name}.ipynb", dict(experiment.parameters("tiny")))
    page.set_viewport_size({"width": 1280, "height": 12_000})  # JupyterLab draws what is on the screen only
    run_all(page, address, f"{name}.ipynb")
    assert not problems(page)
    shown = page.locator(".jp-OutputArea-output img")
    assert shown.count() == len(experiment.figures)
    assert all(image.evaluate("e => e.naturalWidth") > 100 for image in shown.all())
    page.set_viewport_size({"width": 1280, "height": 1400})
    shown.first.scroll_into_view_if_needed()
    screenshot(page, f"lab-{name}")


@pytest.mark.parametrize("name", EXPLORERS if ALL else ["partition"])
def test_an_explorer_stands_in_a_notebook(page, jupyter, screenshot, name):
    address, folder = jupyter
    copied(ROOT / "notebooks" / "explore" / f"{name}.ipynb", folder / f"explore-{name}.ipynb", {})
    page.set_viewport_size({"width": 1280, "height": 2_400})
    run_all(page, address, f"explore-{name}.ipynb")
    page.wait_for_selector(PICTURE)
    before = seen(page)
    slide(page, name)
    assert changed(page, before) != before and not problems(page)
    screenshot(page, f"lab-explore-{name}")
