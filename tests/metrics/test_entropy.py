"""Theorems 1 to 3 of the BPG paper as properties, in the form in which they are true, and where they are not."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from metrics.worlds import World, worlds

import ppdp_lab as pl
from ppdp_lab.errors import ParameterError, SchemaError
from ppdp_lab.metrics.entropy import fem, vem
from ppdp_lab.release import Counterfeits

honest = worlds(counterfeits=False, widened=False, dirty=False)
TINY = 1e-9


def volume(world: World) -> int:
    return math.prod(len(cover.values) for cover in world.spans(world.rows))


def ages(*values: float) -> pl.Microdata:
    return pl.Microdata(pd.DataFrame({"age": values}), pl.Schema("age"))


@given(honest)
def test_bounds(world: World) -> None:
    assert -TINY <= fem(world.release) <= math.log(len(world.rows)) + TINY
    assert -TINY <= vem(world.release) <= math.log(volume(world)) + TINY


@given(honest)
def test_maximum_on_the_original_table_and_zero_for_one_class(world: World) -> None:
    table = world.release.table
    original = pl.Release(table, np.arange(len(table)))
    assert fem(original) == pytest.approx(math.log(len(table))) and fem(original) >= fem(world.release) - TINY
    assert vem(original) == pytest.approx(math.log(volume(world))) and vem(original) >= vem(world.release) - TINY
    together = pl.Release(table, np.zeros(len(table), dtype=int))
    assert fem(together) == 0 and vem(together) == 0


@given(st.data(), honest)
def test_merging_classes_lowers_both(data: st.DataObject, world: World) -> None:
    release = world.release
    assume(release.n_classes >= 2)
    a, b = sorted(data.draw(st.lists(st.integers(0, release.n_classes - 1), min_size=2, max_size=2, unique=True)))
    merged = np.where(release.class_of == b, a, release.class_of)
    coarser = pl.Release(release.table, np.where(merged > b, merged - 1, merged))
    assert fem(coarser) < fem(release)
    assert vem(coarser) <= vem(release) + TINY


@given(st.data(), honest)
def test_suppressing_a_whole_class_never_raises_either(data: st.DataObject, world: World) -> None:
    release = world.release
    assume(release.n_classes >= 1)
    gone = data.draw(st.integers(0, release.n_classes - 1))
    left = np.where(release.class_of == gone, -1, release.class_of)
    fewer = pl.Release(release.table, np.where(left > gone, left - 1, left))
    assert fem(fewer) <= fem(release) + TINY
    assert vem(fewer) <= vem(release) + TINY


def test_suppressing_a_single_record_can_raise_both() -> None:
    two = ages(20, 21)
    assert fem(pl.Release(two, np.array([0, 0]))) == 0
    assert fem(pl.Release(two, np.array([0, -1]))) == pytest.approx(0.347, abs=5e-4)
    assert vem(pl.Release(two, np.array([0, 0]))) == 0
    assert vem(pl.Release(two, np.array([0, -1]))) == pytest.approx(0.347, abs=5e-4)  # the box shrinks to one value


@given(worlds())
def test_vem_is_additive_over_quasi_identifiers(world: World) -> None:
    assume(any(not row.dirty for row in world.rows))
    names = world.case.schema.quasi_identifiers
    for counterfeits in ("charged", "ignored"):
        parts = [vem(world.release, quasi_identifiers=name, counterfeits=counterfeits) for name in names]
        assert vem(world.release, counterfeits=counterfeits) == pytest.approx(sum(parts), abs=TINY)


@given(worlds(widened=False, dirty=False, joined=True))
def test_counterfeits_lower_both(world: World) -> None:
    release = world.release
    assert release.n_counterfeits and (release.real_sizes > 0).all()
    clean = pl.Release(release.table, release.class_of)
    assert fem(release) < fem(clean)
    assert vem(release) <= vem(clean) + TINY
    assert fem(release, counterfeits="ignored") == pytest.approx(fem(clean))


def test_one_counterfeit_more_can_raise_a_negative_value() -> None:
    table = ages(20)

    def with_fakes(n: int) -> pl.Release:
        nothing = np.zeros((0, n), dtype=np.int32)
        fakes = Counterfeits(np.zeros(n, dtype=np.int32), nothing, np.zeros((1, n), dtype=np.int32))
        return pl.Release(table, np.array([0]), counterfeits=fakes)

    values = [fem(with_fakes(n)) for n in range(4)]
    assert values == pytest.approx([0, -math.log(2) / 2, -math.log(3) / 3, -math.log(4) / 4])
    assert values[3] > values[2]


def test_variants_of_one_release() -> None:
    table = ages(20, 21, 22, 23, 24)
    fakes = Counterfeits(
        np.array([0], dtype=np.int32), np.zeros((0, 1), dtype=np.int32), np.array([[2]], dtype=np.int32)
    )
    release = pl.Release(table, np.array([0, 0, 1, 1, -1]), counterfeits=fakes, dirty=[3])
    log = math.log
    # T = {20, 21, 22, 24}: 24 is suppressed, 23 is dirty, the counterfeit widens the first class to [20, 22]
    assert fem(release) == pytest.approx((-2 * log(3 / 4) - log(1 / 4)) / 5)
    assert fem(release, counterfeits="ignored") == pytest.approx((-2 * log(2 / 4) - log(1 / 4)) / 4)
    assert fem(release, counterfeits="ignored", suppressed="ignored") == pytest.approx(
        (-2 * log(2 / 3) - log(1 / 3)) / 3
    )
    assert fem(release, dirty="charged") == pytest.approx((-2 * log(3 / 4) - log(2 / 4)) / 6)
    assert vem(release) == pytest.approx((-2 * log(3 / 5) - log(2 / 5)) / 5)
    assert vem(release, dirty="charged") == pytest.approx((-2 * log(3 / 5) - log(2 / 5)) / 6)


def test_volume_in_values_or_in_numbers() -> None:
    release = pl.Release(ages(20, 30, 40, 60), np.array([0, 0, 1, 1]))
    assert vem(release) == pytest.approx(math.log(4 / 2))
    assert vem(release, unit="number") == pytest.approx((math.log(41 / 11) + math.log(41 / 21)) / 2)
    with pytest.raises(ParameterError, match="not whole"):
        vem(pl.Release(ages(0.5, 1.25), np.array([0, 0])), unit="number")


def test_wrong_parameters() -> None:
    release = pl.Release(ages(20, 30), np.array([0, 0]))
    with pytest.raises(SchemaError, match="'agee'"):
        vem(release, quasi_identifiers="agee")
    with pytest.raises(SchemaError, match="each once"):
        vem(release, quasi_identifiers=["age", "age"])
    with pytest.raises(SchemaError, match="none at all"):
        vem(release, quasi_identifiers=[])
    with pytest.raises(ParameterError, match="unit must be one of"):
        vem(release, unit="meter")
    for metric in (fem, vem):
        with pytest.raises(ParameterError, match="dirty must be one of"):
            metric(release, dirty="ignored")
        with pytest.raises(ParameterError, match="suppressed must be one of"):
            metric(release, suppressed="free")
        with pytest.raises(ParameterError, match="counterfeits must be one of"):
            metric(release, counterfeits=True)
        with pytest.raises(ParameterError, match="entropy of no records"):
            metric(pl.Release(ages(20), np.array([-1])), suppressed="ignored")
