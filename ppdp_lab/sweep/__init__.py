"""Sweeps: a grid of parameters over a function or a notebook, every finished point kept at once."""

from ppdp_lab.sweep.result import Sweep, read_sweep
from ppdp_lab.sweep.running import sweep

__all__ = ["Sweep", "read_sweep", "sweep"]
