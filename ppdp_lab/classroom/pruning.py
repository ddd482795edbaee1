"""Exercise: lattice pruning. What one check tells of other nodes, and when it tells nothing.

References
----------
.. [1] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded algorithm
   preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015, section 6.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any

from ppdp_lab.anonymize.lattice import Lattice as Tagged
from ppdp_lab.classroom.answers import DISEASES, NAMES, labels
from ppdp_lab.classroom.checking import Case, Concern, Mistake, Task
from ppdp_lab.classroom.feedback import Exercise
from ppdp_lab.text import table

Node = tuple[int, ...]
TRIALS = 4000  # small tables to look for one that shows why an answer is wrong: a tenth of a second
K_ANONYMITY, L_DIVERSITY = "k-anonymity", "entropy l-diversity"


@dataclass(frozen=True)
class Lattice:
    """All combinations of levels, from (0, ..., 0) to ``top``; the rule, and how many rows may be left out to keep it.

    >>> len(Lattice((2, 1), "k-anonymity").nodes())
    6
    """

    top: Node
    rule: str = K_ANONYMITY
    suppressed: int = 0

    def nodes(self) -> list[Node]:
        """Every node, lowest first."""
        return sorted(product(*(range(levels + 1) for levels in self.top)), key=lambda node: (sum(node), node))

    @property
    def monotone(self) -> bool:
        """Kept out of the students' way: whether a check tells anything of other nodes."""
        return self.rule == K_ANONYMITY or self.suppressed == 0


