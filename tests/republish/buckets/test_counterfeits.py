"""Counterfeits: where their quasi-identifiers come from."""

import numpy as np
import pytest

from ppdp_lab.republish.buckets import signatures
from ppdp_lab.republish.memory import arrays_of


def invented(wanted, bucket, qi, seed=0):
    """Bucket, value and quasi-identifiers of each counterfeit that is invented from nothing."""
    memory = arrays_of(signatures.LAYOUT, len(qi))
    nobody = np.zeros(0, dtype=np.int64)
    chance = np.random.default_rng(seed)
    signatures.invent(memory, np.array(wanted), 1, np.array(bucket, np.int32), qi, chance, nobody)
    return memory["fake_bucket"], memory["fake_value"], memory["fake_qi"]


@pytest.fixture
def pairs():
    """Forty records, no two with a code in common; a quarter of them in no bucket."""
    bucket = np.repeat([0, 1, 2, -1], 10)
    return bucket, np.array([np.arange(40), 100 + np.arange(40)], dtype=np.int32)


def test_a_counterfeit_mixes_several_members_of_its_bucket(pairs):
    bucket, qi = pairs
    where, value, fake = invented([[30, 0], [0, 0], [20, 10]], bucket, qi)
    assert np.bincount(where * 2 + value).tolist() == [30, 0, 0, 0, 20, 10]
    partners = fake - np.array([[0], [100]])
    assert (bucket[partners] == where).all()  # every code is one of the bucket's
    assert (partners[0] != partners[1]).mean() > 0.7  # by chance, nine in ten mix two members
    for b in (0, 2):
        assert all(len(np.unique(column[where == b])) > 5 for column in partners)


def test_where_there_is_no_choice_a_counterfeit_is_a_copy(pairs):
    bucket, qi = pairs
    bucket[:10] = [0] + [-1] * 9
    assert np.unique(invented([[7, 0], [0, 0], [0, 0]], bucket, qi)[2], axis=1).tolist() == [[0], [100]]


def test_the_order_of_the_records_plays_no_part(pairs):
    bucket, qi = pairs
    order = np.random.default_rng(3).permutation(40)
    wanted = [[2, 1], [0, 0], [5, 3]]
    one, other = invented(wanted, bucket, qi), invented(wanted, bucket[order], np.ascontiguousarray(qi[:, order]))
    for mine, theirs in zip(one, other):
        np.testing.assert_array_equal(mine, theirs)
