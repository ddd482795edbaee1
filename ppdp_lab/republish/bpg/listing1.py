"""Listing 1 of the BPG paper as it is printed, in plain Python and for teaching: it does not keep its own invariant.

One line is read as the text has it and not as it is printed: ``reject`` is reset for every class (step 5 of section 6). As
printed it is set once, before the loop, so that nothing at all is published after the first class that is rejected.

What fails is left as it is. Records who are published for the first time are never tested by themselves. After records
were pulled in (lines 16 to 19), the rest of their neighbourhood is not tested again. Line 34 gives their own part to the
records of the neighbourhood that was looked at last; all others of the class share one (line 35), whatever their past.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ppdp_lab.principles import Principle
from ppdp_lab.republish.bpg._bpg import AVAILABLE, divide, lists_of, meetings, pull, rounds, settle
from ppdp_lab.table import ClassCounts, Domain
from ppdp_lab.text import OneLine


def printed_listing(scene: Scene, rule: Principle, order: np.ndarray) -> tuple[Outcome, np.ndarray]:
    """What is published, and the neighbourhood that the listing then stores for each unit."""
    home = scene.home.copy()
    now = scene.now
    bit = now >= 0  # lines 5 and 6: the last bit of each signature
    stored: dict[int, set[int]] = {}
    for unit in np.flatnonzero(home >= 0).tolist():
        stored.setdefault(int(home[unit]), set()).add(unit)
    members: dict[int, list[int]] = {}
    for unit in np.flatnonzero(bit).tolist():
        members.setdefault(int(now[unit]), []).append(unit)
    outcome = Outcome(np.full(len(home), -1, dtype=np.int32))
    new = scene.n_homes

    def holds(units: set[int]) -> bool:
        return bool(scene.safe(rule, np.array([0, len(units)]), np.fromiter(units, np.int64, len(units)))[0])

    for c in order.tolist():  # line 7
        e1, e0, reject = set(members[c]), set(), False
        for v0 in dict.fromkeys(int(home[t]) for t in members[c] if home[t] >= 0):  # lines 9 to 11
            e0 = stored[v0]
            if not holds(e1 - e0):  # line 12
                reject = True
                break
            if not holds(e0 - e1):  # line 15
                pulled = {t for t in e0 if not bit[t]}
                e1 |= pulled
                bit[list(pulled)] = True
            if not holds(e0 & e1):  # line 20
                pulled = {t for t in e0 if not bit[t]}
                if not holds((e1 | pulled) & e0):
                    reject = True
                    break
                e1 |= pulled
                bit[list(pulled)] = True
        units = list(e1)
        if reject or not holds(e1):  # the second: a part that the base cannot anonymize, and the listing never meets
            outcome.why["pieces"] += 1
            bit[units] = False  # lines 31 to 33
            continue
        outcome.why["repaired" if len(e1) > len(members[c]) else "untouched"] += 1
        outcome.final[units] = c
        for part in (e1 & e0, e1 - e0):  # lines 34 and 35
            for t in part:
                if home[t] >= 0:
                    stored[int(home[t])].discard(t)
                home[t] = new
            stored[new] = set(part)
            new += 1
    return outcome, home


# --------------------------------------------------------------------
# Listing 1 of the BPG paper with its repairs: which candidate classes are published, and with whom beside their own.
#
# Classes take turns in an order that chance has drawn. For class E1 and each stored neighbourhood that it meets, let E0 be
# what earlier classes have left of the neighbourhood. Three sets must be safe or empty: E1 & E0, E0 - E1, and the part of E1
# that was never published before. Where one of the first two is not, those of E0 who are *available* (in no class that is
# still to come) may be pulled in. As every turn leaves all sets safe, what is left at the end is safe, too.
#
# Classes that meet different neighbourhoods do not touch each other: all those of one round are dealt with together.


DIRTY, NO_DIRTY, COUNTERFEITS, ONE_BY_ONE = VARIANTS = ("dirty", "no-dirty", "with-counterfeits", "one-by-one")
REASONS = ("untouched", "repaired", "newcomers", "pieces", "limit")


@dataclass(frozen=True, eq=False)
class Scene(OneLine):
    """All units of a series as one release finds them.

    Attributes
    ----------
    home : array of int
        Stored neighbourhood of each unit; -1 if it was never published.
    now : array of int
        Candidate class of each unit; -1 if it has none.
    asked : array of bool
        Whether the unit is in the snapshot. Publishing an absent person makes a dirty record.
    person : array of bool
        Whether the unit is a person, not a counterfeit.
    whole : array of bool
        Neighbourhoods that must not be divided any more, because a member's value has changed.
    sensitive : array of int, columns by units
    """

    home: np.ndarray
    now: np.ndarray
    asked: np.ndarray
    person: np.ndarray
    whole: np.ndarray
    sensitive: np.ndarray
    domains: tuple[Domain, ...]
    totals: list[np.ndarray]

    @property
    def n_homes(self) -> int:
        """Number of stored neighbourhoods."""
        return len(self.whole)

    def safe(self, rule: Principle, offsets: np.ndarray, units: np.ndarray) -> np.ndarray:
        """Whether the units of each segment satisfy a rule; an empty segment does."""
        sensitive = self.sensitive[:, units]
        return rule.safe(ClassCounts.count_segments(offsets, sensitive, self.domains, self.totals))


@dataclass(eq=False)
class Outcome(OneLine):
    """What became of the candidate classes.

    Attributes
    ----------
    final : array of int
        Class with which each unit is published; -1 if it is not.
    why : dict of str to int
        How many classes were published as they were or repaired, and how many were rejected for which reason.
    """

    final: np.ndarray
    why: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))


def repair(
    scene: Scene,
    rule: Principle,
    *,
    order: np.ndarray,
    tie_order: np.ndarray | None,
    variant: str,
    most_dirty: int | None,
    completed: np.ndarray,
) -> Outcome:
    """Deal with all classes.

    ``order`` are the classes in the order of their turns; ``tie_order`` the units in the order in which they are pulled in, for
    ``one-by-one``. ``completed`` tells of which classes counterfeits will make the newcomers safe.
    """
    now, n = scene.now, len(order)
    begins, units = lists_of(now, n)
    starts, met = meetings(begins, units, scene.home, scene.n_homes)
    home_begins, members = lists_of(scene.home if tie_order is None else scene.home[tie_order], scene.n_homes)
    if tie_order is not None:
        members = tie_order[members].astype(np.int32)
    fresh = newcomers_safe(scene, rule, n) | completed
    round_of = rounds(order, starts, met, scene.n_homes)
    outcome = Outcome(np.full(len(now), -1, dtype=np.int32))
    left = np.inf if most_dirty is None else most_dirty
    turn = np.empty(n, dtype=np.int64)
    turn[order] = np.arange(n)
    by_round = np.lexsort([turn, round_of])
    for classes in np.split(by_round, np.flatnonzero(np.diff(round_of[by_round])) + 1):
        sizes = starts[classes + 1] - starts[classes]
        owner = np.repeat(np.arange(len(classes)), sizes)
        pairs = np.repeat(starts[classes] - np.r_[0, np.cumsum(sizes)][:-1], sizes) + np.arange(len(owner))
        pair_class, pair_home = classes[owner].astype(np.int32), met[pairs]
        found = _Pairs(scene, rule, pair_class, pair_home, home_begins, members)
        stop = found.cuts[:, 1].copy() if variant == NO_DIRTY else found.extend(one_by_one=variant == ONE_BY_ONE)
        good = found.good if variant == NO_DIRTY else found.mended
        accepted = fresh[classes] & (np.bincount(owner, weights=~good, minlength=len(classes)) == 0)
        outcome.why["newcomers"] += int((~fresh[classes]).sum())
        outcome.why["pieces"] += int((fresh[classes] & ~accepted).sum())
        start = found.cuts[:, 1]
        dirty = _dirty_per_class(scene, found.units, start, stop, owner, accepted)
        if dirty.sum() > left:
            accepted = _within(dirty, accepted, int(left), outcome)
        left -= dirty[accepted].sum()
        pulled = np.flatnonzero(accepted[owner] & (stop > start))
        touched = np.bincount(owner[pulled], minlength=len(classes)) > 0
        outcome.why["repaired"] += int(touched.sum())
        outcome.why["untouched"] += int((accepted & ~touched).sum())
        settle(classes, accepted, begins, units, now, outcome.final)
        pull(pair_class[pulled], found.units, start[pulled], stop[pulled], now, outcome.final)
    return outcome


def newcomers_safe(scene: Scene, rule: Principle, n: int) -> np.ndarray:
    """Of which of n classes the members who were never published are safe by themselves, or none."""
    begins, units = lists_of(np.where(scene.home < 0, scene.now, AVAILABLE), n)
    return scene.safe(rule, begins, units)


class _Pairs:
    """Classes and neighbourhoods of one round that meet: each pair's units, divided, and what the rule says of the parts."""

    def __init__(
        self,
        scene: Scene,
        rule: Principle,
        classes: np.ndarray,
        homes: np.ndarray,
        begins: np.ndarray,
        members: np.ndarray,
    ) -> None:
        self.scene, self.rule = scene, rule
        self.cuts = np.empty((len(classes), 4), dtype=np.int64)
        room = int((begins[homes + 1] - begins[homes]).sum())
        units = np.empty(room, dtype=np.int32)
        self.units = units[: divide(classes, homes, begins, members, scene.now, units, self.cuts)]
        self.whole = scene.whole[homes]
        inside, outside = self._safe(np.arange(len(classes)), self.cuts[:, 1])
        self.inside = inside
        self.good = inside & outside
        self.mended = self.good.copy()

    def _safe(self, which: np.ndarray, cut: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Whether E1 & E0 and E0 - E1 are safe for some pairs, if the former ends at ``cut``."""
        first, last = self.cuts[which, 0], self.cuts[which, 3]
        if len(which) == len(self.cuts):
            units, shift = self.units, np.zeros(len(which), dtype=np.int64)
        else:
            sizes = last - first
            shift = first - (np.cumsum(sizes) - sizes)
            units = self.units[np.repeat(shift, sizes) + np.arange(int(sizes.sum()))]
        offsets = np.r_[np.stack([first - shift, cut - shift], axis=1).ravel(), len(units)]
        safe = self.scene.safe(self.rule, offsets, units)
        divided = self.whole[which] & (cut < last)  # such a neighbourhood is published as a whole or not at all
        return safe[0::2], safe[1::2] & ~divided

    def extend(self, *, one_by_one: bool) -> np.ndarray:
        """Where E1 & E0 ends in each pair when available units are pulled in; :attr:`mended` says where that helps."""
        start, stop = self.cuts[:, 1], self.cuts[:, 1].copy()
        failing = np.flatnonzero(~self.good)
        if one_by_one and len(failing):
            cut = self._fewest(failing)
            inside, outside = self._safe(failing, cut)
            done = inside & outside
            stop[failing[done]], self.mended[failing[done]] = cut[done], True
            failing = failing[~done]
        # Pulling in some and not all would leave an unsafe rest; all of them leave those of other classes, or nobody.
        if len(failing):
            inside, outside = self._safe(failing, self.cuts[failing, 2])
            done = inside & outside
            stop[failing[done]], self.mended[failing[done]] = self.cuts[failing[done], 2], True
        assert (stop >= start).all()
        return stop

    def _fewest(self, which: np.ndarray) -> np.ndarray:
        """The first cut at which E1 & E0 is safe, by halving: every superset of a safe set is safe."""
        low, high = self.cuts[which, 1].copy(), self.cuts[which, 2].copy()
        high = np.where(self.inside[which], low, high)
        while (low < high).any():
            middle = (low + high) // 2
            inside, _ = self._safe(which, middle)
            high = np.where(inside, middle, high)
            low = np.where(inside | (low == high), low, np.minimum(middle + 1, high))
        return high


def _dirty_per_class(
    scene: Scene,
    units: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    owner: np.ndarray,
    accepted: np.ndarray,
) -> np.ndarray:
    """How many absent persons each class of a round would pull in; 0 for classes that are not accepted."""
    absent = np.r_[0, np.cumsum(scene.person[units] & ~scene.asked[units])]
    per_pair = absent[stop] - absent[start]
    return np.bincount(owner, weights=per_pair, minlength=len(accepted)).astype(np.int64) * accepted


def _within(dirty: np.ndarray, accepted: np.ndarray, left: int, outcome: Outcome) -> np.ndarray:
    """The accepted classes that keep to a limit of dirty records, first come, first served."""
    kept = accepted.copy()
    for c in np.flatnonzero(accepted & (dirty > 0)):
        if dirty[c] > left:
            kept[c] = False
            outcome.why["limit"] += 1
        else:
            left -= int(dirty[c])
    return kept
