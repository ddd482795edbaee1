"""What every publisher must do, whoever it is: a new one is found through the registry."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from members import make

import ppdp_lab as pl
from ppdp_lab.errors import IdError, InfeasibleError, PPDPError, SchemaError
from ppdp_lab.registry import Entry
from ppdp_lab.republish import PUBLISHERS, Publisher

EVERYBODY = pytest.mark.parametrize("entry", PUBLISHERS.entries(), ids=lambda entry: entry.name)
TOWNS = pl.Hierarchy.from_dict({"north": ["Ulm", "Jena"], "south": ["Rome", "Bari"]})


def people(n: int = 60, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "job": rng.choice(["baker", "cook", "smith", "nurse"], n),
            "town": rng.choice(["Ulm", "Jena", "Rome", "Bari"], n),
            "born": pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D"),
            "illness": np.resize(["flu", "HIV", "cold", "angina"], n),
        },
        index=[f"p{i}" for i in range(n)],
    )


def table_of(frame: pd.DataFrame, **more: Any) -> pl.Microdata:
    schema = pl.Schema(["age", "job", "town", "born"], sensitive="illness", **more)
    return pl.Microdata(frame, schema, {"town": TOWNS}, missing="value")


def months(frame: pd.DataFrame) -> list[list[str]]:
    """Who is there in each of four months: some leave, some come, nobody returns."""
    ids = list(frame.index)
    return [ids[:32], ids[8:44], ids[12:52], ids[20:60]]


def shown(release: pl.Release) -> list[pd.DataFrame]:
    return list(release.published().frames().values())


def same(one: pl.Release, other: pl.Release) -> None:
    for mine, theirs in zip(shown(one), shown(other), strict=True):
        pd.testing.assert_frame_equal(mine, theirs, check_dtype=False, check_categorical=False)


@EVERYBODY
def test_values_that_arrive_late_change_nothing(entry: Entry, tmp_path: Path) -> None:
    """A series published month by month, through save and load, equals one cut from a table that knew all values."""
    frame = people()
    frame.iloc[45:, 0] += 60  # ages that nobody had before, beyond the old ones
    frame.iloc[44:, 1] = np.resize(["actor", "miner", "tailor"], 16)  # and jobs, before, between and after them
    frame.iloc[47:, 3] -= pd.Timedelta(days=900)
    everything = table_of(frame)
    whole, parted = make(entry, seed=3), make(entry, seed=3)
    for ids in months(frame):
        known = whole.publish(everything.select(everything.ids.get_indexer(ids)))
        late = parted.publish(table_of(frame.loc[ids]))
        same(known, late)
        assert late.class_of.tolist() == known.class_of.tolist()
        parted.save(tmp_path / "memory.npz")
        parted = type(parted).load(tmp_path / "memory.npz")
    assert parted.number == 4


@EVERYBODY
@pytest.mark.parametrize("columns", [["age", "job", "born"], ["age", "job", "town", "born"]], ids=len)
def test_months_with_gaps_follow_months_without(entry: Entry, tmp_path: Path, columns: list[str]) -> None:
    frame = people()
    for i, name in enumerate(columns):
        frame.iloc[44 + 2 * i : 46 + 2 * i, frame.columns.get_loc(name)] = None
    everything = table_of(frame)
    whole, parted = make(entry, seed=3), make(entry, seed=3)
    kinds = {name: domain.type for name, domain in everything.domains.items()}
    for number, ids in enumerate([*months(frame), list(frame.index[22:44])]):  # and one without again
        known = whole.publish(everything.select(everything.ids.get_indexer(ids)))
        late = parted.publish(table_of(frame.loc[ids]))
        if (
            "town" not in columns
        ):  # the leaf of a hierarchy is there from the start, and makes others a smaller share of it
            same(known, late)
        assert {name: domain.type for name, domain in late.table.domains.items()} == kinds
        assert [late.table.domains[name].missing for name in columns] == [number >= 2] * len(columns)
        pd.testing.assert_frame_equal(late.table.frame.loc[ids], frame.loc[ids], check_dtype=False)
        parted.save(tmp_path / "memory.npz")
        parted = type(parted).load(tmp_path / "memory.npz")


@EVERYBODY
def test_a_missing_sensitive_value_is_no_value(entry: Entry) -> None:
    frame = people()
    frame.iloc[[3, 40], 4] = None
    ids = months(frame)
    publisher = make(entry, seed=3)
    by_value = isinstance(publisher, pl.MInvariance | pl.MDistinct)
    if by_value:
        with pytest.raises(
            InfeasibleError, match=r"1 record\(s\) have no known value of 'illness'.*missing='drop'.*'category'"
        ) as e:
            publisher.publish(table_of(frame.loc[ids[0]]))
        assert list(e.value.ids) == ["p3"] and publisher.number == 0
        parameters = {p.name for p in entry.parameters}
        publisher = make(entry, seed=3, **({"on_invalid": "suppress"} if "on_invalid" in parameters else {}))
    for month in ids:
        release = publisher.publish(table_of(frame.loc[month]))
        gone = [name for name in month if name in ("p3", "p40")]
        if by_value:
            assert list(release.suppressed) == gone
            assert not (release.counterfeit_codes.sensitive == release.table.domains["illness"].known).any()
            assert "(missing)" not in shown(release)[-1]["illness"].tolist()
    counted = make(entry, seed=3)
    schema = table_of(frame).schema
    first = pl.Microdata(frame.loc[ids[0]], schema, {"town": TOWNS}, missing="category")
    assert "(missing)" in shown(counted.publish(first))[-1]["illness"].tolist()


@EVERYBODY
@given(st.integers(0, 2**16), st.integers(0, 3))
def test_any_late_values_change_nothing(entry: Entry, seed: int, keep: int) -> None:
    """The same for random tables; a value may also be new and gone again."""
    rng = np.random.default_rng(seed)
    frame = people(seed=seed)
    for column in ("age", "job"):
        late = rng.permutation(60)[: 10 * keep]
        frame.iloc[late, frame.columns.get_loc(column)] = (
            rng.integers(0, 99, len(late)) if column == "age" else rng.choice(["a", "k", "z", "cook"], len(late))
        )
    everything = table_of(frame)
    whole, parted = make(entry, seed=seed), make(entry, seed=seed)
    for ids in months(frame):
        try:
            known = whole.publish(everything.select(everything.ids.get_indexer(ids)))
        except PPDPError as error:
            with pytest.raises(type(error)):
                parted.publish(table_of(frame.loc[ids]))
            return
        same(known, parted.publish(table_of(frame.loc[ids])))


@EVERYBODY
def test_a_seed_decides_everything_but_names(entry: Entry, tmp_path: Path) -> None:
    frame = people()
    table = table_of(frame)

    def series(order: np.random.Generator | None = None) -> list[pl.Release]:
        publisher = make(entry, seed=5)
        out = []
        for ids in months(frame):
            rows = table.ids.get_indexer(ids)
            out.append(publisher.publish(table.select(rows if order is None else order.permutation(rows))))
        return out

    first = series()
    for again in (series(), series(np.random.default_rng(1))):  # the order of rows plays no part
        for one, other in zip(first, again):
            same(one, other)
    with ThreadPoolExecutor(4) as pool:  # nor do threads
        for again in pool.map(lambda _: series(), range(4)):
            for one, other in zip(first, again):
                same(one, other)
    names = [set(r.pseudonyms) for r in (first[0], series()[0])]
    assert not names[0] & names[1]


@EVERYBODY
def test_the_hash_seed_of_python_decides_nothing(entry: Entry, tmp_path: Path) -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from republish.test_family import PUBLISHERS, make, months, people, shown, table_of\n"
        "frame = people(); table = table_of(frame); publisher = make(PUBLISHERS.entry(sys.argv[1]), seed=5)\n"
        "for ids in months(frame)[:2]:\n"
        "    for part in shown(publisher.publish(table.select(table.ids.get_indexer(ids)))): print(part.to_csv())\n"
    )
    tests = str(Path(__file__).parents[1])
    printed = {
        subprocess.run(
            [sys.executable, "-c", code, entry.name, tests],
            env={"PYTHONHASHSEED": number, "HOME": str(tmp_path), "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in ("1", "2")
    }
    assert len(printed) == 1 and len(printed.pop()) > 100


@EVERYBODY
def test_other_columns_roles_types_hierarchies_and_ids_are_refused_and_change_nothing(
    entry: Entry, tmp_path: Path
) -> None:
    frame = people()
    first, second, *_ = months(frame)
    publisher, steady = make(entry, seed=2), make(entry, seed=2)
    for one in (publisher, steady):
        one.publish(table_of(frame.loc[first]))
    publisher.save(tmp_path / "memory.npz")
    loaded = type(publisher).load(tmp_path / "memory.npz")
    now = frame.loc[second]
    swapped = pl.Schema(["job", "age", "town", "born"], sensitive="illness")
    other_tree = pl.Hierarchy.from_dict({"north": ["Ulm", "Rome"], "south": ["Jena", "Bari"]})
    wrong = [
        (
            pl.Microdata(now, swapped, {"town": TOWNS}),
            SchemaError,
            "quasi_identifiers were 'age', 'job', .* and are now",
        ),
        (table_of(now).project(["age", "job"]), SchemaError, "quasi_identifiers were .* and are now 'age', 'job'"),
        (table_of(now.astype({"age": "str"})), SchemaError, "column 'age' held numbers and holds text now"),
        (table_of(now.astype({"born": "str"})), SchemaError, "column 'born' held dates and holds text now"),
        (
            pl.Microdata(now, table_of(now).schema),
            SchemaError,
            "column 'town' held leaves of a hierarchy and holds text",
        ),
        (
            pl.Microdata(now, table_of(now).schema, {"town": other_tree}),
            SchemaError,
            "hierarchy of column 'town' is not",
        ),
        (table_of(now.reset_index(drop=True)), IdError, "ids were text so far and are numbers now"),
    ]
    for each in (publisher, loaded):
        for table, error, words in wrong:
            with pytest.raises(error, match=words):
                each.publish(table)
        assert each.number == 1 and each.n_persons == len(first)
    expected = steady.publish(table_of(now))
    same(publisher.publish(table_of(now)), expected)
    same(loaded.publish(table_of(now)), expected)


@EVERYBODY
def test_a_declared_domain_does_not_grow(entry: Entry) -> None:
    frame = people()
    declared = {"age": range(20, 70)}
    publisher = make(entry, seed=1)
    release = publisher.publish(table_of(frame.iloc[:40], domains=declared))
    assert len(release.table.domains["age"]) == 50
    with pytest.raises(SchemaError, match="column 'age' has 99, outside the domain that was declared for it"):
        table_of(frame.iloc[4:44].assign(age=99), domains=declared)


@EVERYBODY
def test_memory_grows_with_persons_and_not_with_releases(entry: Entry) -> None:
    frame = people()
    table = table_of(frame)
    publisher = make(entry, seed=1)

    def size() -> int:
        return sum(array.nbytes for array in publisher.memory.values())

    publisher.publish(table)
    publisher.publish(table)
    before = size()
    for _ in range(5):
        publisher.publish(table)
    assert size() == before


@EVERYBODY
def test_a_failure_in_the_middle_changes_nothing(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = people()
    first, second, *_ = months(frame)
    frame.loc[second[-4:], "age"] += 100  # new values, too
    publisher, steady = make(entry, seed=2), make(entry, seed=2)
    for one in (publisher, steady):
        one.publish(table_of(frame.loc[first]))
    with monkeypatch.context() as patch:
        patch.setattr(Publisher, "_make", lambda *args, **said: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            publisher.publish(table_of(frame.loc[second]))
    assert publisher.number == 1 and publisher.n_persons == len(first)
    same(publisher.publish(table_of(frame.loc[second])), steady.publish(table_of(frame.loc[second])))
    assert publisher.codes.tolist() == steady.codes.tolist()
