"""What an adversary can learn from published tables: attacks, and auditors that try them on a whole series."""

from ppdp_lab.attacks import equivalence
from ppdp_lab.attacks.background import Background, Presence
from ppdp_lab.attacks.equivalence import Compromised, compromised
from ppdp_lab.attacks.exact import Assignments, consistent_assignments
from ppdp_lab.attacks.one_release import background_knowledge, homogeneity, record_linkage, similarity, skewness
from ppdp_lab.attacks.registry import ALL, Attack
from ppdp_lab.attacks.results import AttackResult, Disclosure
from ppdp_lab.attacks.series import (
    Associations,
    CandidateSets,
    Differences,
    SensitiveUpdateGraph,
    SeriesAudit,
    TracedRecords,
    UpdateRisks,
    audit_series,
    difference,
    intersection,
    record_tracing,
    risks_over_time,
    update_risks,
    value_association,
)
from ppdp_lab.attacks.updates import UpdateModel

__all__ = [
    "ALL", "Assignments", "Associations", "Attack", "AttackResult", "Background", "CandidateSets", "Compromised",
    "Differences", "Disclosure", "Presence", "SensitiveUpdateGraph", "SeriesAudit", "TracedRecords", "UpdateModel",
    "UpdateRisks", "audit_series", "background_knowledge", "compromised", "consistent_assignments",
    "difference", "equivalence", "homogeneity", "intersection", "record_linkage", "record_tracing", "risks_over_time",
    "similarity", "skewness", "update_risks", "value_association",
]  # fmt: skip
