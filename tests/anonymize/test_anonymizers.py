"""Every registered anonymizer on the README's table."""

from __future__ import annotations

import warnings

import pytest

import ppdp_lab as pl
from ppdp_lab.anonymize import ANONYMIZERS
from ppdp_lab.errors import DefaultHierarchyWarning

FIRST = {"rule": pl.KAnonymity(4), "k": 4, "l": 3}  # the first parameter of an anonymizer


@pytest.mark.parametrize("name", ANONYMIZERS)
def test_every_anonymizer_takes_adult_as_it_is_loaded(name):
    table = pl.datasets.load("adult", rows=300)
    queries = pl.metrics.queries_by_selectivity(table, 0.1, n=20)
    maker = ANONYMIZERS[name](FIRST[ANONYMIZERS.entry(name).parameters[0].name])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        release = maker.anonymize(table)
    assert maker.rule.check(release).holds and len(release.suppressed) == 0
    assert {warning.category for warning in said} <= {DefaultHierarchyWarning}
    assert bool(said) == ("default interval widths: 'age' 5, 10, 20, 40" in release.method)
    # Measured as any release of this table is: on its own domains, with queries made from it.
    assert 0 <= pl.metrics.gcp(release) <= 1 and pl.metrics.query_error(release, queries) >= 0
    assert set(release.published().frames()) and release.table is table
