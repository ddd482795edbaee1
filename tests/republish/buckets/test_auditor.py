"""What auditors of a running series refuse: one release for each reason, and beside it one that passes."""

import numpy as np
import pandas as pd
import pytest

from ppdp_lab.errors import BrokenRuleError
from ppdp_lab.release import Release
from ppdp_lab.republish import m_invariance as module
from ppdp_lab.republish.buckets.auditor import audit_cuts, audit_values
from ppdp_lab.republish.e_equivalence import EEquivalence
from ppdp_lab.republish.m_invariance import MInvariance
from ppdp_lab.table import Microdata, Schema


def people(illnesses):
    frame = pd.DataFrame({"age": range(20, 20 + len(illnesses)), "illness": illnesses})
    return Microdata(frame, Schema("age", sensitive="illness"))


def in_classes(illnesses, class_of):
    return Release(people(illnesses), np.array(class_of), grouped=True)


UNEVEN = ["flu", "flu", "HIV", "HIV", "HIV", "flu"]


def test_a_value_with_more_than_its_share_is_refused_though_intersection_leaves_m():
    everyone = np.arange(6)
    with pytest.raises(BrokenRuleError, match=r"withheld: .*one value has a share of 0\.667 in 3 candidate records"):
        audit_values({}, in_classes(UNEVEN, [0, 0, 0, 1, 1, 1]), everyone, 6, 2)
    notes = {}
    audit_values(notes, in_classes(UNEVEN, [0, 0, 1, 0, 0, 1]), everyone, 6, 2)
    assert notes["audit_masks"].tolist() == [[3]] * 6


def test_a_publisher_whose_split_is_uneven_is_stopped_by_its_auditor(monkeypatch):
    monkeypatch.setattr(module, "split", lambda bucket, *_: (np.arange(len(bucket)) // 3).astype(np.int32))
    monkeypatch.setattr(MInvariance, "_check", lambda *_: None)  # only the auditor is left to see it
    publisher = MInvariance(2, audit=True)
    with pytest.raises(BrokenRuleError, match=r"share of 0\.667"):
        publisher.publish(people(UNEVEN))
    assert publisher.number == 0


def test_a_bucket_in_several_classes_is_refused():
    illnesses, everyone = ["flu", "HIV", "flu", "HIV"], np.arange(4)
    with pytest.raises(BrokenRuleError, match="a bucket that is published in several classes"):
        audit_cuts({}, in_classes(illnesses, [0, 0, 1, 1]), everyone, (4, 0), 0, 0)
    audit_cuts({}, in_classes(illnesses, [0, 0, 0, 0]), everyone, (4, 0), 0, 0)


def test_a_publisher_that_splits_its_buckets_is_stopped_by_its_auditor():
    publisher = EEquivalence(2, e=1, audit=True)
    publisher.partition = module.FINE
    with pytest.raises(BrokenRuleError, match="a bucket that is published in several classes"):
        publisher.publish(people(["flu", "HIV"] * 3))
    publisher.partition = module.MERGED
    assert publisher.publish(people(["flu", "HIV"] * 3)).n_classes == 1
