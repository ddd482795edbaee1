"""64-bit hashes: of numbers, and of values by their text, so that they mean the same whatever code a value has."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from ppdp_lab.errors import ParameterError, check_integer
from ppdp_lab.table.keys import _segments
from ppdp_lab.table.keys.bounds import check_codes
from ppdp_lab.table.keys.multipliers import FIRST, GOLDEN, SECOND


def mixed(numbers: np.ndarray) -> np.ndarray:
    """A hash of each number; sums of them tell sets apart (two different ones collide with probability 2**-64).

    The finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014).

    >>> len(np.unique(mixed(np.arange(1000))))
    1000
    """
    z = (numbers.astype(np.uint64) + np.uint64(1)) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


def text_hashes(texts: Iterable[str]) -> np.ndarray:
    """A hash of each text, the same on every machine and in every process.

    >>> text_hashes(["flu", "HIV"])[0] == text_hashes(["flu"])[0]
    np.True_
    """
    digests = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def sum_hashes(class_of: np.ndarray, codes: np.ndarray, salt: int, out: np.ndarray) -> None:
    """Add a hash of each record's code to its class's entry of ``out``; class -1 is passed over.

    What comes out is a key of each class's contents that no order of records changes; ``salt`` tells several sums apart.

    >>> out = np.zeros(2, dtype=np.uint64)
    >>> sum_hashes(np.array([0, 0, 1, 1]), np.array([3, 4, 4, 3]), 1, out)
    >>> out[0] == out[1]
    np.True_
    """
    if not isinstance(out, np.ndarray) or out.dtype != np.uint64 or out.ndim != 1 or not out.flags.writeable:
        raise ParameterError("out must be an array of 64-bit words (uint64), one per class, that may be written to")
    class_of = check_codes("class_of", class_of, len(out), low=-1)
    codes = check_codes("codes", codes, 2**62, n=len(class_of))
    _segments.sum_hashes(class_of, codes, check_integer("salt", salt, at_least=0), out)
