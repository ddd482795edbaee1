"""Regions of the quasi-identifier space in one shape that the search kernels read, and the search itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ppdp_lab.release._search import fill_buckets, fill_listed, fill_meeting, unite_meeting
from ppdp_lab.table import Boxes, Domain, Sets
from ppdp_lab.table.boxes import check_room
from ppdp_lab.table.domain import SET
from ppdp_lab.text import OneLine

_BINS = 256
_PAIRS_AT_ONCE = 2**24  # 64 MB of group numbers


@dataclass(frozen=True, eq=False)
class Regions(OneLine):
    """Boxes or points: lowest and highest code per column, and the bits of columns that are sets.

    Every column has one code more than its domain, for "not in this release": a person who is absent lies in no box, and
    a tracked record that is absent is met by absent persons only.
    """

    low: np.ndarray
    high: np.ndarray
    bits: np.ndarray
    word_at: np.ndarray
    sizes: np.ndarray

    def __len__(self) -> int:
        return len(self.low)

    @staticmethod
    def of_boxes(boxes: Boxes, rows: np.ndarray | None = None) -> Regions:
        """The boxes at some positions; all of them unless positions are given, and "absent" where that is -1."""
        rows = np.arange(len(boxes)) if rows is None else rows
        low, high, bits = [], [], []
        for column in boxes:
            size = len(column.domain)
            if isinstance(column, Sets):
                check_room(column.domain, max(len(column), len(rows)))
                first, last = np.empty((2, len(column)), dtype=np.int64)
                for some, inside in column.unpacked():
                    first[some], last[some] = inside.argmax(axis=1), size - 1 - inside[:, ::-1].argmax(axis=1)
                words = np.zeros((len(column) + 1, _words(size)), dtype=np.uint64)
                words[:-1, : column.bits.shape[1]] = column.bits
                words[-1] = _bit(np.array([size]), size)
                bits.append(words[rows])
            else:
                first, last = column.low, column.high
            low.append(np.r_[first, size][rows])  # position -1 is the last one: the code for "absent"
            high.append(np.r_[last, size][rows])
        return _pack(low, high, bits, [column.domain for column in boxes], len(rows))

    @staticmethod
    def of_points(qi_codes: np.ndarray, domains: Sequence[Domain]) -> Regions:
        """One point a column of codes; "absent" where a code is -1."""
        for domain in domains:
            if domain.kind == SET:
                check_room(domain, qi_codes.shape[1])
        codes = [np.where(column < 0, len(domain), column) for column, domain in zip(qi_codes, domains)]
        bits = [_bit(column, len(domain)) for column, domain in zip(codes, domains) if domain.kind == SET]
        return _pack(codes, codes, bits, domains, qi_codes.shape[1])

    def take(self, rows: np.ndarray) -> Regions:
        """The regions at some positions."""
        return Regions(self.low[rows], self.high[rows], self.bits[rows], self.word_at, self.sizes)

    @staticmethod
    def beside(parts: Sequence[Regions]) -> Regions:
        """Regions over the columns of all parts: met when every part is."""
        word_at = [np.zeros(1, dtype=np.int64)]
        for part in parts:
            word_at.append(part.word_at[1:] + word_at[-1][-1])
        return Regions(
            np.ascontiguousarray(np.hstack([part.low for part in parts])),
            np.ascontiguousarray(np.hstack([part.high for part in parts])),
            np.ascontiguousarray(np.hstack([part.bits for part in parts])),
            np.concatenate(word_at),
            np.concatenate([part.sizes for part in parts]),
        )


class Search:
    """Finds, for each target, the regions that meet it.

    Regions are listed per bin of the column on which they are narrowest, so a target is tested against those of its own
    bins only. Cost: (targets) x (regions per bin) tests, a few nanoseconds each; for narrow boxes a small share of all
    pairs, for boxes that span every column no better than all of them.
    """

    def __init__(self, regions: Regions, targets: Regions) -> None:
        n = len(regions)
        widths = (regions.high - regions.low + 1).mean(axis=0) / regions.sizes if n else np.ones(len(regions.sizes))
        index = int(np.argmin(widths))
        self._n_targets = len(targets)
        size = int(regions.sizes[index])
        bins = min(size, _BINS)
        first, last = _bin(regions.low[:, index], size, bins), _bin(regions.high[:, index], size, bins)
        ends = np.bincount(first, minlength=bins + 1) - np.bincount(last + 1, minlength=bins + 1)[: bins + 1]
        offsets = np.r_[0, np.cumsum(np.cumsum(ends)[:bins])].astype(np.int64)
        members = np.empty(offsets[-1], dtype=np.int32)
        fill_buckets(first, last, offsets, members)
        order = np.argsort(widths, kind="stable")  # the narrowest column first: it turns most regions away
        self._arguments = (
            offsets,
            members,
            first,
            _bin(targets.low[:, index], size, bins),
            _bin(targets.high[:, index], size, bins),
            np.ascontiguousarray(regions.low[:, order]),
            np.ascontiguousarray(regions.high[:, order]),
            regions.bits,
            np.ascontiguousarray(targets.low[:, order]),
            np.ascontiguousarray(targets.high[:, order]),
            targets.bits,
            regions.word_at,
        )

    def chunks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Pieces of the answer that fit in memory: (first target, offsets, regions), targets in order."""
        offsets, _, _, t_first, t_last, *_ = self._arguments
        most = offsets[t_last + 1] - offsets[t_first]
        counts = np.zeros(self._n_targets, dtype=np.int64)
        found = np.empty(max(min(int(most.sum()), _PAIRS_AT_ONCE), int(most.max(initial=0))), dtype=np.int32)
        start = 0
        while start < self._n_targets:
            stop = fill_meeting(*self._arguments, start, counts, found)
            ends = np.r_[0, np.cumsum(counts[start:stop])]
            yield start, ends, found[: ends[-1]].copy()
            start = stop

    def unite(self, masks: np.ndarray) -> np.ndarray:
        """Per target, the union of the masks (rows of 64-bit words) of the regions that meet it."""
        out = np.zeros((self._n_targets, masks.shape[1]), dtype=np.uint64)
        full = np.bitwise_or.reduce(masks, axis=0) if len(masks) else np.zeros(masks.shape[1], dtype=np.uint64)
        unite_meeting(*self._arguments, masks, full, out)
        return out


