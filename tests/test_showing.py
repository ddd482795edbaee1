"""Objects show themselves: one line of repr, well-formed HTML without scripts, ids or order; pictures where one is the answer."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import xml.etree.ElementTree as ET
from typing import Any

import members
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import ppdp_lab as pl
from ppdp_lab import attacks, plotting
from ppdp_lab.anonymize.base import ANONYMIZERS
from ppdp_lab.attacks.base import ATTACKS, PAIR, RELEASE, SERIES
from ppdp_lab.datasets.examples import speedy
from ppdp_lab.errors import ParameterError
from ppdp_lab.principles import PRINCIPLES
from ppdp_lab.registry import FAMILIES
from ppdp_lab.release.forms import FORMS
from ppdp_lab.republish.publisher import PUBLISHERS
from ppdp_lab.text import cut

SCRIPT = "<script>alert('x')</script>"
AGE, ILL = f"age {SCRIPT}", f'illness & "{SCRIPT}"'


def people(n: int = 120, quasi: int = 3) -> pl.Microdata:
    """A table whose names and values are hostile, whose ids are secret, in an order of its own."""
    chance = np.random.default_rng(7)
    columns = {
        AGE: chance.integers(20, 60, n),
        "zip": chance.choice(["<b>1</b>", "2", "3&"], n),
        "pay": chance.random(n),
    }
    frame = pd.DataFrame(dict(list(columns.items())[:quasi]))
    frame[ILL] = chance.choice([SCRIPT, "flu", "HIV", "a\x01b"], n)
    frame["name"] = [f"SECRETNAME{i}" for i in range(n)]
    ids = [f"SECRETID{i}" for i in range(n)]
    schema = pl.Schema([c for c in frame.columns if c not in (ILL, "name")], sensitive=ILL, identifiers="name")
    return pl.Microdata(frame, schema, ids=ids)


def many_columns() -> pl.Microdata:
    frame = pd.DataFrame({f"a column with a long name {i}": [1, 2, 3] for i in range(60)})
    return pl.Microdata(frame, pl.Schema(list(frame.columns)))


def releases(table: pl.Microdata) -> dict[str, pl.Release]:
    whole = pl.Mondrian(pl.KAnonymity(6)).anonymize(table)
    return {style: pl.Release(table, whole.class_of, style=style, method=whole.method) for style in FORMS}


def results() -> list[attacks.AttackResult]:
    """What every attack of the registry finds in a series that all of them accept."""
    n = 24
    frame = pd.DataFrame({AGE: np.arange(n) + 20, ILL: [SCRIPT, "flu"] * (n // 2)})
    tree = pl.Hierarchy.from_dict({"skin": [SCRIPT], "lung": ["flu"]})
    ids = [f"SECRETID{i}" for i in range(n)]
    table = pl.Microdata(frame, pl.Schema(AGE, sensitive=ILL), {ILL: tree}, ids=ids)
    rows = [np.arange(16), np.arange(n)]
    made = [pl.Release(table.select(r), (r + 2 * i) // 4, pseudonyms=r + 50) for i, r in enumerate(rows)]
    background = attacks.Background.worst_case(made)
    found = [attacks.audit_series([r.published() for r in made], background, pl.DistinctLDiversity(2)), background]
    for attack in ATTACKS.values():
        series = [release.published(track=attack.needs_pseudonyms) for release in made]
        seen: tuple = {RELEASE: (series[0],), PAIR: tuple(series), SERIES: (series,)}[attack.sees]
        known = background[0] if attack.sees == RELEASE else background
        found.append(attack.run(*seen, known, **attack.settings))
    return found


def graph() -> pl.SensitiveUpdateGraph:
    edges = [[(SCRIPT, "flu"), ("flu", "flu")], [("flu", SCRIPT)]]
    return pl.SensitiveUpdateGraph.from_edges([[SCRIPT, "flu"], ["flu"], [SCRIPT, "flu"]], edges)


def many() -> dict[str, Any]:
    """One of everything that a user gets to see."""
    table = people()
    tree = pl.Hierarchy.from_dict({SCRIPT: ["a", "b<i>"], "other": [f"leaf {i}" for i in range(60)]})
    series = releases(table)
    stream = pl.UpdateStream(people(quasi=1), initial=60, deletes=5, inserts=5, updates=2, seed=1)
    snapshots = list(stream)
    search = pl.Flash(pl.KAnonymity(2)).search(speedy.table_16())
    rule = pl.KAnonymity(50) & pl.DistinctLDiversity(2, attribute=ILL)
    found: dict[str, Any] = {"table": table, "schema": table.schema, "tree": tree, "search": search, "graph": graph()}
    found |= {
        "lattice": search.lattice,
        "stream": stream,
        "snapshot": snapshots[1],
        "rule": rule,
        "grouping": table.group_rows(),
    }
    found |= {f"domain {name}": domain for name, domain in table.domains.items()}
    for style, release in series.items():
        published = release.published()
        found |= {f"{style} release": release, f"{style} published": published, f"{style} counts": release.counts()}
        found |= {f"{style} verdict": rule.check(release), f"{style} histogram": release.counts().histogram()}
        found |= {f"{style} counterfeits": release.counterfeit_codes}
    release = series["generalized"]
    found |= {"boxes": release.boxes, **{f"box {column.domain.name}": column for column in release.boxes}}
    found["queries"] = pl.metrics.queries_by_width(table, 0.3, n=5, seed=1)
    found["many queries"] = pl.metrics.queries_by_width(many_columns(), 0.3, n=5, seed=1)
    found |= {f"result {i} {type(result).__name__}": result for i, result in enumerate(results())}
    found["model"] = pl.UpdateModel.in_blocks([f"value {i}" for i in range(80)], 4)
    found |= {f"registry {name}": family for name, family in FAMILIES.items()}
    for family in (PRINCIPLES, ANONYMIZERS, PUBLISHERS):
        for entry in family.entries():
            found[f"{family.family} {entry.name}"] = members.make(entry)
            found[f"entry {entry.name}"] = entry
    return found


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    return many()


def test_every_repr_is_one_short_line(objects: dict[str, Any]) -> None:
    for name, thing in objects.items():
        line = repr(thing)
        assert "\n" not in line and len(line) <= 200, f"{name}: {len(line)} characters: {line[:300]}"
        assert "SECRET" not in line and "array(" not in line, f"{name}: {line}"


GENERATED = ("ndarray", "DataFrame", "Index", "Series", "list", "dict", "tuple", "Mapping", "Sequence", "Microdata")


def test_no_dataclass_prints_what_it_holds_many_of() -> None:
    """A repr that the decorator writes is fine for a few plain fields; whoever holds arrays or lists derives from OneLine."""
    wrong = []
    inside = ("ppdp_lab.lab", "ppdp_lab.sweep", "ppdp_lab.classroom", "ppdp_lab.explore", "ppdp_lab.cli")
    for module in pkgutil.walk_packages(pl.__path__, "ppdp_lab."):
        if "._" in module.name or module.name.startswith(inside):
            continue
        for name, kind in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(kind) and kind.__module__ == module.name and dataclasses.is_dataclass(kind):
                written = hasattr(kind.__repr__, "__wrapped__")
                fields = [
                    f.name for f in dataclasses.fields(kind) if f.repr and any(w in str(f.type) for w in GENERATED)
                ]
                if written and fields and not name.startswith("_") and name != "OneOf":  # of a handful of choices
                    wrong.append(f"{module.name}.{name}: {fields}")
    assert not wrong


def parsed(fragment: str) -> ET.Element:
    """A fragment of HTML that is well formed as XML, too."""
    return ET.fromstring(fragment.removeprefix("<!DOCTYPE html>"))


def test_html_is_well_formed_and_escaped(objects: dict[str, Any]) -> None:
    shown = {name: thing._repr_html_() for name, thing in objects.items() if hasattr(thing, "_repr_html_")}
    kinds = {type(objects[name]).__name__ for name in shown}
    assert kinds >= {
        "Microdata",
        "Hierarchy",
        "Release",
        "Generalized",
        "Anatomized",
        "Verdict",
        "Disclosure",
        "SearchResult",
    }
    assert kinds >= {
        "SeriesAudit",
        "SensitiveUpdateGraph",
        "CandidateSets",
        "UpdateRisks",
        "Compromised",
        "Assignments",
    }
    for name, fragment in shown.items():
        tags = {element.tag for element in parsed(fragment).iter()}
        assert "script" not in tags and "b" not in tags and not tags & {"iframe", "link", "object"}, name
        assert not re.search(r"""(src|href)=["'](?!data:|#)|url\(|@import|https?:""", fragment), name
        assert "SECRET" not in fragment and "\x01" not in fragment, name
        assert len(fragment) < 200_000, name


