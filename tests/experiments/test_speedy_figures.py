"""Figures of the lattice experiment on sets that the thesis does not have."""

from __future__ import annotations

import pandas as pd

from experiments.speedy import figures as drawings


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_thesis_is_named_only_where_it_has_the_set():
    rows = [
        {"dataset": name, "rollup": rollup, "threads": n, "speedup": n / 2 + 0.5, "checks": 9, "divided": 9 * (n - 1)}
        for name in ("Ward 7", "ihis")
        for rollup, n in ((False, 1), (False, 2), (True, 2))
    ]
    found = pd.DataFrame(rows)
    assert "thesis" in legend(drawings.speedup({"speedups": found}))
    assert "thesis" not in legend(drawings.speedup({"speedups": found[found["dataset"] == "Ward 7"]}))


def test_the_largest_set_may_have_fewer_columns_than_another():
    rows = [
        {"dataset": name, "rows": rows, "quasi_identifiers": count, "k": 5, "algorithm": "Speedy", "rollup": False,
         "threads": threads, "seconds": 0.1 / threads, "divided": 1}
        for name, rows, most in (("Ward 7", 900, 2), ("small", 90, 5))
        for count in range(1, most + 1)
        for threads in (1, 2)
    ]  # fmt: skip
    figure = drawings.ihis({"times": pd.DataFrame(rows)})
    assert figure.axes[0].get_title(loc="left") == "Ward 7, 2 quasi-identifiers, k = 5"
