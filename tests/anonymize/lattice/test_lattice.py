"""The lattice, and the sizes remembered over a sweep."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from ppdp_lab.anonymize.lattice import Flash, Incognito, Lattice, Samarati, SmallestClasses, Speedy
from ppdp_lab.errors import ParameterError
from ppdp_lab.principles import KAnonymity


def some_lattice() -> Lattice:
    return Lattice([[5, 2, 1], [8, 2, 1], [8, 3, 1, 1]])


def below(a, b) -> bool:
    return all(x <= y for x, y in zip(a, b))


def test_tagging_reaches_all_that_follows_and_nothing_else():
    for node, holds in product(product(range(3), range(3), range(4)), [True, False]):
        lattice = some_lattice()
        lattice.tag(node, holds)
        for other in product(range(3), range(3), range(4)):
            follows = below(node, other) if holds else below(other, node)
            assert lattice.state[other] == ((1 if holds else -1) if follows else 0)


def test_marking_touches_one_node():
    lattice = some_lattice()
    lattice.mark((1, 1, 1), True)
    assert np.abs(lattice.state).sum() == 1 == lattice.state[1, 1, 1]


def test_nodes_come_height_by_height_in_order_of_preference():
    lattice = some_lattice()
    seen = []
    for height in range(lattice.max_height + 1):
        nodes = list(lattice.unknown(height))
        assert all(sum(node) == height for node in nodes)
        keys = [
            (
                round(sum(level / top for level, top in zip(node, lattice.top)), 9),
                -sum(column[level] for column, level in zip(lattice.distinct, node)),
            )
            for node in nodes
        ]
        assert keys == sorted(keys)
        seen += nodes
    assert sorted(seen) == sorted(product(range(3), range(3), range(4)))


def test_nodes_that_become_known_meanwhile_are_passed_over():
    lattice = some_lattice()
    whole = list(lattice.unknown(3))
    seen = []
    for node in lattice.unknown(3):
        seen.append(node)
        lattice.tag(whole[2], False)
        lattice.tag(whole[3], True)
    assert seen == whole[:2] + whole[4:]


def test_a_path_goes_up_through_untagged_nodes():
    lattice = some_lattice()
    assert lattice.path((0, 0, 0))[-1] == lattice.top
    lattice.tag((1, 2, 3), False)
    lattice.tag((2, 2, 0), True)
    path = lattice.path((2, 0, 0))
    assert all(lattice.state[node] == 0 for node in path)
    assert all(below(a, b) and sum(b) == sum(a) + 1 for a, b in pairwise(path))
    assert path[-1] == (2, 1, 3)


def test_minimal_without_monotonicity():
    lattice = some_lattice()
    for node in [(1, 0, 0), (1, 2, 0), (0, 1, 1), (0, 0, 3)]:
        lattice.mark(node, True)
    assert lattice.minimal() == [(0, 0, 3), (0, 1, 1), (1, 0, 0)]


def test_excluded_by_a_subset():
    lattice = some_lattice()
    fails = np.zeros((3, 4), dtype=bool)
    fails[1, 2] = True
    lattice.exclude(fails, axis=1)
    assert (lattice.state == -1).sum() == 3 and (lattice.state[1, :, 2] == -1).all()


def test_a_lattice_too_large_to_search():
    with pytest.raises(ParameterError, match="13 quasi-identifiers has 67,108,864 nodes"):
        Lattice([[4, 3, 2, 1]] * 13)


# ---------------------------------------------------------------------- a sweep over k
@pytest.mark.parametrize("search", [Flash, Incognito, Samarati, Speedy])
@pytest.mark.parametrize("sweep", [(2, 3, 4, 5, 6), (6, 5, 4, 3, 2), (4, 2, 6, 3, 5)])
def test_a_sweep_finds_the_same_with_fewer_checks(search, sweep, make_table, every_path_taken):
    every_path_taken("hashed")
    for seed in range(3):
        table = make_table(seed, rows=80, heights=(2, 2, 3))
        smallest = SmallestClasses()
        apart = [search(KAnonymity(k)).search(table) for k in sweep]
        swept = [search(KAnonymity(k), smallest=smallest).search(table) for k in sweep]
        assert [found.minimal for found in apart] == [found.minimal for found in swept]
        assert [found.best for found in apart] == [found.best for found in swept]
        assert sum(found.checks for found in swept) < sum(found.checks for found in apart)


def test_a_second_sweep_checks_nothing(make_table):
    table, smallest = make_table(0), SmallestClasses()
    for k in range(2, 7):
        Flash(KAnonymity(k), smallest=smallest).search(table)
    assert all(Flash(KAnonymity(k), smallest=smallest).search(table).checks == 0 for k in range(2, 7))


def test_one_size_bounds_the_nodes_above_and_below(make_table):
    table = make_table(0, heights=(2, 2))
    smallest = SmallestClasses()
    assert not any(known.any() for known in smallest.begin(table, (3, 3), 4))
    smallest.note((1, 1), exactly=4, below=9)
    smallest.note((2, 0), below=3)
    for k, expected in [
        (2, [[0, 0, 0], [0, 1, 1], [0, 1, 1]]),
        (4, [[-1, 0, 0], [-1, 1, 1], [-1, 1, 1]]),
        (5, [[-1, -1, 0], [-1, -1, 0], [-1, 0, 0]]),
    ]:
        holds, fails = smallest.begin(table, (3, 3), k)
        assert (holds.astype(int) - fails).tolist() == expected


def test_sizes_of_another_table_are_refused(make_table):
    smallest = SmallestClasses()
    Flash(KAnonymity(2), smallest=smallest).search(make_table(0))
    with pytest.raises(ParameterError, match="learnt from another table"):
        Flash(KAnonymity(2), smallest=smallest).search(make_table(1))
