"""The laboratory: experiment files, runs of notebooks, claims and verdicts."""

from ppdp_lab.lab.catalogue import code
from ppdp_lab.lab.experiment import Claim, Experiment, FigureEntry, read
from ppdp_lab.lab.notebook import finish, show
from ppdp_lab.release import box_frame

__all__ = [
    "Claim",
    "Experiment",
    "FigureEntry",
    "box_frame",
    "code",
    "finish",
    "read",
    "show",
]
