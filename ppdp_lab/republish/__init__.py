"""Many releases: streams of snapshots and the publishers that are fed with them."""

from ppdp_lab.republish.publisher import Publisher
from ppdp_lab.republish.stream import Snapshot, UpdateStream, snapshots_from_folder

__all__ = ["Publisher", "Snapshot", "UpdateStream", "snapshots_from_folder"]
