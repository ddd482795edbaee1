"""What an auditor of a running series keeps in mind: what an adversary would, and nothing of the publisher's own books.

Auditors see a release's published side, and who is in which group. Their notes grow with the persons ever seen.
"""

from __future__ import annotations

import numpy as np

from ppdp_lab.attacks import Background, audit_series, intersection
from ppdp_lab.attacks.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.memberships import named_counterfeits, proportions
from ppdp_lab.errors import BrokenRuleError
from ppdp_lab.release import Release
from ppdp_lab.republish.memory import Stored

MASKS, STAYS = "audit_masks", "audit_stays_of_"

LAYOUT = {
    MASKS: Stored(np.uint64, "person", rows="words", codes="sensitive", optional=True),
    STAYS + "persons": Stored(np.uint64, "person", rows=3, optional=True),
    STAYS + "counterfeits": Stored(np.uint64, "counterfeit ever made", rows=3, optional=True),
}
"""Per person a bit for every value that no release has ruled out; per person and per counterfeit the values of the group,
as a hash, and the first and last release, counted from 1."""


def audit_values(notes: dict[str, np.ndarray], release: Release, persons: np.ndarray, n_persons: int, m: int) -> None:
    """Refuse a release that links a person to a value with more than 1/m, by itself or intersected with those before.

    ``persons`` are the numbers of the release's records, below ``n_persons``. Notes: per person a bit for every value
    that no release has ruled out.
    """
    series, background = [release.published()], Background.worst_case([release])
    verdict = audit_series(series, background, max_confidence=1 / m)
    if not verdict:
        raise BrokenRuleError(f"the release is withheld: {verdict}")
    masks = intersection(series, background, least=m).masks
    known = notes.get(MASKS, masks[:0])
    known = np.concatenate([known, np.full((n_persons - len(known), known.shape[1]), ~np.uint64(0))])
    shown = persons[release.class_of >= 0]
    known[shown] &= masks
    few = np.bitwise_count(known[shown]).sum(axis=1) < m
    if few.any():
        raise BrokenRuleError(
            f"the release is withheld: intersection leaves {int(few.sum())} person(s) with fewer than {m} values"
        )
    notes[MASKS] = known


def audit_cuts(
    notes: dict[str, np.ndarray], release: Release, persons: np.ndarray, sizes: tuple[int, int], number: int, limit: int
) -> None:
    """Refuse a release after which a bucket graph of the whole series has a cut of at most ``limit``.

    Notes: per person, and per counterfeit, the values of the group and the first and last release, counted from 1;
    ``sizes`` says how many of either there have ever been, ``number`` which release this is, counted from 0.
    """
    histogram = release.published().counts().histogram()
    keys = proportions(histogram)
    groups = Background.worst_case([release]).releases[0].groups
    ids, fake_groups = named_counterfeits([release])[0]
    stays = []
    for kind, who, where, n in (
        ("persons", persons[release.class_of >= 0], groups, sizes[0]),
        ("counterfeits", ids, fake_groups, sizes[1]),
    ):
        known = notes.get(STAYS + kind, np.zeros((3, 0), dtype=np.uint64))
        known = np.concatenate([known, np.zeros((3, n - known.shape[1]), dtype=np.uint64)], axis=1)
        new = known[1, who] == 0
        known[0, who], known[1, who[new]], known[2, who] = keys[where], number + 1, number + 1
        notes[STAYS + kind] = known
        stays.append(known)
    key, first, last = np.concatenate(stays, axis=1)
    seen = first > 0
    distinct, bucket = np.unique(key[seen], return_inverse=True)
    gone = np.where(last[seen] <= number, last[seen] + np.uint64(1), 0).astype(np.int64)
    came = first[seen].astype(np.int64)
    fewest = int(histogram.distinct.min(initial=0))
    graphs = BucketGraphs(bucket, came, gone, [], [()] * len(distinct), number + 1, True, fewest)
    if len(np.unique(keys)) < len(keys):
        raise BrokenRuleError("the release is withheld: an auditor finds a bucket that is published in several classes")
    if 2 * graphs.least_equivalence() <= limit:
        raise BrokenRuleError(
            f"the release is withheld: an auditor finds a cut of {2 * graphs.least_equivalence():g} in a bucket graph; every "
            f"cut must weigh more than {limit}"
        )
