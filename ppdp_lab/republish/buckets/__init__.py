"""Buckets of m-invariance and m-Distinct: signatures, counterfeits, how buckets are filled, split and tied to the present."""

from ppdp_lab.republish.buckets import signatures as counterfeits
from ppdp_lab.republish.buckets._min_cut import flows_to_present
from ppdp_lab.republish.buckets.bucketize import assign, eligible_with, excess, first_of, most_takes, spread
from ppdp_lab.republish.buckets.signatures import (
    Signatures,
    bucket_matrix,
    canonical,
    check_unique,
    check_unmoved,
    set_hashes,
    split,
)

__all__ = [
    "Signatures",
    "assign",
    "bucket_matrix",
    "canonical",
    "check_unique",
    "check_unmoved",
    "counterfeits",
    "eligible_with",
    "excess",
    "first_of",
    "flows_to_present",
    "most_takes",
    "set_hashes",
    "split",
    "spread",
]
