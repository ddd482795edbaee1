"""Is a finished release m-Distinct? Counted anew from the release and from what was noted of those before, and nothing else.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008:
   Definitions 14 and 15.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import BrokenRuleError
from ppdp_lab.release import Release


def value_sets(memory: Mapping[str, np.ndarray], which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some of the value sets of a memory, one after the other: (begins, values)."""
    begins, values = memory["signature_begins"], memory["signature_values"]
    sizes = (begins[1:] - begins[:-1])[which]
    ends = np.cumsum(sizes)
    at = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(begins[which] - ends + sizes, sizes)
    return np.r_[0, ends].astype(np.int64), values[at].astype(np.int64)


def remember_classes(
    memory: dict[str, np.ndarray], release: Release, persons: np.ndarray, values: np.ndarray, number: int
) -> None:
    """Note everybody's class as it was published; of persons who are not in the release, what was noted before stays."""
    histogram = release.counts().histogram()
    shown = release.class_of >= 0
    away = memory["signature"] >= 0
    away[persons[shown]] = False
    kept, again = np.unique(memory["signature"][away], return_inverse=True)
    begins, held = value_sets(memory, kept)
    memory["signature"][away] = again
    memory["signature"][persons[shown]] = len(kept) + release.class_of[shown]
    memory["signature_begins"] = np.concatenate([begins, begins[-1] + histogram.offsets[1:]]).astype(np.int64)
    memory["signature_values"] = np.concatenate([held, histogram.values]).astype(np.int32)
    memory["published"][persons[shown]] = number
    memory["value"][persons[shown]] = values[shown]


def check_legal(
    release: Release, model: UpdateModel, memory: Mapping[str, np.ndarray], signature: np.ndarray, steps: np.ndarray
) -> None:
    """BrokenRuleError unless everybody's class is a legal update instance of the class they were last published in.

    ``signature`` is the number of that class's value set in memory, per record, and ``steps`` how many releases ago it was; 0
    for whoever is new. Three conditions (Definition 14): as many values as before; every one of them is what some value of
    before may have become; every value of before may have become one of them.
    """
    domain = release.table.sensitive_domains[0].counted
    histogram = release.counts().histogram()
    now = np.zeros((release.n_classes, len(domain)), dtype=np.float32)
    now[np.repeat(np.arange(release.n_classes), np.diff(histogram.offsets)), histogram.values] = 1
    for gap in np.unique(steps[steps > 0]).tolist():
        rows = np.flatnonzero((steps == gap) & (release.class_of >= 0))
        used, which = np.unique(signature[rows], return_inverse=True)
        begins, values = value_sets(memory, used)
        then = np.zeros((len(used), len(domain)), dtype=np.float32)
        then[np.repeat(np.arange(len(used)), np.diff(begins)), values] = 1
        reach = model.over(domain, model.reach(gap)).astype(np.float32)
        explained, went_on = _bits(then @ reach > 0), _bits(now @ reach.T > 0)
        c = release.class_of[rows]
        wrong = then.sum(axis=1)[which] != now.sum(axis=1)[c]
        wrong |= (_bits(then > 0)[which] & ~went_on[c]).any(axis=1)
        wrong |= (_bits(now > 0)[c] & ~explained[which]).any(axis=1)
        if wrong.any():
            raise BrokenRuleError(
                f"the release is withheld: for {int(wrong.sum())} record(s) the values of their class are no legal update "
                f"instance of those that they were published among before"
            )


def _bits(matrix: np.ndarray) -> np.ndarray:
    """The rows of a boolean matrix as 64-bit words."""
    packed = np.packbits(matrix, axis=1)
    wide = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    wide[:, : packed.shape[1]] = packed
    return wide.view(np.uint64)


def check_apart(release: Release, model: UpdateModel, new: np.ndarray) -> None:
    """BrokenRuleError if two values of a class that holds a new record can ever become the same (m-Distinct*)."""
    domain = release.table.sensitive_domains[0].counted
    meet = model.over(domain, model.meeting())
    np.fill_diagonal(meet, False)
    histogram = release.counts().histogram()
    now = np.zeros((release.n_classes, len(domain)), dtype=np.float32)
    now[np.repeat(np.arange(release.n_classes), np.diff(histogram.offsets)), histogram.values] = 1
    clash = np.max((now @ meet.astype(np.float32)) * now, axis=1, initial=0) > 0
    classes = np.unique(release.class_of[new & (release.class_of >= 0)])
    if clash[classes].any():
        raise BrokenRuleError(
            f"the release is withheld: {int(clash[classes].sum())} class(es) with new records hold values that can become "
            f"the same"
        )
