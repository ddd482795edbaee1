"""The pictures of the explorers, each a function of what it shows."""

from ppdp_lab.explore.drawings.boxes import partition

__all__ = ["partition"]
