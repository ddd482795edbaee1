"""Packed rows: generalizing words gives the same classes as generalizing codes, also beyond 64 bits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.anonymize.lattice import Flash, Incognito, Speedy, packing
from ppdp_lab.anonymize.lattice.packing import PackedTable
from ppdp_lab.principles import DistinctLDiversity, KAnonymity
from ppdp_lab.table import Hierarchy, Microdata, Schema
from ppdp_lab.table.grouping import group


@pytest.fixture
def merged_into(monkeypatch):
    """Let quasi-identifiers be merged into fields of so many bits, however many rows there are."""

    def force(bits: int) -> None:
        monkeypatch.setattr(packing, "LEAST_MERGE_BITS", bits)
        monkeypatch.setattr(packing, "MOST_MERGE_BITS", bits)

    return force


def classes_of_words(packed: PackedTable, node) -> np.ndarray:
    """Class number of each row, from the words alone."""
    columns, sizes = [], []
    for lookup, shift, mask in zip(packed.lookups(node), packed.shifts, packed.masks):
        columns.append(lookup.number[(packed.words >> shift) & mask].astype(np.int64))
        sizes.append(lookup.count)
    return group(columns, sizes).class_of


def same_partition(a: np.ndarray, b: np.ndarray) -> bool:
    pairs = len(set(zip(a.tolist(), b.tolist())))
    return pairs == len(set(a.tolist())) == len(set(b.tolist()))


def wide_table(columns: int, leaves: int, rows: int, seed: int = 0) -> Microdata:
    """Many quasi-identifiers of many values: level 1 merges tens, level 2 hundreds, level 3 everything."""
    chance = np.random.default_rng(seed)
    tree = Hierarchy([[f"{i:04}", f"{i // 10:03}-", f"{i // 100:02}--", "*"] for i in range(leaves)])
    codes = chance.integers(0, leaves, (columns, rows)) // chance.integers(1, 300, rows)
    frame = pd.DataFrame({f"q{i}": [f"{c:04}" for c in column] for i, column in enumerate(codes)})
    frame["s"] = chance.integers(0, 5, rows).astype(str)
    names = list(frame)[:-1]
    return Microdata(frame, Schema(names, sensitive="s"), dict.fromkeys(names, tree))


@pytest.mark.parametrize("merge_bits", [2, 4, 8, None])
@pytest.mark.parametrize("sensitive", [True, False])
def test_words_give_the_same_classes_as_codes(merge_bits, sensitive, make_table, merged_into):
    if merge_bits:
        merged_into(merge_bits)
    table = make_table(0, rows=200, heights=(1, 2, 3, 2))
    packed = PackedTable(table, sensitive=sensitive)
    trees = [domain.hierarchy for domain in table.qi_domains]
    for node in [(0, 0, 0, 0), (1, 0, 2, 1), (0, 2, 1, 0), (1, 2, 3, 2)]:
        columns = [tree.ancestors[level][codes] for tree, level, codes in zip(trees, node, table.qi_codes)]
        sizes = [len(tree.labels) for tree in trees]
        if sensitive:
            columns.append(table.sensitive_codes[0])
            sizes.append(len(table.sensitive_domains[0]))
        assert same_partition(classes_of_words(packed, node), group(columns, sizes).class_of)


def test_distinct_values_are_those_that_occur(make_table):
    table = make_table(1)
    expected = [
        [len(set(table.hierarchies[name].generalize(table.frame[name], level))) for level in range(height + 1)]
        for name, height in zip(table.schema.quasi_identifiers, (1, 2, 3))
    ]
    assert [attribute.distinct for attribute in PackedTable(table).attributes] == expected


def test_fields_are_joined_until_a_word_holds_them():
    table = wide_table(columns=12, leaves=1000, rows=800)
    packed = PackedTable(table)
    values = [len(np.unique(codes)) for codes in table.qi_codes]
    assert sum(np.log2(values)) > 64 >= sum(field.bits for field in packed.fields)
    assert sorted(i for field in packed.fields for i in field.members) == list(range(12))
    assert max(field.size for field in packed.fields) <= len(table)
    trees = [domain.hierarchy for domain in table.qi_domains]
    for node in [(0,) * 12, (1, 0) * 6, (2, 1, 0) * 4, (3,) * 12]:
        columns = [tree.ancestors[level][codes] for tree, level, codes in zip(trees, node, table.qi_codes)]
        expected = group(columns, [len(tree.labels) for tree in trees]).class_of
        assert same_partition(classes_of_words(packed, node), expected)


@pytest.mark.parametrize("rule", [KAnonymity(2), KAnonymity(2) & DistinctLDiversity(2)])
def test_a_search_in_words_that_are_too_small(rule, monkeypatch):
    """With words of 20 bits joining is the rule: the search finds what it finds with 64."""
    table = wide_table(columns=4, leaves=1000, rows=60)
    wide = Flash(rule, rollup=False).search(table)
    monkeypatch.setattr(packing, "WORD_BITS", 20)
    packed = PackedTable(table, sensitive=True)
    assert len(packed.fields) < 5 and sum(field.bits for field in packed.fields) <= 20
    for search in (Flash, Incognito, Speedy):
        found = search(rule).search(table)
        assert found.solutions == wide.solutions != []
        assert len(found.solutions) < found.lattice.size


@pytest.mark.parametrize("rule", [KAnonymity(3), KAnonymity(2) & DistinctLDiversity(2)])
def test_a_search_beyond_64_bits(rule, brute_force):
    rows, columns = 130, 11
    chance = np.random.default_rng(0)
    tree = Hierarchy([[i, "*"] for i in range(rows)])
    alike = chance.integers(0, 40, rows)  # some rows agree on many of the quasi-identifiers
    frame = pd.DataFrame(
        {f"q{i}": np.where(chance.random(rows) < 0.2, alike, chance.permutation(rows)) for i in range(columns - 1)}
    )
    frame[f"q{columns - 1}"] = alike // 10
    frame["s0"] = chance.choice(list("abc"), rows)
    names = list(frame)[:-1]
    table = Microdata(frame, Schema(names, sensitive="s0"), dict.fromkeys(names, tree))
    bits = sum(np.log2(attribute.size) for attribute in PackedTable(table).attributes)
    plain = [("k", rule.minimum_size)] + [("distinct", 2)] * (len(rule.parts()) - 1)
    expected = brute_force(table, plain)
    assert bits > 64 and 1 < len(expected) < 2**columns
    for search in (Flash(rule), Flash(rule, rollup=False), Incognito(rule), Speedy(rule, threads=2)):
        assert set(search.search(table).solutions) == expected


def test_more_than_65536_combinations_take_wider_tables():
    rows = 70_000
    chance = np.random.default_rng(0)
    tree = Hierarchy([[i, f"{i // 8}-", "*"] for i in range(rows)])
    frame = pd.DataFrame({"a": np.arange(rows), "b": chance.integers(0, 2, rows).astype(str)})
    table = Microdata(frame, Schema(["a", "b"]), {"a": tree, "b": Hierarchy([["0", "*"], ["1", "*"]])})
    found = Flash(KAnonymity(8)).search(table)
    assert found.solutions == [(1, 1), (2, 0), (2, 1)]
    packed = PackedTable(table)
    assert {field.dtype for field in packed.fields} == {np.dtype(np.uint32)}


def test_projection_keeps_tables_of_unchanged_fields(make_table, merged_into):
    merged_into(2)
    table = make_table(0, heights=(1, 2, 3))
    kept, anew = (PackedTable(table, projection=projection) for projection in (True, False))
    assert len(kept.fields) == 3
    for packed, same in ((kept, 2), (anew, 0)):
        first, second = packed.lookups((0, 1, 1)), packed.lookups((1, 1, 1))
        assert sum(a is b for a, b in zip(first, second)) == same


def test_only_so_many_tables_are_kept(make_table, monkeypatch, merged_into):
    merged_into(3)
    monkeypatch.setattr(packing, "KEPT_ENTRIES", 8)
    packed = PackedTable(make_table(0, heights=(3, 3, 3)))
    for level in range(4):
        packed.lookups((level, level, level))
    sizes = [field.size * len(known) for field, known in zip(packed.fields, packed._known)]
    assert all(0 < size <= 8 + field.size for size, field in zip(sizes, packed.fields))
    assert any(len(known) < 4 for known in packed._known)
