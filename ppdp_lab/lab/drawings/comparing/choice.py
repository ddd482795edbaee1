"""Figures of the choice of an anonymizer: loss, risk and time under every rule, and who does best."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from ppdp_lab import plotting
from ppdp_lab.lab.drawings.comparing import heat
from ppdp_lab.lab.report.text import data_name
from ppdp_lab.lab.run import tables

LOSSES = ("gcp", "query_error")


def losses(results: tables.Tables) -> Figure:
    """Two losses of every anonymizer under every rule, on each table."""
    rows = results["costs"]
    maps = []
    for dataset in dict.fromkeys(rows["dataset"]):
        for cost in LOSSES:
            part = tables.rows(rows, dataset=dataset, cost=cost)
            values = heat.pivoted(part, "anonymizer", "rule", "value", "mean")
            title = f"{part['label'].iloc[0]}, {data_name(dataset)}"
            maps.append(heat.Map(title, values.clip(upper=1), values.map(heat.share), _whys(part)))
    above = f"Loss, {_setting(results)}"
    bar = "loss (share; 100% and more is darkest)"
    return heat.draw(maps, shade="cost", above=above, bar=bar, ticks="{:.0%}".format, across=2)


def risks(results: tables.Tables) -> Figure:
    """The share of people that each attack breaches, in the worst table."""
    rows = results["risks"]
    maps = []
    for attack in dict.fromkeys(rows["attack"]):
        part = tables.rows(rows, attack=attack)
        worst = heat.pivoted(part, "anonymizer", "rule", "share", "max")
        maps.append(heat.Map(attack, np.sqrt(worst), worst.map(heat.share), _whys(part)))
    names = [data_name(name) for name in dict.fromkeys(rows["dataset"])]
    where = "" if len(names) == 1 else f"worst of {' and '.join(names)}, "
    above = f"People breached, {where}{_setting(results)}"
    return heat.draw(maps, shade="leak", above=above, bar="people breached", ticks=lambda at: f"{at**2:.0%}", across=2)


def times(results: tables.Tables) -> Figure:
    """Processor time of every anonymizer under every rule, on each table; dark is slow, by orders of magnitude."""
    rows = tables.rows(results["costs"], cost="time")
    low, high = np.log(rows["value"].min()), np.log(rows["value"].max())
    maps = []
    for dataset in dict.fromkeys(rows["dataset"]):
        part = tables.rows(rows, dataset=dataset)
        values = heat.pivoted(part, "anonymizer", "rule", "value", "mean")
        dark = (np.log(values) - low) / max(high - low, 1e-9)
        maps.append(heat.Map(data_name(dataset), dark, values.map(lambda v: heat.short(1000 * v)), _whys(part)))
    above = f"Milliseconds of processor time, {_setting(results)}"

    def milliseconds(at: float) -> str:
        return heat.short(1000 * float(np.exp(low + at * (high - low))))

    return heat.draw(maps, shade="cost", above=above, bar="milliseconds", ticks=milliseconds, across=2)


def best(results: tables.Tables) -> Figure:
    """Who does best under each rule by each criterion: coloured where one alone does, by its letters where some tie."""
    rows = results["best"]
    names = list(dict.fromkeys(results["costs"]["anonymizer"]))
    short = initials(names)
    datasets, rules = (list(dict.fromkeys(rows[column])) for column in ("dataset", "rule"))
    criteria = list(dict.fromkeys(rows.sort_values("kind", key=lambda c: c.map(_KINDS), kind="stable")["criterion"]))
    size = {"width": 3.2 + 0.5 * len(criteria), "height": 0.75 + 0.3 * len(rules)}
    figure, axes = plotting.figure(len(datasets), 1, squeeze=False, **size)
    for i, (ax, dataset) in enumerate(zip(axes[:, 0], datasets)):
        part = tables.rows(rows, dataset=dataset).set_index(["rule", "criterion"])
        for (rule, criterion), found in part.iterrows():
            x, y = criteria.index(criterion), rules.index(rule)
            who = found["best"].split(", ")
            alone, everybody = len(who) == 1, len(who) == found["possible"]
            face = _pale(plotting.style(names.index(who[0]))["color"]) if alone else "#f4f4f4"
            ax.add_patch(Rectangle((x, y), 1, 1, facecolor=face, edgecolor="white"))
            text = "all" if everybody and not alone else " ".join(short[name] for name in who)
            ax.text(x + 0.5, y + 0.5, text.replace(" ", "\n", 1) if len(who) > 2 else text, ha="center", va="center",
                    fontsize=7 if alone else 5.5, linespacing=0.9)  # fmt: skip
        for x, y in product(range(len(criteria)), range(len(rules))):
            if (rules[y], criteria[x]) not in part.index:
                heat.void(ax, x, y)
        heat.frame_of(ax, rules, criteria)
        ax.set_title(data_name(dataset))
        if i:
            ax.set_xticks([])
    handles = [Patch(facecolor=_pale(plotting.style(i)["color"]), label=f"{short[n]} {n}") for i, n in enumerate(names)]
    above = f"The best anonymizer, {_setting(results)}"
    legend = figure.legend(handles=handles, loc="outside upper left", ncols=len(names), fontsize=8, title=above)
    legend.set_alignment("left")
    return figure  # type: ignore[no-any-return]


_KINDS = {"loss": 0, "risk": 1, "time": 2}


def initials(names: list[str]) -> dict[str, str]:
    """The shortest beginnings by which names can be told apart.

    >>> initials(["Samarati", "Speedy", "Mondrian"])
    {'Samarati': 'Sa', 'Speedy': 'Sp', 'Mondrian': 'M'}
    """
    return {
        name: next(
            name[:n]
            for n in range(1, len(name) + 1)
            if n == len(name) or not any(other.startswith(name[:n]) for other in names if other != name)
        )
        for name in names
    }


def _pale(colour: str) -> str:
    """A colour light enough to write on."""
    red, green, blue = (0.45 * part + 0.55 for part in to_rgb(colour))
    return to_hex((red, green, blue))


def _whys(part: pd.DataFrame) -> pd.DataFrame:
    """Why a combination cannot be, or what is to be noted of it."""
    said = part["why"].where(part["why"] != "", part["note"])
    return heat.whys(part.assign(why=said), "anonymizer", "rule")


def _setting(results: tables.Tables) -> str:
    """What was given to all, in one line."""
    rows = results["setting"]
    tables_said = ", ".join(f"{data_name(name)} ({n:,.0f} rows)" for name, n in zip(rows["dataset"], rows["rows"]))
    return f"k = {rows['k'].iloc[0]:.0f}, l = {rows['l'].iloc[0]:.0f}; {tables_said}"
