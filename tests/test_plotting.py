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


def test_a_pdf_is_written_where_one_is_asked_for(tmp_path):
    first = plotting.save(draw(), tmp_path / "a.pdf")
    assert [p.name for p in first] == ["a.png", "a.svg", "a.pdf"]
    second = plotting.save(draw(), tmp_path / "b.PDF")
    assert [p.read_bytes() for p in second] == [p.read_bytes() for p in first]
    pdf = first[2].read_bytes()
    assert pdf.startswith(b"%PDF") and b"CreationDate" not in pdf and b"atplotlib" not in pdf
    assert [p.name for p in plotting.save(draw(), tmp_path / "k-1.5")] == ["k-1.5.png", "k-1.5.svg"]
    with pytest.raises(ParameterError, match=r"cannot write 'c.jpg': figures are written as .png, .svg or .pdf"):
        plotting.save(draw(), tmp_path / "c.jpg")
    with pytest.raises(ParameterError, match="form must be one of 'png', 'svg', 'pdf', not 'jpg'"):
        plotting.image(draw(), "jpg")


def test_settings_are_put_back():
    before = dict(mpl.rcParams)
    draw()
    assert dict(mpl.rcParams) == before


def test_pyplot_is_not_used():
    """Figures that pyplot knows stay open until somebody closes them."""
    code = "import sys, ppdp_lab.plotting as p; p.figure(); assert 'matplotlib.pyplot' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(plotting.__file__).parents[2]).returncode == 0


def test_curves_average_repetitions_and_shade_their_range():
    _, ax = plotting.figure()
    plotting.curves(ax, RESULTS, x="k", y="loss", series="method", order=["b", "a", "absent"])
    assert [line.get_label() for line in ax.lines] == ["b", "a"]
    assert ax.lines[1].get_ydata() == pytest.approx([0.15, 0.3])
    assert len(ax.collections) == 1
    with pytest.raises(ParameterError, match="no column 'lose'"):
        plotting.curves(ax, RESULTS, x="k", y="lose")


def test_a_single_whole_number_has_its_tick():
    _, ax = plotting.figure()
    plotting.curves(ax, RESULTS[RESULTS["k"] == 2], x="k", y="loss", series="method")
    assert ax.get_xticks().tolist() == [2]


def test_no_two_series_look_alike():
    looks = [tuple(map(str, plotting.style(i).values())) for i in range(60)]
    assert len(set(looks)) == 60
    neighbours = [plotting.style(i) for i in range(7)]
    assert len({s["color"] for s in neighbours}) == len({s["marker"] for s in neighbours}) == 7


def test_the_caption_names_provenance_scale_and_seed():
    said = draw().get_supxlabel()
    assert " ".join(said.split()) == "What k costs. (data: stand-in; scale: quick; seed: 3)"


def test_dollar_signs_of_a_name_are_no_formula():
    fig, ax = plotting.figure()
    ax.plot([1, 2], [1, 1000])
    ax.set_yscale("log")
    plotting.label(ax, x="cost ($) per $ paid", y="", title=r"$\alpha", legend=False)
    plotting.caption(fig, "From $5 to $_7.")  # as a formula it would have no end
    plotting.image(fig)
    assert not ax.xaxis.label.get_parse_math() and not fig._supxlabel.get_parse_math()
    assert all(tick.get_parse_math() for tick in ax.get_yticklabels())


def test_escaped_dollar_signs_are_drawn_without_the_escape():
    fig, ax = plotting.figure()
    plotting.label(ax, x=r"\$ paid for \$", y="", legend=False)
    drawn = plotting.image(fig, "svg", letters=True).decode()
    assert ">$ paid for $</text>" in drawn and "\\$" not in drawn


def test_letters_stay_letters_where_they_may():
    assert b"<text" in plotting.image(draw(), "svg", letters=True) and b"<text" not in plotting.image(draw(), "svg")


def test_a_figure_like_the_one_before_has_its_axes_where_that_one_had_them(monkeypatch):
    places: plotting.Places = {}
    drawn = [plotting.image(figure_of(level), "svg", places=places) for level in ("low", "mid")]
    assert len(places) == 1
    assert drawn == [plotting.image(figure_of(level), "svg") for level in ("low", "mid")]
    longer = plotting.image(figure_of("a much longer name"), "svg", places=places)
    assert len(places) == 2 and longer == plotting.image(figure_of("a much longer name"), "svg")
    again = figure_of("low")
    plotting.image(again, places=places)
    again.axes[0].set_yticks([0], ["a much longer name"])  # laid out anew where it has changed
    assert plotting.image(again, "svg") == longer


