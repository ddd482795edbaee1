"""Exercise: update graph. Weights of paths, forward and backward, when values may change.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
   section III.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import prod
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from ppdp_lab.attacks import SensitiveUpdateGraph
from ppdp_lab.classroom.answers import chances, sequence
from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise

Layers = Sequence[Mapping[str, int]]
Updates = Mapping[str, set[str]]
Beliefs = list[dict[str, float]]
ILLS = ("flu", "pneumonia", "cancer", "gastritis")


def risk(layers: Layers, updates: Updates) -> Beliefs:
    """How likely each value of each release is, by the package's own update graph (equation 2 of [1]_).

    >>> found = risk([{"flu": 1, "cancer": 1}, {"pneumonia": 1, "flu": 1}], {"flu": {"flu", "pneumonia"}})
    >>> [dict(sorted(level.items())) for level in found]
    [{'flu': 1.0}, {'flu': 0.5, 'pneumonia': 0.5}]
    """
    levels = tuple(tuple(layer) for layer in layers)
    weights = tuple(np.array([layer[value] / sum(layer.values()) for value in layer]) for layer in layers)
    edges = tuple(
        np.array([[float(after in updates.get(before, ())) for after in late] for before in early])
        for early, late in pairwise(levels)
    )
    graph = SensitiveUpdateGraph(levels, weights, edges, tuple(range(len(levels))))
    return [{str(value): share for value, share in level.items()} for level in graph.posterior()]


# ---------------------------------------------------------------------- paths, as a student would list them
def _paths(layers: Layers, updates: Updates) -> list[tuple[str, ...]]:
    every = product(*layers)
    return [path for path in every if all(after in updates.get(before, ()) for before, after in pairwise(path))]


def _ways(layers: Layers, updates: Updates, *, feasible: bool = True) -> list[dict[str, list[str]]]:
    """Per layer but the last, where each value may go on to; only on paths that reach the end, if feasible."""
    steps = [{v: [w for w in late if w in updates.get(v, ())] for v in early} for early, late in pairwise(layers)]
    if not feasible:
        return steps
    paths = _paths(layers, updates)
    on_path = [{(path[i], path[i + 1]) for path in paths} for i in range(len(layers) - 1)]
    return [{v: [w for w in ws if (v, w) in kept] for v, ws in step.items()} for step, kept in zip(steps, on_path)]


def _summed(layers: Layers, weights: dict[tuple[str, ...], float]) -> Beliefs:
    whole = sum(weights.values()) or 1.0
    found: Beliefs = [{} for _ in layers]
    for path, weight in weights.items():
        for level, value in zip(found, path):
            level[value] = level.get(value, 0.0) + weight / whole
    return found


def _shares(layer: Mapping[str, int]) -> dict[str, float]:
    return {value: count / sum(layer.values()) for value, count in layer.items()}


# ---------------------------------------------------------------------- wrong ways
def layers_one_by_one(layers: Layers, updates: Updates) -> Beliefs:
    """Forward only, each layer made to add up to 1 by itself: what comes later never tells of what was before."""
    steps = _ways(layers, updates)
    found, ahead = [], {v: s for v, s in _shares(layers[0]).items() if steps and steps[0][v]}
    for number, layer in enumerate(layers):
        if number:
            reached = {
                w: sum(p / len(steps[number - 1][v]) for v, p in ahead.items() if w in steps[number - 1][v])
                for w in layer
            }
            ahead = {w: p * _shares(layer)[w] for w, p in reached.items() if p}
        ahead = {v: p / sum(ahead.values()) for v, p in ahead.items()}
        found.append(ahead)
    return found


def dead_ends_kept(layers: Layers, updates: Updates) -> Beliefs:
    """Ways into dead ends share the weight of a node."""
    steps = _ways(layers, updates, feasible=False)
    weights = {
        path: prod(_shares(layer)[v] for layer, v in zip(layers, path))
        * prod(1 / len(step[v]) for step, v in zip(steps, path))
        for path in _paths(layers, updates)
    }
    return _summed(layers, weights)


def each_layer_alone(layers: Layers, updates: Updates) -> Beliefs:
    """Shares of what is left, without any paths."""
    alive = [{path[i] for path in _paths(layers, updates)} for i in range(len(layers))]
    left = [{v: n for v, n in layer.items() if v in kept} for layer, kept in zip(layers, alive)]
    return [_shares(layer) for layer in left]


def paths_counted(layers: Layers, updates: Updates) -> Beliefs:
    """Every path weighs the same."""
    return _summed(layers, dict.fromkeys(_paths(layers, updates), 1.0))


def values_without_weight(layers: Layers, updates: Updates) -> Beliefs:
    """Edges weigh, nodes do not: how often a group shows a value is forgotten."""
    return risk([dict.fromkeys(layer, 1) for layer in layers], updates)


def nothing_ruled_out(layers: Layers, updates: Updates) -> Beliefs:
    """Each release by itself, updates unused."""
    return [_shares(layer) for layer in layers]


# ---------------------------------------------------------------------- right ways
def by_listing_paths(layers: Layers, updates: Updates) -> Any:
    """All feasible paths, weighed and added up."""
    steps = _ways(layers, updates)
    weights = {}
    for path in _paths(layers, updates):
        weight = prod(layer[v] for layer, v in zip(layers, path))
        weights[path] = weight * prod(1 / len(step[v]) for step, v in zip(steps, path))
    return tuple(pd.Series(level) for level in _summed(layers, weights))


def by_two_sweeps(layers: Layers, updates: Updates) -> Beliefs:
    """Dead ends away, then sums from the front and from the back; what is impossible stays as 0."""
    alive = [set(layer) for layer in layers]
    for _ in layers:  # as often as there are layers is enough
        for i, (early, late) in enumerate(pairwise(alive)):
            alive[i] = {v for v in early if updates.get(v, set()) & late}
            alive[i + 1] = {w for w in late if any(w in updates.get(v, ()) for v in alive[i])}
    forward = [{v: float(layers[0][v]) for v in alive[0]}]
    for i in range(1, len(layers)):
        flows = dict.fromkeys(alive[i], 0.0)
        for v, weight in forward[-1].items():
            ways = updates[v] & alive[i]
            for w in ways:
                flows[w] += weight / len(ways) * layers[i][w]
        forward.append(flows)
    backward = [dict.fromkeys(alive[-1], 1.0)]
    for i in range(len(layers) - 2, -1, -1):
        on = {v: updates[v] & alive[i + 1] for v in alive[i]}
        backward.insert(0, {v: sum(layers[i + 1][w] * backward[0][w] for w in on[v]) / len(on[v]) for v in on})
    found = []
    for layer, f, b in zip(layers, forward, backward):
        whole = sum(f[v] * b[v] for v in f)
        found.append({v: f[v] * b[v] / whole if v in f else 0.0 for v in layer})
    return found


# ---------------------------------------------------------------------- cases
def draw(rng: Random, *, equal: bool, releases: tuple[int, int]) -> Case:
    """Up to four releases of a person's group; one way through them is the truth."""
    updates = {v: {v, *rng.sample(ILLS, rng.randint(0, 2))} - ({v} if rng.random() < 0.3 else set()) for v in ILLS}
    updates = {v: some or {v} for v, some in updates.items()}
    truth = [rng.choice(ILLS)]
    for _ in range(rng.randint(*releases) - 1):
        truth.append(rng.choice(sorted(updates[truth[-1]])))
    layers = []
    for value in truth:
        shown = [v for v in ILLS if v == value or rng.random() < 0.6]
        layers.append({v: 1 if equal else rng.randint(1, 3) for v in shown})
    return layers, updates


