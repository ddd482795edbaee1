"""Streams of snapshots: what a publisher is fed, one release after the other."""

from ppdp_lab.republish.stream.internal import ageing, census_updates
from ppdp_lab.republish.stream.snapshot import Snapshot
from ppdp_lab.republish.stream.update_stream import UpdateStream

__all__ = ["Snapshot", "UpdateStream", "ageing", "census_updates"]
