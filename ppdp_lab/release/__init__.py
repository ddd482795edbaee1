"""Release: what an anonymizer made, on the holder's side. Published: what an adversary sees of it."""

from ppdp_lab.forms import Counterfeits, Published
from ppdp_lab.release.boxes import box_frame
from ppdp_lab.release.release import Release

__all__ = ["Counterfeits", "Published", "Release", "box_frame"]
