"""What the bars of a cell say while it runs, read off the messages of its kernel."""

from __future__ import annotations

import nbformat
import pytest

from ppdp_lab.lab import kernel
from ppdp_lab.lab.kernel import CellProgress


def widget(comm, value, kind="comm_msg"):
    return {"msg_type": kind, "content": {"comm_id": comm, "data": {"state": {"value": value}}}}


def test_outer_bars_stand_before_inner_ones_and_full_ones_go():
    told = []
    progress = CellProgress(told.append)
    for message in (
        widget("a", "seed:   0%", "comm_open"),
        widget("numbers", 3.0),  # the bar itself, whose value is a number
        widget("a", "seed:  33%"),
        widget("b", "k:  50%"),
        widget("b", "k:  50%"),  # nothing new
        widget("b", "k: 100%"),
        widget("other", "<b>results</b>"),
        {"msg_type": "status", "content": {}},
    ):
        progress.see(message)
    assert told == ["seed 0%", "seed 33%", "seed 33%, k 50%", "seed 33%"]
    progress.begin()
    progress.see({"msg_type": "stream", "content": {"name": "stderr", "text": "a warning\n\r 40%|####      | 2/5"}})
    assert told[-1] == "40%"


@pytest.mark.slow
def test_a_cell_is_heard_while_it_runs(tmp_path):
    notebook = nbformat.v4.new_notebook()
    source = "from tqdm.auto import tqdm\nfor _ in tqdm(range(4), desc='step', mininterval=0):\n    pass"
    notebook.cells = [nbformat.v4.new_code_cell("n = 1"), nbformat.v4.new_code_cell(source)]
    notebook.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(notebook, tmp_path / "n.ipynb")

    class Watch:
        def __init__(self):
            self.cells, self.told = [], []

        def __call__(self, done, total):
            self.cells.append((done, total))

        def tell(self, said):
            self.told.append(said)

    watch = Watch()
    kernel.execute(tmp_path / "n.ipynb", tmp_path / "out.ipynb", {}, {}, watch)
    assert watch.cells == [(0, 2), (1, 2)] and {"step 25%", "step 50%", "step 75%"} & set(watch.told)
