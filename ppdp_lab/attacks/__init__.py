"""What an adversary can learn from published tables: attacks, and auditors that try them on a whole series."""

from ppdp_lab.attacks._compromised import Compromised, compromised
from ppdp_lab.attacks.audit import SeriesAudit, audit_series
from ppdp_lab.attacks.background import Background, Presence
from ppdp_lab.attacks.closeness import similarity, skewness
from ppdp_lab.attacks.composition import Associations, CandidateSets, intersection, value_association
from ppdp_lab.attacks.difference import Differences, difference
from ppdp_lab.attacks.joint import Assignments, consistent_assignments
from ppdp_lab.attacks.linkage import background_knowledge, homogeneity, record_linkage
from ppdp_lab.attacks.registry import ALL, Attack
from ppdp_lab.attacks.results import AttackResult, Disclosure
from ppdp_lab.attacks.tracing import TracedRecords, record_tracing

__all__ = [
    "ALL",
    "Assignments",
    "Associations",
    "Attack",
    "AttackResult",
    "Background",
    "CandidateSets",
    "Compromised",
    "Differences",
    "Disclosure",
    "Presence",
    "SeriesAudit",
    "TracedRecords",
    "audit_series",
    "background_knowledge",
    "compromised",
    "consistent_assignments",
    "difference",
    "homogeneity",
    "intersection",
    "record_linkage",
    "record_tracing",
    "similarity",
    "skewness",
    "value_association",
]