def smaller(layers: Layers, updates: Updates) -> Iterator[Case]:
    """Without a release, a value, an update, or with a value once instead of several times."""
    cases: list[Case] = []
    if len(layers) > 2:
        cases += [([*layers[:i], *layers[i + 1 :]], updates) for i in range(len(layers))]
    for i, layer in enumerate(layers):
        for value in layer:
            if len(layer) > 1:
                cases.append(([*layers[:i], {v: n for v, n in layer.items() if v != value}, *layers[i + 1 :]], updates))
            if layer[value] > 1:
                cases.append(([*layers[:i], {**layer, value: layer[value] - 1}, *layers[i + 1 :]], updates))
    cases += [(layers, {**updates, v: some - {w}}) for v, some in updates.items() for w in sorted(some)]
    yield from (case for case in cases if _paths(*case))


def show(layers: Layers, updates: Updates) -> str:
    """The person's group in each release, and what may become of a value."""
    groups = [f"release {i}: {', '.join(f'{n} x {v}' for v, n in layer.items())}" for i, layer in enumerate(layers, 1)]
    shown = [v for v in updates if any(v in layer for layer in layers[:-1])]
    return "\n".join([*groups, *(f"{v} may become {', '.join(sorted(updates[v])) or 'nothing'}" for v in shown)])