def test_what_is_printed_is_what_is_shown(objects: dict[str, Any]) -> None:
    for name, thing in objects.items():
        if isinstance(thing, attacks.AttackResult):
            text = "".join(parsed(thing._repr_html_()).itertext())
            assert str(thing).replace("\x01", "\ufffd") in text and thing._tally() in repr(thing), name
    verdict = objects["generalized verdict"]
    text = "".join(parsed(verdict._repr_html_()).itertext())
    assert "fails in" in text and "the strongest that holds is KAnonymity(6) & DistinctLDiversity(" in text
    assert all(line.strip() in text for line in str(verdict).splitlines())


@pytest.mark.parametrize("style", list(FORMS))
def test_what_is_shown_of_published_tables_does_not_depend_on_the_order_of_the_rows(style: str) -> None:
    table = people()
    class_of = releases(table)[style].class_of
    other = np.random.default_rng(3).permutation(len(table))
    one, two = pl.Release(table, class_of, style=style), pl.Release(table.select(other), class_of[other], style=style)
    assert one.published()._repr_html_() == two.published()._repr_html_()
    assert repr(one.published()) == repr(two.published()) and one._repr_html_() == two._repr_html_()


@pytest.mark.parametrize("style", list(FORMS))
def test_the_head_is_the_beginning_of_the_tables(style: str) -> None:
    published = releases(people())[style].published()
    for name, frame in published.head(7).items():
        pd.testing.assert_frame_equal(frame, published.frames()[name].head(7), check_dtype=False)


