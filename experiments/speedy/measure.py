"""How the lattice experiment measures: times of searches, which checks were divided, and what follows from both.

Time is a search's own, without loading. The thesis [1]_ runs its algorithms in turn and loads data and hierarchies anew
before each run, so that no run finds them in the processor's cache. Here the algorithms run in turn, too, but on a table
that stays loaded; each runs once unmeasured, and the best of several runs counts. So what is compared is the work of a
search, warm, with as little as possible of what else the machine is doing.

References
----------
.. [1] S. G. Chatzopoulos, "Survey of privacy-preserving data publishing methods and Speedy: a multi-threaded algorithm
   preserving k-anonymity", master's thesis, National and Kapodistrian University of Athens, 2015, section 6.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from ppdp_lab.anonymize import Flash, Incognito, Speedy
from ppdp_lab.anonymize.lattice import LatticeSearch, SearchResult
from ppdp_lab.anonymize.lattice.checker import ALWAYS
from ppdp_lab.anonymize.lattice.workers import CORES
from ppdp_lab.errors import SchemaError
from ppdp_lab.lab.bench import ARX_BINCOUNT, ARX_KEYS, SETS, one_bincount
from ppdp_lab.lab.plan import Plan
from ppdp_lab.principles import KAnonymity, Principle
from ppdp_lab.table import Microdata

MOST_THREADS = 6  # of the thesis
LINE_END = 2  # characters, as in the files that ARX brings along

Tables = Mapping[str, Microdata]


class Variant(NamedTuple):
    """One algorithm as it is timed."""

    algorithm: str
    threads: int
    rollup: bool
    make: Callable[[Principle], LatticeSearch]


def plan(scale: str, datasets: list[str], seed: int, **params: Any) -> Plan:
    """The tables, of each the quasi-identifiers that have a hierarchy, in their order; and sizes that fit them."""
    plan = Plan(__file__, scale, datasets, params, seed=seed)
    for name, own in plan.own.items():
        plan.at_most("rows", len(own), f"{name!r} has {len(own):,} rows")
    for name, table in plan.load(plan.sizes.rows).items():
        trees = [domain.name for domain in table.qi_domains if domain.hierarchy is not None]
        if len(trees) < 2:
            raise SchemaError(
                f"this experiment needs at least 2 quasi-identifiers with a hierarchy, and {name!r} has {len(trees)}"
                f"{f' ({trees[0]})' if trees else ''}; give them under [hierarchies]"
            )
        plan.tables[name] = table.project(trees)
        plan.at_most("ks", len(table) // 2, f"{name!r} has {len(table):,} rows, which allows a k of half", min_size=2)
    most = max(len(table.schema.quasi_identifiers) for table in plan.tables.values())
    plan.at_most("most_quasi_identifiers", most, f"no table has more than {most} hierarchies")
    return plan


def nodes(table: Microdata, rule: Principle) -> pd.DataFrame:
    """Every node of the lattices that Incognito and Flash walk through: does the rule hold there, and which check was it?

    ``order`` is 0 where a node was tagged without a check. Incognito walks through the lattices of all subsets of the
    quasi-identifiers.
    """
    names = table.schema.quasi_identifiers
    rows = []
    for search in (Incognito(rule), Flash(rule)):
        checked = search.search(table).checked
        order = {node: number for number, node in enumerate(checked, start=1)}
        subsets = {tuple(level is not None for level in node) for node in checked}
        for used in sorted(subsets, key=lambda used: (sum(used), [not u for u in used])):
            chosen = [name for name, u in zip(names, used) if u]
            truth = Flash(rule).search(table.project(chosen)).lattice.state
            for levels in np.ndindex(truth.shape):
                rest = iter(levels)
                node = tuple(next(rest) if u else None for u in used)
                where = (type(search).__name__, ", ".join(chosen), ",".join(map(str, levels)))
                rows.append((*where, bool(truth[levels] > 0), order.get(node, 0)))
    return pd.DataFrame(rows, columns=["algorithm", "attributes", "node", "holds", "order"])


def data_sets(tables: Tables) -> pd.DataFrame:
    """Table 17: each set's quasi-identifiers, records, and size as a text file of its quasi-identifiers."""
    rows = []
    for name, table in tables.items():
        columns, characters = table.schema.quasi_identifiers, LINE_END * len(table)
        for column in columns:
            lengths = [len(str(value)) for value in table.domains[column].values]
            characters += int(np.bincount(table.codes(column), minlength=len(lengths)) @ lengths)
        characters += (len(columns) - 1) * len(table)  # a separator between two values
        rows.append((name, len(columns), len(table), characters / 1e6, table.provenance))
    return pd.DataFrame(rows, columns=["dataset", "quasi_identifiers", "records", "megabytes", "provenance"])


# ---------------------------------------------------------------------- times
def variants(divide: str = ALWAYS, threads: int = min(CORES, MOST_THREADS)) -> list[Variant]:
    """What is timed: the three algorithms, Speedy with up to so many threads, its checks rolled up or scanning all rows."""
    found = [
        Variant("Incognito", 1, True, Incognito),
        Variant("Flash", 1, True, Flash),
        Variant("Speedy", 1, False, partial(Speedy, threads=1, rollup=False)),
    ]
    for n in range(2, threads + 1):
        for rollup in (False, True):
            found.append(Variant("Speedy", n, rollup, partial(Speedy, threads=n, divide=divide, rollup=rollup)))
    return found


