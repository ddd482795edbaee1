"""From a series and a background to the problem that joint reasoning solves."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.exact.solver import Option, Problem
from ppdp_lab.attacks.inputs import Values
from ppdp_lab.attacks.search import Traces, alike, histories, match
from ppdp_lab.errors import ParameterError
from ppdp_lab.forms import PublishedRows


def untracked(
    releases: list[PublishedRows], background: Background, values: Values, limit: int
) -> tuple[np.ndarray, Problem, list[str]]:
    """Options are a group in each release and a value that all these groups show."""
    units, history = histories(releases, background)
    _refuse_many(max(unit.n for unit in units), limit)
    groups = [unit.groups() for unit in units]
    for number, (unit, (offsets, candidates, _)) in enumerate(zip(units, groups)):
        if not unit.are_groups and not releases[number].exact:
            # Quasi-identifiers that fit the same boxes tell nobody apart.
            same = _first_alike(offsets, candidates)
            here = history[:, number] >= 0
            history[here, number] = same[history[here, number]]
    cell_of, cells = alike(history, [unit.n for unit in units])
    problem = Problem(np.bincount(cell_of, minlength=len(cells)).tolist(), [])
    rows: list[dict[int, dict[int, int]]] = []  # per release and group: value -> resource
    room: list[list[int]] = []
    for release, cells_shown in zip(releases, values.of_groups(releases)):
        shown: dict[int, dict[int, int]] = {}
        for g, v, count in zip(cells_shown.owner.tolist(), cells_shown.values.tolist(), cells_shown.counts.tolist()):
            shown.setdefault(g, {})[v] = problem.resource(count, rows=True)
        rows.append(shown)
        room.append([problem.resource(n, rows=False) for n in release.real_sizes.tolist()])
    exact_rows: dict[tuple[int, int], int] = {}  # of an anatomized release: place of the candidate -> resource
    total = 0
    follow = _Lives(background, values)
    for cell in cells.tolist():
        present = [(r, unit) for r, unit in enumerate(cell) if unit >= 0]
        options = []
        for path in product(*(range(groups[r][0][u], groups[r][0][u + 1]) for r, u in present)):
            steps = [(r, int(groups[r][1][i])) for (r, _), i in zip(present, path)]
            fixed = [room[r][g] for r, g in steps]
            for (r, _), i in zip(present, path):
                if releases[r].exact and not units[r].are_groups:
                    if (r, i) not in exact_rows:
                        exact_rows[r, i] = problem.resource(int(groups[r][2][i]), rows=True)
                    fixed.append(exact_rows[r, i])
            lives = follow.through([rows[r][g] for r, g in steps], [r for r, _ in steps], limit)
            options += [
                Option(follow.outcome(life), tuple([rows[r][g][v] for (r, g), v in zip(steps, life)] + fixed))
                for life in lives
            ]
            total += 1 + len(lives)
            _refuse_many(total, limit)
        problem.options.append(options)
    return cell_of, problem, follow.outcomes


class _Lives:
    """The sequences of values that a person may have had, and what they are called."""

    def __init__(self, background: Background, values: Values) -> None:
        self.labels = values.labels.tolist()
        self.model, self.times, self.domain = background.changes, background.times, values.domains[0]
        # Values that stay are their own outcomes, in the order of their codes; sequences are numbered as they turn up.
        self.outcomes: list[str] = list(self.labels) if self.model is None else []
        self._number: dict[str, int] = {}
        self._reach: dict[int, np.ndarray] = {}

    def through(self, shown: list[dict[int, int]], releases: list[int], limit: int) -> list[tuple[int, ...]]:
        """All sequences of values, one from each group, that can follow each other."""
        if self.model is None:
            return [(v,) * len(shown) for v in sorted(set.intersection(*map(set, shown)))]
        lives: list[tuple[int, ...]] = [(v,) for v in sorted(shown[0])]
        for (before, after), held in zip(pairwise(releases), shown[1:]):
            may = self._after(self.times[after] - self.times[before])
            lives = [(*life, v) for life in lives for v in sorted(held) if may[life[-1], v]]
            _refuse_many(len(lives), limit)
        return lives

    def _after(self, steps: int) -> np.ndarray:
        assert self.model is not None
        if steps not in self._reach:
            self._reach[steps] = self.model.over(self.domain, self.model.reach(steps))
        return self._reach[steps]

    def outcome(self, life: tuple[int, ...]) -> int:
        """The number of what a sequence is called."""
        if self.model is None:
            return life[0]
        name = ", then ".join(self.labels[v] for i, v in enumerate(life) if i == 0 or v != life[i - 1])
        if name not in self._number:
            self._number[name] = len(self.outcomes)
            self.outcomes.append(name)
        return self._number[name]


def tracked(
    releases: list[PublishedRows], background: Background, values: Values, limit: int
) -> tuple[np.ndarray, Problem, list[str]]:
    """Options are the tracked rows that fit, those with equal groups and values being one."""
    traces = Traces.of(releases, values)
    found = match(releases, background, traces)
    _refuse_many(len(found.traces), limit)
    same = _first_alike(found.offsets, found.traces)
    kept, cell_of = np.unique(same[found.person_cell], return_inverse=True)
    problem = Problem(np.bincount(cell_of, minlength=len(kept)).tolist(), [])
    seen, counts = np.unique(np.column_stack([traces.cell_of, traces.values]), axis=0, return_counts=True)
    labels = values.labels
    outcomes: dict[str, int] = {}
    options: dict[int, list[Option]] = {}
    for (cell, *codes), count in zip(seen.tolist(), counts.tolist()):
        held = [labels[code] for code in codes if code >= 0]
        changes = [value for i, value in enumerate(held) if i == 0 or value != held[i - 1]]
        outcome = outcomes.setdefault(", then ".join(changes), len(outcomes))
        options.setdefault(cell, []).append(Option(outcome, (problem.resource(count, rows=True),)))
    total = 0
    for cell in kept.tolist():
        fitting = found.traces[found.offsets[cell] : found.offsets[cell + 1]].tolist()
        problem.options.append([option for trace in fitting for option in options[trace]])
        total += len(problem.options[-1])
        _refuse_many(total, limit)
    return cell_of, problem, list(outcomes)


def _first_alike(offsets: np.ndarray, members: np.ndarray) -> np.ndarray:
    """For each list, the first one with the same members."""
    first: dict[bytes, int] = {}
    lists = (members[a:b].tobytes() for a, b in pairwise(offsets))
    return np.array([first.setdefault(key, i) for i, key in enumerate(lists)], dtype=np.int64)


def _refuse_many(count: int, limit: int) -> None:
    if count > limit:
        raise ParameterError(
            f"this series has more than limit = {limit} possibilities to begin with; joint reasoning is exact and meant "
            f"for small series: attack fewer releases or persons, or use intersection()"
        )
