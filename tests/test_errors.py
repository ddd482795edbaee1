"""Errors: one base, the built-in a caller expects, and helpers whose words say what to do."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from ppdp_lab import errors
from ppdp_lab.errors import ParameterError, PPDPError, PPDPWarning, UnknownNameError

CLASSES = [c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == errors.__name__]


def test_everything_refused_can_be_caught_at_once() -> None:
    for cls in CLASSES:
        assert issubclass(cls, (PPDPError, PPDPWarning)) and cls.__doc__
        if issubclass(cls, PPDPError) and cls is not PPDPError:
            assert issubclass(cls, (ValueError, RuntimeError, KeyError, ImportError)), cls


def test_listed() -> None:
    assert errors.listed([]) == ""
    assert errors.listed(["a", 3, None, np.int64(4), np.str_("b")]) == "'a', 3, None, 4, 'b'"
    assert errors.listed(range(10)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert errors.listed(range(11)).endswith("8, 9 and 1 more")
    assert errors.listed(iter("abc"), limit=2) == "'a', 'b' and 1 more"


def test_unknown_names_come_with_near_misses() -> None:
    known = ["occ", "adult", "adult-arx", "ihis"]
    error = errors.unknown("data set", "adult-ar", known)
    assert isinstance(error, (KeyError, UnknownNameError))
    assert str(error) == (
        "unknown data set 'adult-ar'; did you mean 'adult-arx' or 'adult'? Known: 'adult', 'adult-arx', 'ihis', 'occ'"
    )
    assert str(errors.unknown("data set", "zzz", known)) == (
        "unknown data set 'zzz'. Known: 'adult', 'adult-arx', 'ihis', 'occ'"
    )


def test_numbers_are_checked() -> None:
    assert errors.check_integer("k", np.int8(3), at_least=3, at_most=3) == 3
    assert type(errors.check_integer("k", np.int8(3))) is int
    assert errors.check_number("t", 1, at_most=1) == 1.0 and type(errors.check_number("t", np.float32(1))) is float
    for check, value, bounds, words in [
        (errors.check_integer, 2.0, {}, r"x must be a whole number, not 2.0 \(float\)"),
        (errors.check_integer, "2", {}, r"x must be a whole number, not '2' \(str\)"),
        (errors.check_integer, None, {}, r"x must be a whole number, not None \(NoneType\)"),
        (errors.check_integer, np.bool_(True), {}, "x must be a whole number"),
        (errors.check_integer, 1, {"at_least": 2}, "x must be at least 2, not 1"),
        (errors.check_integer, 3, {"at_most": 2}, "x must be at most 2, not 3"),
        (errors.check_number, True, {}, r"x must be a number, not True \(bool\)"),
        (errors.check_number, "1", {}, r"x must be a number, not '1' \(str\)"),
        (errors.check_number, float("nan"), {}, "x must be a finite number, not nan"),
        (errors.check_number, float("-inf"), {}, "x must be a finite number, not -inf"),
        (errors.check_number, np.float32("inf"), {}, "x must be a finite number"),
        (errors.check_number, 10**400, {}, "x must be a finite number"),
        (errors.check_number, 0, {"above": 0}, "x must be greater than 0, not 0"),
        (errors.check_number, 0.1, {"at_least": 0.5}, "x must be at least 0.5, not 0.1"),
        (errors.check_number, 2, {"at_most": 1}, "x must be at most 1, not 2"),
    ]:
        with pytest.raises(ParameterError, match=words):
            check("x", value, **bounds)


def test_choices_are_checked() -> None:
    assert errors.check_choice("cut", "median", ("median", "any")) == "median"
    for value in ("mean", None, ["median"], 3, np.array(["median", "any"])):
        with pytest.raises(ParameterError, match="cut must be one of 'median', 'any', not "):
            errors.check_choice("cut", value, ("median", "any"))


def test_lists_are_checked() -> None:
    assert errors.check_list("rows", (1, 2)).tolist() == [1, 2] and len(errors.check_list("rows", [])) == 0
    for values in (5, None, "ab", {1, 2}, [[1], [1, 2]], [[1, 2]], iter([1])):
        with pytest.raises(ParameterError, match="rows must be a plain list, one entry after the other, not "):
            errors.check_list("rows", values)


def test_separators_are_checked() -> None:
    assert [errors.check_separator(value) for value in ";,\t| "] == list(";,\t| ")
    for value in (";;", "", 5, None, '"', "\n"):
        with pytest.raises(ParameterError, match="separator must be one character, such as ';' or ',' or a tab, not "):
            errors.check_separator(value)