def figure_of(level: str):
    """A curve that depends on a name, and the name beside it."""
    _, ax = plotting.figure()
    ax.plot([0, 1], [0, 0])
    ax.set_yticks([0], [level if len(level) > 3 else "any"])
    return plotting.label(ax, x="x", y="y", title=level if len(level) == 3 else "low")


def test_a_caption_breaks_no_number_from_its_name():
    for words in range(5, 30):
        fig, _ = plotting.figure()
        plotting.caption(fig, "word " * words + "k = 3 and 5 % of them.", scale="quick", seed=10)
        lines = fig.get_supxlabel().split("\n")
        for kept in ("k = 3", "5 %", "scale: quick", "seed: 10"):
            assert sum(kept in line for line in lines) == 1


def test_a_narrow_logarithmic_axis_and_a_single_share_have_ticks_that_say_something():
    _, ax = plotting.figure()
    plotting.curves(ax, pd.DataFrame({"share": [0.08, 0.08], "ms": [0.6, 1.05]}), x="share", y="ms")
    plotting.logarithmic(ax.yaxis)
    low, high = ax.get_ylim()
    assert len([tick for tick in ax.get_yticks() if low <= tick <= high]) >= 3
    assert ax.get_xticks().tolist() == [0.08]


def test_dates_on_an_axis_read_as_dates():
    days = pd.to_datetime(["2021-01-01", "2022-07-01", "2024-12-31"])
    boxes = pd.DataFrame({"x0": days[:2], "x1": days[1:], "y0": [1, 3], "y1": [3, 9], "size": [5, 7]})
    figure, (across, along) = plotting.figure(1, 2, width=2.6)
    plotting.partition(across, boxes, points=pd.DataFrame({"x": days, "y": [1, 2, 3]}))
    turned = boxes.rename(columns={"x0": "y0", "x1": "y1", "y0": "x0", "y1": "x1"})
    plotting.partition(along, turned)
    plotting.image(figure)
    for axis, other in ((across.xaxis, across.yaxis), (along.yaxis, along.xaxis)):
        ticks = [tick.get_text() for tick in axis.get_ticklabels()]
        assert {"2021", "2022", "2023", "2024"} & {
            tick[:4] for tick in ticks
        } and axis.get_offset_text().get_text() == ""
        assert "2021" not in {tick.get_text() for tick in other.get_ticklabels()}
    assert 2 <= len(across.get_xticks()) <= 5


def test_a_legend_above_has_lines_of_about_equal_length():
    fig, ax = plotting.figure()
    for i in range(6):
        ax.plot([0, 1], [i, i], label=f"series {i}")
    plotting.legend_above(fig, columns=5)
    assert fig.legends[0]._ncols == 3


def test_one_release_has_one_tick():
    fig, ax = plotting.figure()
    plotting.curves(ax, pd.DataFrame({"release": [1], "exposed": [0.1]}), x="release", y="exposed")
    fig.draw_without_rendering()
    low, high = ax.get_xlim()
    assert [tick for tick in ax.get_xticks() if low <= tick <= high] == [1]


def test_marks_at_zero_are_whole():
    _, ax = plotting.figure()
    plotting.from_zero(ax, 0.5)
    assert ax.get_ylim()[0] < 0 and ax.get_ylim()[1] > 0.5


def test_a_partition_is_drawn_as_boxes():
    boxes = pd.DataFrame({"x0": [0, 5], "x1": [5, 9.0], "y0": [0, 0], "y1": [2, 2.0], "size": [3, 8]})
    _, ax = plotting.figure()
    plotting.partition(ax, boxes, points=pd.DataFrame({"x": [3], "y": [1]}))
    paths = ax.collections[0].get_paths()
    assert len(paths) == 2 and len(ax.lines) == 1  # two shades
    assert sorted(path.get_extents().bounds for path in paths) == [(0, 0, 5, 2), (5, 0, 4, 2)]
    many = pd.concat([boxes.assign(y0=2 * i, y1=2 * i + 2.0) for i in range(30)])
    plotting.partition(ax, many)
    drawn = ax.collections[1]
    assert len(drawn.get_paths()) == 2 and sum(len(path.vertices) for path in drawn.get_paths()) == 5 * len(many)
    dense, sparse = (
        shade
        for _, shade in sorted(zip([p.get_extents().x0 for p in drawn.get_paths()], drawn.get_array()), reverse=True)
    )
    assert dense > sparse  # eight in four by two against three in five by two
    plotting.partition(ax, boxes)
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 9), (0, 2))


