"""How the crossover measures: every publisher on the same stream, every attack on its series, and what the series costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import pandas as pd
from tqdm.auto import tqdm

from ppdp_lab.anonymize import ANONYMIZERS
from ppdp_lab.attacks import UpdateModel
from ppdp_lab.errors import PPDPError, SchemaError
from ppdp_lab.lab import compare as costs
from ppdp_lab.lab.compare import (
    Adversary,
    NaiveBaseline,
    Settings,
    check_settings,
    dirty_records_are_known,
    made,
    rule_of,
    thresholds,
    untried,
)
from ppdp_lab.lab.plan import Plan
from ppdp_lab.metrics import queries_by_selectivity
from ppdp_lab.release import Release
from ppdp_lab.republish import PUBLISHERS, Publisher, Snapshot, UpdateStream
from ppdp_lab.republish.value_changes import updates_of
from ppdp_lab.table import Microdata

STAY, CHANGE = "values stay", "values change"
SELECTED = 0.05  # share of the rows that a count query selects


@dataclass(frozen=True)
class Inputs:
    """What all publishers and attacks are given: k = l = m, e, the thresholds, the seed; and what single ones are."""

    k: int
    e: int
    seed: int
    leasts: tuple[int, ...]
    anew: tuple[str, ...]
    settings: Settings = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_settings(self.settings, ("publisher", "anonymizer", "attack", "metric"))
        for name in self.anew:
            ANONYMIZERS.entry(name)

    def publishers(self, model: UpdateModel | None) -> dict[str, Callable[[], Publisher]]:
        """How each publisher is made: first the anonymizers that are run anew, then all of the registry."""
        all_get = {"k": self.k, "l": self.k, "m": self.k, "e": self.e, "rule": rule_of(self.k), "seed": self.seed}
        all_get |= {"model": model, "on_invalid": "suppress"}

        def naive(name: str) -> Publisher:
            return NaiveBaseline(made(ANONYMIZERS.entry(name), all_get, self.settings), seed=self.seed)

        found: dict[str, Callable[[], Publisher]] = {f"{name} anew": partial(naive, name) for name in self.anew}
        for entry in PUBLISHERS.entries():
            found[entry.name] = partial(made, entry, all_get, self.settings)
        return found


def stream(table: Microdata, size: SimpleNamespace, *, changing: bool, d: int, seed: int) -> UpdateStream:
    """``initial`` rows of which ``rate`` are replaced at every update; if values change, as many draw theirs anew.

    Changes are those of the m-Distinct paper: sensitive values within blocks of d; of census rows ages and degrees grow.
    """
    if len(table.schema.sensitive) != 1:
        raise SchemaError(
            f"the publishers of this comparison protect one sensitive column; this table has {len(table.schema.sensitive)}"
        )
    model = updates_of(table, d) if changing else None
    return UpdateStream(
        table,
        initial=size.initial,
        deletes=size.rate,
        inserts=size.rate,
        updates=size.updates,
        model=model,
        changes=size.rate if changing else None,
        seed=seed,
    )


def plan(
    scale: str,
    datasets: list[str],
    seed: int,
    *,
    k: int = 10,
    e: int = 4,
    d: int = 10,
    anew: Sequence[str] = (),
    settings: Settings | None = None,
    **params: Any,
) -> Plan:
    """The tables, and sizes of a stream that they can feed; a publisher or attack that cannot use it says so in its cell.

    >>> made = plan("quick", ["occ"], 1, initial=500, rate=50)
    >>> made.sizes.updates, len(made.tables["occ"])
    (5, 750)
    """
    Inputs(k=k, e=e, seed=seed, leasts=(2, k), anew=tuple(anew), settings=settings or {})  # checks the names
    plan = Plan(__file__, scale, datasets, params, seed=seed)
    rows = plan.shrink(
        "initial",
        "rate",
        used=lambda sizes: int(sizes.initial + sizes.updates * sizes.rate),
        min_size={"initial": 2 * k, "rate": 1},
    )
    for table in plan.load(rows, sensitive=True).values():
        for changing in (False, True):  # an impossible stream is an error now, not in its cell
            stream(table, plan.sizes, changing=changing, d=d, seed=seed)
    return plan


def published(make: Callable[[], Publisher], snapshots: Sequence[Snapshot]) -> tuple[list[Release], float]:
    """A whole series, and the seconds of processor time of one release."""
    with dirty_records_are_known():
        publisher = make()
        start = time.process_time()
        releases = [publisher.publish(snapshot) for snapshot in snapshots]
    return releases, (time.process_time() - start) / len(releases)


def warm(inputs: Inputs, table: Microdata, d: int) -> None:
    """Let every publisher make a small series, so that no compilation counts as its time."""
    small = SimpleNamespace(initial=min(300, len(table) // 2), rate=min(20, len(table) // 4), updates=1)
    for changing in (False, True):
        part = stream(table, small, changing=changing, d=d, seed=inputs.seed)
        for make in inputs.publishers(_model(part)).values():
            try:
                published(make, list(part))
            except PPDPError:
                continue


def compare(
    table: Microdata, size: SimpleNamespace, inputs: Inputs, *, changing: bool, d: int, about: Callable[[str], None]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Leaks and costs of every publisher on one stream; ``about`` is told whose turn it is."""
    part = stream(table, size, changing=changing, d=d, seed=inputs.seed)
    snapshots, model = list(part), _model(part)
    asked = queries_by_selectivity(table, SELECTED, n=size.queries, sensitive="range", seed=inputs.seed)
    leaks, paid = [], []
    for name, make in inputs.publishers(model).items():
        about(name)
        where = {"publisher": name, "updates": CHANGE if changing else STAY}
        try:
            releases, seconds = published(make, snapshots)
        except PPDPError as error:
            leaks += [where | {"least": least} | row for least in inputs.leasts for row in untried(str(error))]
            paid += [where | row for row in costs.unpaid(str(error))]
            continue
        adversary = Adversary(releases, model)
        for least in inputs.leasts:
            limits = {what: names | {"e": inputs.e} for what, names in thresholds(least, least).items()}
            leaks += [where | {"least": least} | row for row in adversary.tries(limits, inputs.settings)]
        known = {"k": inputs.k, "queries": asked}
        paid += [where | row for row in costs.of_releases(releases, known, inputs.settings, seconds=seconds)]
    return leaks, paid


