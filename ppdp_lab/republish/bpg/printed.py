"""Listing 1 of the BPG paper as it is printed, in plain Python and for teaching: it does not keep its own invariant.

One line is read as the text has it and not as it is printed: ``reject`` is reset for every class (step 5 of section 6). As
printed it is set once, before the loop, so that nothing at all is published after the first class that is rejected.

What fails is left as it is. Records who are published for the first time are never tested by themselves. After records
were pulled in (lines 16 to 19), the rest of their neighbourhood is not tested again. Line 34 gives their own part to the
records of the neighbourhood that was looked at last; all others of the class share one (line 35), whatever their past.
"""

from __future__ import annotations

import numpy as np

from ppdp_lab.principles import Principle
from ppdp_lab.republish.bpg.repairing import Outcome, Scene


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
