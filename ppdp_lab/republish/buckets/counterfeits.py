"""The counterfeits of a series: kept, dropped and invented from release to release."""

from __future__ import annotations

import numpy as np

from ppdp_lab.republish.buckets.signatures import canonical
from ppdp_lab.republish.memory import Stored, fresh_pseudonyms

BUCKET, VALUE, ENTERED, NUMBER, QI, NAME, MADE = (
    "fake_bucket",
    "fake_value",
    "fake_entered",
    "fake_number",
    "fake_qi",
    "fake_pseudonym",
    "fakes_made",
)
_EACH = (BUCKET, VALUE, ENTERED, NUMBER, QI, NAME)

LAYOUT = {
    BUCKET: Stored(np.int32, "counterfeit", low=0, high="signature"),
    VALUE: Stored(np.int32, "counterfeit", codes="sensitive"),
    ENTERED: Stored(np.int32, "counterfeit", low=1, high="release"),  # the release that it came with, counted from 1
    NUMBER: Stored(np.int64, "counterfeit", low=0, high=2**62),
    QI: Stored(np.int32, "counterfeit", rows="qi", codes="qi"),
    NAME: Stored(np.int64, "counterfeit", low=0),  # its pseudonym: a reader who follows rows must not see it stand out
    MADE: Stored(np.int64, length=1, low=0, high=2**62),  # how many were ever made
}
"""What a publisher remembers of the counterfeits that are published now."""


def keep(memory: dict[str, np.ndarray], which: np.ndarray) -> None:
    """Keep the counterfeits of a mask and drop the others."""
    for name in _EACH:
        memory[name] = memory[name][..., which]


def keep_needed(memory: dict[str, np.ndarray], needed: np.ndarray) -> np.ndarray:
    """Keep at most ``needed`` counterfeits per bucket and value; what is then still to be made."""
    cells = memory[BUCKET].astype(np.int64) * needed.shape[1] + memory[VALUE]
    order = np.argsort(cells, kind="stable")
    rank = np.empty(len(cells), dtype=np.int64)
    rank[order] = np.arange(len(cells)) - np.searchsorted(cells[order], cells[order])
    kept = rank < needed.ravel()[cells]
    keep(memory, kept)
    return needed - np.bincount(cells[kept], minlength=needed.size).reshape(needed.shape)


def invent(
    memory: dict[str, np.ndarray],
    wanted: np.ndarray,
    release: int,
    bucket: np.ndarray,
    qi: np.ndarray,
    chance: np.random.Generator,
    taken: np.ndarray,
) -> None:
    """Add ``wanted`` counterfeits per bucket and value, as of a release counted from 1.

    ``bucket`` and ``qi`` are those of the records to be published, ``taken`` the pseudonyms that are in use. Each
    quasi-identifier of a counterfeit is that of a random member of its bucket, drawn for each anew. So every code occurs in
    the bucket, but together they are one member's own only by chance, or where the bucket leaves no choice. The order of the
    records plays no part.
    """
    cells = np.repeat(np.arange(wanted.size), wanted.ravel())
    where, value = np.divmod(cells, wanted.shape[1])
    drawn = of_members(where, bucket, qi, chance)
    more = {
        BUCKET: where,
        VALUE: value,
        ENTERED: np.full(len(cells), release),
        NUMBER: memory[MADE][0] + np.arange(len(cells)),
        QI: drawn,
        NAME: fresh_pseudonyms(len(cells), np.concatenate([taken, memory[NAME]])),
    }
    for name, codes in more.items():
        memory[name] = np.concatenate([memory[name], codes.astype(memory[name].dtype)], axis=-1)
    memory[MADE] = memory[MADE] + len(cells)


def of_members(where: np.ndarray, bucket: np.ndarray, qi: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Quasi-identifiers for a counterfeit in each bucket of ``where``, each drawn anew from a random member of the bucket."""
    if not len(where):
        return np.zeros((len(qi), 0), dtype=np.int32)
    growing = np.zeros(
        int(max(bucket.max(), where.max())) + 2, dtype=bool
    )  # the last entry is for records in no bucket
    growing[where] = True
    columns = [bucket, *qi]
    members = canonical(np.flatnonzero(growing[bucket]), columns, [int(c.max()) + 1 for c in columns])
    low = np.searchsorted(bucket[members], where, side="left")
    high = np.searchsorted(bucket[members], where, side="right")
    return np.take_along_axis(qi, members[chance.integers(low, high, size=(len(qi), len(where)))], axis=1)
