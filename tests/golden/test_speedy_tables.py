"""Thesis Tables 1 to 7 and the skewness example, value by value.

Where the thesis contradicts itself, the printed table and the calculation are both held.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from plain_forms import candidates

from ppdp_lab.anonymize import Mondrian
from ppdp_lab.datasets.examples import speedy
from ppdp_lab.principles import (
    AlphaKAnonymity,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    MultiAttributeLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)
from ppdp_lab.release import Release
from ppdp_lab.release.forms import Published
from ppdp_lab.table import ClassCounts, Microdata


def full_domain(table: Microdata, levels: list[int]) -> pd.DataFrame:
    """Every quasi-identifier of every record on its level."""
    frame = table.frame
    for name, level in zip(table.schema.quasi_identifiers, levels):
        frame[name] = table.hierarchies[name].generalize(frame[name], level)
    return frame


def class_sizes(table: Microdata, levels: list[int]) -> list[int]:
    return full_domain(table, levels).groupby(list(table.schema.quasi_identifiers), sort=False).size().tolist()


def members(table: Microdata, published: Published) -> list[list[int]]:
    """For each published group, the ids of the records that its box covers."""
    fits = [candidates(published, codes).tolist() for codes in table.qi_codes.T]
    return [[i for i, groups in zip(table.ids, fits) if group in groups] for group in range(published.n_groups)]


class TestTables1And2:
    def test_table_2_as_printed_is_3_anonymous(self) -> None:
        published = Published.from_frame(speedy.table_2(), speedy.table_1())
        assert published.sizes.tolist() == [3, 3, 3]
        assert KAnonymity(3).check(published)
        assert not KAnonymity(4).check(published)

    @pytest.mark.parametrize(
        ("levels", "sizes", "k"),
        [([1, 2, 1], [3, 2, 4], 2), ([1, 2, 2], [3, 6], 3), ([0, 0, 0], [1] * 9, 1), ([2, 2, 3], [9], 9)],
    )
    def test_recomputed(self, levels: list[int], sizes: list[int], k: int) -> None:
        table = speedy.table_1()
        assert class_sizes(table, levels) == sizes
        frame = full_domain(table, levels)
        published = Published.from_frame(frame, table)
        assert sorted(published.sizes.tolist()) == sorted(sizes)
        assert KAnonymity(k).check(published)
        assert not KAnonymity(k + 1).check(published)

    def test_the_one_cell_that_differs(self) -> None:
        recomputed = full_domain(speedy.table_1(), [1, 2, 1])
        printed = speedy.table_2()
        differs = recomputed[printed.columns] != printed
        assert differs.to_numpy().sum() == 1
        assert (recomputed.loc[6, "zipcode"], printed.loc[6, "zipcode"]) == ("439*", "435*")

    def test_simone_hides_among_patients_7_to_9(self) -> None:
        table = speedy.table_1()
        published = Published.from_frame(speedy.table_2(), table)
        simone = table.qi_codes[:, table.ids == 8][:, 0]
        (group,) = candidates(published, simone)
        assert published.sizes[group] == 3
        assert members(table, published)[group] == [6, 7, 8, 9]  # 6 by its true zip code, against the printed table


class TestTables3And4:
    def test_table_3_holds_2_3_and_1_values(self) -> None:
        published = Published.from_frame(speedy.table_3(), speedy.table_1())
        zips = published.boxes[2].labels().tolist()  # type: ignore[index]
        distinct = dict(zip(zips, published.counts().histogram().distinct.tolist()))
        assert distinct == {"437*": 2, "435*": 3, "439*": 1}
        assert KAnonymity(3).check(published)
        verdict = DistinctLDiversity(2).check(published)
        assert [zips[c] for c in verdict.failing] == ["439*"]
        assert "Fever x 3" in verdict.why()[0]

    def test_homogeneity_tells_what_henri_has(self) -> None:
        table = speedy.table_1()
        published = Published.from_frame(speedy.table_3(), table)
        henri = table.identifiers["name"].to_numpy() == "Henri Lansbury"
        (group,) = candidates(published, table.qi_codes[:, henri][:, 0])
        codes = published.row_sensitive[0][published.row_group == group]
        assert set(table.domains["disease"].decode(codes)) == {"Fever"}
        assert len(codes) == 3

    def test_background_knowledge_leaves_lucas_two_values(self) -> None:
        table = speedy.table_1()
        published = Published.from_frame(speedy.table_3(), table)
        lucas = table.identifiers["name"].to_numpy() == "Lucas Romero"
        (group,) = candidates(published, table.qi_codes[:, lucas][:, 0])
        assert published.counts().histogram().words(int(group)) == "Flu x 2, HIV x 1"

    def test_table_4_is_one_class_with_four_values(self) -> None:
        published = Published.from_frame(speedy.table_4(), speedy.table_1())
        assert published.sizes.tolist() == [9]
        assert published.counts().histogram().distinct.tolist() == [4]
        assert DistinctLDiversity(2).check(published) and DistinctLDiversity(4).check(published)
        assert not DistinctLDiversity(5).check(published)

    def test_table_4_generalizes_table_3(self) -> None:
        three, four = speedy.table_3(), speedy.table_4()
        assert four["disease"].sort_index().to_dict() == three["disease"].to_dict()
        recomputed = full_domain(speedy.table_1(), [2, 2, 2])[speedy.QUASI_IDENTIFIERS]
        pd.testing.assert_frame_equal(four[speedy.QUASI_IDENTIFIERS].sort_index(), recomputed)


class TestTable5:
    def test_each_attribute_alone_shows_three_values(self) -> None:
        counts = Release(speedy.table_5(), np.zeros(4, dtype=np.int32)).counts()
        for attribute in ("hospital", "disease"):
            assert counts.histogram(attribute).distinct.tolist() == [3]
            assert DistinctLDiversity(3, attribute=attribute).check(counts)
            assert not DistinctLDiversity(4, attribute=attribute).check(counts)

    def test_together_they_show_one(self) -> None:
        counts = Release(speedy.table_5(), np.zeros(4, dtype=np.int32)).counts()
        assert MultiAttributeLDiversity(1).diversity(counts).tolist() == [1]
        assert MultiAttributeLDiversity(1).check(counts)
        assert not MultiAttributeLDiversity(2).check(counts)

    def test_whoever_was_not_in_peter_smith_hospital_has_the_flu(self) -> None:
        frame = speedy.table_5().frame
        assert set(frame.loc[frame["hospital"] != "Peter Smith Hospital", "disease"]) == {"Flu"}


class TestTables6And7:
    @pytest.fixture
    def published(self) -> Published:
        return Published.from_frame(speedy.table_7(), speedy.table_6())

    def test_one_third_and_three(self, published: Published) -> None:
        assert published.sizes.tolist() == [3, 3]
        assert AlphaKAnonymity(1 / 3, 3).check(published)
        assert AlphaKAnonymity(1 / 3, 2).check(published)  # what the text says of it
        assert AlphaKAnonymity(1 / 3, 3).shares(published.counts()).tolist() == pytest.approx([1 / 3, 1 / 3])

    @pytest.mark.parametrize(("alpha", "k"), [(0.333, 3), (0.25, 3), (1 / 3, 4), (1.0, 4)])
    def test_nothing_stronger(self, published: Published, alpha: float, k: int) -> None:
        assert not AlphaKAnonymity(alpha, k).check(published)

    def test_table_7_is_the_smallest_release_of_its_classes(self) -> None:
        table = speedy.table_6()
        classes = np.array([0, 0, 1, 1, 1, 0], dtype=np.int32)
        frame = Release(table, classes).to_frame()
        printed = speedy.table_7()
        assert set(frame["birthplace"]) == set(printed["birthplace"])
        assert set(frame["zipcode"]) == set(printed["zipcode"])
        # Printed with the whole table's years; Europe's class alone needs no more than [1972, 1984].
        assert set(frame["birth year"]) == {"[1962, 1987]", "[1972, 1984]"}
        boxes = Published.from_frame(printed, table).boxes
        group = np.array([boxes[0].labels().tolist().index(place) for place in ("South America", "Europe")])[classes]
        assert boxes.covers(group, table.qi_codes).all()


@pytest.fixture(scope="module")
def table() -> Microdata:
    return speedy.skewness()[0]


@pytest.fixture(scope="module")
def counts() -> ClassCounts:
    table, class_of = speedy.skewness()
    return Release(table, class_of).counts()


class TestSkewness:
    def test_ten_thousand_rows_one_per_cent_positive(self, table: Microdata) -> None:
        assert len(table) == 10_000
        assert table.frame["result"].value_counts(normalize=True).to_dict() == {"negative": 0.99, "positive": 0.01}

    def test_distances(self, counts: ClassCounts) -> None:
        distances = TCloseness(1.0).distances(counts)
        assert distances[:3].tolist() == pytest.approx([0.01, 0.97, 0.49], abs=1e-12)
        assert TCloseness(0.01).safe(counts)[:3].tolist() == [True, False, False]
        assert TCloseness(0.0099).safe(counts)[:3].tolist() == [False, False, False]
        assert TCloseness(0.97).safe(counts)[:3].tolist() == [True, True, True]

    def test_one_to_49_is_as_diverse_as_49_to_one(self, counts: ClassCounts) -> None:
        assert counts.histogram().distinct[:2].tolist() == [2, 2]
        entropy = EntropyLDiversity(2).entropies(counts)
        assert entropy[0] == pytest.approx(entropy[1], abs=1e-12)
        assert entropy[0] == pytest.approx(-(0.02 * math.log(0.02) + 0.98 * math.log(0.98)))
        verdicts = set()
        for c, level in itertools.product([1, 10, 48.9, 49, 49.1, 60], [1, 2, 3]):
            safe = RecursiveCLDiversity(c, level).safe(counts)
            assert safe[0] == safe[1], (c, level)
            verdicts.add((level, c, bool(safe[0])))
        assert (2, 49, False) in verdicts and (2, 49.1, True) in verdicts

    def test_half_and_half_passes_every_diversity(self, counts: ClassCounts) -> None:
        for rule in (DistinctLDiversity(2), EntropyLDiversity(2), RecursiveCLDiversity(1.001, 2)):
            assert rule.safe(counts)[2], rule
        assert not RecursiveCLDiversity(1, 2).safe(counts)[2]  # "any" c of the text must exceed 1

    def test_at_most_100_2_diverse_classes(self, table: Microdata) -> None:
        positive = table.codes("result") == table.domains["result"].code_of("positive")
        rank = np.where(positive, np.cumsum(positive), np.cumsum(~positive)) - 1
        for n_classes, safe in ((100, 100), (101, 100), (150, 100)):
            dealt_out = Release(table, (rank % n_classes).astype(np.int32))  # as evenly as can be
            assert DistinctLDiversity(2).safe(dealt_out.counts()).sum() == safe
        rng = np.random.default_rng(1)
        for n_classes in (20, 99, 500):
            class_of = np.r_[np.arange(n_classes), rng.integers(n_classes, size=len(table) - n_classes)]
            assert DistinctLDiversity(2).safe(Release(table, class_of).counts()).sum() <= 100

    def test_mondrian_makes_no_more(self, table: Microdata) -> None:
        spread = table.select(np.random.default_rng(2).permutation(len(table)))
        spread = spread.with_codes(qi_codes=np.arange(len(table), dtype=np.int32)[None])
        release = Mondrian(DistinctLDiversity(2)).anonymize(spread)
        assert 2 <= release.n_classes <= 100

    def test_entropy_of_the_whole_table_bounds_l(self, counts: ClassCounts) -> None:
        whole = counts.whole()
        entropy = -(0.01 * math.log(0.01) + 0.99 * math.log(0.99))
        assert EntropyLDiversity(1).entropies(whole).tolist() == pytest.approx([entropy])
        assert EntropyLDiversity(1.05).safe(whole)[0]
        assert not EntropyLDiversity(1.06).safe(whole)[0]
