"""Every kind of claim, on data where it holds and on data where it does not; and queries that cannot be asked."""

from __future__ import annotations

import pandas as pd
import pytest

from ppdp_lab.lab import judge as verdicts
from ppdp_lab.lab.experiment import FAILS, HOLDS, NOT_MEASURABLE, NOT_TESTED, NOTHING, NUMBERS, PAIRS, TRENDS, Claim
from ppdp_lab.lab.judge import KINDS, ClaimError, select


def judge(claim, table, *more, **options):
    return verdicts.judge(claim, {"results": table}, *more, **options)


def curve(values, series=None, x=None):
    frame = pd.DataFrame({"x": list(range(len(values))) if x is None else x, "v": values})
    return frame if series is None else frame.assign(s=series)


def two(first, second):
    return pd.concat([curve(first, "a"), curve(second, "b")], ignore_index=True)


def claim(kind, **more):
    if kind in PAIRS:
        more = {"series": "s", "compare": ("a", "b"), "x": ("x",)} | more
    if kind in ("rises", "falls"):
        more = {"x": ("x",)} | more
    return Claim(id="c", text="a claim", kind=kind, value="v", **more)


# kind, extra keys, holding values, failing values
CASES = [
    ("between", {"paper": [1.62, 2.2]}, curve([1.62, 2.0, 2.2]), curve([1.61, 2.0])),
    ("at_most", {"paper": 2}, curve([2.0, 1.0]), curve([2.0, 2.001])),
    ("at_least", {"paper": 0.83}, curve([0.83, 5]), curve([0.829, 5])),
    ("about", {"paper": 1.0}, curve([0.85, 1.15]), curve([0.849])),
    ("about", {"paper": -2.0}, curve([-2.3]), curve([-2.31])),
    ("about", {"paper": [0.22, 0.4], "x": ("x",), "at": (0, 2)}, curve([0.25, 9, 0.4]), curve([0.25, 9, 0.5])),
    ("zero", {}, curve([0, 0.0]), curve([0, 1e-9])),
    ("rises", {}, curve([1, 2, 3, 4, 6, 5]), curve([1, 2, 3, 0.5])),
    ("rises", {}, curve([1, 2, 3]), curve([3, 2, 1])),
    ("rises", {}, curve([3, 2, 1], x=[30, 20, 10]), curve([2, 2, 2])),
    ("falls", {}, curve([9, 5, 1]), curve([1, 5, 9])),
    ("flat", {}, curve([100, 115, 107]), curve([100, 115.1])),
    ("flat", {}, curve([0, 0]), curve([0, 1])),
    ("flat", {}, curve([-100, -115]), curve([-1, 1])),
    ("below", {}, two([1, 2, 3], [2, 3, 4]), two([1, 2, 3], [2, 2, 4])),
    ("above", {}, two([3, 4], [2, 3]), two([3, 4], [2, 5])),
    ("close", {}, two([100, 50], [110, 50]), two([100, 50], [110.1, 50])),
    ("close", {}, two([0, 110], [0, 100]), two([0, 1], [0.1, 1])),
]


@pytest.mark.parametrize("kind, more, good, bad", CASES)
def test_a_kind_holds_and_fails(kind, more, good, bad):
    assert judge(claim(kind, **more), good, "quick").verdict == HOLDS
    verdict = judge(claim(kind, **more), bad, "quick")
    assert (verdict.verdict, verdict.reason) == (FAILS, "no reason found yet")
    assert verdict.measured and verdict.paper
    why = [{"text": "found out why", "measured": verdict.measured}]
    assert judge(claim(kind, reason=why, **more), bad, "quick").reason == "found out why"


def test_every_kind_is_tried():
    assert {case[0] for case in CASES} == set(KINDS) == set(NUMBERS + TRENDS + PAIRS)


def test_spearman_agrees_with_scipy_at_the_threshold():
    from scipy.stats import spearmanr

    for values in ([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], [2, 1, 3, 5, 4], [1, 1, 2, 3, 4], [1, 2, 1, 2, 3]):
        expected = spearmanr(range(5), values).statistic >= 0.9 - 1e-12
        assert (judge(claim("rises"), curve(values), "quick").verdict == HOLDS) == expected, values


def test_share_of_points_is_printed():
    verdict = judge(claim("below"), two([1, 2, 3, 9], [2, 3, 4, 5]), "quick")
    assert verdict.share == 0.75 and "3 of 4 points (75%)" in verdict.measured
    assert verdict.paper == "a below b"


