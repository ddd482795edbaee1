"""Figures of the I3M experiment: which panel is the paper's."""

from __future__ import annotations

from itertools import product

import pandas as pd

from ppdp_lab.lab.drawings import i3m as drawings


def test_the_papers_k_is_marked_in_figures_4_and_5():
    rows = [
        {"direction": direction, "k": k, "method": method, "change": change, "loss": 10.0, "seconds": 0.1}
        for direction, k, method, change in product(("insert", "delete"), (3, 5, 10), ("I3M", "static"), (10, 20))
    ]
    for draw, marked in ((drawings.insert, "k = 3 (the paper's)"), (drawings.delete, "k = 5 (the paper's)")):
        titles = [ax.get_title(loc="left") for ax in draw({"runs": pd.DataFrame(rows)}).axes[:3]]
        assert marked in titles and sum("paper" in title for title in titles) == 1
