"""The laboratory: experiment files, runs of notebooks, claims and verdicts."""

from ppdp_lab.lab.experiment.claims import Claim
from ppdp_lab.lab.experiment.model import Experiment, FigureEntry
from ppdp_lab.lab.experiment.reading import read
from ppdp_lab.lab.run.handover import finish, show
from ppdp_lab.lab.sweeping import Sweep, read_sweep, sweep
from ppdp_lab.release import box_frame

__all__ = ["Claim", "Experiment", "FigureEntry", "Sweep", "box_frame", "finish", "read", "read_sweep", "show", "sweep"]