def test_repetitions_are_averaged():
    results = pd.DataFrame({"x": [0, 0, 1, 1], "v": [1.0, 3.0, 2.0, 4.0]})
    assert judge(claim("between", paper=[2, 3], x=("x",)), results, "quick").verdict == HOLDS
    assert judge(claim("between", paper=[2, 3]), results, "quick").verdict == FAILS
    assert judge(claim("between", paper=[2.5, 2.5], aggregate="mean"), results, "quick").measured == "2.5"


def test_every_curve_must_rise():
    results = pd.concat([curve([1, 2, 3], "a"), curve([3, 2, 1], "b")])
    verdict = judge(claim("rises", by=("s",)), results, "quick")
    assert verdict.verdict == FAILS and "1 of 2 curves" in verdict.measured
    assert judge(claim("rises", by=("s",), where="s == 'a'"), results, "quick").verdict == HOLDS


def test_two_series_give_a_ratio_to_the_other_kinds():
    results = two([2.0, 6.0], [1.0, 2.0])
    ratio = {"series": "s", "compare": ("a", "b"), "x": ("x",)}
    assert judge(claim("between", paper=[2, 3], **ratio), results, "quick").measured == "2 to 3 (2 of 2 points)"
    assert judge(claim("rises", **ratio), results, "quick").verdict == HOLDS


def test_value_may_be_an_expression():
    assert judge(Claim("c", "t", "zero", "v - 2 * x"), curve([0, 2, 4]), "quick").verdict == HOLDS
    assert judge(Claim("c", "t", "zero", "v - x"), curve([0, 2, 4]), "quick").verdict == FAILS


def test_scale_and_machine_come_first():
    nothing = pd.DataFrame({"y": [1]})
    assert judge(claim("zero", scales=("paper",)), nothing, "quick").verdict == NOT_TESTED
    verdict = judge(claim("zero", needs_cores=10**6), nothing, "quick")
    assert verdict.verdict == NOT_MEASURABLE and "needs 1000000 cores" in verdict.reason
    assert judge(claim("zero", needs_memory_gb=1e9), nothing, "quick").verdict == NOT_MEASURABLE


UNASKABLE = [
    (claim("zero", where="x == 99"), "selects none of the 3 rows"),
    (claim("zero", where="y == 1"), "'y' is not defined"),
    (claim("zero", where="x =="), "cannot ask where"),
    (claim("zero", by=("exes",)), "unknown column 'exes'"),
    (Claim("c", "t", "zero", "w"), "cannot compute value = 'w'"),
    (Claim("c", "t", "zero", "s"), "not a column of numbers"),
    (Claim("c", "t", "zero", "missing"), "missing in 1 of 3 selected rows"),
    (Claim("c", "t", "rises", "v", x=("s",)), "not numeric"),
    (claim("rises", where="x == 1"), "1 point only"),
    (claim("about", paper=[1], at=(7,), x=("x",)), "no x == 7"),
    (claim("below"), "no selected row has s == 'b'"),
]


@pytest.mark.parametrize("asked, words", UNASKABLE)
def test_a_query_that_cannot_be_answered_is_an_error_in_words(asked, words):
    results = pd.DataFrame({"x": [0, 1, 2], "v": [0, 0, 0], "s": ["a", "a", "a"], "missing": [0, 0, None]})
    with pytest.raises(ClaimError, match="claim 'c'") as error:
        judge(asked, results, "quick")
    assert words in str(error.value)
    lenient = judge(asked, results, "quick", strict=False)
    assert lenient.verdict == NOT_TESTED and words in lenient.reason


def test_points_without_a_partner_are_refused():
    results = pd.concat([curve([1, 2, 3], "a"), curve([1, 2], "b")])
    with pytest.raises(ClaimError, match="at x = 2 only one of 'a', 'b'"):
        select(claim("close"), {"results": results})


def test_no_results_no_verdict():
    with pytest.raises(ClaimError, match="no rows"):
        judge(claim("zero"), curve([]), "quick")


def test_a_claim_names_its_table():
    results = {"a": curve([0, 0]), "b": curve([1, 2])}
    assert verdicts.judge(claim("zero", table="a"), results, "quick").verdict == HOLDS
    assert verdicts.judge(claim("zero", table="b"), results, "quick").verdict == FAILS
    assert verdicts.judge(claim("zero"), {"a": results["a"]}, "quick").verdict == HOLDS
    with pytest.raises(
        ClaimError, match="claim 'c': it must say which of the results it reads: table = one of 'a', 'b'"
    ):
        verdicts.judge(claim("zero"), results, "quick")
    with pytest.raises(ClaimError, match=r"unknown table 'c'\. Known: 'a', 'b'"):
        verdicts.judge(claim("zero", table="c"), results, "quick")


