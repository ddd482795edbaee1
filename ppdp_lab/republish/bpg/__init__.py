"""BPG: a post-processor that makes any static anonymizer fit for a series of releases."""

from ppdp_lab.republish.bpg.series import BPG

__all__ = ["BPG"]
