"""What an adversary can learn from published tables: attacks, and auditors that try them on a whole series."""

from ppdp_lab.attacks import equivalence
from ppdp_lab.attacks.audit import SeriesAudit, audit_series
from ppdp_lab.attacks.background import Background, Presence
from ppdp_lab.attacks.base import ATTACKS, Attack, AttackResult, Disclosure
from ppdp_lab.attacks.closeness import similarity, skewness
from ppdp_lab.attacks.composition import Associations, CandidateSets, intersection, value_association
from ppdp_lab.attacks.differences import Differences, difference
from ppdp_lab.attacks.equivalence import Compromised, compromised
from ppdp_lab.attacks.exact import Assignments, consistent_assignments
from ppdp_lab.attacks.linkage import background_knowledge, homogeneity, record_linkage
from ppdp_lab.attacks.tracing import TracedRecords, record_tracing
from ppdp_lab.attacks.update_graph import SensitiveUpdateGraph
from ppdp_lab.attacks.update_model import UpdateModel
from ppdp_lab.attacks.updating import UpdateRisks, risks_over_time, update_risks

__all__ = [
    "ATTACKS", "Assignments", "Associations", "Attack", "AttackResult", "Background", "CandidateSets", "Compromised",
    "Differences", "Disclosure", "Presence", "SensitiveUpdateGraph", "SeriesAudit", "TracedRecords", "UpdateModel",
    "UpdateRisks", "audit_series", "background_knowledge", "compromised", "consistent_assignments",
    "difference", "equivalence", "homogeneity", "intersection", "record_linkage", "record_tracing", "risks_over_time",
    "similarity", "skewness", "update_risks", "value_association",
]  # fmt: skip