@pytest.mark.parametrize("kind", PAIRS)
def test_two_curves_of_zeros_leave_nothing_to_judge(kind):
    verdict = judge(claim(kind), two([0, 0], [0, 0]), "quick")
    assert (verdict.verdict, verdict.measured) == (NOTHING, "both 0 at every point")


def test_points_where_both_are_zero_are_left_out():
    """0 = 0 is no "more": what is left decides."""
    above = judge(claim("above"), two([0, 3], [0, 2]), "quick")
    assert above.measured == "at 1 of 1 points (100%); first / second 1.5 to 1.5; nothing to judge at x = 0"
    ratio = claim("at_most", paper=1.5, series="s", compare=("a", "b"), x=("x",))
    assert judge(ratio, two([0, 3], [0, 2]), "quick").verdict == HOLDS
    assert judge(ratio, two([0, 0], [0, 0]), "quick").verdict == NOTHING
    beyond = judge(ratio, two([1, 3], [0, 2]), "quick")
    assert (beyond.verdict, beyond.measured) == (FAILS, "1.5 to inf (1 of 2 points)")


def test_data_sets_are_called_as_figures_call_them():
    both = two([0, 3], [0, 2]).replace({"s": {"a": "sal", "b": "occ"}})
    verdict = judge(claim("above", compare=("sal", "occ")), both, "quick")
    assert verdict.paper == "SAL above OCC"
    by_set = two([0, 3], [0, 2]).assign(x=["occ", "sal"] * 2)
    assert judge(claim("above"), by_set, "quick").measured.endswith("nothing to judge at OCC")


def test_a_void_point_is_no_win():
    rows = two([1, 1, 1], [2, 2, 2]).assign(divided=[0, 4, 4, 1, 1, 1])
    verdict = judge(claim("below", void="divided == 0"), rows, "quick")
    assert verdict.verdict == FAILS
    assert verdict.measured == "at 2 of 3 points (67%); first / second 0.5 to 0.5; void at '0'"
    assert judge(claim("below", void="divided == 9"), rows, "quick").verdict == HOLDS
    # A point is void if all of its rows are.
    again = pd.concat([rows, two([1], [2]).assign(divided=4)])
    assert judge(claim("below", void="divided == 0"), again, "quick").verdict == HOLDS


@pytest.mark.parametrize("kind, more", [("at_most", {"paper": 9}), ("about", {"paper": [1, 1], "at": (0, 1)})])
def test_void_points_of_one_curve(kind, more):
    rows = curve([1, 1]).assign(divided=[0, 1])
    verdict = judge(claim(kind, x=("x",), void="divided == 0", **more), rows, "quick")
    assert verdict.verdict == FAILS and verdict.measured.endswith("(1 of 2 points); void at '0'")


def test_void_must_be_askable():
    with pytest.raises(ClaimError, match="cannot ask void = 'y == 1'"):
        judge(claim("below", void="y == 1"), two([1], [2]), "quick")
    with pytest.raises(ValueError, match="void names points"):
        claim("rises", void="v == 1")


def test_a_reason_belongs_to_the_run_it_was_written_for():
    rows = two([1, 2, 9], [2, 3, 4])
    measured = judge(claim("below"), rows, "quick").measured
    several = [
        {"text": "the first", "measured": "at 1 of 3 points (33%)"},
        {"text": "the second", "measured": measured},
    ]
    assert judge(claim("below", reason=several), rows, "quick").reason == "the second"
    other = judge(claim("below", reason=several[:1]), rows, "quick").reason
    assert (
        other.startswith("no reason found yet for this run. Written for a run that measured at 1 of 3")
        and "the first" in other
    )
    bare = judge(claim("below", reason="because"), rows, "quick").reason
    assert bare == "no reason found yet for this run. Written for no run in particular: because"


@pytest.mark.parametrize(
    "written, measured, same",
    [
        ("3.188", "3.4", True),
        ("3.188", "12", False),
        ("0 to 190 (38 of 42 points)", "0 to 181 (38 of 42 points)", True),
        ("0 to 190 (38 of 42 points)", "0 to 190 (37 of 42 points)", False),
        ("0 to 155,504", "0 to 150,000", True),
        ("0 to 155,504", "0 to 155", False),
        ("rho = -0.52 over 8 points", "rho = 0.52 over 8 points", False),
        ("1.2e-05", "1.3e-05", True),
        ("both 0", "3", False),
    ],
)
def test_measurements_that_are_alike(written, measured, same):
    assert verdicts.alike(written, measured) is same


def test_data_sets_are_called_as_in_the_figures():
    rows = pd.DataFrame({"dataset": ["occ", "sal"], "x": [1, 1], "v": [0.0, 2.0]})
    said = claim("above", series="dataset", compare=("sal", "occ"))
    assert judge(said, rows, "quick").paper == "SAL above OCC"
