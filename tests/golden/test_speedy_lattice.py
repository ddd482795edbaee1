"""Table 16 of the Speedy thesis with the hierarchies of its Figure 4: the lattices of Figures 5 to 7, for k = 2.

Levels are (birthplace, birth year, zipcode). Where the text of the thesis disagrees with a calculation from its table, the
calculation stands here: Incognito checks two nodes of the last lattice, not three, and the pair that fails at [1, 1] is
(birthplace, birth year).
"""

from __future__ import annotations

import pytest

from ppdp_lab.anonymize.lattice import Flash, Incognito, Samarati, Speedy
from ppdp_lab.datasets.examples.speedy import table_16
from ppdp_lab.principles import KAnonymity

SOLUTIONS = {(1, 2, 1), (1, 2, 2), (1, 2, 3), (2, 1, 2), (2, 1, 3), (2, 2, 1), (2, 2, 2), (2, 2, 3)}


@pytest.mark.parametrize("rollup", [True, False])
@pytest.mark.parametrize("search", [Flash, Incognito, Speedy])
def test_solutions(search, rollup):
    found = search(KAnonymity(2), rollup=rollup).search(table_16())
    assert set(found.solutions) == SOLUTIONS
    assert set(found.minimal) == {(1, 2, 1), (2, 1, 2)}
    assert found.lattice.size == 3 * 3 * 4


def test_flash_begins_as_in_figure_7():
    assert Flash(KAnonymity(2)).search(table_16()).checked[:3] == [(1, 0, 3), (2, 1, 3), (2, 0, 3)]


def test_flash_follows_the_path_of_figure_7():
    lattice = Flash(KAnonymity(2)).search(table_16()).lattice
    lattice.state[:] = 0
    assert lattice.path((0, 0, 0)) == [
        (0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3), (1, 0, 3), (2, 0, 3), (2, 1, 3), (2, 2, 3),
    ]  # fmt: skip


def test_flash_goes_on_with_the_only_node_left_on_level_1():
    """After the first path [1, 0, 0] and [0, 0, 1] are tagged; the second path begins at [0, 1, 0]."""
    table = table_16()
    lattice = Flash(KAnonymity(2)).search(table).lattice
    lattice.state[:] = 0
    for node, holds in [((1, 0, 3), False), ((2, 1, 3), True), ((2, 0, 3), False)]:
        lattice.tag(node, holds)
    assert list(lattice.unknown(0)) == [] and list(lattice.unknown(1)) == [(0, 1, 0)]


def test_incognito_checks_subsets_first():
    checked = Incognito(KAnonymity(2)).search(table_16()).checked
    birthplace = [node for node in checked if node[1] is None and node[2] is None]
    assert birthplace == [(0, None, None), (1, None, None)]  # fails, holds; level 2 is tagged
    places_and_years = [node for node in checked if node[2] is None and None not in node[:2]]
    assert places_and_years[0] == (1, 1, None)
    assert set(places_and_years) == {
        (1, 1, None),
        (2, 1, None),
        (1, 2, None),
    }  # [1, 1] fails, so both above are checked
    assert [node for node in checked if None not in node] == [(1, 2, 1), (2, 1, 2)]


def test_samarati_finds_the_solution_of_least_height():
    found = Samarati(KAnonymity(2)).search(table_16())
    assert found.minimal == [(1, 2, 1)] and found.best == (1, 2, 1)


def test_the_published_table():
    release = Flash(KAnonymity(2)).anonymize(table_16())
    frame = release.to_frame()
    assert sorted(release.sizes.tolist()) == [2, 3, 4]
    assert set(map(tuple, frame[["birthplace", "birth year", "zipcode"]].drop_duplicates().to_numpy())) == {
        ("South America", "*", "437*"),
        ("Europe", "*", "435*"),
        ("Europe", "*", "439*"),
    }
