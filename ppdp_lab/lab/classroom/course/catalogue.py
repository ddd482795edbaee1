"""All exercises, in the order of the lessons, and where their notebooks lie."""

from __future__ import annotations

from pathlib import Path

from ppdp_lab.errors import DataFileError
from ppdp_lab.lab.classroom import (
    diversity,
    invariance,
    plane,
    pruning,
    republication,
    separation,
    skewness,
    updating,
)
from ppdp_lab.lab.classroom.checking import Exercise
from ppdp_lab.lab.experiment.catalogue import notebooks

EXERCISES: dict[str, Exercise] = {
    module.EXERCISE.name: module.EXERCISE
    for module in (diversity, skewness, plane, pruning, republication, invariance, separation, updating)
}


def source_of(exercise: str) -> Path:
    """The source notebook of an exercise, with solutions: in the source tree, or packed into the installed package.

    >>> source_of("diversity").name
    'diversity.ipynb'
    """
    found = notebooks("exercises") / f"{exercise}.ipynb"
    if found.is_file():
        return found
    raise DataFileError(
        f"the notebook of the exercise {exercise!r} is missing from this installation; install it again"
    )
