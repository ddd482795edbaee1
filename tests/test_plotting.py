"""One look: the same bytes for the same input, whatever the reader's settings; nothing stays open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest

from ppdp_lab import plotting
from ppdp_lab.errors import ParameterError

RESULTS = pd.DataFrame(
    {"k": [2, 5, 2, 5, 2, 5], "loss": [0.1, 0.3, 0.2, 0.3, 0.15, 0.4], "method": ["a", "a", "a", "a", "b", "b"]}
)


def draw():
    fig, ax = plotting.figure()
    plotting.curves(ax, RESULTS, x="k", y="loss", series="method")
    plotting.band(ax, 0.1, 0.2, "paper")
    plotting.dashed(ax, 0.25, "stated")
    plotting.label(ax, x="k (records)", y="loss (share)", title="Loss")
    return plotting.caption(fig, "What k costs.", provenance="stand-in", scale="quick", seed=3)


def test_the_same_figure_has_the_same_bytes(tmp_path):
    first = [p.read_bytes() for p in plotting.save(draw(), tmp_path / "a")]
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9, "svg.hashsalt": None, "savefig.dpi": 10}):
        second = plotting.save(draw(), tmp_path / "b.svg")
    assert [p.name for p in second] == ["b.png", "b.svg"]
    assert [p.read_bytes() for p in second] == first
    assert first[0].startswith(b"\x89PNG") and b"<svg" in first[1]
    assert b"<dc:date>" not in first[1] and b"atplotlib" not in first[0] + first[1].split(b"</metadata>")[0][-500:]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "a.svg", "b.png", "b.svg"]


def test_settings_are_put_back():
    before = dict(mpl.rcParams)
    draw()
    assert dict(mpl.rcParams) == before


def test_pyplot_is_not_used():
    """Figures that pyplot knows stay open until somebody closes them."""
    code = "import sys, ppdp_lab.plotting as p; p.figure(); assert 'matplotlib.pyplot' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(plotting.__file__).parents[1]).returncode == 0


def test_curves_average_repetitions_and_shade_their_range():
    _, ax = plotting.figure()
    plotting.curves(ax, RESULTS, x="k", y="loss", series="method", order=["b", "a", "absent"])
    assert [line.get_label() for line in ax.lines] == ["b", "a"]
    assert ax.lines[1].get_ydata() == pytest.approx([0.15, 0.3])
    assert len(ax.collections) == 1
    with pytest.raises(ParameterError, match="no column 'lose'"):
        plotting.curves(ax, RESULTS, x="k", y="lose")


def test_no_two_series_look_alike():
    looks = [tuple(map(str, plotting.style(i).values())) for i in range(60)]
    assert len(set(looks)) == 60
    neighbours = [plotting.style(i) for i in range(7)]
    assert len({s["color"] for s in neighbours}) == len({s["marker"] for s in neighbours}) == 7


def test_the_caption_names_provenance_scale_and_seed():
    said = draw().get_supxlabel()
    assert " ".join(said.split()) == "What k costs. (data: stand-in; scale: quick; seed: 3)"


def test_a_partition_is_drawn_as_boxes():
    boxes = pd.DataFrame({"x0": [0, 5], "x1": [5, 9.0], "y0": [0, 0], "y1": [2, 2.0], "size": [3, 8]})
    _, ax = plotting.figure()
    plotting.partition(ax, boxes, points=pd.DataFrame({"x": [3], "y": [1]}))
    assert len(ax.collections[0].get_paths()) == 2 and len(ax.lines) == 1
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 9), (0, 2))
