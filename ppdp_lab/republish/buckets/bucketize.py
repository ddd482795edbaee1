"""How many records of which value go to which bucket: the counting behind balancing and assignment of m-invariance.

Nothing here knows a record. Counts are arrays over the sensitive values; a *bucket matrix* counts over buckets (rows) and
values (columns). Counts are *m-eligible* if no value has more than one m-th of them: exactly then they can be divided
into groups of m or more different values (X. Xiao, Y. Tao, "m-invariance: towards privacy preserving re-publication of
dynamic datasets", SIGMOD 2007, whose balancing and assignment steps these are).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def excess(counts: np.ndarray, m: int) -> int:
    """Records of other values that are lacking for m-eligibility; 0 if the counts are m-eligible.

    >>> excess(np.array([3, 1]), 2), excess(np.array([2, 2]), 2)
    (2, 0)
    """
    return max(0, m * int(counts.max(initial=0)) - int(counts.sum()))


def most_takes(counts: np.ndarray, needs: np.ndarray, m: int) -> np.ndarray:
    """The largest takes of at most ``needs`` that leave the rest of ``counts`` no further from m-eligibility.

    If the counts are m-eligible the rest will be. If they are not, the rest may lack as much as they do, and no more: a
    stricter rule would refuse every take and turn all needs into counterfeits.

    Taking most is leaving least, that is the smallest total R for which some rest between ``least`` and ``counts`` has
    m * (its largest) <= R + lacking. Written with cap = (R + lacking) // m, the rest must stay under the cap, and
    R lies between m * cap - lacking and m - 1 more. Larger caps mean larger R, so the first cap is right for which these
    bounds, the least that must be left and the most that can be left under the cap have an R in common. There is one:
    under the largest count as cap all may be left, and if ``least`` were too much for that cap it would be eligible.

    >>> most_takes(np.array([4, 2, 2]), np.array([0, 2, 0]), 2).tolist()  # 4 of the rest must be other values
    [0, 0, 0]
    >>> most_takes(np.array([4, 2, 2]), np.array([1, 2, 0]), 2).tolist()
    [1, 1, 0]
    """
    wanted = np.minimum(counts, needs)
    least = counts - wanted
    lacking = excess(counts, m)
    if m * int(least.max(initial=0)) <= int(least.sum()) + lacking:
        return wanted
    # With R records left no value may keep more than `cap` = (R + lacking) // m; take the first cap that can be reached.
    cap = np.arange(int(least.max()), int(counts.max()) + 1)
    order = np.sort(counts)
    below = np.searchsorted(order, cap)
    room = np.r_[0, np.cumsum(order)][below] + (len(order) - below) * cap  # the most that can be left under a cap
    low = np.maximum(int(least.sum()), m * cap - lacking)
    high = np.minimum(room, m * cap - lacking + m - 1)
    first = int(np.argmax(low <= high))
    return counts - raised(least, np.minimum(counts, cap[first]), int(low[first] - least.sum()))


def raised(counts: np.ndarray, most: np.ndarray, total: int) -> np.ndarray:
    """Counts raised by ``total`` in all and nowhere above ``most``, the largest first."""
    order = np.argsort(-counts, kind="stable")
    room = (most - counts)[order]
    # What the values before it take up; each gets what is left of the total, within its room.
    before = np.cumsum(room) - room
    out = counts.copy()
    out[order] += np.clip(total - before, 0, room)
    return out


def eligible_with(counts: np.ndarray, m: int) -> np.ndarray:
    """Counterfeits per value that make the counts m-eligible, as few as can be.

    >>> eligible_with(np.array([3, 2, 0]), 2).tolist()
    [0, 1, 0]
    """
    lacking = excess(counts, m)
    if not lacking:
        return np.zeros_like(counts)
    return raised(counts, np.full_like(counts, counts.max()), lacking) - counts


def assign(counts: np.ndarray, m: int) -> Iterator[tuple[np.ndarray, int]]:
    """Divide m-eligible counts into buckets: pairs of a signature and the number of records of each of its values.

    Pairs come one by one, so that a caller can stop at too many of them: each takes a sort of all values.

    Each bucket takes the beta most frequent values, beta >= m as small as possible, and as many records of each as leave
    the rest m-eligible. Such a bucket always exists, if only of height 1: let the most frequent value have c records
    and n = m c + a be left in all; a >= 0, as the counts are m-eligible. Take beta = m + a values, or all if there are
    fewer. Of the values taken, c - 1 at most are left, and m (c - 1) <= n - beta because beta - m <= a. Of a value not
    taken c - 1 at most are left as well: if it had c, so had the m + a before it, and (m + a + 1) c > m c + a. So the rest
    is m-eligible again, and as each round takes m records or more, the rounds end with none left over.

    >>> [(signature.tolist(), height) for signature, height in assign(np.array([3, 2, 1]), 2)]
    [([0, 1], 2), ([0, 2], 1)]
    """
    counts = counts.copy()
    left = int(counts.sum())
    while left:
        order = np.argsort(-counts, kind="stable")
        largest = counts[order]
        n_values = int(np.count_nonzero(largest))
        most = int(largest[0])
        for beta in range(m, n_values + 1):
            # Three bounds on the height: the rarest value taken must have so many ...
            following = int(largest[beta]) if beta < len(largest) else 0
            # ... the most frequent value not taken must stay within one m-th: m * following <= left - beta * height ...
            height = min(int(largest[beta - 1]), (left - m * following) // beta)
            # ... and so must the most frequent one taken: m * (most - height) <= left - beta * height. With beta = m
            # that is the eligibility which holds already.
            if beta > m:
                height = min(height, (left - m * most) // (beta - m))
            if height > 0:
                break
        else:
            raise AssertionError("counts were not m-eligible")
        signature = np.sort(order[:beta])
        counts[signature] -= height
        left -= height * beta
        yield signature, height


def first_of(matrix: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """The part of a bucket matrix that its first ``totals`` records per value fill, bucket by bucket.

    >>> first_of(np.array([[2, 1], [2, 0]]), np.array([3, 0])).tolist()
    [[2, 0], [1, 0]]
    """
    filled = np.minimum(np.cumsum(matrix, axis=0), totals)
    return np.diff(filled, axis=0, prepend=np.zeros((1, matrix.shape[1]), dtype=filled.dtype))


def spread(matrix: np.ndarray) -> np.ndarray:
    """Bucket of each record, for records that lie sorted by value: what a bucket matrix says, written out.

    >>> spread(np.array([[2, 0], [1, 1]])).tolist()
    [0, 0, 1, 1]
    """
    return np.repeat(np.tile(np.arange(matrix.shape[0]), matrix.shape[1]), matrix.T.ravel())
