"""The laboratory: experiment files, runs of notebooks, claims and verdicts."""

from ppdp_lab.lab.experiment import Claim, Experiment, FigureEntry
from ppdp_lab.lab.finishing import finish
from ppdp_lab.lab.reading import read

__all__ = ["Claim", "Experiment", "FigureEntry", "finish", "read"]
