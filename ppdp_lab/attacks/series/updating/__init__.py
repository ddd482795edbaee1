"""Series in which values change: update graphs of one person and of all, their risks, and the auditor who follows them."""

from ppdp_lab.attacks.series.updating.audit import audit_versions
from ppdp_lab.attacks.series.updating.graph import SensitiveUpdateGraph
from ppdp_lab.attacks.series.updating.risks import UpdateRisks, risks_over_time, update_risks
from ppdp_lab.attacks.series.updating.versions import graphs_of

__all__ = ["SensitiveUpdateGraph", "UpdateRisks", "audit_versions", "graphs_of", "risks_over_time", "update_risks"]
