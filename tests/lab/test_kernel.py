"""Executing a notebook: which cell is running is told before it starts."""

from __future__ import annotations

import nbformat
import pytest

from ppdp_lab.lab import kernel


@pytest.mark.slow
def test_each_cell_is_announced(tmp_path):
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell("n = 1"), nbformat.v4.new_code_cell("print(n)")]
    notebook.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(notebook, tmp_path / "n.ipynb")
    cells = []
    kernel.execute(tmp_path / "n.ipynb", tmp_path / "out.ipynb", {"n": 2}, {}, lambda *at: cells.append(at))
    assert cells == [(0, 3), (1, 3), (2, 3)]  # papermill adds a cell with the parameters
    executed = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    assert executed.cells[-1].outputs[0].text == "2\n"
