"""Who may be where: the groups that may hold each person, and the tracked rows that may be theirs."""

from ppdp_lab.attacks.search.pseudonyms import Traces, match
from ppdp_lab.attacks.search.units import Units, alike, beside, histories, pooled

__all__ = ["Traces", "Units", "alike", "beside", "histories", "match", "pooled"]
