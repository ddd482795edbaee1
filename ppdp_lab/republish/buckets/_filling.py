"""Compiled assignment of m-Distinct: which record goes to which entry of which bucket, and what counterfeits are called.

A bucket is known by its entries, each of which is a candidate update set. Entries with the same set are one *slot* of so many
*places*: slot t of bucket b has the set ``slot_set[b, t]`` and ``places[b, t]`` places. A group will take one record for every
place, no two with the same value. (F. Li, S. Zhou, "Challenging more updates", 2008, section V.)
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def slots_of(rows, slot_set, places, n_slots):
    """Entries to slots: ``rows`` holds the sets of each bucket in ascending order, filled up by -1 in front."""
    for b in range(rows.shape[0]):
        t = -1
        for i in range(rows.shape[1]):
            if rows[b, i] < 0:
                continue
            if t < 0 or slot_set[b, t] != rows[b, i]:
                t += 1
                slot_set[b, t] = rows[b, i]
            places[b, t] += 1
        n_slots[b] = t + 1


@njit(nogil=True, cache=True)
def growth(low, high, b, qi, i):
    """How many times larger the box of a bucket gets by a record: lambda of the paper, in codes covered."""
    times = 1.0
    for c in range(low.shape[1]):
        if high[b, c] < low[b, c]:  # an empty bucket
            return 1.0
        length = high[b, c] - low[b, c] + 1
        more = max(high[b, c], qi[c, i]) - min(low[b, c], qi[c, i]) + 1
        times *= more / length
    return times


@njit(nogil=True, cache=True)
def put(i, v, b, t, qi, counts, often, total, height, low, high, places):
    """Assign record i with value v, and keep the bucket's books."""
    counts[b, t] += 1
    often[b, v] += 1
    total[b] += 1
    height[b] = max(height[b], often[b, v], (counts[b, t] + places[b, t] - 1) // places[b, t])
    for c in range(low.shape[1]):
        low[b, c] = min(low[b, c], qi[c, i])
        high[b, c] = max(high[b, c], qi[c, i])


@njit(nogil=True, cache=True)
def fill(
    order, value, home, qi, begins, options, value_begins, value_options, slot_set, places, n_slots, size, holds,
    counts, often, total, height, low, high, spare, bucket, slot
):  # fmt: skip
    """Algorithm 3: every record of ``order`` to the entry with the highest score, into ``bucket`` and ``slot``.

    A record of bucket ``home[i]`` may go to ``options[begins[home] : begins[home + 1]]``; a new one (-1) to any bucket with
    an entry for its value, ``value_options[value_begins[v] : value_begins[v + 1]]``. An assignment that needs no counterfeit
    more scores 1 / lambda, others minus lambda. Of equal scores the bucket counts that lacks fewest records, which finishes
    buckets one by one; then the entry with fewer records; then the first bucket: their order is chance. With ``spare``, a new
    record whose best score is below 0 goes nowhere.
    """
    for k in range(order.shape[0]):
        i = order[k]
        v = value[i]
        if home[i] >= 0:
            a, z = begins[home[i]], begins[home[i] + 1]
        else:
            a, z = value_begins[v], value_begins[v + 1]
        best = -np.inf
        best_bucket, best_slot = -1, -1
        least_lack, least_load = 0, 0
        for o in range(a, z):
            b = options[o] if home[i] >= 0 else value_options[o]
            growing = often[b, v] == height[b]
            lack = size[b] * height[b] - total[b]
            # Without room for the value or in any entry the score is below 0; one above 0 needs no second look.
            if best > 0 and (growing or lack == 0):
                continue
            times = growth(low, high, b, qi, i)
            for t in range(n_slots[b]):
                if not holds[slot_set[b, t], v]:
                    continue
                full = growing or counts[b, t] == places[b, t] * height[b]
                score = -times if full else 1.0 / times
                load = counts[b, t] // places[b, t]
                better = score > best
                if score == best:
                    better = lack < least_lack or (lack == least_lack and b == best_bucket and load < least_load)
                if better:
                    best, best_bucket, best_slot = score, b, t
                    least_lack, least_load = lack, load
        if best_bucket >= 0 and not (spare and best < 0 and home[i] < 0):
            bucket[i], slot[i] = best_bucket, best_slot
            put(i, v, best_bucket, best_slot, qi, counts, often, total, height, low, high, places)


@njit(nogil=True, cache=True)
def part_by_colours(rows, entry, value, n_entries, n_values, height, class_of, first_class, wild):
    """Groups of a bucket whose sets overlap: one record per entry, no value twice, as in König's theorem.

    Records are edges between entries and values, no end of which has more than ``height``; so that many colours do, and a
    colour is a group. Each edge gets the first colour that both ends have free. Where there is none, a colour free at one end
    and one free at the other are exchanged along a path. Counterfeits have no value yet and take what their entry has left.
    ``rows`` come in the order of a quasi-identifier, so that near records get near colours.
    """
    of_entry = np.full((n_entries, height), -1, dtype=np.int64)
    of_value = np.full((n_values, height), -1, dtype=np.int64)
    path = np.empty(n_entries + n_values + 1, dtype=np.int64)
    for i in rows:
        if wild[i]:
            continue
        e, v = entry[i], value[i]
        colour = -1
        for c in range(height):
            if of_entry[e, c] < 0 and of_value[v, c] < 0:
                colour = c
                break
        if colour < 0:
            one, other = 0, 0
            while of_entry[e, one] >= 0:
                one += 1
            while of_value[v, other] >= 0:
                other += 1
            # `one` is free at the entry and taken at the value. The path that starts there with it, and goes on with `other`
            # and `one` in turn, never comes to the entry: it would have to arrive by `one`. Exchange both colours along it.
            n = 0
            edge, by_value = of_value[v, one], True
            while edge >= 0:
                path[n] = edge
                n += 1
                edge = of_entry[entry[edge], other] if by_value else of_value[value[edge], one]
                by_value = not by_value
            for k in range(n):
                old = one if k % 2 == 0 else other
                of_entry[entry[path[k]], old] = -1
                of_value[value[path[k]], old] = -1
            for k in range(n):
                new = other if k % 2 == 0 else one
                of_entry[entry[path[k]], new] = path[k]
                of_value[value[path[k]], new] = path[k]
            colour = one
        of_entry[e, colour] = i
        of_value[v, colour] = i
    for e in range(n_entries):
        for c in range(height):
            if of_entry[e, c] >= 0:
                class_of[of_entry[e, c]] = first_class + c
    for i in rows:
        if wild[i]:
            for c in range(height):
                if of_entry[entry[i], c] < 0:
                    of_entry[entry[i], c] = i
                    class_of[i] = first_class + c
                    break


@njit(nogil=True, cache=True)
def name_counterfeits(begins, members, set_of, value, wild, holds, turn, rotation):
    """Give every counterfeit a value that no other record of its group has, so that the group has one for each entry.

    Group g has ``members[begins[g] : begins[g + 1]]``; ``turn`` lists all values in an order that chance has drawn, and
    ``rotation`` tells each member where in it to begin. Where all values of an entry are taken, a record that could stand for
    another entry makes way (a path from entry to entry): whoever knows only the group's values sees no difference. Returns
    False if some entry can have no value of its own.
    """
    n_values = holds.shape[1]
    holder = np.full(n_values, -1, dtype=np.int64)  # which member's entry a value stands for
    came_from = np.empty(n_values, dtype=np.int64)
    for g in range(begins.shape[0] - 1):
        a, z = begins[g], begins[g + 1]
        some = False
        for k in range(a, z):
            some = some or wild[members[k]]
        if not some:
            continue
        holder[:] = -1
        for k in range(a, z):
            if not wild[members[k]]:
                holder[value[members[k]]] = k
        queue = np.empty(z - a, dtype=np.int64)
        for k in range(a, z):
            i = members[k]
            if not wild[i]:
                continue
            came_from[:] = -1
            queue[0] = k
            head, tail, found = 0, 1, -1
            while head < tail and found < 0:
                at = queue[head]
                head += 1
                for j in range(n_values):
                    v = turn[(j + rotation[i]) % n_values]
                    if came_from[v] >= 0 or not holds[set_of[members[at]], v]:
                        continue
                    came_from[v] = at
                    if holder[v] < 0:
                        found = v
                        break
                    queue[tail] = holder[v]
                    tail += 1
            if found < 0:
                return False
            value[i] = found
            # Back along the path: each entry takes the value it was reached for, the one before it the next.
            v = found
            while True:
                at = came_from[v]
                previous = -1
                for w in range(n_values):
                    if holder[w] == at:
                        previous = w
                holder[v] = at
                if at == k:
                    break
                v = previous
    return True
