"""How the choice of an anonymizer is measured: loss, risk and time of every one of them under every rule."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pandas as pd
from tqdm.auto import tqdm

from ppdp_lab.anonymize import ANONYMIZERS, Anonymizer
from ppdp_lab.anonymize.lattice import LatticeSearch
from ppdp_lab.attacks.base import RELEASE
from ppdp_lab.datasets import load
from ppdp_lab.errors import HierarchyError, InfeasibleError, PPDPError
from ppdp_lab.lab import compare as costs
from ppdp_lab.lab.compare import Adversary, Settings, asked_of, check_settings, completed, made, thresholds, untried
from ppdp_lab.lab.plan import Plan
from ppdp_lab.metrics import queries_by_selectivity
from ppdp_lab.principles import PRINCIPLES, DistinctLDiversity, KAnonymity, Principle
from ppdp_lab.release import Release
from ppdp_lab.table import Microdata

SELECTED = 0.05  # share of the rows that a count query selects
UNASKED = "it was not asked for this rule, but its release keeps it"
GROWN = "hierarchies were made for columns that have none"


@dataclass(frozen=True)
class Inputs:
    """What all rules, anonymizers and attacks are given: k, l, t, c and alpha; and what single ones are."""

    k: int
    l: int  # noqa: E741 (the paper's symbol)
    t: float
    c: float
    alpha: float
    seed: int
    settings: Settings = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_settings(self.settings, ("principle", "anonymizer", "attack", "metric"))

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers by the names that rules and anonymizers have for them."""
        return {"k": self.k, "l": self.l, "t": self.t, "c": self.c, "alpha": self.alpha, "seed": self.seed}

    def rules(self) -> list[Principle]:
        """Every principle of the registry; the one that joins others joins k-anonymity and distinct l-diversity."""
        both = {"rules": (KAnonymity(self.k), DistinctLDiversity(self.l))}
        return [made(entry, self.numbers | both, self.settings) for entry in PRINCIPLES.entries()]

    def anonymizer(self, name: str, rule: Principle) -> Anonymizer:
        """An anonymizer, given the rule if it takes one, else the number that it takes in its place."""
        maker: Anonymizer = made(ANONYMIZERS.entry(name), self.numbers | {"rule": rule}, self.settings)
        return maker


def plan(
    scale: str,
    datasets: list[str],
    seed: int,
    *,
    k: int = 10,
    l: int = 4,  # noqa: E741
    t: float = 0.3,
    c: float = 3.0,
    alpha: float = 0.5,
    settings: Settings | None = None,
    **params: Any,
) -> Plan:
    """The tables, larger ones sampled. Fewer than 2 k rows are an error, and so are numbers that make no rule.

    >>> made = plan("quick", ["adult"], 1, rows=200)
    >>> len(made.tables["adult"]), made.sizes.queries
    (200, 500)
    """
    Inputs(k=k, l=l, t=t, c=c, alpha=alpha, seed=seed, settings=settings or {}).rules()
    plan = Plan(__file__, scale, datasets, params, seed=seed)
    for name, (title, table) in zip(plan.names, plan.load().items()):
        if len(table) > plan.sizes.rows:
            plan.tables[title] = load(name, rows=plan.sizes.rows, seed=seed)
        if len(table) < 2 * k:
            raise InfeasibleError(
                f"{title!r} has {len(table)} rows, and the comparison needs {2 * k}, two classes of k = {k}; lower k"
            )
    return plan


def released(
    inputs: Inputs, name: str, rule: Principle, table: Microdata, repeat: int
) -> tuple[Release, float, dict[str, Any]]:
    """The release of an anonymizer, its seconds of processor time, the best of several, and what is to be noted of it.

    One that needs hierarchies gets them for columns that have none. One that takes no rule is run all the same, and its release
    counts if it keeps the rule.
    """
    maker, noted = inputs.anonymizer(name, rule), {"note": "", "grown": ""}
    if isinstance(maker, LatticeSearch):  # completes numbers itself; text as well here, and all measured as trees
        whole = completed(table)
        table, noted["grown"] = whole, "" if whole is table else GROWN
    try:
        release = maker.anonymize(table)
    except HierarchyError:
        table = completed(table)
        release = maker.anonymize(table)
        noted["grown"] = GROWN
    if maker.rule != rule:
        verdict = rule.check(release)
        if not verdict:
            raise InfeasibleError(
                f"{name} cannot be asked for another rule than {maker.rule}: {str(verdict).splitlines()[0]}"
            )
        noted["note"] = UNASKED
    seconds = []
    for _ in range(repeat):  # the first run, which may have compiled something, does not count
        start = time.process_time()
        maker.anonymize(table)
        seconds.append(time.process_time() - start)
    return release, min(seconds), noted


