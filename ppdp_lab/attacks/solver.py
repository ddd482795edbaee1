"""Exact search for all ways to give every person a value that the published rows have room for.

A problem has cells of persons that nothing tells apart, options for each cell (an outcome, and the resources that one
person takes by choosing it) and the capacity of each resource. Cells that share a resource depend on each other; the
components of that relation are solved one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb, perm

from ppdp_lab.errors import ParameterError
from ppdp_lab.text import OneLine


@dataclass(frozen=True)
class Option(OneLine):
    """One person of a cell has this outcome, which takes one unit of each of these resources."""

    outcome: int
    uses: tuple[int, ...]


@dataclass
class Problem(OneLine):
    """Persons per cell, options per cell, and how much there is of each resource.

    ``rows[r]`` tells whether resource r stands for published rows, among which a person may be any: those count ways.
    """

    sizes: list[int]
    options: list[list[Option]]
    capacity: list[int] = field(default_factory=list)
    rows: list[bool] = field(default_factory=list)

    def resource(self, capacity: int, *, rows: bool) -> int:
        """Number of a new resource."""
        self.capacity.append(capacity)
        self.rows.append(rows)
        return len(self.capacity) - 1

    def components(self) -> list[list[int]]:
        """Cells that depend on each other, through resources they share."""
        parent = list(range(len(self.sizes)))

        def root(cell: int) -> int:
            while parent[cell] != cell:
                parent[cell] = parent[parent[cell]]
                cell = parent[cell]
            return cell

        owner: dict[int, int] = {}
        for cell, options in enumerate(self.options):
            for resource in {r for option in options for r in option.uses}:
                parent[root(cell)] = root(owner.setdefault(resource, cell))
        found: dict[int, list[int]] = {}
        for cell in range(len(self.sizes)):
            found.setdefault(root(cell), []).append(cell)
        return list(found.values())


Solution = tuple[tuple[tuple[int, int], ...], ...]  # per cell of the component: (outcome, persons), ascending


def solve(problem: Problem, cells: Sequence[int], limit: int) -> dict[Solution, int]:
    """All distributions of outcomes over the persons of these cells, each with the number of ways it can come about.

    A way is a choice of one published row per person and release. At most ``limit`` partial solutions are looked at.
    """
    # Cells with few options first: they leave the search the fewest branches near its root.
    order = sorted(cells, key=lambda cell: len(problem.options[cell]))
    # The search decides slot after slot how many persons of the cell take the option.
    slots = [(cell, option) for cell in order for option in problem.options[cell]]
    begins: dict[int, int] = {}
    for s, (cell, _) in enumerate(slots):
        begins.setdefault(cell, s)
    ends = {cell: begin + len(problem.options[cell]) for cell, begin in begins.items()}
    opens = set(begins.values())
    left = {cell: problem.sizes[cell] for cell in order}
    room = list(problem.capacity)
    if any(not problem.options[cell] for cell in order):
        return {}

    def fits(option: Option) -> int:
        return min(room[r] for r in option.uses)

    def hopeless(after: int) -> bool:
        """Whether some cell that has yet to be filled finds too little room already."""
        later = (cell for cell in order if begins[cell] >= after)
        return any(sum(map(fits, problem.options[cell])) < left[cell] for cell in later)

    chosen: list[int] = []
    least: list[int] = []
    ways = [1]
    found: dict[Solution, int] = {}
    steps = 0

    def take(s: int, k: int) -> None:
        cell, option = slots[s]
        # Which k of the persons that are left, and which published rows each of them has: one after the other they
        # choose among those still free. Resources that are no rows only bound.
        many = ways[-1] * comb(left[cell], k)
        for r in option.uses:
            if problem.rows[r]:
                many *= perm(room[r], k)
            room[r] -= k
        left[cell] -= k
        chosen.append(k)
        ways.append(many)

    def put_back() -> int:
        k = chosen.pop()
        ways.pop()
        cell, option = slots[len(chosen)]
        for r in option.uses:
            room[r] += k
        left[cell] += k
        return k

    while True:
        steps += 1
        if steps > limit:
            raise ParameterError(
                f"more than limit = {limit} partial assignments fit this series; joint reasoning is exact and meant for "
                f"small series: raise limit, attack fewer releases or persons, or use intersection()"
            )
        s = len(chosen)
        forward = True
        if s == len(slots):
            solution = _solution(order, slots, chosen)
            found[solution] = found.get(solution, 0) + ways[-1]
            forward = False
        elif s in opens:
            forward = not hopeless(s)
        if forward:
            cell, option = slots[s]
            # The options that follow can take this many at most, as each by itself could; the rest must go here. Their
            # room may be shared, so that is a bound, not a promise.
            later = sum(fits(other) for _, other in slots[s + 1 : ends[cell]])
            most = min(left[cell], fits(option))
            # From `most` down to `fewest`: the loop below puts back and takes one fewer.
            fewest = max(0, left[cell] - later)
            if fewest <= most:
                least.append(fewest)
                take(s, most)
                continue
        # Back to the last slot that may take fewer; without recursion, as there may be thousands of slots.
        while chosen:
            k = put_back()
            fewest = least.pop()
            if k > fewest:
                least.append(fewest)
                take(len(chosen), k - 1)
                break
        else:
            break
    where = {cell: i for i, cell in enumerate(order)}
    return {tuple(solution[where[cell]] for cell in cells): count for solution, count in found.items()}


def _solution(order: Sequence[int], slots: Sequence[tuple[int, Option]], chosen: Sequence[int]) -> Solution:
    """Persons per outcome in each cell: options that differ in their groups only are one outcome."""
    held: dict[int, dict[int, int]] = {cell: {} for cell in order}
    for (cell, option), k in zip(slots, chosen):
        if k:
            held[cell][option.outcome] = held[cell].get(option.outcome, 0) + k
    return tuple(tuple(sorted(held[cell].items())) for cell in order)