def test_a_tree_is_shown_from_its_root_and_large_ones_in_part() -> None:
    tree = pl.Hierarchy.from_dict({"Europe": ["Italy", "France"], "Mars": None})
    shown = parsed(tree._repr_html_())
    words = " ".join("".join(shown.itertext()).split())
    assert words.endswith("* (3)Europe (2)ItalyFranceMars"), words
    assert [d.get("open") for d in shown.iter("details")] == ["open", None]
    large = pl.Hierarchy.intervals(range(1000), widths=[10, 100])
    assert "shown down to level 1" in large._repr_html_() and len(large._repr_html_()) < 30_000
    wide = pl.Hierarchy.from_dict({"all": list(map(str, range(90)))})
    assert "and 60 more" in wide._repr_html_()


def test_length_and_shape_are_those_of_what_is_published() -> None:
    table = people()
    for style, release in releases(table).items():
        assert len(release) == len(release.published()) == 120 and release.shape == (120, 4), style
    kept = pl.Release(table, np.where(np.arange(120) < 20, -1, 0))
    assert len(kept) == len(kept.to_frame()) == 100 and kept.shape == kept.to_frame().shape
    assert len(pl.Release(table, np.full(120, -1))) == 0


# ---------------------------------------------------------------------- pictures
@pytest.mark.parametrize("quasi", [1, 2, 3])
@pytest.mark.parametrize("style", list(FORMS))
def test_every_release_can_be_drawn(style: str, quasi: int) -> None:
    figure = releases(people(quasi=quasi))[style].plot()
    assert isinstance(figure, Figure) and plotting.image(figure).startswith(b"\x89PNG")
    if style == "generalized" and quasi == 1:
        assert len(figure.axes) == 1 and figure.axes[0].get_xlabel() == AGE


def test_two_numbers_are_drawn_as_boxes_and_nothing_is_refused() -> None:
    table = people()
    release = pl.Mondrian(pl.KAnonymity(6)).anonymize(table.project([AGE, "pay"]))
    ax = release.plot().axes[0]
    corners = sum(len(path.vertices) for path in ax.collections[0].get_paths())  # boxes of one shade are one path
    assert corners == 5 * release.n_classes and ax.get_ylabel() == "pay"
    tree = pl.Hierarchy.from_dict({"low": ["1", "2"], "high": ["3"]})
    frame = pd.DataFrame({"age": [1, 2, 3], "zip": ["1", "2", "3"]})
    trees = pl.Microdata(frame, pl.Schema(["age", "zip"]), {"zip": tree})
    names = [t.get_text() for t in pl.Release(trees, np.array([0, 0, 1])).plot().axes[0].get_yticklabels()]
    assert names == ["1", "2", "3"]
    with pytest.raises(ParameterError, match="every record of this release is suppressed"):
        pl.Release(table, np.full(len(table), -1)).plot()


def test_dates_have_names_on_an_axis() -> None:
    frame = pd.DataFrame({"seen": pd.date_range("2024-01-01", periods=40, freq="9D"), "age": np.arange(40) % 7})
    table = pl.Microdata(frame, pl.Schema(["seen", "age"]))
    for quasi in (["seen"], ["seen", "age"]):
        ax = pl.Mondrian(pl.KAnonymity(5)).anonymize(table.project(quasi)).plot().axes[0]
        names = [tick.get_text() for tick in ax.get_xticklabels()]
        assert names[0] == "2024-01-01" and 3 <= len(names) <= 6 and set(names) <= set(frame["seen"].astype(str))


