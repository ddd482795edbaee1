"""How the tour measures: a dozen people in a picture, partitions, and what rules cost and prevent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from ppdp_lab import attacks, datasets, metrics
from ppdp_lab.anonymize import Mondrian
from ppdp_lab.datasets.loading import VIEWS
from ppdp_lab.errors import InfeasibleError
from ppdp_lab.lab import axes
from ppdp_lab.lab.compare import rules
from ppdp_lab.lab.plan import Plan
from ppdp_lab.metrics.queries import Queries
from ppdp_lab.principles import KAnonymity, Principle
from ppdp_lab.release import box_frame
from ppdp_lab.table import Microdata, Schema

LEAST_ROWS = 40
SELECTED = 0.05  # share of the rows that a count query selects
_PEOPLE = [
    (23, 9, "craft"), (26, 11, "sales"), (28, 8, "farming"),
    (24, 14, "teaching"), (29, 13, "sales"), (31, 16, "teaching"),
    (47, 9, "craft"), (52, 8, "craft"), (58, 11, "craft"),
    (45, 13, "office"), (55, 16, "teaching"), (61, 14, "sales"),
]  # fmt: skip
KNOWN = (52, 8)  # age and education of somebody whom the adversary looks for


def plan(scale: str, dataset: str, seed: int, *, drawn: list[str] | None = None, **params: Any) -> Plan:
    """The tour's table, and sizes that fit it; ``drawn`` are the two quasi-identifiers of its partitions.

    >>> made = plan("tiny", "adult", 1)
    >>> made.sizes.drawn, made.sizes.l, len(made.table)
    (['age', 'education-num'], 3, 2000)
    """
    plan = Plan(__file__, scale, dataset, params, seed=seed)
    for name, own in plan.own.items():
        plan.at_most("rows", len(own), f"{name!r} has {len(own):,} rows", min_size=LEAST_ROWS)
    ((name, table),) = plan.load(plan.sizes.rows, sensitive=True).items()
    if len(table) < LEAST_ROWS:
        raise InfeasibleError(f"{name!r} has {len(table)} rows, too few for the tour: it needs at least {LEAST_ROWS}")
    values = len(np.unique(table.sensitive_codes[0]))
    plan.at_most("l", values, f"{table.schema.sensitive[0]} of {name!r} has {values} values", min_size=2)
    plan.at_most("ks", len(table) // 4, f"{name!r} has {len(table):,} rows, which allows a k of a quarter", min_size=2)
    plan.sizes.drawn = axes.drawable(name, pictured(dataset, table, seed), drawn)
    return plan


def pictured(dataset: str, table: Microdata, seed: int) -> Microdata:
    """The table itself; for a named data set with fewer than two numbers, the same rows as another view shows them."""
    if datasets.is_own(dataset) or sum(domain.kind == "ordered" for domain in table.qi_domains) > 1:
        return table
    source = VIEWS[dataset].source
    others = [view.name for view in VIEWS.values() if view.source == source and len(view.ordered) > 1]
    return datasets.load(others[0], rows=len(table), seed=seed) if others else table


# ---------------------------------------------------------------------- the idea in a picture
def people() -> Microdata:
    """A dozen invented people: age and years of education, and an occupation to be kept from others."""
    frame = pd.DataFrame(_PEOPLE, columns=["age", "education", "occupation"])
    return Microdata(frame, Schema(["age", "education"], sensitive="occupation"), provenance="worked example")


def idea(table: Microdata, rules: Mapping[str, Principle]) -> pd.DataFrame:
    """People and boxes of a small table under each rule, for a picture.

    One row per box (``x0, x1, y0, y1``, ``shows``: the values that are published of it) and per person (``x0, y0``,
    ``shows``: the value, ``known``: whether the adversary looks for this one).
    """
    found = []
    where = {f"{axis}0": table.frame[name].to_numpy() for axis, name in zip("xy", table.schema.quasi_identifiers)}
    values = table.frame[table.schema.sensitive[0]]
    known = [(x, y) == KNOWN for x, y in zip(where["x0"], where["y0"])]
    persons = pd.DataFrame(where | {"shows": values.to_numpy(), "known": known, "what": "person"})
    for name, rule in rules.items():
        release = Mondrian(rule).anonymize(table)
        shows = [", ".join(sorted(values[release.class_of == c])) for c in range(release.n_classes)]
        boxes = box_frame(release).assign(shows=shows, known=False, what="box")
        found.append(pd.concat([boxes, persons]).assign(rule=name))
    return pd.concat(found, ignore_index=True)


# ---------------------------------------------------------------------- partitions, and what rules cost and prevent
def partitions(table: Microdata, ks: list[int]) -> pd.DataFrame:
    """Mondrian's boxes over two quasi-identifiers for the smallest, the middle and the largest k."""
    chosen = sorted({ks[0], ks[len(ks) // 2], ks[-1]})
    x, y = map(axes.axis_of, table.qi_domains)
    boxes = [box_frame(Mondrian(KAnonymity(k)).anonymize(table)).assign(k=k, x=x, y=y) for k in chosen]
    return axes.with_dates(pd.concat(boxes, ignore_index=True), table.qi_domains)


def asked(table: Microdata, *, n: int, seed: int) -> Queries:
    """Random count queries for one person in twenty.

    They ask for one sensitive value. Where most people have one that is hardly as common as that, such a query would select
    everybody who has it, and be answered without an error whatever is published: there they ask for a range of values.

    >>> table = datasets.load("occ", rows=400)
    >>> metrics.true_counts(table, asked(table, n=3, seed=1)).tolist()
    [20, 22, 19]
    """
    values = table.sensitive_codes[0]
    common = np.mean(np.bincount(values)[values] >= 2 * SELECTED * len(table))
    how = "value" if common > 0.5 else "range"
    return metrics.queries_by_selectivity(table, SELECTED, n=n, sensitive=how, seed=seed)


def grid(table: Microdata, ks: list[int], *, l: int, t: float, asked: Queries) -> pd.DataFrame:  # noqa: E741
    """What is left of utility, and what three attacks find, under each rule for each k."""
    found = []
    for k in tqdm(ks, desc="k"):
        for name, rule in rules(k, l=l, t=t).items():
            release = Mondrian(rule).anonymize(table)
            published = release.published()
            found.append(
                {
                    "k": k,
                    "rule": name,
                    "classes": release.n_classes,
                    "gcp": metrics.gcp(release),
                    "discernibility": metrics.discernibility(release),
                    "homogeneous": attacks.homogeneity(published).share_of_people_breached,
                    "skewed": attacks.skewness(published, gain=t).share_of_people_breached,
                    "linked": attacks.record_linkage(published, threshold=1 / k).share_of_people_breached,
                    "query_error": metrics.query_error(release, asked),
                }
            )
    return pd.DataFrame(found)
