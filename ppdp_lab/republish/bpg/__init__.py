"""BPG: a post-processor that makes any static anonymizer fit for a series of releases."""

from ppdp_lab.republish.bpg.publisher import BPG

__all__ = ["BPG"]
