"""Record tracing against a plain loop over records and persons."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from attacks.worlds import World, fits, worlds
from hypothesis import given
from hypothesis import strategies as st

import ppdp_lab as pl
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.tracing import record_tracing
from ppdp_lab.errors import ParameterError, PublicationError
from ppdp_lab.release.forms import Published


@given(worlds(min_releases=2, max_releases=4, counterfeits=False, anatomized=False), st.booleans(), st.data())
def test_every_record_is_matched_with_those_who_fit(world: World, knows_groups: bool, data: st.DataObject) -> None:
    background = world.worst if knows_groups else world.worst.without_groups()
    if data.draw(st.booleans()):
        background = background.about(sorted(data.draw(st.sets(st.sampled_from(sorted(background.ids)), min_size=1))))
    series = world.tracked
    found = record_tracing(series, background, least=3)
    for name, persons, releases in zip(found.pseudonyms, found.persons, found.releases):
        assert persons == sum(fits(series, background, p, int(name)) for p in range(background.n_persons))
        assert releases == sum(int(name) in published.pseudonyms for published in series)
    assert (found.breached == ((found.persons > 0) & (found.persons < 3))).all()
    assert len(found.to_frame()) == len(found.pseudonyms)


def two() -> tuple[list[pl.Release], list[Published]]:
    frame = pd.DataFrame({"age": [30, 31, 32], "ill": ["flu", "HIV", "flu"]})
    table = pl.Microdata(frame, pl.Schema("age", sensitive="ill"))
    releases = [
        pl.Release(table, np.zeros(3, int), pseudonyms=np.arange(3), style=s) for s in ("generalized", "anatomized")
    ]
    return releases, [release.published(track=True) for release in releases]


def test_bad_input_is_refused_in_words() -> None:
    releases, series = two()
    with pytest.raises(PublicationError, match="release 1: tracking rows without everybody's group needs a region"):
        record_tracing(series, Background.worst_case(releases).without_groups())
    assert record_tracing(series, Background.worst_case(releases)).persons.tolist() == [3, 3, 3]
    with pytest.raises(PublicationError, match="the release carries no pseudonyms"):
        record_tracing([releases[0].published()], Background.worst_case(releases[:1]))
    doubled = pl.Release(releases[0].table, np.zeros(3, int), pseudonyms=np.array([1, 1, 2]))
    with pytest.raises(PublicationError, match="shows a pseudonym on more than one row"):
        record_tracing([doubled.published(track=True)], Background.worst_case([doubled]))
    with pytest.raises(ParameterError, match="least must be at least 1"):
        record_tracing(series, Background.worst_case(releases), least=0)