def frames(
    tables: Mapping[str, Microdata], size: SimpleNamespace, inputs: Inputs, *, d: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Leaks and costs on every table, its values staying and changing, with a bar that says whose turn it is."""
    leaks, paid = [], []
    turns = [(name, changing) for name in tables for changing in (False, True)]
    publishers = len(inputs.publishers(None))
    with tqdm(total=len(turns) * publishers, desc="publishers") as bar:
        for name, changing in turns:

            def about(publisher: str, name: str = name) -> None:
                bar.set_postfix_str(f"{name}: {publisher}")
                bar.update()

            found = compare(tables[name], size, inputs, changing=changing, d=d, about=about)
            leaks += [{"dataset": name} | row for row in found[0]]
            paid += [{"dataset": name} | row for row in found[1]]
    return pd.DataFrame(leaks), pd.DataFrame(paid)


def setting(size: SimpleNamespace, inputs: Inputs, *, d: int) -> pd.DataFrame:
    """What was given to all, in one row, for the figures to say."""
    shared = {"k": inputs.k, "e": inputs.e, "d": d, "initial": size.initial, "rate": size.rate}
    return pd.DataFrame([shared | {"releases": 1 + size.updates, "queries": size.queries}])


def refusals(*tables: pd.DataFrame) -> pd.DataFrame:
    """What could not be, in the refusal's own words, and how often."""
    found = []
    for table in tables:
        what = "attack" if "attack" in table else "cost"
        rows = table[table["why"] != ""].rename(columns={what: "what"})
        found.append(rows[["publisher", "what", "updates", "why"]])
    every = pd.concat(found)
    joined = every.groupby(["what", "why"], sort=False)["publisher"].agg(lambda who: ", ".join(dict.fromkeys(who)))
    return joined.reset_index(name="publishers")[["what", "publishers", "why"]]


def _model(part: UpdateStream) -> UpdateModel | None:
    """The update model of a stream's sensitive column."""
    return part.model[part.table.schema.sensitive[0]] if isinstance(part.model, Mapping) else None
