"""Every metric said again in plain Python, from lists of rows and boxes."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

from metrics.worlds import Cover, Row, World
from plain import height
from strategies import ORDERED, Case

Weights = dict[str, float] | None


def _values(world: World, cost: Callable[[Cover], float], weights: Weights = None) -> float:
    """Sum over all cells of the table of what their publication costs."""
    total = 0.0
    for row in world.rows:
        for i, column in enumerate(world.case.quasi):
            weight = 1 if weights is None else weights[column.name]
            if row.cls < 0:
                total += weight * cost(Cover.whole(column))
            elif not world.anatomized:
                total += weight * cost(world.boxes[row.cls][i])
    return total


def _certainty(cover: Cover) -> float:
    if cover.column.kind == ORDERED:
        whole = Cover.whole(cover.column).length
        return cover.length / whole if whole else 0.0
    return 0.0 if len(cover.values) == 1 else len(cover.values) / len(cover.column.values)


def ncp(world: World, weights: Weights = None) -> float:
    return _values(world, _certainty, weights)


def gcp(world: World, weights: Weights = None) -> float:
    whole = sum(1 if weights is None else weights[c.name] for c in world.case.quasi)
    return ncp(world, weights) / len(world.rows) / whole


def iloss(world: World, weights: Weights = None) -> float:
    return _values(world, lambda cover: (len(cover.values) - 1) / len(cover.column.values), weights)


def precision(world: World) -> float:
    def level(cover: Cover) -> float:
        if cover.node is not None and cover.column.paths is not None:
            return cover.node[0] / (len(cover.column.paths[0]) - 1)
        return float(len(cover.values) > 1)

    return 1 - _values(world, level) / len(world.rows) / len(world.case.quasi)


def non_uniform_entropy(world: World) -> float:
    lost = whole = 0.0
    for i in range(len(world.case.quasi)):
        often = Counter(row.qi[i] for row in world.rows)
        for row in world.rows:
            everything = math.log2(len(world.rows) / often[row.qi[i]])
            whole += everything
            if row.cls < 0:
                lost += everything
            elif not world.anatomized:
                lost += math.log2(sum(often[value] for value in world.boxes[row.cls][i].values) / often[row.qi[i]])
    return lost / whole if whole else 0.0


def _classes(world: World, share: Callable[[Cover, Cover], float]) -> float:
    region = world.spans(world.rows)
    total = 0.0
    for row in world.rows:
        for i, whole in enumerate(region):
            total += 1.0 if row.cls < 0 else share(world.boxes[row.cls][i], whole)
    return total


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float(part > 0)


def _interval(cover: Cover, whole: Cover) -> float:
    if cover.column.kind == ORDERED:
        return _ratio(cover.length, whole.length)
    return _ratio(len(cover.values) - 1, len(whole.values) - 1)


def ail(world: World, per: str = "record") -> float:
    n = len(world.rows) if per == "record" else len({row.cls for row in world.rows if row.cls >= 0})
    return _classes(world, _interval) / n


def information_loss(world: World) -> float:
    def share(cover: Cover, whole: Cover) -> float:
        if cover.node is not None and cover.column.paths is not None:
            tree = cover.column.paths
            return _ratio(height(tree, *cover.node), height(tree, len(tree[0]) - 1, tree[0][-1]))
        return _interval(cover, whole) if cover.column.kind == ORDERED else float(len(cover.values) > 1)

    return _classes(world, share)


def discernibility(world: World, suppressed: str = "charged") -> float:
    total = 0
    for row in world.rows:
        if row.cls >= 0:
            total += sum(other.cls == row.cls for other in world.rows + world.fakes)
        elif suppressed == "charged":
            total += len(world.rows)
    return total


def c_avg(world: World, k: float) -> float:
    return len(world.rows) / len({row.cls for row in world.rows if row.cls >= 0}) / k


def classification_metric(world: World, attribute: str) -> float:
    where = list(world.case.schema.sensitive).index(attribute)
    right = 0
    for cls in range(len(world.boxes)):
        labels = Counter(row.sensitive[where] for row in world.members(cls))
        right += max(labels.values(), default=0)
    return 1 - right / len(world.rows)


def _entropy(
    world: World,
    information: Callable[[int, int, int, list[Row]], float],
    suppressed: str,
    counterfeits: str,
    dirty: str,
) -> float:
    rows = [row for row in world.rows if not row.dirty]
    table = [row for row in rows if suppressed == "charged" or row.cls >= 0]
    everyone_fake = 0
    terms = []
    for cls in range(len(world.boxes)):
        real = sum(row.cls == cls for row in rows)
        fake = len(world.invented(cls)) if counterfeits == "charged" else 0
        if dirty == "charged":
            fake += sum(row.dirty for row in world.members(cls))
        everyone_fake += fake
        if real:
            terms.append(real * information(cls, real, fake, table))
    return sum(terms) / (len(table) + everyone_fake)


def fem(world: World, suppressed: str = "charged", counterfeits: str = "charged", dirty: str = "free") -> float:
    return _entropy(
        world,
        lambda cls, real, fake, table: -math.log((real + fake) / len(table)),
        suppressed,
        counterfeits,
        dirty,
    )


def vem(
    world: World,
    suppressed: str = "charged",
    counterfeits: str = "charged",
    dirty: str = "free",
    quasi_identifiers: list[str] | None = None,
) -> float:
    def information(cls: int, real: int, fake: int, table: list[Row]) -> float:
        small = large = 1
        for box, whole in zip(world.boxes[cls], world.spans(table)):
            if quasi_identifiers is None or box.column.name in quasi_identifiers:
                small, large = small * len(box.values), large * len(whole.values)
        return -math.log(small / large)

    return _entropy(world, information, suppressed, counterfeits, dirty)


def true_count(rows: list[Row], case: Case, query: dict[str, list[Any]]) -> int:
    names = [*case.schema.quasi_identifiers, *case.schema.sensitive]
    return sum(all(v in query.get(n, [v]) for n, v in zip(names, [*row.qi, *row.sensitive])) for row in rows)


def _groups(world: World) -> list[list[int]]:
    """Classes that a reader takes for one group: those with equal boxes, unless groups are numbered."""
    if world.release.grouped:
        return [[cls] for cls in range(len(world.boxes))]
    groups: dict[Any, list[int]] = {}
    for cls, box in enumerate(world.boxes):
        groups.setdefault(tuple((tuple(map(str, c.values)), c.node) for c in box), []).append(cls)
    return list(groups.values())


def estimate(world: World, query: dict[str, list[Any]]) -> float:
    case = world.case
    quasi, sensitive = case.schema.quasi_identifiers, case.schema.sensitive
    total = 0.0
    for classes in _groups(world):
        rows = [row for row in world.rows + world.fakes if row.cls in classes]
        fakes = sum(row.cls in classes for row in world.fakes)
        wanted = sum(all(v in query.get(n, [v]) for n, v in zip(sensitive, row.sensitive)) for row in rows)
        if world.anatomized:
            found = sum(all(v in query.get(n, [v]) for n, v in zip(quasi, row.qi)) for row in rows)
            expected = found * wanted / len(rows)
        else:
            expected = float(wanted)
            for cover in world.boxes[classes[0]]:
                chosen = query.get(cover.column.name, cover.values)
                expected *= sum(v in chosen for v in cover.values) / len(cover.values)
        total += expected * (len(rows) - fakes) / len(rows)
    return total


def relative_errors(
    world: World, queries: list[dict[str, list[Any]]], denominator: str, zero: str | float
) -> list[float | None]:
    out: list[float | None] = []
    for query in queries:
        truth = true_count([row for row in world.rows if not row.dirty], world.case, query)
        guess = estimate(world, query)
        under = truth if denominator == "true" else guess
        if isinstance(zero, str) and under == 0:
            out.append(None if zero == "leave out" else 0.0 if truth == guess else math.inf)
        else:
            out.append(abs(truth - guess) / (under if isinstance(zero, str) else max(under, zero)))
    return out


def query_error(
    world: World, queries: list[dict[str, list[Any]]], denominator: str, statistic: str, zero: str | float
) -> float:
    kept = [e for e in relative_errors(world, queries, denominator, zero) if e is not None]
    return statistics.median(kept) if statistic == "median" else sum(kept) / len(kept)


def kl_divergence(world: World, sensitive: bool = True) -> float:
    case = world.case
    columns = case.quasi + (case.sensitive if sensitive else [])
    everywhere = math.prod(len(c.values) for c in columns)
    n = len(world.rows)

    def of(row: Row) -> tuple[Any, ...]:
        return (tuple(row.qi), tuple(row.sensitive) if sensitive else ())

    expected: Counter[tuple[Any, ...]] = Counter()
    for classes in _groups(world):
        box = world.boxes[classes[0]]
        real = [row for cls in classes for row in world.members(cls)]
        rows = real + [row for cls in classes for row in world.invented(cls)]
        share = len(real) / len(rows)
        for row in rows:
            if world.anatomized:
                places = [tuple(other.qi) for other in rows]
            else:
                places = list(product(*(cover.values for cover in box)))
            for place in places:
                expected[place, of(row)[1]] += share / len(places)
    left_out = sum(row.cls < 0 for row in world.rows)
    counts = Counter(of(row) for row in world.rows)
    return sum(c / n * math.log(c / (expected[point] + left_out / everywhere)) for point, c in counts.items())
