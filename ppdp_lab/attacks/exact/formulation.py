"""From a series and a background to the problem that joint reasoning solves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.exact.solver import Option, Problem
from ppdp_lab.attacks.inputs import Values
from ppdp_lab.attacks.search import Traces, alike, histories, match
from ppdp_lab.errors import ParameterError
from ppdp_lab.forms import PublishedRows


class Histories:
    """What a person may have had, release by release; every distinct history is one outcome.

    A history has a value for every release of the series, also for those that do not hold the person: there it repeats the
    value before, or at the beginning the first one. Persons who differ only in when they were away then share outcomes.
    """

    def __init__(self, labels: Sequence[str], n_releases: int) -> None:
        self.labels, self.n_releases = list(labels), n_releases
        self._number: dict[tuple[int, ...], int] = {}

    def number(self, codes: Sequence[int]) -> int:
        """Number of the outcome with these values, one per release; -1 where the person is absent."""
        held = next(code for code in codes if code >= 0)
        history = tuple(held := code if code >= 0 else held for code in codes)
        return self._number.setdefault(history, len(self._number))

    @property
    def codes(self) -> np.ndarray:
        """Value codes, outcomes by releases."""
        return np.array(list(self._number), dtype=np.int64).reshape(-1, self.n_releases)

    @property
    def names(self) -> list[str]:
        """What each outcome is called: "flu", or "flu, then pneumonia"; the release of a change only where it is needed."""
        found = []
        for history in self._number:
            starts = [r for r, code in enumerate(history) if r == 0 or code != history[r - 1]]
            found.append([(self.labels[history[r]], r) for r in starts])
        short = [", then ".join(label for label, _ in steps) for steps in found]
        often = Counter(short)
        return [
            name if often[name] == 1 else ", then ".join(f"{v} from release {r}" if r else v for v, r in steps)
            for name, steps in zip(short, found)
        ]


def untracked(
    releases: list[PublishedRows], background: Background, values: Values, limit: int
) -> tuple[np.ndarray, Problem, Histories]:
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
    follow = _Lives(background, values, len(releases))
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
                Option(
                    follow.outcome(life, [r for r, _ in steps]),
                    tuple([rows[r][g][v] for (r, g), v in zip(steps, life)] + fixed),
                )
                for life in lives
            ]
            total += 1 + len(lives)
            _refuse_many(total, limit)
        problem.options.append(options)
    return cell_of, problem, follow.histories


class _Lives:
    """The sequences of values that a person may have had."""

    def __init__(self, background: Background, values: Values, n_releases: int) -> None:
        self.model, self.times, self.domain = background.changes, background.times, values.domains[0]
        self.histories = Histories(values.labels.tolist(), n_releases)
        if self.model is None:  # values that stay are outcomes in the order of their codes
            for code in range(values.n):
                self.histories.number([code] * n_releases)
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

    def outcome(self, life: tuple[int, ...], releases: Sequence[int]) -> int:
        """The outcome of a sequence of values in the releases that hold the person."""
        codes = [-1] * self.histories.n_releases
        for release, code in zip(releases, life):
            codes[release] = code
        return self.histories.number(codes)


def tracked(
    releases: list[PublishedRows], background: Background, values: Values, limit: int
) -> tuple[np.ndarray, Problem, Histories]:
    """Options are the tracked rows that fit, those with equal groups and values being one."""
    traces = Traces.of(releases, values)
    found = match(releases, background, traces)
    _refuse_many(len(found.traces), limit)
    same = _first_alike(found.offsets, found.traces)
    kept, cell_of = np.unique(same[found.person_cell], return_inverse=True)
    problem = Problem(np.bincount(cell_of, minlength=len(kept)).tolist(), [])
    seen, counts = np.unique(np.column_stack([traces.cell_of, traces.values]), axis=0, return_counts=True)
    found_histories = Histories(values.labels.tolist(), len(releases))
    options: dict[int, list[Option]] = {}
    for (cell, *codes), count in zip(seen.tolist(), counts.tolist()):
        outcome = found_histories.number(codes)
        options.setdefault(cell, []).append(Option(outcome, (problem.resource(count, rows=True),)))
    total = 0
    for cell in kept.tolist():
        fitting = found.traces[found.offsets[cell] : found.offsets[cell + 1]].tolist()
        problem.options.append([option for trace in fitting for option in options[trace]])
        total += len(problem.options[-1])
        _refuse_many(total, limit)
    return cell_of, problem, found_histories


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