def times(
    tables: Tables,
    *,
    ks: Sequence[int],
    most_quasi_identifiers: int,
    repeats: int,
    divide: str = ALWAYS,
) -> pd.DataFrame:
    """Time, checks and divided checks of every variant, for every data set, k, and number of quasi-identifiers."""
    timed, rows = variants(divide), []
    for name, table in tqdm(tables.items(), desc="data set"):
        most = min(most_quasi_identifiers, len(table.schema.quasi_identifiers))
        for count in tqdm(range(1, most + 1), desc=name, leave=False):
            part = table.project(table.schema.quasi_identifiers[:count])
            for k in ks:
                searches = [variant.make(KAnonymity(k)) for variant in timed]
                for variant, found in zip(timed, best_in_turn(searches, part, repeats=repeats, warm=k == ks[0])):
                    about = {"dataset": name, "rows": len(table), "provenance": table.provenance}
                    about |= {"quasi_identifiers": count, "k": k, **variant._asdict(), **_cost(found)}
                    rows.append(about)
    return pd.DataFrame(rows).drop(columns="make")


def best_in_turn(
    searches: Sequence[LatticeSearch], table: Microdata, *, repeats: int, warm: bool = True
) -> list[SearchResult]:
    """Each search's fastest run of several; they run in turn, so that a busy machine is busy for all of them."""
    if warm:
        for search in searches:
            search.search(table)
    turns = [[search.search(table) for search in searches] for _ in range(repeats)]
    return [min(runs, key=lambda found: found.seconds) for runs in zip(*turns)]


def _cost(found: SearchResult) -> dict[str, Any]:
    cost = {"seconds": found.seconds, "checks": found.checks, "divided": found.divided}
    return cost | {"scanned": found.rows, "nodes": found.lattice.size}


# ---------------------------------------------------------------------- what follows from the times
def means(times: pd.DataFrame) -> pd.DataFrame:
    """Mean time of a search for each data set and variant, and of all its searches together the checks."""
    by = times.groupby(["dataset", "algorithm", "threads", "rollup"], sort=False)
    return by.agg(seconds=("seconds", "mean"), checks=("checks", "sum"), divided=("divided", "sum")).reset_index()


def speedups(means: pd.DataFrame) -> pd.DataFrame:
    """Table 18: the time of one thread over that of several; with roll-up the one thread is Flash's."""
    with_one = means[(means["threads"] == 1) & (means["algorithm"] != "Incognito")]
    one = with_one.set_index(["dataset", "rollup"])["seconds"]
    found = means[means["algorithm"] == "Speedy"].reset_index(drop=True)
    found["speedup"] = one.loc[pd.MultiIndex.from_frame(found[["dataset", "rollup"]])].to_numpy() / found["seconds"]
    return found[["dataset", "rollup", "threads", "speedup", "checks", "divided"]]


def fits(times: pd.DataFrame, *, k: int) -> pd.DataFrame:
    """Figure 11: how well a line fits the times of Speedy with most threads by quasi-identifiers, and their logarithms.

    ``explained`` is the share of the variance that the line explains, ``factor`` what one quasi-identifier more multiplies
    the time by.
    """
    chosen = times[(times["algorithm"] == "Speedy") & ~times["rollup"] & (times["k"] == k)]
    rows = []
    for name, of_set in chosen[chosen["threads"] == times["threads"].max()].groupby("dataset", sort=False):
        count, seconds = of_set["quasi_identifiers"], of_set["seconds"]
        for fit, y in (("linear", seconds), ("exponential", np.log(seconds))):
            factor = np.exp(np.polyfit(count, y, 1)[0]) if fit == "exponential" else np.nan
            rows.append((name, k, fit, np.corrcoef(count, y)[0, 1] ** 2, factor))
    return pd.DataFrame(rows, columns=["dataset", "k", "fit", "explained", "factor"])


def against_arx(tables: Tables, *, repeats: int) -> pd.DataFrame:
    """Flash, k = 5, beside the times of ARX on another machine, scaled by the time of a bincount there and here.

    Only sets that ARX was run on are there. The mean time of a check is also given in bincounts of as many keys as the set
    has rows.
    """
    scale, rows = one_bincount(ARX_KEYS) / ARX_BINCOUNT, []
    for name in tqdm([name for name in tables if name in SETS], desc="ARX"):
        table = tables[name]
        bincount = one_bincount(len(table))
        for count, milliseconds in SETS[name][0].items():
            part = table.project(table.schema.quasi_identifiers[:count])
            (found,) = best_in_turn([Flash(KAnonymity(5))], part, repeats=repeats)
            arx = milliseconds / 1e3 * scale
            per_check = found.seconds / found.checks / bincount
            rows.append((name, count, found.seconds, found.checks, arx, arx / found.seconds, per_check))
    columns = [
        "dataset",
        "quasi_identifiers",
        "seconds",
        "checks",
        "arx_seconds",
        "times_faster",
        "bincounts_per_check",
    ]
    # A text column even if no set is there that ARX was run on.
    return pd.DataFrame(rows, columns=columns).astype({"dataset": str})
