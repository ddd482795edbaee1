"""The update graphs of all persons of a series at once: every version, where it stands, and what its graph leaves.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
   section III.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ppdp_lab.attacks.background import Background, in_a_list
from ppdp_lab.attacks.inputs import Values
from ppdp_lab.attacks.search import beside, histories
from ppdp_lab.attacks.series.updating._update_graph import update_risks_of
from ppdp_lab.attacks.updates import UpdateModel
from ppdp_lab.errors import ParameterError
from ppdp_lab.forms import PublishedRows
from ppdp_lab.table import Cells, Domain, Microdata

EQUAL, MODEL = "equal", "model"


class Versions(NamedTuple):
    """Every version of every person: where it stands, and what its graph leaves; see :class:`UpdateRisks`.

    ``unit`` is a multiset of ``shown``; ``masks`` holds the values left as bits, if they were asked for.
    """

    persons: np.ndarray
    releases: np.ndarray
    unit: np.ndarray
    nodes: np.ndarray
    left: np.ndarray
    largest: np.ndarray
    likeliest: np.ndarray
    risk: np.ndarray
    masks: np.ndarray
    shown: Cells


def graphs_of(
    releases: Sequence[PublishedRows],
    background: Background,
    values: Values,
    *,
    edges: str = EQUAL,
    truth: Sequence[Microdata] | None = None,
    masks: bool = False,
) -> Versions:
    """The update graphs of everybody in a series whose domains agree with the background's."""
    units, history = histories(releases, background)
    shown = beside([unit.pool(cells) for unit, cells in zip(units, values.of_groups(releases))])
    base = np.cumsum([0, *(unit.n for unit in units)])[:-1]
    persons, numbers = np.nonzero(history >= 0)  # sorted by person, then by release
    n, domain = len(persons), values.domains[0]
    step, matrices = _steps(background, domain, persons, numbers)
    found = Versions(
        persons,
        numbers,
        history[persons, numbers] + base[numbers],
        np.zeros(n, dtype=np.int32),
        np.zeros(n, dtype=np.int32),
        np.zeros(n),
        np.full(n, -1, dtype=np.int32),
        np.zeros(n),
        np.zeros((n if masks else 0, max((values.n + 63) // 64, 1)), dtype=np.uint64),
        shown,
    )
    begins = np.searchsorted(persons, np.arange(background.n_persons + 1))
    known = _true_codes(truth, background, domain, persons, numbers)
    cells = (shown.offsets, shown.values, shares(shown))
    update_risks_of(begins, found.unit, step, known, *cells, matrices, edges == EQUAL, *found[3:9])
    return found


def shares(cells: Cells) -> np.ndarray:
    """Share of each value in its multiset: what a release by itself says of the value."""
    return cells.counts / np.maximum(cells.sizes, 1)[cells.owner]


def model_of(background: Background, domain: Domain) -> UpdateModel:
    """The background's update model; without one, values stay as they are."""
    return background.model if background.model is not None else UpdateModel.constant(domain)


def _steps(
    background: Background, domain: Domain, persons: np.ndarray, numbers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Per version which matrix leads to it from the version before, and the matrices: one for each time that may lie between."""
    times = np.array(background.times)
    if (np.diff(times) < 0).any():
        raise ParameterError(
            "the releases of the background are not in the order of their times; take them in that order"
        )
    model = model_of(background, domain)
    gap = np.zeros(len(persons), dtype=np.int64)
    gap[1:] = np.where(persons[1:] == persons[:-1], times[numbers[1:]] - times[numbers[:-1]], 0)
    found, step = np.unique(gap, return_inverse=True)
    none = np.zeros((0, len(domain), len(domain)))
    every = [
        model.over(domain, np.where(model.reach(g), np.maximum(model.chances_after(g), 1e-300), 0.0))
        for g in found.tolist()
    ]
    return step.astype(np.int64), np.stack(every) if every else none


def _true_codes(
    truth: Sequence[Microdata] | None, background: Background, domain: Domain, persons: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    """The true value of each version, -1 where it is not given."""
    out = np.full(len(persons), -1, dtype=np.int32)
    if truth is None:
        return out
    tables = in_a_list("truth", truth)
    if len(tables) != len(background) or not all(isinstance(table, Microdata) for table in tables):
        raise ParameterError(f"truth must hold a Microdata for each of {len(background)} releases")
    for number, table in enumerate(tables):
        here = np.flatnonzero(numbers == number)
        rows = table.ids.get_indexer(background.ids[persons[here]])
        codes = np.append(table.domains[domain.name].map_to(domain)[table.codes(domain.name)], -1)
        out[here] = codes[rows]
    return out
