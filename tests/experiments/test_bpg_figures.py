"""Figures of the BPG experiment: one colour per rate, one look per method, and nothing of the paper's cut off."""

from __future__ import annotations

from itertools import product

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from experiments.bpg import figures as drawings
from ppdp_lab import plotting

RATES = (40, 20, 10, 5)


@pytest.fixture(params=[("occ",), ("occ", "sal")])
def results(request):
    cases = list(product(request.param, (drawings.OURS, drawings.RIVAL), (0, 1)))
    times = [
        {"dataset": name, "method": method, "repetition": i, "rate": rate, "seconds": 100 / rate + i}
        | {"per_release": 2.0 + i, "share": 0.8}
        for (name, method, i), rate in product(cases, RATES)
    ]
    quality = [
        {"dataset": name, "method": method, "repetition": i, "rate": rate, "release": n, "convention": how}
        | {"fem": 9.9 + i / 10, "vem": 10.0 if method == drawings.OURS else 5.0, "dirty": 7 * n, "asked": 100}
        for (name, method, i), rate, n, how in product(cases, (40, 5), range(9), ("free", "charged"))
    ]
    return {"times": pd.DataFrame(times), "quality": pd.DataFrame(quality)}


def test_a_rate_has_one_colour_in_all_figures(results):
    by_bars = drawings.total_time(results).axes[0]
    ours, rival = by_bars.containers[1], by_bars.containers[3]  # each after its whiskers
    bars = {rate: to_hex(bar.get_edgecolor()) for rate, bar in zip(RATES, ours)}
    assert (
        bars == {rate: to_hex(bar.get_edgecolor()) for rate, bar in zip(RATES, rival)} and len(set(bars.values())) == 4
    )
    for figure in (drawings.quality(results), drawings.ratios(results), drawings.dirty(results)):
        for line in figure.axes[0].lines:
            name = line.get_label()
            if "r = " in name:
                assert line.get_color().lower() == bars[int(name.partition("r = ")[2])]


def test_m_invariance_is_hollow_in_bars_and_curves(results):
    ours, rival = (drawings.total_time(results).axes[0].containers[i] for i in (1, 3))
    assert {to_hex(bar.get_facecolor()) for bar in rival} == {"#ffffff"} and all(bar.get_hatch() for bar in rival)
    assert "#ffffff" not in {to_hex(bar.get_facecolor()) for bar in ours}
    for line in drawings.quality(results).axes[0].lines:
        assert (line.get_markerfacecolor() == "white") == line.get_label().startswith(drawings.RIVAL)


def test_what_the_paper_says_is_seen_whole(results):
    figure = drawings.ratios(results)
    for ax in figure.axes[len(figure.axes) // 2 :]:
        low, high = ax.get_ylim()
        assert low <= 1.62 and high > 2.2
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()][-2:] == ["paper: at least 0.83", "paper: 1.62 to 2.2"]
    times = drawings.total_time(results).axes[0]
    bands = [patch for patch in times.patches if to_hex(patch.get_facecolor()) == plotting.FAINT]
    assert len(bands) == 4 and all(band.get_zorder() < times.containers[1][0].get_zorder() for band in bands)


def test_no_curve_is_cut_by_the_frame(results):
    for ax in drawings.quality(results).axes:
        low, high = ax.get_ylim()
        for line in ax.lines:
            assert low < min(line.get_ydata()) and max(line.get_ydata()) < low + 0.97 * (high - low)


def test_counterfeits_have_a_panel_only_if_there_are_any():
    made = [
        {"dataset": "occ", "variant": name, "release": n, "dirty": 30_000 * n, "suppressed": 0, "counterfeits": 0}
        for name, n in product(drawings.VARIANTS, range(3))
    ]
    figure = drawings.variants({"variants": pd.DataFrame(made)})
    assert len(figure.axes) == 2
    figure.draw_without_rendering()
    assert "40,000" in [label.get_text() for label in figure.axes[0].get_yticklabels()]
    some = pd.DataFrame(made).assign(counterfeits=3)
    assert [ax.get_ylabel() for ax in drawings.variants({"variants": some}).axes][-1] == "counterfeits"