@pytest.mark.parametrize("width", [2.4, 5.2, 12.0])
def test_a_legend_above_is_never_cut_off(width):
    fig, axes = plotting.figure(1, 2, width=width / 2)
    names = [f"a method with a long name, r = {n}" for n in range(6)]
    for ax in axes:
        for i, name in enumerate(names):
            ax.plot([0, 1], [i, i], label=name)
    plotting.legend_above(fig, *axes)
    fig.draw_without_rendering()
    (legend,) = fig.legends
    assert [text.get_text() for text in legend.get_texts()] == names  # each once, though both axes have it
    if width > 3:  # a figure that is narrower than its longest label has one column
        assert legend.get_window_extent().width <= width * fig.dpi


def test_two_variables_have_two_looks():
    rows = pd.DataFrame({"x": [1, 2] * 4, "y": range(8), "r": [1, 1, 2, 2] * 2, "method": ["a"] * 4 + ["b"] * 4})
    _, ax = plotting.figure()
    plotting.curves(ax, rows, x="x", y="y", series="r", line="method")
    looks = {line.get_label(): line for line in ax.lines}
    assert list(looks) == ["a, 1", "a, 2", "b, 1", "b, 2"]
    for one, other in (("a, 1", "b, 1"), ("a, 2", "b, 2")):
        assert (
            looks[one].get_color() == looks[other].get_color() and looks[one].get_marker() == looks[other].get_marker()
        )
        assert looks[one].get_linestyle() != looks[other].get_linestyle()
    assert looks["a, 1"].get_linestyle() == looks["a, 2"].get_linestyle()
    assert looks["a, 1"].get_marker() != looks["a, 2"].get_marker()


def test_ticks_are_what_they_say():
    _, (left, right) = plotting.figure(1, 2)
    plotting.curves(left, pd.DataFrame({"release": [0, 1, 2, 3], "y": [0.0, 0.02, 0.05, 0.075]}), x="release", y="y")
    plotting.percent(left.yaxis)
    left.set_yticks([0.025, 0.05, 0.075])
    left.figure.draw_without_rendering()
    assert [label.get_text() for label in left.get_yticklabels()] == ["2.5 %", "5 %", "7.5 %"]
    assert all(float(tick).is_integer() for tick in left.get_xticks())
    right.plot([1, 2], [0.0021, 0.0035])
    plotting.logarithmic(right.yaxis)  # less than one power of ten, and ticks all the same
    right.figure.draw_without_rendering()
    low, high = right.get_ylim()
    seen = [label.get_text() for label, tick in zip(right.get_yticklabels(), right.get_yticks()) if low <= tick <= high]
    assert len(seen) > 1 and all(low <= float(text) <= high for text in seen)


def test_whole_numbers_have_ticks_at_round_ones():
    _, ax = plotting.figure()
    plotting.curves(ax, pd.DataFrame({"release": range(21), "y": range(21)}), x="release", y="y")
    assert {0, 5, 10, 15, 20} <= set(ax.get_xticks()) and 3 not in ax.get_xticks()


def test_a_series_looks_as_other_figures_draw_it():
    _, ax = plotting.figure()
    plotting.curves(ax, RESULTS, x="k", y="loss", series="method", looks={"b": plotting.style(5)})
    assert [line.get_marker() for line in ax.lines] == [plotting.MARKERS[0], plotting.MARKERS[5]]


def test_what_belongs_together_stands_in_one_column_of_the_legend():
    fig, ax = plotting.figure(width=9)
    for name in ("a, 1", "a, 2", "b, 1", "b, 2", "paper"):
        ax.plot([0, 1], [0, 1], label=name)
    plotting.legend_above(fig, rows=2)
    fig.draw_without_rendering()
    columns: dict[int, list[str]] = {}
    for text in fig.legends[0].get_texts():
        columns.setdefault(round(text.get_window_extent().x0), []).append(text.get_text().strip())
    assert [columns[x] for x in sorted(columns)] == [["a, 1", "a, 2"], ["b, 1", "b, 2"], ["paper", ""]]
