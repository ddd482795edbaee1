"""Hostile arrays through every public door: a refusal in words or a result, never a traceback from inside or a crash."""

from __future__ import annotations

import os
import warnings
from types import ModuleType

import numpy as np
import pytest
from adversary.cases import chance_of
from adversary.doors import Doors, NoFrame, callable_so
from adversary.guarded import attempt_guarded
from adversary.hostile import anything

import ppdp_lab as pl
from ppdp_lab.errors import PPDPError

DOORS = Doors()
PATHS = ("folder",)
NAMES = [name for name, _, _ in DOORS.fine]


def test_every_public_name_is_a_door():
    """A class or function that is exported anew must get a door, or be named here."""
    said = " ".join(NAMES)
    rooms = {name for name in pl.__all__ if isinstance(getattr(pl, name), ModuleType)}
    assert {"attacks", "datasets", "metrics", "table"} <= rooms  # what is in them has doors of its own
    without = rooms | {"SmallestClasses", "show_versions"}  # they take nothing
    assert [name for name in pl.__all__ if name not in without and name not in said] == []


@pytest.mark.parametrize("name", NAMES)
def test_good_arguments_pass(name):
    """Else a refusal would say nothing about what is hostile."""
    _, function, good = DOORS.fine[NAMES.index(name)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(**_bound(function, good))
        except PPDPError:
            assert name.startswith(("datasets", "snapshots"))  # there is no such data set or folder


def _bound(function, good):
    if callable_so(function, good):
        return good
    raise AssertionError(f"these arguments do not fit {function}: {list(good)}")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a crash can only be survived in a forked child")
@pytest.mark.parametrize("name", NAMES)
def test_hostile_arguments_are_refused_in_words(name):
    _, function, good = DOORS.fine[NAMES.index(name)]

    def one(chance: np.random.Generator) -> None:
        said = dict(good)
        which = str(chance.choice(list(said)))
        said[which] = anything(chance)
        if chance.random() < 0.2 and isinstance(good[which], list) and good[which]:
            said[which] = [said[which]]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(**said)
        except (PPDPError, NoFrame):
            return
        except BaseException as error:
            if which in PATHS and isinstance(error, TypeError):  # pathlib says in words what is no path
                return
            raise AssertionError(f"{which} = {said[which]!r:.200}: {type(error).__name__}: {error}") from error

    attempt_guarded(f"hostile {name}", one, share=0.15)


def test_the_hostile_values_are_various():
    kinds = {type(anything(chance_of("kinds", number))).__name__ for number in range(300)}
    assert {"ndarray", "list", "Series", "MaskedArray", "Index", "NoneType", "str", "dict"} <= kinds
