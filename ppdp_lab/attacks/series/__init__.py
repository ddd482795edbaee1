"""Attacks on a series of releases that look at each person alone, and the auditor that tries them on everybody."""

from ppdp_lab.attacks.series.audit import SeriesAudit, audit_series
from ppdp_lab.attacks.series.composition import Associations, CandidateSets, intersection, value_association
from ppdp_lab.attacks.series.newcomers import Differences, difference
from ppdp_lab.attacks.series.tracing import TracedRecords, record_tracing
from ppdp_lab.attacks.series.updating import SensitiveUpdateGraph, UpdateRisks, risks_over_time, update_risks

__all__ = [
    "Associations", "CandidateSets", "Differences", "SensitiveUpdateGraph", "SeriesAudit", "TracedRecords", "UpdateRisks",
    "audit_series", "difference", "intersection", "record_tracing", "risks_over_time", "update_risks", "value_association",
]  # fmt: skip
