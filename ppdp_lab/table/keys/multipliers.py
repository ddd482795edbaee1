"""The odd numbers that hashes multiply by; kernels read them from here, so that each stands once in the package."""

from __future__ import annotations

import numpy as np

# 2^64 divided by the golden ratio, made odd: a multiplication by it spreads numbers that follow each other evenly (Fibonacci
# hashing, D. Knuth, The Art of Computer Programming, volume 3, section 6.4).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# The two that finish SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
