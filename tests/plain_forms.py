"""Which groups may hold a person, by looking at every group: the twin of what forms answer quickly."""

from __future__ import annotations

import numpy as np

from ppdp_lab.release.anatomized import Anatomized
from ppdp_lab.release.forms import Published
from ppdp_lab.release.generalized import Generalized


def candidates(published: Published, codes: np.ndarray) -> np.ndarray:
    """Groups that may hold a person with these quasi-identifier codes."""
    if isinstance(published, Anatomized):
        return np.unique(published.qi_group[(published.qi_rows == codes[:, None]).all(axis=0)])
    assert isinstance(published, Generalized)
    person = np.repeat(codes[:, None], published.n_groups, axis=1)
    return np.flatnonzero(published.boxes.covers(np.arange(published.n_groups), person))