def tag(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """Every node that the check of one node decides, itself included, by the package's own lattice.

    >>> sorted(tag(Lattice((1, 1)), (1, 0), True))
    [(1, 0), (1, 1)]
    """
    if not lattice.monotone:
        return {node}
    known = Tagged([[1] * (levels + 1) for levels in lattice.top])
    known.tag(node, holds)
    return {other for other in lattice.nodes() if known.state[other]}


# ---------------------------------------------------------------------- wrong ways
def failure_upwards(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """Both answers go up."""
    return tag(lattice, node, True)


def success_downwards(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """Both answers go down."""
    return tag(lattice, node, False)


def always_monotone(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """No look at the rule and the rows left out."""
    return tag(replace(lattice, suppressed=0), node, holds)


def never_under_suppression(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """Too careful: k-anonymity stays monotone."""
    return {node} if lattice.suppressed else tag(lattice, node, holds)


def neighbours_only(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """One step, not the whole way."""
    return {other for other in tag(lattice, node, holds) if abs(sum(other) - sum(node)) <= 1}


def by_height(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """Everything higher up, whether or not it generalizes the node."""
    if not lattice.monotone:
        return {node}
    far = {other for other in lattice.nodes() if (sum(other) > sum(node) if holds else sum(other) < sum(node))}
    return far | {node}


def without_itself(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """The checked node is forgotten."""
    return tag(lattice, node, holds) - {node}


# ---------------------------------------------------------------------- right ways
def by_loops(lattice: Lattice, node: Node, holds: bool) -> list[Node]:
    """Level against level."""
    found = [node]
    if lattice.rule == "entropy l-diversity" and lattice.suppressed > 0:
        return found
    for other in lattice.nodes():
        pairs = zip(other, node)
        if all(a >= b for a, b in pairs) if holds else all(a <= b for a, b in pairs):
            found.append(other)
    return found


def by_walking(lattice: Lattice, node: Node, holds: bool) -> set[Node]:
    """From neighbour to neighbour until nothing new comes."""
    found, ahead = {tuple(node)}, [tuple(node)]
    step = 1 if holds else -1
    while ahead and (lattice.rule == "k-anonymity" or not lattice.suppressed):
        here = ahead.pop()
        for i, level in enumerate(here):
            there = (*here[:i], level + step, *here[i + 1 :])
            if 0 <= level + step <= lattice.top[i] and there not in found:
                found.add(there)
                ahead.append(there)
    return found


# ---------------------------------------------------------------------- cases
def draw(rng: Random, *, holds: bool | None, suppression: bool) -> Case:
    """Two or three quasi-identifiers with up to three levels above the leaves."""
    top = tuple(rng.randint(1, 3) for _ in range(rng.randint(2, 3)))
    lattice = Lattice(top, rng.choice([K_ANONYMITY, L_DIVERSITY]), rng.choice([0, 2, 3]) if suppression else 0)
    node = tuple(rng.randint(0, levels) for levels in top)
    return lattice, node, rng.random() < 0.5 if holds is None else holds


def smaller(lattice: Lattice, node: Node, holds: bool) -> Iterator[Case]:
    """One level or one quasi-identifier fewer."""
    for i, levels in enumerate(lattice.top):
        if len(lattice.top) > 2:
            yield replace(lattice, top=lattice.top[:i] + lattice.top[i + 1 :]), node[:i] + node[i + 1 :], holds
        if levels > max(node[i], 1):
            yield replace(lattice, top=(*lattice.top[:i], levels - 1, *lattice.top[i + 1 :])), node, holds
        if node[i] > 0:
            yield lattice, (*node[:i], node[i] - 1, *node[i + 1 :]), holds


def show(lattice: Lattice, node: Node, holds: bool) -> str:
    """The question, in words."""
    left_out = f", {lattice.suppressed} rows may be left out" if lattice.suppressed else ", no row may be left out"
    return f"nodes (0, ...) to {lattice.top}, rule: {lattice.rule}{left_out}\nchecked: {node} {'holds' if holds else 'fails'}"


# ---------------------------------------------------------------------- a table that shows it
Row = tuple[tuple[str, ...], str]  # quasi-identifiers as digits, of which level l hides the last l; a disease


def classes_at(rows: list[Row], node: Node) -> list[list[int]]:
    """Rows of each class at a node."""
    found: dict[tuple[str, ...], list[int]] = {}
    for number, (digits, _) in enumerate(rows):
        found.setdefault(tuple(d[: len(d) - level] for d, level in zip(digits, node)), []).append(number)
    return list(found.values())


def unsafe(rows: list[Row], lattice: Lattice, node: Node) -> list[int]:
    """Rows in classes that break the rule, with k = l = 2."""
    found = []
    for members in classes_at(rows, node):
        shares = [count / len(members) for count in Counter(rows[i][1] for i in members).values()]
        entropy = -sum(share * math.log(share) for share in shares)
        if len(members) < 2 if lattice.rule == K_ANONYMITY else entropy < math.log(2) - 1e-9:
            found += members
    return found


def witness(lattice: Lattice, node: Node, holds: bool, other: Node) -> list[Row] | None:
    """A small table on which the check of ``node`` comes out as said and ``other`` comes out the other way."""
    rng = Random(0)
    for trial in range(TRIALS):
        size, symbols = 2 + 5 * trial // TRIALS, "01" if trial % 2 else "0123"
        rows = [
            (tuple("".join(rng.choices(symbols, k=levels)) for levels in lattice.top), rng.choice(DISEASES[:2]))
            for _ in range(size)
        ]
        states = [len(unsafe(rows, lattice, which)) <= lattice.suppressed for which in (node, other)]
        if states == [holds, not holds]:
            return rows
    return None


def concern(case: Case, given: frozenset[Any], right: frozenset[Any]) -> Concern:
    """Somebody of a small table on which the answer is wrong."""
    lattice, node, holds = case
    for other in sorted(other for other in given - right if other in lattice.nodes()):
        rows = witness(lattice, node, holds, other)
        if rows is not None:
            return _on_a_table(case, other, rows)
    if given - right:
        return Concern(
            str(min(given - right, key=str)), "The check tells nothing of this node, or there is no such node."
        )
    node = min(right - given)
    return Concern(
        f"the node {node}", "Nobody is endangered: it is decided, too, and would be checked again for nothing."
    )


def _on_a_table(case: Case, other: Node, rows: list[Row]) -> Concern:
    lattice, node, holds = case
    words = [[NAMES[i], *digits, disease] for i, (digits, disease) in enumerate(rows)]
    shown = table(["", *(f"column {i + 1}" for i in range(len(lattice.top))), "disease"], words)
    broken = unsafe(rows, lattice, other if holds else node)
    person = NAMES[broken[0]]
    says = f"On the table below, where level 1 hides the last digit and k or l is 2, {node} {'keeps' if holds else 'breaks'}"
    if holds:
        known = "finds the row" if lattice.rule == K_ANONYMITY else "knows the disease, or nearly so"
        sentence = f"the rule and {other}, which you tagged as well, does not: there an adversary {known}."
    else:
        sentence = (
            f"the rule and {other}, which you tagged as well, keeps it: an adversary gains nothing, readers lose."
        )
    return Concern(person, f"{says} {sentence}", shown)


EXERCISE = Exercise(
    name="pruning",
    title="Lattice pruning",
    minutes=25,
    explorer="lattice",
    tasks=(
        Task(
            name="tag",
            returns="all nodes that are decided now, each a tuple of levels, as a set or list",
            answer=tag,
            read=labels,
            steps={
                "holds": lambda rng: draw(rng, holds=True, suppression=False),
                "fails": lambda rng: draw(rng, holds=False, suppression=False),
                "suppression": lambda rng: draw(rng, holds=None, suppression=True),
            },
            smaller=smaller,
            show=show,
            concern=concern,
            mistakes=(
                Mistake(
                    failure_upwards,
                    "tagging a failure upwards: more generalization may repair what failed; a failure tells of what is below.",
                ),
                Mistake(
                    always_monotone,
                    "tagging although rows may be left out under entropy l-diversity: a class that was left out comes back "
                    "when it merges with a safe one, and may spoil it; only the checked node is decided.",
                ),
                Mistake(
                    never_under_suppression,
                    "tagging nothing as soon as rows may be left out: a class of k rows or more stays one when it grows, so "
                    "k-anonymity remains monotone.",
                ),
                Mistake(
                    success_downwards,
                    "tagging a success downwards: with less generalization classes fall apart; a success tells of what is above.",
                ),
                Mistake(
                    neighbours_only,
                    "tagging direct neighbours only: what holds for them holds for theirs, all the way.",
                ),
                Mistake(
                    by_height,
                    "comparing heights: a higher node generalizes another one only if no level of it is lower.",
                ),
                Mistake(
                    without_itself,
                    "leaving out the checked node: it is decided, too.",
                ),
            ),
            right_too=(by_loops, by_walking),
        ),
    ),
)  # fmt: skip
check = EXERCISE.check
