"""Joint reasoning over a series: every assignment of values to persons that fits all releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import prod

import numpy as np
import pandas as pd

from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.base import ATTRIBUTE, SERIES, AttackResult, attack
from ppdp_lab.attacks.inputs import Values, check_series, sensitive_values, use_tracks
from ppdp_lab.attacks.solver import Option, Problem, Solution, solve
from ppdp_lab.attacks.units import Traces, group_identical, histories, match
from ppdp_lab.errors import IdError, ParameterError, check_integer, listed
from ppdp_lab.release.forms import Published, PublishedRows


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
    cell_of, cells = group_identical(history, [unit.n for unit in units])
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


# --------------------------------------------------------------------
# Joint reasoning: all assignments of values to persons that a whole series allows.
#
# What one person has, another of the same group cannot have too unless the rows show it twice. Looking at all persons at
# once therefore tells more than looking at each person's candidate values.


@dataclass(frozen=True, eq=False)
class Assignments(AttackResult):
    """All consistent assignments of values to persons.

    Persons whom the same groups may hold in every release form a cell: nothing tells them apart, so an assignment says
    how many of a cell have which value. Cells whose groups are not connected are independent; the assignments of the
    whole series are all combinations of those of its components.

    Attributes
    ----------
    ids : pandas.Index
    cell_of : array of int
        Cell of each person.
    outcomes : list of str
        The values; where values change, whole histories such as "flu, then tuberculosis".
    histories : array of int
        The value of each outcome in each release, as a position in :attr:`labels`: outcomes by releases. In a release that
        does not hold the person it means nothing.
    labels : list of str
        All sensitive values.
    present : array of bool
        Which release holds which person: persons by releases.
    components : list of (cells, {assignment: ways})
        Per component its cells, and each assignment of them with the number of ways in which persons can be matched to
        published rows that give it.

    Notes
    -----
    A history may be uncertain although a part of it is not: with "flu, then HIV" and "cold, then HIV" both possible, the
    second release discloses HIV. So a person is judged release by release, as in
    :func:`~ppdp_lab.attacks.updating.update_risks`; where values stay the same, all releases say the same.
    """

    ids: pd.Index
    cell_of: np.ndarray
    outcomes: list[str]
    histories: np.ndarray
    labels: list[str]
    present: np.ndarray
    components: list[tuple[list[int], dict[Solution, int]]]

    unit = "person"

    @property
    def n_assignments(self) -> int:
        """Number of assignments, which may be too large for ``len``: every component multiplies it."""
        return prod(len(solutions) for _, solutions in self.components)

    def __len__(self) -> int:
        return self.n_assignments

    @property
    def n_cells(self) -> int:
        """Number of cells of persons."""
        return int(self.cell_of.max(initial=-1)) + 1

    def posterior(self, release: int | None = None) -> np.ndarray:
        """Probability of each outcome for each person, all ways being equally likely: persons by outcomes.

        With a ``release``, the probability of each value that the person may have in it: persons by :attr:`labels`. Zeros
        throughout for a person whom the release does not hold, or whose component allows no assignment.
        """
        per_cell = np.zeros((self.n_cells, len(self.outcomes)))
        for cells, solutions in self.components:
            total = sum(solutions.values())
            for solution, ways in solutions.items():
                for cell, held in zip(cells, solution):
                    persons = sum(k for _, k in held)
                    for outcome, k in held:
                        per_cell[cell, outcome] += ways * k / (total * persons)
        return self._in_release(per_cell, release)

    def members(self, release: int | None = None) -> np.ndarray:
        """Boolean matrix, persons by outcomes: what each person has in some assignment; with a release, by its values."""
        per_cell = np.zeros((self.n_cells, len(self.outcomes)), dtype=bool)
        for cells, solutions in self.components:
            for solution in solutions:
                for cell, held in zip(cells, solution):
                    per_cell[cell, [outcome for outcome, _ in held]] = True
        return self._in_release(per_cell, release)

    def _in_release(self, per_cell: np.ndarray, release: int | None) -> np.ndarray:
        """A matrix of cells by outcomes as persons by outcomes; with a release, as persons by the values in it."""
        if release is None:
            return per_cell[self.cell_of]
        release = check_integer("release", release, at_least=0, at_most=self.histories.shape[1] - 1)
        summed = np.zeros((len(self.labels), self.n_cells))
        np.add.at(summed, self.histories[:, release], per_cell.T)
        found = summed.T.astype(per_cell.dtype)[self.cell_of]
        found[~self.present[:, release]] = 0
        return found

    @property
    def candidates(self) -> np.ndarray:
        """The fewest values that any release leaves each person; 0 where no assignment is possible."""
        n_releases = self.histories.shape[1]
        left = [np.where(self.present[:, r], self.members(r).sum(axis=1), len(self.labels)) for r in range(n_releases)]
        return np.min(left, axis=0, initial=len(self.labels))

    @property
    def breached(self) -> np.ndarray:  # type: ignore[override]
        """Persons who in some release have the same value in every assignment."""
        return self.candidates == 1

    def values(self, person: object, release: int | None = None) -> list[str]:
        """What one person has in some assignment, or in one release of it."""
        names = self.outcomes if release is None else self.labels
        return [names[o] for o in np.flatnonzero(self.members(release)[self._positions([person])[0]])]

    def held_by(self, *persons: object) -> list[tuple[str, ...]]:
        """All multisets of values that these persons may hold between them."""
        cells = self.cell_of[self._positions(persons)].tolist()
        wanted = {cell: cells.count(cell) for cell in cells}
        found: set[tuple[str, ...]] = set()
        involved = [part for part in self.components if not wanted.keys().isdisjoint(part[0])]
        for held in _combined(involved):
            choices = []
            for cell, k in wanted.items():
                names = [self.outcomes[outcome] for outcome, many in held[cell] for _ in range(many)]
                choices.append(set(combinations(sorted(names), k)))
            found |= {tuple(sorted(sum(choice, ()))) for choice in product(*choices)}
        return sorted(found)

    def table(self, limit: int = 1000) -> pd.DataFrame:
        """One row per assignment, one column per cell of persons, as Table 2 of the BPG paper; refuses more than ``limit``."""
        if self.n_assignments > check_integer("limit", limit, at_least=1):
            raise ParameterError(
                f"there are {self.n_assignments} assignments, more than limit = {limit}; look at values() instead"
            )
        order = list(dict.fromkeys(self.cell_of.tolist()))
        names = [" & ".join(map(str, self.ids[self.cell_of == cell])) for cell in order]
        rows = []
        for held in _combined(self.components):
            texts = {c: [self.outcomes[o] for o, many in held[c] for _ in range(many)] for c in held}
            rows.append([", ".join(texts[cell]) for cell in order])
        return pd.DataFrame(rows, columns=names, dtype="str")

    def picture(self) -> tuple[str, np.ndarray]:
        """How many values each person has in some assignment, in the release that leaves the fewest."""
        return "values in some assignment", self.candidates

    def to_frame(self) -> pd.DataFrame:
        """One row per person: fewest values left in any release, the surest value, its probability and its release."""
        release, value, sure = (np.zeros(len(self.ids), dtype=kind) for kind in (int, int, float))
        for r in range(self.histories.shape[1]):
            posterior = self.posterior(r)
            surer = posterior.max(axis=1, initial=0.0) > sure
            release[surer], value[surer] = r, posterior.argmax(axis=1)[surer]
            sure[surer] = posterior.max(axis=1)[surer]
        names = np.array(self.labels, dtype=object)[value]
        columns = {"release": release} if self._changes else {}
        return self._per_person(self.ids, candidates=self.candidates, **columns, value=names, confidence=sure)

    @property
    def _changes(self) -> bool:
        """Whether any outcome has different values in different releases."""
        return bool((self.histories != self.histories[:, :1]).any())

    def __str__(self) -> str:
        count = self.n_assignments
        if not count:
            return (
                "joint reasoning: no assignment of values to persons is consistent with the series; "
                "values changed between releases, or the background is not true."
            )
        many = str(count) if count < 10**12 else f"about 10^{len(str(count)) - 1}"
        number = "1 assignment is" if count == 1 else f"{many} assignments are"
        alike = "persons whom nothing tells apart taken together"
        same = "a value in some release that is the same in all" if self._changes else "the same value in all"
        return f"joint reasoning: {number} consistent with the series ({alike}), and {self._tally()} have {same}."

    def _positions(self, persons: Sequence[object]) -> np.ndarray:
        at = self.ids.get_indexer(pd.Index(list(persons)))
        if (at < 0).any():
            raise IdError(f"the background does not name {listed(p for p, i in zip(persons, at) if i < 0)}")
        return at


def _combined(components: Sequence[tuple[list[int], dict[Solution, int]]]) -> Iterator[dict[int, Sequence[tuple]]]:
    """Every combination of one assignment per component, as {cell: outcomes held}."""
    for chosen in product(*(solutions for _, solutions in components)):
        yield {cell: held for (cells, _), s in zip(components, chosen) for cell, held in zip(cells, s)}


@attack(
    "joint reasoning",
    sees=SERIES,
    discloses=ATTRIBUTE,
    knows="in which releases everybody is, and their quasi-identifiers or groups there",
    breaks="any guarantee that looks at each person alone; small series only",
    paper="Barbosa et al., CIKM 2012",
    needs_background=True,
)
def consistent_assignments(
    series: Sequence[Published],
    background: Background,
    *,
    track: bool | None = None,
    attribute: str | None = None,
    limit: int = 200_000,
) -> Assignments:
    """All assignments of sensitive values to persons that are consistent with a series (section 4, Table 2 of [1]_).

    In every release each person present takes one row of a group that may hold them; rows that nobody takes belong to
    counterfeits or strangers. A person takes rows of the same value in all releases, or with tracking those of one
    pseudonym, which occurs in exactly the releases in which the person is. If the background carries an update model, a
    person takes rows whose values the model lets follow each other, and an outcome reads "flu, then pneumonia". Every such
    choice of rows counts alike: the model decides which histories are possible, not how likely they are. A person is
    breached if their value in any one release is the same in every assignment.

    Parameters
    ----------
    series, background, track, attribute
        As for :func:`~ppdp_lab.attacks.composition.intersection`.
    limit : int
        How many partial assignments may be looked at in each independent part of the series before the search gives up
        with an error. The number grows exponentially with persons who share groups: dozens of persons, not thousands.

    Examples
    --------
    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": [34, 38, 31], "disease": ["flu", "HIV", "cold"]}, index=["Ann", "Bob", "Cy"])
    >>> table = pl.Microdata(frame, pl.Schema("age", sensitive="disease"))
    >>> first = pl.Release(table, np.array([0, 0, 0]))
    >>> second = pl.Release(table.select([0, 1]), np.array([0, 0]))
    >>> found = consistent_assignments([first.published(), second.published()], Background.worst_case([first, second]))
    >>> found.table()
      Ann & Bob    Cy
    0  HIV, flu  cold

    References
    ----------
    .. [1] M. Barbosa, A. Pinto, B. Gomes, "Generically extending anonymization algorithms to deal with successive
       queries", CIKM 2012.
    """
    limit = check_integer("limit", limit, at_least=1)
    releases, background = check_series(series, background)
    values = sensitive_values(releases, attribute)
    build = tracked if use_tracks(releases, track) else untracked
    cell_of, problem, found = build(releases, background, values, limit)
    components = [(cells, solve(problem, cells, limit)) for cells in problem.components()]
    return Assignments(
        background.ids, cell_of, found.names, found.codes, found.labels, background.present(), components
    )
