"""Each recipe for a registered family, followed word by word: the toy is used, and its family's tests hold it to account."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
import test_registry
from attacks import test_registry as attack_family
from datasets import test_load
from hypothesis import given
from hypothesis import strategies as st
from metrics import test_common
from principles import test_closures
from recipes.following import followed
from republish import test_family

import ppdp_lab as pl
from ppdp_lab import anonymize, attacks, datasets, metrics, principles, republish
from ppdp_lab import release as forms
from ppdp_lab.datasets.loading import VIEWS
from ppdp_lab.errors import InfeasibleError, ParameterError, PublicationError
from ppdp_lab.holder.anonymize import make_anonymizer
from ppdp_lab.registry import parse
from ppdp_lab.table import ClassCounts


@pytest.fixture(scope="module")
def table() -> pl.Microdata:
    return pl.datasets.load("adult", rows=3000)


def small() -> pl.Release:
    frame = pd.DataFrame({"age": [20, 30, 40, 50, 60], "ill": ["flu", "flu", "flu", "HIV", "cold"]})
    return pl.Release(pl.Microdata(frame, pl.Schema("age", sensitive="ill")), np.array([0, 0, 1, 1, 1]))


# ---------------------------------------------------------------------- principle
@pytest.fixture
def principle() -> Iterator[ModuleType]:
    with followed("A principle", principles.PRINCIPLES) as module:
        yield module


def test_a_principle(principle: ModuleType, table: pl.Microdata) -> None:
    rule = principle.NobodyAlone(2)
    assert rule.safe(ClassCounts.of_values([["flu", "flu"], ["flu", "flu", "HIV"], []])).tolist() == [True, False, True]
    said = str(rule.check(small()))
    assert "class with age [40, 60]: a value occurs fewer than r = 2 times (HIV x 1, cold x 1, flu x 1)" in said
    both = parse("KAnonymity(5) & NobodyAlone(2)")
    release = pl.Mondrian(both).anonymize(table.project(["age", "sex"]))
    assert release.n_classes > 1 and both.check(release.published())
    with pytest.raises(InfeasibleError, match=r"no partition of this table can meet NobodyAlone\(2\)"):
        pl.Mondrian(rule).anonymize(small().table)


def test_a_principle_is_held_to_account(principle: ModuleType) -> None:
    entry = principles.PRINCIPLES.entry("nobody alone")
    test_registry.test_an_entry_says_everything("principle", entry)
    test_registry.test_ranges_are_true(entry)
    test_registry.test_a_member_can_be_written_down_and_comes_back(entry)
    with pytest.raises(AssertionError):
        test_registry.test_nobody_is_forgotten()  # it is not exported by its room

    lists = st.lists(st.sampled_from(test_closures.VALUES), max_size=6)

    @given(st.integers(1, 3), lists, lists)
    def closed(r: int, one: list[str], other: list[str]) -> None:
        first, second, both = principle.NobodyAlone(r).safe(ClassCounts.of_values([one, other, one + other]))
        assert both or not (first and second)

    closed()
    assert not principle.NobodyAlone.superset_closed
    grown = ClassCounts.of_values([["flu", "flu"], ["flu", "flu", "HIV"]])
    assert principle.NobodyAlone(2).safe(grown).tolist() == [True, False]


# ---------------------------------------------------------------------- metric
def test_a_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    with followed("A metric", metrics.METRICS) as module:
        assert module.crowd(small()) == 2.0 and metrics.get("crowd") is module.crowd
        assert module.crowd.axis == "crowd (records)"
        with pytest.raises(ParameterError, match=r"crowd needs a ppdp_lab.Release"):
            module.crowd(small().table)
        with pytest.raises(AssertionError):
            test_common.test_every_metric_is_classified()
        test_registry.test_an_entry_says_everything("metric", metrics.METRICS.entry("crowd"))
        # Classified and exported as the recipe asks for, it passes every test of its family.
        for kind in ("LOSSES", "NOT_MONOTONE", "STYLELESS"):
            monkeypatch.setattr(test_common, kind, getattr(test_common, kind) | {"crowd"})
        monkeypatch.setattr(metrics, "crowd", module.crowd, raising=False)
        monkeypatch.setattr(metrics, "__all__", [*metrics.__all__, "crowd"])
        for name, test in vars(test_common).items():
            if name.startswith("test_") and name not in (
                "test_wrong_parameters",
                "test_a_new_metric_enters_the_list_and_a_wrong_one_does_not",
            ):
                test("crowd") if "name" in inspect.signature(test).parameters else test()


# ---------------------------------------------------------------------- attack
def test_an_attack() -> None:
    with followed("An attack", attacks.ATTACKS) as module:
        found = module.few_rows(small().published(), least=3)
        assert found.breached.tolist() == [True, False] and found.people_breached == 2
        assert str(found).startswith("few rows: 1 of 2 groups, 40.0% of the people, show under 3 rows")
        test_registry.test_an_entry_says_everything("attack", attacks.ATTACKS.entry("few rows"))
        releases = [pl.Release(r.table, r.class_of, pseudonyms=np.arange(5)) for r in (small(), small())]
        for knows in ("nothing", "quasi-identifiers", "groups"):
            attack_family.test_every_result_has_a_mask_a_paragraph_and_a_frame(module.few_rows, knows, releases)
        with pytest.raises(AssertionError):
            attack_family.test_names_are_exported()


# ---------------------------------------------------------------------- anonymizer
def test_an_anonymizer(table: pl.Microdata) -> None:
    with followed("An anonymizer", anonymize.ANONYMIZERS) as module:
        release = module.OneClass(pl.KAnonymity(5)).anonymize(table)
        assert release.n_classes == 1 and pl.metrics.gcp(release) > pl.metrics.gcp(
            pl.Mondrian(pl.KAnonymity(5)).anonymize(table)
        )
        assert make_anonymizer("one-class", k=5) == parse("OneClass(KAnonymity(5))")  # so the command line finds it
        with pytest.raises(InfeasibleError, match="k = 5000 is larger than the table"):
            module.OneClass(pl.KAnonymity(5000)).anonymize(table)
        entry = anonymize.ANONYMIZERS.entry("OneClass")
        test_registry.test_an_entry_says_everything("anonymizer", entry)
        test_registry.test_ranges_are_true(entry)
        test_registry.test_a_member_can_be_written_down_and_comes_back(entry)
        with pytest.raises(AssertionError):
            test_registry.test_nobody_is_forgotten()


# ---------------------------------------------------------------------- publisher
def test_a_publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with followed("A publisher", republish.PUBLISHERS) as module:
        table = small().table
        publisher = module.Fading(2)
        published = [len(publisher.publish(table.select(rows)).suppressed) for rows in ([0, 1], [0, 1, 2], [0, 1, 2])]
        assert published == [0, 0, 2]
        publisher.save(tmp_path / "memory.npz")
        later = republish.Publisher.load(tmp_path / "memory.npz").publish(table.select([1, 2, 3]))
        assert later.suppressed.tolist() == [1, 2] and later.method == "Fading(2)"

        entry = republish.PUBLISHERS.entry("fading")
        test_registry.test_an_entry_says_everything("publisher", entry)
        test_registry.test_ranges_are_true(entry)
        test_registry.test_a_member_can_be_written_down_and_comes_back(entry)
        test_family.test_values_that_arrive_late_change_nothing(entry, tmp_path)
        test_family.test_a_seed_decides_everything_but_names(entry, tmp_path)
        test_family.test_other_columns_roles_types_hierarchies_and_ids_are_refused_and_change_nothing(entry, tmp_path)
        test_family.test_memory_grows_with_persons_and_not_with_releases(entry)
        test_family.test_a_failure_in_the_middle_changes_nothing(entry, monkeypatch)
        with pytest.raises(AssertionError):
            test_registry.test_nobody_is_forgotten()


# ---------------------------------------------------------------------- form
def test_a_form() -> None:
    with followed("A form", forms.FORMS) as module:
        made = small()
        release = pl.Release(made.table, made.class_of, style="values only")
        assert release.to_frame().to_dict("list") == {
            "group": [0, 0, 1, 1, 1],
            "ill": ["flu", "flu", "HIV", "cold", "flu"],
        }
        seen = release.published()
        again = module.ValuesOnly.read({"": release.to_frame()}, release.table)
        assert again.sizes.tolist() == seen.sizes.tolist() == [2, 3]
        assert np.array_equal(again.row_sensitive, seen.row_sensitive)
        assert pl.KAnonymity(2).check(again) and not pl.DistinctLDiversity(2).check(again)
        assert attacks.homogeneity(seen).breached.tolist() == [True, False]
        assert "values only" in attacks.skewness.forms and "values only" not in attacks.difference.forms
        with pytest.raises(PublicationError, match=r"ncp needs how far .*, which values only tables do not show"):
            metrics.ncp(release)
        test_registry.test_an_entry_says_everything("form", forms.FORMS.entry("values only"))
        with pytest.raises(AssertionError):
            test_registry.test_nobody_is_forgotten()


# ---------------------------------------------------------------------- data set
def test_a_data_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PPDP_LAB_DATA", raising=False)
    with followed("A data set", VIEWS):
        table = datasets.load("adult-pay", rows=50)
        assert table.schema.quasi_identifiers == ("age", "sex") and table.schema.sensitive == ("salary-class",)
        assert datasets.describe("adult-pay").startswith("adult-pay: UCI Adult, age and sex | salary class")
        test_registry.test_an_entry_says_everything("data set", VIEWS.entry("adult-pay"))
        test_load.test_every_name_loads_and_says_what_it_is("adult-pay")
    assert "adult-pay" not in datasets.names()
