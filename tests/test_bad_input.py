"""The bad-input table: a wrong table gives neither a traceback from a kernel, nor an empty frame, nor a silent guess.

Each case says what is wrong, and which words the message must hold: what, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import ppdp_lab as pl
from ppdp_lab import errors

FRAME = pd.DataFrame(
    {
        "name": ["Ann", "Bob", "Cy", "Di", "Ed"],
        "age": [34, 29, 51, 33, 47],
        "zip": ["4370", "4378", "4352", "4370", "4352"],
        "illness": ["flu", "flu", "HIV", "flu", "flu"],
    }
)
SCHEMA = pl.Schema(["age", "zip"], sensitive="illness", identifiers="name")
ZIPS = pl.Hierarchy.mask_suffix(["4370", "4378", "4352"])


def table(frame: pd.DataFrame = FRAME, schema: pl.Schema = SCHEMA, **more) -> pl.Microdata:
    return pl.Microdata(frame, schema, more.pop("hierarchies", {"zip": ZIPS}), **more)


def mondrian(rule: pl.principles.Principle, **more) -> pl.Release:
    return pl.Mondrian(rule).anonymize(table(**more))


@dataclass
class Bad:
    what: str
    do: Callable[[], object]
    error: type[errors.PPDPError]
    words: list[str]


STRANGERS = FRAME.assign(zip=["4370", "9999", "8888", "9999", "4352"])
MANY = pd.DataFrame({"zip": [f"{i:04}" for i in range(13)]})

TABLE = [
    Bad(
        "missing column",
        lambda: table(FRAME.drop(columns="age")),
        errors.SchemaError,
        ["the schema names 'age'", "the frame does not have", "its columns are 'name', 'zip', 'illness'"],
    ),
    Bad(
        "duplicate column",
        lambda: table(pd.concat([FRAME, FRAME[["age"]]], axis=1)),
        errors.SchemaError,
        ["more than one column named 'age'", "rename or drop"],
    ),
    Bad(
        "a column in two roles",
        lambda: pl.Schema(["age", "zip"], sensitive="zip"),
        errors.SchemaError,
        ["'zip'", "both in quasi_identifiers and in sensitive", "give it one role"],
    ),
    Bad(
        "a column twice in a role",
        lambda: pl.Schema("age", sensitive=["zip", "zip"]),
        errors.SchemaError,
        ["'zip'", "twice in sensitive", "give it one role"],
    ),
    Bad(
        "no quasi-identifier",
        lambda: pl.Schema([], sensitive="illness"),
        errors.SchemaError,
        ["at least one quasi-identifier", "name the columns an adversary may know"],
    ),
    Bad("no rows", lambda: table(FRAME[:0]), errors.SchemaError, ["no rows", "nothing to anonymize"]),
    Bad(
        "a missing value in a quasi-identifier",
        lambda: table(FRAME.assign(age=[34, None, 51, None, 47])),
        errors.MissingValueError,
        ["column 'age'", "2 missing value(s)", "row(s) 1, 3", "fill them in, or use missing='value'"],
    ),
    Bad(
        "a missing value in a column with a hierarchy",
        lambda: table(FRAME.assign(zip=["4370", None, "4352", "4370", "4352"])),
        errors.MissingValueError,
        ["column 'zip'", "1 missing value(s)", "row(s) 1"],
    ),
    Bad(
        "a missing value in the sensitive column",
        lambda: table(FRAME.assign(illness=["flu", "flu", pd.NA, "flu", "flu"])),
        errors.MissingValueError,
        ["column 'illness'", "1 missing value(s)", "row(s) 2"],
    ),
    Bad(
        "an infinite value",
        lambda: table(FRAME.assign(age=[34, 29, np.inf, 33, 47])),
        errors.MissingValueError,
        ["column 'age'", "1 infinite value(s)", "row(s) 2"],
    ),
    Bad(
        "values absent from the hierarchy",
        lambda: table(STRANGERS),
        errors.HierarchyError,
        ["2 value(s) of column 'zip'", "absent from its hierarchy: '9999', '8888'", "add them as leaves or clean"],
    ),
    Bad(
        "many values absent from the hierarchy",
        lambda: pl.Microdata(MANY, pl.Schema("zip"), {"zip": ZIPS}),
        errors.HierarchyError,
        ["13 value(s)", "'0000', '0001'", "'0009' and 3 more"],
    ),
    Bad(
        "a hierarchy that is not a tree",
        lambda: pl.Hierarchy.from_levels({"a": ["x", "u", "*"], "b": ["x", "v", "*"]}),
        errors.HierarchyError,
        ["not a tree", "'x' on level 1 has two parents", "'u'", "'v'"],
    ),
    Bad(
        "a hierarchy with two roots",
        lambda: pl.Hierarchy.from_levels({"a": ["x"], "b": ["y"]}),
        errors.HierarchyError,
        ["not a tree", "last level holds 'x', 'y'", "one root"],
    ),
    Bad(
        "a hierarchy with a leaf twice",
        lambda: pl.Hierarchy([["a", "*"], ["a", "*"]]),
        errors.HierarchyError,
        ["not a tree", "leaf 'a' stands more than once"],
    ),
    Bad(
        "k larger than the table",
        lambda: mondrian(pl.KAnonymity(6)),
        errors.InfeasibleError,
        ["k = 6", "larger than the table of 5 records", "lower k or add records"],
    ),
    Bad(
        "k larger than the table, in a composition",
        lambda: mondrian(pl.DistinctLDiversity(2) & pl.KAnonymity(6)),
        errors.InfeasibleError,
        ["k = 6", "larger than the table of 5 records"],
    ),
    Bad(
        "too few distinct values",
        lambda: mondrian(pl.DistinctLDiversity(3)),
        errors.InfeasibleError,
        ["DistinctLDiversity(3)", "2 distinct value(s) of illness (flu x 4, HIV x 1)", "weaken the rule"],
    ),
    Bad(
        "entropy out of reach",
        lambda: mondrian(pl.EntropyLDiversity(2)),
        errors.InfeasibleError,
        ["EntropyLDiversity(2)", "flu x 4", "80.0%", "weaken the rule"],
    ),
    Bad(
        "recursive diversity out of reach",
        lambda: mondrian(pl.RecursiveCLDiversity(2, 2)),
        errors.InfeasibleError,
        ["RecursiveCLDiversity(2, 2)", "flu x 4", "80.0%", "weaken the rule"],
    ),
    Bad(
        "a value with too large a share",
        lambda: mondrian(pl.KAnonymity(2) & pl.AlphaKAnonymity(0.5, 2)),
        errors.InfeasibleError,
        ["AlphaKAnonymity(0.5, 2)", "'flu' has a share of 80.0%", "above alpha = 50.0%", "weaken the rule"],
    ),
    Bad(
        "Anatomy with too frequent a value",
        lambda: pl.Anatomy(2).anonymize(table()),
        errors.InfeasibleError,
        ["'flu' has 4 of 5 (80.0%)", "at most 1/2 of the records", "lower l or leave out"],
    ),
    Bad(
        "duplicate ids",
        lambda: table(ids=[1, 2, 2, 3, 3]),
        errors.IdError,
        ["ids must be unique", "2, 3", "one row and one id"],
    ),
    Bad(
        "duplicate index",
        lambda: table(FRAME.set_axis([7, 7, 8, 9, 10])),
        errors.IdError,
        ["ids must be unique", "7"],
    ),
    Bad("too few ids", lambda: table(ids=[1, 2]), errors.IdError, ["2 ids for 5 rows", "one id per row"]),
    Bad(
        "a parameter of the wrong type",
        lambda: pl.KAnonymity("ten"),
        errors.ParameterError,
        ["k must be a whole number", "'ten' (str)"],
    ),
    Bad("a parameter out of range", lambda: pl.TCloseness(1.2), errors.ParameterError, ["t must be at most 1", "1.2"]),
    Bad(
        "an unknown choice",
        lambda: pl.Mondrian(pl.KAnonymity(2), choose="longest"),
        errors.ParameterError,
        ["choose must be one of 'widest', 'distinct', 'balanced'", "'longest'"],
    ),
    Bad(
        "a frame that was not wrapped",
        lambda: pl.Mondrian(pl.KAnonymity(2)).anonymize(FRAME),
        errors.ParameterError,
        ["needs a ppdp_lab.Microdata, not DataFrame", "wrap the frame first"],
    ),
    Bad(
        "a rule about values that are not there",
        lambda: pl.Mondrian(pl.DistinctLDiversity(2)).anonymize(
            table(FRAME[["age"]], pl.Schema("age"), hierarchies={})
        ),
        errors.SchemaError,
        ["the schema names no sensitive column", "name one"],
    ),
    Bad(
        "a rule about one of several columns",
        lambda: mondrian(pl.DistinctLDiversity(2), schema=pl.Schema("age", ["zip", "illness"], "name")),
        errors.SchemaError,
        ["several sensitive columns, 'zip', 'illness'", "attribute="],
    ),
    Bad(
        "a rule about a column that does not exist",
        lambda: mondrian(pl.DistinctLDiversity(2, attribute="ilness")),
        errors.ParameterError,
        ["attribute must be one of 'illness'", "'ilness'"],
    ),
    Bad(
        "an order that is not there",
        lambda: mondrian(pl.TCloseness(0.2, distance="ordered")),
        errors.ParameterError,
        ["'illness' have no order", "distance='equal'"],
    ),
    Bad(
        "a tree that is not there",
        lambda: mondrian(pl.TCloseness(0.2, distance="hierarchical")),
        errors.ParameterError,
        ["'illness' has no hierarchy", "give the Microdata one"],
    ),
    Bad(
        "a hierarchy for a column without a role",
        lambda: table(hierarchies={"name": ZIPS}),
        errors.SchemaError,
        ["hierarchies given for 'name'", "neither quasi-identifiers nor sensitive"],
    ),
    Bad(
        "an unknown data set",
        lambda: pl.datasets.load("adlt"),
        errors.UnknownNameError,
        ["'adlt'", "did you mean 'adult'"],
    ),
    Bad(
        "a name that published tables need",
        lambda: pl.Schema("group", sensitive="illness"),
        errors.SchemaError,
        ["column 'group'", "published tables add a column of that name", "rename"],
    ),
    Bad(
        "cells that cannot be compared",
        lambda: table(FRAME.assign(age=[[1], [2], [3], [4], [5]])),
        errors.SchemaError,
        ["column 'age'", "cannot be compared"],
    ),
]


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: bad.what)
def test_bad_input(bad: Bad) -> None:
    with pytest.raises(bad.error) as caught:
        bad.do()
    message = str(caught.value)
    for words in bad.words:
        assert words in message
    assert "np." not in message and "\n" not in message


@pytest.mark.parametrize("bad", TABLE, ids=lambda bad: bad.what)
def test_nothing_is_said_about_single_persons(bad: Bad) -> None:
    with pytest.raises(errors.PPDPError) as caught:
        bad.do()
    assert not any(f"'{name}'" in str(caught.value) for name in FRAME["name"])


def test_the_good_table_is_good() -> None:
    release = mondrian(pl.KAnonymity(2))
    assert len(release.to_frame()) == len(FRAME)
