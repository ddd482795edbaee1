"""Many releases: streams of snapshots and the publishers that are fed with them."""

from ppdp_lab.republish.bpg import BPG
from ppdp_lab.republish.e_equivalence import EEquivalence
from ppdp_lab.republish.i3m import I3M, Drift
from ppdp_lab.republish.m_distinct import MDistinct
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.republish.optimization import (
    Break,
    breaks,
    covering_classes,
    il_optimization,
    totally_covered,
)
from ppdp_lab.republish.publisher import PUBLISHERS, Publisher
from ppdp_lab.republish.stream import Snapshot, UpdateStream
from ppdp_lab.republish.value_changes import ageing, census_updates

__all__ = [
    "BPG",
    "I3M",
    "PUBLISHERS",
    "Break",
    "Drift",
    "EEquivalence",
    "MDistinct",
    "MInvariance",
    "Publisher",
    "Snapshot",
    "UpdateStream",
    "ageing",
    "breaks",
    "census_updates",
    "covering_classes",
    "il_optimization",
    "totally_covered",
]
