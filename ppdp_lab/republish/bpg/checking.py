"""What must be true after a release of BPG, found anew: cells of equal histories, and what an auditor says of them.

A neighbourhood is a cell: all units that were published with the same classes in every release so far. Nobody who follows
rows can tell more of a unit than its cell. Neighbourhoods are made here, from the old ones and the release, whatever the
steps that led to it had in their books.
"""

from __future__ import annotations

import numpy as np

from ppdp_lab.attacks import Background, audit_series
from ppdp_lab.errors import BrokenRuleError, DataFileError
from ppdp_lab.principles import Principle
from ppdp_lab.release import Counterfeits, Release
from ppdp_lab.republish.memory import Stored
from ppdp_lab.table import ClassCounts, Domain, Microdata, group
from ppdp_lab.table.grouping import GOLDEN

CELLS, FAKE_CELLS = "audit_cell", "audit_fake_cell"
AUDIT_LAYOUT = {
    CELLS: Stored(np.int32, "person", empty=-1, low=-1, optional=True),
    FAKE_CELLS: Stored(np.int32, "counterfeit", low=-1, optional=True),
}
"""The auditor's notes: the number of everybody's history of published groups; -1 for one who was in none."""


def refined(cells: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number of each unit's history after one more release, and for each new number the old one; -1 stands for none.

    >>> [found.tolist() for found in refined(np.array([-1, 0, 0, 0, -1]), np.array([4, 4, -1, -1, -1]))]
    [[0, 2, 1, 1, -1], [-1, 0, 0]]
    """
    known = np.flatnonzero((cells >= 0) | (classes >= 0))
    sizes = [int(cells.max(initial=-1)) + 2, int(classes.max(initial=-1)) + 2]
    found = group([cells[known] + 1, classes[known] + 1], sizes)
    out = np.full(len(cells), -1, dtype=np.int32)
    out[known] = found.class_of
    return out, cells[known[found.first]]


def require_safe_cells(
    rule: Principle,
    cells: np.ndarray,
    before: np.ndarray,
    published: np.ndarray,
    sensitive: np.ndarray,
    domains: tuple[Domain, ...],
) -> None:
    """BrokenRuleError if a cell that this release published, or cut from what it published, breaks the rule.

    ``before`` is the old number of each cell. Cells that no release touched since were counted then, with the values that
    were shown.
    """
    shown = np.zeros(len(before) + 1, dtype=bool)  # the last entry is for units in no cell
    shown[cells[published]] = True
    old = np.zeros(int(before.max(initial=-1)) + 2, dtype=bool)
    old[before[shown[:-1]]] = True
    old[-1] = False
    touched = np.append(shown[:-1] | old[before], False)
    counts = ClassCounts.count(np.where(touched[cells], cells, -1), len(before), sensitive, domains)
    verdict = rule.check(counts)
    if not verdict:
        raise BrokenRuleError(
            f"the release is withheld: who follows rows over all releases finds sets of records that break the rule: {verdict}"
        )


def values_hash(sensitive: np.ndarray, domains: tuple[Domain, ...]) -> np.ndarray:
    """A number for each record's sensitive values that no renumbering changes; never 0."""
    out = np.ones(sensitive.shape[1], dtype=np.uint64)
    for codes, domain in zip(sensitive, domains):
        out = out * GOLDEN + domain.hashes[codes]
    return out | np.uint64(1)


def require_sound(
    memory: dict[str, np.ndarray], homes: np.ndarray, signatures: np.ndarray, *, one_signature: bool
) -> None:
    """DataFileError if a loaded memory's arrays contradict each other; ``homes`` and ``signatures`` are the counterfeits'."""
    n = len(memory["whole"])
    home = np.concatenate([memory["neighbourhood"], homes])
    signature = np.concatenate([memory["signature"], signatures])
    placed = home >= 0
    if not np.array_equal(placed, signature >= 0) or not np.array_equal(np.unique(home[placed]), np.arange(n)):
        raise DataFileError("its neighbourhoods have no members, or persons have no signature")
    if not np.array_equal(memory["shown"] != 0, memory["neighbourhood"] >= 0):
        raise DataFileError("it does not know the values of persons who were published")
    of_home = np.zeros(n, dtype=np.int64)
    of_home[home[placed]] = signature[placed]
    if one_signature and (of_home[home[placed]] != signature[placed]).any():
        raise DataFileError("a neighbourhood has members with different signatures")


def audit_histories(
    notes: dict[str, np.ndarray],
    release: Release,
    past: Microdata,
    persons: np.ndarray,
    names: tuple[np.ndarray, np.ndarray],
    fakes: tuple[np.ndarray, np.ndarray],
    rule: Principle,
) -> None:
    """Show a release, and the series so far, to the auditor who follows rows; BrokenRuleError if the rule does not survive.

    All earlier releases count as one, in which every history of groups is a group: with tracked rows that is as much as the
    releases tell one by one. ``past`` are all persons as last seen and ``persons`` the numbers of the release's records;
    ``names`` are pseudonyms, and ``fakes`` values and quasi-identifiers of all counterfeits ever made.
    """
    n, n_fakes = len(past), len(names[1])
    old = np.full(n, -1, dtype=np.int32)
    old[: len(notes.get(CELLS, ()))] = notes.get(CELLS, ())
    old_fakes = np.full(n_fakes, -1, dtype=np.int32)
    old_fakes[: len(notes.get(FAKE_CELLS, ()))] = notes.get(FAKE_CELLS, ())
    groups = np.full(n, -1, dtype=np.int32)
    shown = release.class_of >= 0
    groups[persons[shown]] = release.group_of_class[release.class_of[shown]]
    fake_groups = np.full(n_fakes, -1, dtype=np.int32)
    invented = release.counterfeit_codes
    assert invented.ids is not None
    fake_groups[invented.ids] = release.group_of_class[invented.class_of]

    every, now = np.concatenate([old, old_fakes]), np.concatenate([groups, fake_groups])
    again = np.zeros(int(every.max(initial=-1)) + 2, dtype=bool)
    again[every[now >= 0]] = True
    again[-1] = False
    series = [release]
    if again.any():  # histories of which nobody is seen again tell no more than they did before
        number = np.where(again, np.cumsum(again) - 1, -1)
        mine, theirs = np.flatnonzero(again[old]), np.flatnonzero(again[old_fakes])
        made = Counterfeits(
            number[old_fakes[theirs]], fakes[0][:, theirs], fakes[1][:, theirs], theirs, names[1][theirs]
        )
        so_far = Release(
            past.select(mine), number[old[mine]], grouped=True, counterfeits=made, pseudonyms=names[0][mine]
        )
        series = [so_far, release]
    verdict = audit_series([r.published(track=True) for r in series], Background.worst_case(series), rule, track=True)
    if not verdict:
        raise BrokenRuleError(f"the release is withheld: {verdict}")
    cells, _ = refined(every, now)
    notes[CELLS] = cells[:n]
    if n_fakes:
        notes[FAKE_CELLS] = cells[n:]
