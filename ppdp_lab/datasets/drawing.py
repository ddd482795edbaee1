"""Drawing rows for stand-ins: skewed weights, dependent attributes, and values that must occur."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Codes = NDArray[np.int64]
Weights = NDArray[np.float64]


def zipf(count: int, exponent: float) -> Weights:
    """Weights that fall with rank: the value of rank r gets r to the power of minus ``exponent``.

    >>> zipf(3, 1.0).round(2).tolist()
    [1.0, 0.5, 0.33]
    """
    return np.arange(1, count + 1, dtype=np.float64) ** -exponent


def counts_of(rng: np.random.Generator, weights: ArrayLike, rows: int) -> Codes:
    """How many rows each value gets: at least one where its weight is positive and the rows suffice.

    >>> int(counts_of(np.random.default_rng(0), [98, 1, 1e-9, 0], 50).min())
    0
    >>> int(counts_of(np.random.default_rng(0), [98, 1, 1e-9], 50).min())
    1
    """
    share = np.asarray(weights, dtype=np.float64)
    # One row for each value first, so that a rare one is not left to chance; the rest is drawn.
    once = (share > 0).astype(np.int64)
    if rows < once.sum():
        once[:] = 0
    return once + rng.multinomial(rows - int(once.sum()), share / share.sum())


def spread(rng: np.random.Generator, weights: ArrayLike, rows: int) -> Codes:
    """Independent values in random order; every value of positive weight occurs where the rows suffice."""
    counts = counts_of(rng, weights, rows)
    return rng.permutation(np.repeat(np.arange(len(counts)), counts))


def by_rank(rng: np.random.Generator, weights: ArrayLike, score: NDArray[np.float64]) -> Codes:
    """Values that rise with a score, so that attributes with related scores are related.

    >>> by_rank(np.random.default_rng(0), [1, 1], np.array([0.3, 0.1])).tolist()
    [1, 0]
    """
    codes = np.empty(len(score), dtype=np.int64)
    counts = counts_of(rng, weights, len(score))
    codes[np.argsort(score, kind="stable")] = np.repeat(np.arange(len(counts)), counts)
    return codes


def pick(rng: np.random.Generator, share: Weights, row: Codes) -> Codes:
    """One value for each entry of ``row``, by the distribution in that row of ``share``.

    >>> pick(np.random.default_rng(0), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1, 0, 1])).tolist()
    [1, 0, 1]
    """
    above = np.cumsum(share, axis=1)
    above /= above[:, -1:]
    # with the distribution of row i between i and i + 1, one sorted array and one search serve all rows
    above += np.arange(len(above))[:, np.newaxis]
    # a sum that rounds up to i + 1 would belong to the next row
    point = np.minimum(row + rng.random(len(row)), np.nextafter(row + 1.0, 0.0))
    return np.searchsorted(above.ravel(), point, side="right") - row * share.shape[1]


def depending(rng: np.random.Generator, weights: ArrayLike, parent: Codes) -> Codes:
    """One value per row, by the row of ``weights`` that the parent's code names; rare values are made to occur.

    A value that chance left out replaces the most frequent one in a random row whose parent allows it.

    >>> depending(np.random.default_rng(0), [[1, 0], [0, 1]], np.array([0, 1, 1])).tolist()
    [0, 1, 1]
    """
    share = np.asarray(weights, dtype=np.float64)
    share = share / share.sum(axis=1, keepdims=True)
    codes = pick(rng, share, parent)
    _fill_in(rng, codes, share, parent)
    return codes


def _fill_in(rng: np.random.Generator, codes: Codes, share: Weights, parent: Codes) -> None:
    counts = np.bincount(codes, minlength=share.shape[1])
    # A row of the most frequent value can be spared without a value dying out.
    common = int(counts.argmax())
    for value in np.flatnonzero((counts == 0) & (share > 0).any(axis=0)):
        rows = np.flatnonzero((codes == common) & (share[parent, value] > 0))
        if len(rows) and counts[common] > 1:
            codes[rng.choice(rows)] = value
            counts[common] -= 1