def concern(case: Case, given: Beliefs, right: Beliefs) -> Concern:
    """Ann, whose groups these are."""
    layers, _ = case
    if len(given) != len(layers):
        return Concern("Ann", f"There are {len(layers)} releases, and your answer tells of {len(given)}.")
    for number, (said, true) in enumerate(zip(given, right), 1):
        impossible = sorted(set(said) - set(true), key=str)
        if impossible:
            return Concern(
                "Ann, whose groups these are",
                f"No way through all releases has {impossible[0]} in release {number}: an adversary has ruled it out, and your "
                f"answer still hides Ann behind it.",
            )
        gone = sorted(set(true) - set(said))
        if gone:
            return Concern(
                "Ann, whose groups these are", f"{gone[0]} in release {number} is still possible for an adversary."
            )
    worst = max(
        ((number, v) for number, true in enumerate(right) for v in true),
        key=lambda at: abs(right[at[0]][at[1]] - given[at[0]][at[1]]),
    )
    number, value = worst
    how = "surer of" if given[number][value] < right[number][value] else "less sure of"
    return Concern(
        "Ann, whose groups these are",
        f"An adversary who weighs whole ways is {how} {value} in release {number + 1} than your answer says.",
    )


EXERCISE = Exercise(
    name="updating",
    title="Update graph",
    minutes=40,
    tasks=(
        Task(
            name="risk",
            returns="a list with a dict for each release, from value to probability",
            answer=risk,
            read=lambda value: sequence(value, chances),
            steps={
                "two": lambda rng: draw(rng, equal=True, releases=(2, 2)),
                "forward": lambda rng: draw(rng, equal=True, releases=(3, 4)),
                "backward": lambda rng: draw(rng, equal=False, releases=(2, 4)),
            },
            smaller=smaller,
            show=show,
            concern=concern,
            mistakes=(
                Mistake(
                    nothing_ruled_out,
                    "taking each release by itself: what a value cannot become, or cannot have come from, is ruled out.",
                ),
                Mistake(
                    dead_ends_kept,
                    "keeping dead ends: a way that no release continues takes no share of a value's weight; delete it first.",
                ),
                Mistake(
                    each_layer_alone,
                    "striking out what is impossible and no more: a value that many ways lead to is likelier than its share.",
                ),
                Mistake(
                    paths_counted,
                    "giving each way the same weight: a way weighs the shares of its values times one over the ways on.",
                ),
                Mistake(
                    values_without_weight,
                    "forgetting how often a group shows a value: two rows of three say more than one of three.",
                ),
                Mistake(
                    layers_one_by_one,
                    "making each layer add up to 1 by itself: later releases tell of earlier ones, so multiply with the sums "
                    "from the back before you divide.",
                ),
            ),
            right_too=(by_listing_paths, by_two_sweeps),
        ),
    ),
)  # fmt: skip
check = EXERCISE.check
