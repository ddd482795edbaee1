"""The boxes of a release as numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ppdp_lab import KAnonymity, Microdata, Mondrian, Schema
from ppdp_lab.errors import SchemaError
from ppdp_lab.release.pictures import box_frame
from ppdp_lab.table import Hierarchy


def table(**columns):
    return Microdata(pd.DataFrame(columns), Schema(list(columns)))


def test_every_class_is_a_box():
    chance = np.random.default_rng(0)
    people = table(age=chance.integers(20, 60, 50), zip=chance.integers(0, 9, 50))
    release = Mondrian(KAnonymity(5)).anonymize(people)
    boxes = box_frame(release)
    assert len(boxes) == release.n_classes and boxes["size"].tolist() == release.sizes.tolist()
    assert ((boxes["x1"] - boxes["x0"]) >= 1).all() and (boxes["y1"] > boxes["y0"]).all()
    inside = (boxes["x0"] < 40) & (boxes["x1"] > 40)
    assert inside.any()


def test_partitions_without_two_axes_are_refused():
    rule = Mondrian(KAnonymity(1))
    with pytest.raises(SchemaError, match="1 quasi-identifiers"):
        box_frame(rule.anonymize(table(age=[1, 2])))
    with pytest.raises(SchemaError, match="'job' is generalized to sets"):
        box_frame(rule.anonymize(table(age=[1, 2], job=["a", "b"])))
    tree = Hierarchy.from_dict({"north": ["a", "b"], "south": ["c"]})
    people = Microdata(
        pd.DataFrame({"age": [1, 1, 1], "place": ["a", "b", "c"]}), Schema(["age", "place"]), {"place": tree}
    )
    boxes = box_frame(Mondrian(KAnonymity(3)).anonymize(people))
    assert boxes[["x0", "x1", "y0", "y1"]].to_numpy().tolist() == [[0.5, 1.5, -0.5, 2.5]]
