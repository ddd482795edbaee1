"""Published numbers: short, apart from every other value of the domain, and read back to the same codes."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.errors import PublicationError
from ppdp_lab.table import Domain, Intervals
from ppdp_lab.table.boxes import codes_within, has_digits, high_text, low_text, single_text

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)
CLOSE = st.builds(lambda base, steps: base + steps * 1e-13, st.floats(-1e3, 1e3), st.integers(0, 9))
COLUMNS = st.lists(FLOATS | CLOSE, min_size=1, max_size=12)


@given(COLUMNS, st.sampled_from(["float64", "float32"]))
def test_every_text_leads_back_to_its_codes(values: list[float], dtype: str) -> None:
    with np.errstate(over="ignore"):
        column = pd.Series(np.array(values).astype(dtype), name="x")
    column = column[np.isfinite(column)]
    if not len(column):
        return
    domain, _ = Domain.of(column)
    if not has_digits(domain):
        return
    n = len(domain)
    for a in range(n):
        assert codes_within([single_text(domain, a)], domain) == [a]
        for b in range(a + 1, n):
            low, high = low_text(domain, a), high_text(domain, b)
            assert codes_within([low, high], domain) == [a, b]
            assert float(low) <= domain.coordinates[a] and domain.coordinates[b] <= float(
                high
            )  # it covers what it says
            assert len(low) <= len(domain.labels[a]) and len(high) <= len(domain.labels[b])


@given(COLUMNS)
def test_labels_of_boxes_tell_them_apart(values: list[float]) -> None:
    domain, _ = Domain.of(pd.Series(values, name="x"))
    low, high = (codes.ravel() for codes in np.triu_indices(len(domain)))
    labels = Intervals(domain, low.astype(np.int32), high.astype(np.int32)).labels()
    assert len(set(labels)) == len(labels)


def test_numbers_are_short_in_a_published_file() -> None:
    chance = np.random.default_rng(0)
    frame = pd.DataFrame({"x": chance.random(400), "pay": chance.normal(50_000, 9_000, 400), "ill": ["a", "b"] * 200})
    table = pl.Microdata(frame, pl.Schema(["x", "pay"], sensitive="ill"))
    release = pl.Mondrian(pl.KAnonymity(20)).anonymize(table)
    text = release.to_frame().to_csv(index=False)
    assert not re.search(r"\d\.\d{8}", text) and max(map(len, text.splitlines())) < 50
    again = pl.Published.from_frame(pd.read_csv(io.StringIO(text)), table)
    assert again.boxes.sort_keys() and all(
        (one == two).all() for one, two in zip(again.boxes.sort_keys(), release.published().boxes.sort_keys())
    )


def test_short_numbers_and_whole_ones_stay_as_they_are() -> None:
    domain, _ = Domain.of(pd.Series([0.5, 12.3456, 1e-05, 52345.67, 700.0]))
    assert [single_text(domain, i) for i in range(5)] == ["1e-05", "0.5", "12.3456", "700", "52345.67"]
    whole, _ = Domain.of(pd.Series([123456789, 123456790]))
    assert not has_digits(whole) and Intervals(whole, np.array([0]), np.array([1])).labels().tolist() == [
        "[123456789, 123456790]"
    ]


def test_what_was_read_before_the_domain_grew_still_covers_what_it_covered() -> None:
    small, _ = Domain.of(pd.Series([1 / 3, 2 / 3, 0.9]))
    large, _ = Domain.of(pd.Series([0.1, 0.33331, 1 / 3, 0.5, 2 / 3, 0.66671, 0.9]))
    ends = [low_text(small, 0), high_text(small, 1)]
    assert ends == ["0.3333", "0.6667"] and codes_within(ends, large) == [1, 4]


def test_a_number_that_stands_for_no_value_or_several_is_refused() -> None:
    frame = pd.DataFrame({"x": [0.123456789, 0.123456788, 0.7], "ill": list("aba")})
    table = pl.Microdata(frame, pl.Schema("x", sensitive="ill"))
    for text in ("0.12345679", "0.4", "[0.2, 0.3]", "[0.1, 0.2, 0.7]", "[nan, 0.7]", "[0.7, 0.1]", "about 0.7"):
        with pytest.raises(PublicationError, match="column 'x': cannot read"):
            pl.Published.from_frame(pd.DataFrame({"x": [text], "ill": ["a"]}), table)
    read = pl.Published.from_frame(pd.DataFrame({"x": ["0.123456788", "[0.1, 0.2]"], "ill": ["a", "b"]}), table)
    assert read.boxes[0].low.tolist() == [0, 0] and read.boxes[0].high.tolist() == [0, 1]
