"""Compiled steps of BPG: lists of units, who meets whom, and how a class and a neighbourhood divide each other.

A unit is a person, or a counterfeit that counts as one. ``now`` says of each unit in which candidate class it stands, or
one of the two marks below.
"""

from __future__ import annotations

import numpy as np
from numba import njit

AVAILABLE = -1  # in no candidate class: absent, suppressed by the base, or of a class that was rejected
SETTLED = -2  # published by a class that was dealt with before


@njit(nogil=True, cache=True)
def number_classes(now):
    """Number the classes anew by their first unit, in place; return how many there are. -1 stays."""
    most = -1
    for c in now:
        most = max(most, c)
    number = np.full(most + 1, -1, dtype=np.int32)
    count = 0
    for i in range(now.shape[0]):
        c = now[i]
        if c >= 0:
            if number[c] < 0:
                number[c] = count
                count += 1
            now[i] = number[c]
    return count


@njit(nogil=True, cache=True)
def lists_of(key, n):
    """Units by key: those of key v are ``units[begins[v] : begins[v + 1]]``, ascending; negative keys are passed over."""
    begins = np.zeros(n + 1, dtype=np.int64)
    for v in key:
        if v >= 0:
            begins[v + 1] += 1
    for v in range(n):
        begins[v + 1] += begins[v]
    cursor = begins[:-1].copy()
    units = np.empty(begins[n], dtype=np.int32)
    for i in range(key.shape[0]):
        v = key[i]
        if v >= 0:
            units[cursor[v]] = i
            cursor[v] += 1
    return begins, units


@njit(nogil=True, cache=True)
def meetings(begins, units, home, n_homes):
    """The distinct neighbourhoods that each class meets, class after class: where each class's begin, and which they are."""
    met = np.empty(units.shape[0], dtype=np.int32)
    starts = np.zeros(begins.shape[0], dtype=np.int64)
    # seen_by[v]: the last class that met v, so that nothing needs to be cleared between classes.
    seen_by = np.full(n_homes, -1, dtype=np.int32)
    count = 0
    for c in range(begins.shape[0] - 1):
        for i in range(begins[c], begins[c + 1]):
            v = home[units[i]]
            if v >= 0 and seen_by[v] != c:
                seen_by[v] = c
                met[count] = v
                count += 1
        starts[c + 1] = count
    return starts, met[:count].copy()


@njit(nogil=True, cache=True)
def rounds(order, starts, met, n_homes):
    """In which round each class can be dealt with, if classes take turns in ``order`` and those of a round meet different
    neighbourhoods.

    A class comes one round after the last class before it that meets one of its neighbourhoods, so that dealing with a
    whole round at once gives what taking turns would give.
    """
    last = np.zeros(n_homes, dtype=np.int32)
    round_of = np.zeros(order.shape[0], dtype=np.int32)
    for c in order:
        mine = 0
        for i in range(starts[c], starts[c + 1]):
            mine = max(mine, last[met[i]])
        round_of[c] = mine
        for i in range(starts[c], starts[c + 1]):
            last[met[i]] = mine + 1
    return round_of


@njit(nogil=True, cache=True)
def divide(pair_class, pair_home, begins, members, now, units, cuts):
    """What is left of each neighbourhood E0, divided by the class E1 that it meets.

    Into ``units``: those of E1, then the available ones, then those of other classes; settled ones are passed over. Row p
    of ``cuts`` says where the three parts of pair p begin and where the last one ends. Returns the number of units.
    """
    filled = 0
    cursor = np.empty(3, dtype=np.int64)
    for p in range(pair_class.shape[0]):
        c, v = pair_class[p], pair_home[p]
        cursor[:] = 0
        for i in range(begins[v], begins[v + 1]):
            where = now[members[i]]
            if where != SETTLED:
                cursor[0 if where == c else (1 if where == AVAILABLE else 2)] += 1
        for part in range(3):  # from counts to where each part begins
            cuts[p, part] = filled
            filled += cursor[part]
            cursor[part] = cuts[p, part]
        cuts[p, 3] = filled
        for i in range(begins[v], begins[v + 1]):
            where = now[members[i]]
            if where != SETTLED:
                part = 0 if where == c else (1 if where == AVAILABLE else 2)
                units[cursor[part]] = members[i]
                cursor[part] += 1
    return filled


@njit(nogil=True, cache=True)
def settle(classes, accepted, begins, units, now, final):
    """Publish the members of accepted classes; those of rejected ones are available from now on."""
    for k in range(classes.shape[0]):
        c = classes[k]
        for i in range(begins[c], begins[c + 1]):
            if accepted[k]:
                final[units[i]] = c
                now[units[i]] = SETTLED
            else:
                now[units[i]] = AVAILABLE


@njit(nogil=True, cache=True)
def pull(pair_class, units, start, stop, now, final):
    """Publish units from ``start`` to ``stop`` of each pair with the pair's class."""
    for p in range(pair_class.shape[0]):
        for i in range(start[p], stop[p]):
            final[units[i]] = pair_class[p]
            now[units[i]] = SETTLED
