"""The command line: ``ppdp-lab``.

Everything heavy is imported inside the commands, so that ``--help`` answers at once. Whatever the package refuses ends in
one line on stderr and exit code 2.
"""

from ppdp_lab.cli import classroom, experiments, exploring, measuring, own_files, sweeping
from ppdp_lab.cli.base import app, main

__all__ = ["app", "classroom", "experiments", "exploring", "main", "measuring", "own_files", "sweeping"]
