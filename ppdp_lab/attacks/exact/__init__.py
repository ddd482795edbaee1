"""Exact reasoning about all persons of a small series at once."""

from ppdp_lab.attacks.exact.assignments import Assignments, consistent_assignments

__all__ = ["Assignments", "consistent_assignments"]