def test_of_hundreds_of_columns_those_that_are_generalized_furthest_are_drawn() -> None:
    frame = pd.DataFrame({f"c{i}": [0, 1, 2, 3] for i in range(300)} | {"wide": [0, 2, 1, 3]})
    figure = pl.Release(pl.Microdata(frame, pl.Schema(list(frame.columns))), np.array([0, 0, 1, 1])).plot()
    right = figure.axes[1]
    assert len(right.patches) == 25 and "25 furthest of 301 columns" in right.get_title(loc="left")
    assert "wide" in {tick.get_text() for tick in right.get_yticklabels()} and figure.get_size_inches()[1] < 12
    alone = pl.Release(pl.Microdata(frame[["c0"]][:1], pl.Schema("c0")), np.array([0])).plot().axes[0]
    assert alone.get_title(loc="left") == "1 class, 1 row"


def test_results_audits_searches_and_graphs_can_be_drawn(objects: dict[str, Any]) -> None:
    drawn = set()
    for name, thing in objects.items():
        if isinstance(thing, (attacks.AttackResult, pl.SensitiveUpdateGraph)) or name == "search":
            drawn.add(type(thing).__name__)
            assert plotting.image(thing.plot()).startswith(b"\x89PNG"), name
    assert len(drawn) >= 10
    shown = next(r for r in results() if isinstance(r, attacks.SeriesAudit)).plot().axes[0]
    assert sum(patch.get_height() for part in shown.containers for patch in part) == 24
    large = pl.Flash(pl.KAnonymity(5)).search(pl.datasets.load("adult-arx", rows=200))
    assert "height" in large.plot().axes[0].get_xlabel()


def test_a_figure_shows_itself_in_a_notebook() -> None:
    figure, _ = plotting.figure()
    content, size = figure._repr_png_()
    assert content.startswith(b"\x89PNG") and size == {"width": 572}


def test_counterfeits_are_counted_among_rows_not_groups() -> None:
    frame = pd.DataFrame({"age": np.arange(20, 50), "illness": ["flu"] * 12 + ["HIV", "cold", "ache"] * 6})
    stream = pl.UpdateStream(
        pl.Microdata(frame, pl.Schema("age", sensitive="illness")), initial=20, deletes=6, inserts=6, updates=1, seed=1
    )
    publisher = pl.MInvariance(2, seed=1)
    last = [publisher.publish(snapshot) for snapshot in stream][-1]
    said = f"{len(last)} rows, {last.n_counterfeits} of them counterfeit, in {last.n_classes} groups"
    assert last.n_counterfeits and said in repr(last.published()) and said in last.published()._repr_html_()
    assert repr(last.table.sensitive_domains[0]) == "<Domain 'illness' of 4 texts, generalized to sets>"


def test_one_is_not_many() -> None:
    table = people(1, quasi=1)
    release = pl.Release(table, np.zeros(1, dtype=int))
    things = [table, release, release.published(), release.counts(), attacks.Background.worst_case([release])]
    for thing in [*things, pl.KAnonymity(2).check(release)]:
        words = str(thing) + repr(thing) + (thing._repr_html_() if hasattr(thing, "_repr_html_") else "")
        assert not re.search(r"\b1 (records|classes|groups|rows|persons|releases)\b", words), repr(thing)


def test_results_of_different_attacks_look_different(objects: dict[str, Any]) -> None:
    lines = [repr(thing) for thing in objects.values() if isinstance(thing, attacks.AttackResult)]
    assert len(set(lines)) == len(lines) and any("by record linkage: " in line for line in lines)


def test_reasons_hold_short_numbers_and_texts() -> None:
    values = [1 / 3, 2 / 3, 1 / 7]
    counts = pl.ClassCounts.of_values([values])
    assert "(0.142857 x 1, 0.333333 x 1, 0.666667 x 1)" in str(pl.DistinctLDiversity(4).check(counts))
    wordy = pl.ClassCounts.of_values([["x" * 500, "y" * 500]])
    assert len(str(pl.DistinctLDiversity(4).check(wordy))) < 300


def test_a_line_is_cut_where_it_ends() -> None:
    assert cut("<a b>", 200) == "<a b>" and cut("a\n  b") == "a b"
    long = cut(f"<{'x' * 300}>")
    assert len(long) == 200 and long.endswith("...>")
