"""BPG's repaired listing in plain Python: one class after the other, with sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Safe = Callable[[set[int]], bool]


def plain_repair(
    home: list[int],
    now: list[int],
    order: list[int],
    absent: set[int],
    whole: set[int],
    safe: Safe,
    *,
    variant: str,
    most_dirty: float,
    tie_order: list[int],
) -> tuple[list[int], dict[str, int]]:
    """Class with which each unit is published, and what became of the classes."""
    left = {v: {u for u, h in enumerate(home) if h == v} for v in set(home) - {-1}}
    waiting = {u for u, c in enumerate(now) if c >= 0}
    final = [-1] * len(home)
    why = dict.fromkeys(("untouched", "repaired", "newcomers", "pieces", "limit"), 0)
    for c in order:
        e1 = {u for u, now_in in enumerate(now) if now_in == c}
        pulled: set[int] = set()
        reason = "" if safe({u for u in e1 if home[u] < 0}) else "newcomers"
        for v in {home[u] for u in e1} - {-1}:
            more = _mend(left[v] & e1, left[v], waiting, v in whole, safe, variant, tie_order)
            if more is None:
                reason = reason or "pieces"
            else:
                pulled |= more
        if not reason and len(pulled & absent) > most_dirty:
            reason = "limit"
        waiting -= e1
        if reason:
            why[reason] += 1
            continue
        most_dirty -= len(pulled & absent)
        why["repaired" if pulled else "untouched"] += 1
        for u in e1 | pulled:
            final[u] = c
            if home[u] >= 0:
                left[home[u]].discard(u)
    return final, why


def _mend(
    piece: set[int], e0: set[int], waiting: set[int], whole: bool, safe: Safe, variant: str, tie_order: list[int]
) -> Any:
    """Who must join the piece so that it and the rest are safe; None if nobody helps."""

    def good(more: set[int]) -> bool:
        rest = e0 - piece - more
        return safe(piece | more) and safe(rest) and not (whole and rest)

    if good(set()):
        return set()
    if variant == "no-dirty":
        return None
    available = [u for u in tie_order if u in e0 - piece - waiting]
    if variant == "one-by-one":
        for n in range(len(available) + 1):  # singly, until the piece is safe
            if safe(piece | set(available[:n])):
                if good(set(available[:n])):
                    return set(available[:n])
                break
    return set(available) if good(set(available)) else None
