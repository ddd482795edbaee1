"""The counterfeits of a series: kept, dropped and invented from release to release."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ppdp_lab.release import Counterfeits
from ppdp_lab.republish._m_invariance import canonical

BUCKET, VALUE, ENTERED, NUMBER, QI, MADE = (
    "fake_bucket",
    "fake_value",
    "fake_entered",
    "fake_number",
    "fake_qi",
    "fakes_made",
)


@dataclass(frozen=True)
class NamedCounterfeits(Counterfeits):
    """Counterfeits of a series, each with a number that it keeps for as long as it is published. Holder's side only."""

    ids: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def none(n_columns: int = 0) -> dict[str, np.ndarray]:
    """What a publisher remembers of counterfeits before the first release.

    Of each that is published now: bucket, value, the release that it came with (counted from 1), number and
    quasi-identifiers; and how many were ever made.
    """
    return {
        BUCKET: np.zeros(0, dtype=np.int32),
        VALUE: np.zeros(0, dtype=np.int32),
        ENTERED: np.zeros(0, dtype=np.int32),
        NUMBER: np.zeros(0, dtype=np.int64),
        QI: np.zeros((n_columns, 0), dtype=np.int32),
        MADE: np.zeros(1, dtype=np.int64),
    }


def keep(memory: dict[str, np.ndarray], which: np.ndarray) -> None:
    """Keep the counterfeits of a mask and drop the others."""
    for name in (BUCKET, VALUE, ENTERED, NUMBER, QI):
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
) -> None:
    """Add ``wanted`` counterfeits per bucket and value, as of a release counted from 1.

    ``bucket`` and ``qi`` are those of the records to be published. Each quasi-identifier of a counterfeit is that of a
    random member of its bucket, drawn for each anew. So every code occurs in the bucket, but together they are one
    member's own only by chance, or where the bucket leaves no choice. The order of the records plays no part.
    """
    cells = np.repeat(np.arange(wanted.size), wanted.ravel())
    where, value = np.divmod(cells, wanted.shape[1])
    drawn = np.zeros((len(qi), 0), dtype=np.int32)
    if len(cells):
        growing = np.append(wanted.any(axis=1), False)  # the last entry is for records in no bucket, which have -1
        columns = [bucket, *qi]
        members = canonical(np.flatnonzero(growing[bucket]), columns, [int(c.max()) + 1 for c in columns])
        low = np.searchsorted(bucket[members], where, side="left")
        high = np.searchsorted(bucket[members], where, side="right")
        drawn = np.take_along_axis(qi, members[chance.integers(low, high, size=(len(qi), len(cells)))], axis=1)
    more = {
        BUCKET: where,
        VALUE: value,
        ENTERED: np.full(len(cells), release),
        NUMBER: memory[MADE][0] + np.arange(len(cells)),
        QI: drawn,
    }
    for name, codes in more.items():
        memory[name] = np.concatenate([memory[name], codes.astype(memory[name].dtype)], axis=-1)
    memory[MADE] = memory[MADE] + len(cells)