def compare(
    table: Microdata, size: SimpleNamespace, inputs: Inputs
) -> Iterator[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]]:
    """Of every anonymizer under every rule the costs and the risks, one pair after the other."""
    asked = queries_by_selectivity(table, SELECTED, n=size.queries, sensitive="range", seed=inputs.seed)
    limits = {what: names | {"gain": inputs.t} for what, names in thresholds(inputs.k, inputs.l).items()}
    for rule in inputs.rules():
        for name in ANONYMIZERS:
            where = {"anonymizer": name, "rule": str(rule), "family": type(rule).__name__, "note": "", "grown": ""}
            try:
                release, seconds, noted = released(inputs, name, rule, table, size.repeat)
            except PPDPError as error:
                paid: Any = costs.unpaid(str(error))
                risks: Any = untried(str(error), sees=(RELEASE,))
            else:
                where |= noted
                known = {"k": inputs.k, "queries": asked_of(release.table, asked)}
                paid = costs.of_releases([release], known, inputs.settings, seconds=seconds)
                risks = Adversary([release]).tries(limits, inputs.settings, sees=(RELEASE,))
            yield name, [where | row for row in paid], [where | row for row in risks]


def frames(tables: Mapping[str, Microdata], size: SimpleNamespace, inputs: Inputs) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Costs and risks on every table, with a bar."""
    paid, risks = [], []
    with tqdm(total=len(tables) * len(PRINCIPLES) * len(ANONYMIZERS), desc="combinations") as bar:
        for name, table in tables.items():
            for anonymizer, costs_of, risks_of in compare(table, size, inputs):
                paid += [{"dataset": name} | row for row in costs_of]
                risks += [{"dataset": name} | row for row in risks_of]
                bar.set_postfix_str(f"{name}: {anonymizer}")
                bar.update()
    return pd.DataFrame(paid), pd.DataFrame(risks)


def best(paid: pd.DataFrame, risks: pd.DataFrame) -> pd.DataFrame:
    """Per table, rule and criterion the anonymizers that do best: of each cost, and of each attack the least risk.

    Within a thousandth of the best is as good as the best.
    """
    least = risks.rename(columns={"attack": "label", "share": "value"}).assign(better="lower", kind="risk")
    cost = paid.assign(kind=["time" if name == costs.TIME else "loss" for name in paid["cost"]])
    every = pd.concat([cost, least], ignore_index=True).dropna(subset="value")
    rows = []
    for (dataset, rule, kind, label), group in every.groupby(["dataset", "rule", "kind", "label"], sort=False):
        values = group.set_index("anonymizer")["value"] * (1 if group["better"].iloc[0] == "lower" else -1)
        near = values.index[values <= values.min() + 1e-3 * abs(values.min())]
        place = {"dataset": dataset, "rule": rule, "kind": kind, "criterion": label}
        rows.append(place | {"best": ", ".join(near), "ties": len(near), "possible": len(values)})
    return pd.DataFrame(rows)


def setting(tables: Mapping[str, Microdata], inputs: Inputs) -> pd.DataFrame:
    """What was given to all, one row per table, for the figures to say."""
    numbers = {"k": inputs.k, "l": inputs.l, "t": inputs.t, "c": inputs.c, "alpha": inputs.alpha}
    return pd.DataFrame([{"dataset": name, "rows": len(table)} | numbers for name, table in tables.items()])


def refusals(paid: pd.DataFrame) -> pd.DataFrame:
    """Combinations that cannot be, in the refusal's own words, and what is to be noted of others."""
    once = paid[paid["cost"] == costs.TIME]
    said = pd.concat([once.assign(words=once[column]) for column in ("why", "note", "grown")])
    keys = ["anonymizer", "words"]
    joined = (
        said[said["words"] != ""]
        .groupby(keys, sort=False)[["rule", "dataset"]]
        .agg(lambda c: ", ".join(dict.fromkeys(c)))
    )
    return joined.reset_index().rename(columns={"rule": "rules", "dataset": "tables", "words": "in its own words"})