def meeting_in_bins(
    regions: Regions, bin_of: np.ndarray, n_bins: int, targets: Regions, starts: np.ndarray, bins: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Regions that meet each target, out of those in the target's own list of bins: (how many, which)."""
    members = np.argsort(bin_of, kind="stable").astype(np.int32)
    offsets = np.r_[0, np.cumsum(np.bincount(bin_of, minlength=n_bins))]
    before = np.r_[0, np.cumsum((offsets[1:] - offsets[:-1])[bins])]
    most = before[starts[1:]] - before[starts[:-1]]
    out = np.empty(max(min(int(most.sum()), _PAIRS_AT_ONCE), int(most.max(initial=0))), dtype=np.int32)
    counts = np.zeros(len(targets), dtype=np.int64)
    found, start = [out[:0].copy()], 0
    while start < len(targets):
        stop = fill_listed(
            starts,
            bins,
            offsets,
            members,
            regions.low,
            regions.high,
            regions.bits,
            targets.low,
            targets.high,
            targets.bits,
            regions.word_at,
            start,
            counts,
            out,
        )
        found.append(out[: counts[start:stop].sum()].copy())
        start = stop
    return counts, np.concatenate(found)


def _words(size: int) -> int:
    return (size + 1 + 63) // 64


def _bit(codes: np.ndarray, size: int) -> np.ndarray:
    """One set bit per row."""
    bits = np.zeros((len(codes), _words(size)), dtype=np.uint64)
    bits[np.arange(len(codes)), codes >> 6] = np.uint64(1) << (codes & 63).astype(np.uint64)
    return bits


def _bin(codes: np.ndarray, size: int, bins: int) -> np.ndarray:
    return (codes.astype(np.int64) * bins // size).astype(np.int32)


def _pack(
    low: Sequence[np.ndarray], high: Sequence[np.ndarray], bits: list[np.ndarray], domains: Sequence[Domain], n: int
) -> Regions:
    words = [_words(len(domain)) if domain.kind == SET else 0 for domain in domains]
    return Regions(
        np.ascontiguousarray(np.stack(low, axis=1).astype(np.int32)),
        np.ascontiguousarray(np.stack(high, axis=1).astype(np.int32)),
        np.ascontiguousarray(np.hstack(bits)) if bits else np.zeros((n, 0), dtype=np.uint64),
        np.r_[0, np.cumsum(words)].astype(np.int64),
        np.array([len(domain) + 1 for domain in domains], dtype=np.int64),
    )
