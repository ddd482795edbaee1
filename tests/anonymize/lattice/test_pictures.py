"""Drawings of a search: every node once, in the colour of its state, small enough for a notebook; one geometry for all."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import ppdp_lab as pl
from ppdp_lab import plotting
from ppdp_lab.anonymize.lattice.nodes import Lattice, SearchResult
from ppdp_lab.anonymize.lattice.pictures import LOOKS, MOST_NAMES, MOST_NODES, edges, places
from ppdp_lab.datasets.examples import speedy

MARKS = ("ellipse", "rect", "path")


def searched(*shape: int) -> SearchResult:
    """A search that checked two nodes of a lattice of a given shape."""
    lattice = Lattice([list(range(levels, 0, -1)) for levels in shape])
    holds, fails = tuple(levels // 2 for levels in shape), tuple(levels // 3 for levels in shape)
    lattice.tag(fails, False)
    lattice.tag(holds, True)
    names = tuple(f"<b>{i}</b>" for i in range(len(shape)))
    return SearchResult(names, lattice, [fails, holds], holds, 2, 0, 0, 0, 0.1)


def drawing(search: SearchResult) -> ET.Element:
    found = ET.fromstring(search._repr_html_()).find(".//svg")
    assert found is not None
    return found


def test_every_node_is_drawn_once_and_says_what_is_known_of_it() -> None:
    search = pl.Flash(pl.KAnonymity(2)).search(speedy.table_16())
    frame, drawn = search.to_frame(), drawing(search)
    titles = {title.text for title in drawn.iter("title")} - {"best"}
    assert len(titles) == len(frame) == 36
    assert {"1,0,3: does not, check 1", "2,2,3: satisfies the rule, without a check"} <= titles
    filled = {g.get("fill"): sum(1 for mark in g if mark.tag in MARKS) for g in drawn.findall("g") if g.get("stroke")}
    checked = frame[frame["check"].notna()]["state"].value_counts()
    assert filled[LOOKS["solution"][0]] == checked["solution"] and filled[LOOKS["fails"][0]] == checked["fails"]
    lines = next(path for path in drawn if path.tag == "path")
    assert (lines.get("d") or "").count("M") == len(edges(frame[list(search.quasi_identifiers)].to_numpy()))
    assert "numbers in bold: order of the checks" in search._repr_html_()


@pytest.mark.parametrize("shape", [(1,), (1, 1), (3, 4, 5), (2,) * 5, (5, 5, 8), (2,) * 7, (9, 9, 9), (6, 5, 5, 4, 3)])
def test_the_drawing_of_any_lattice_is_small(shape: tuple[int, ...]) -> None:
    search = searched(*shape)
    html = search._repr_html_()
    assert len(html.encode()) < 30_000 and "<b>" not in html and "data:" not in html
    drawn, nodes = drawing(search), int(np.prod(shape))
    assert float(drawn.get("width", 9999)) < 1000
    named = [text.text for text in drawn.iter("text")]
    if nodes <= MOST_NODES:
        assert len([title for title in drawn.iter("title") if title.text != "best"]) == nodes
        assert bool(named) == (nodes <= MOST_NAMES)
    else:
        assert len(drawn.findall("g")) == search.lattice.max_height + 1 and "best" in named
    assert plotting.image(search.plot()).startswith(b"\x89PNG")


def test_nothing_is_drawn_outside_the_drawing() -> None:
    for shape in ((3, 4, 5), (2,) * 5, (5, 5, 8)):
        drawn = drawing(searched(*shape))
        width, height = float(drawn.get("width", 0)), float(drawn.get("height", 0))
        for mark in drawn.iter("ellipse"):
            x, y, rx, ry = (float(mark.get(name, -9)) for name in ("cx", "cy", "rx", "ry"))
            assert rx <= x <= width - rx and ry <= y <= height - ry


def test_nodes_lie_by_height_and_lines_lead_one_step_up() -> None:
    levels = np.array(list(np.ndindex(3, 2, 4)))[::-1]
    place = places(levels)
    assert (place[:, 1] == levels.sum(axis=1)).all() and len({tuple(at) for at in place.tolist()}) == len(levels)
    found = edges(levels)
    assert all((levels[b] - levels[a]).sum() == 1 and (levels[b] >= levels[a]).all() for a, b in found)
    assert len(found) == 2 * 2 * 4 + 3 * 1 * 4 + 3 * 2 * 3
    some = levels[levels.sum(axis=1) != 3]  # a lattice with holes
    assert len(edges(some)) == sum(1 for a, b in found if levels[a].sum() != 3 and levels[b].sum() != 3)


def test_of_a_large_lattice_the_picture_shows_where_solutions_begin() -> None:
    search = searched(6, 5, 5, 4, 3)
    ax = search.plot().axes[0]
    frame = search.to_frame()
    shares = frame["state"].eq("solution").groupby(frame["height"]).mean()
    drawn = [patch.get_height() for patch in ax.containers[0]]
    assert drawn == pytest.approx(shares.tolist()) and ax.get_ylabel() == "nodes of this height"
