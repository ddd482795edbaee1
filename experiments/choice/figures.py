"""Figures of the choice of an anonymizer: loss, risk and time under every rule, and who does best."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from ppdp_lab import plotting
from ppdp_lab.datasets.loading import data_name
from ppdp_lab.lab import drawing, runs

LOSSES = ("gcp", "query_error")


def losses(results: runs.Tables) -> Figure:
    """Two losses of every anonymizer under every rule, on each table."""
    rows = results["costs"]
    maps = []
    for dataset in dict.fromkeys(rows["dataset"]):
        for cost in LOSSES:
            part = runs.rows_where(rows, dataset=dataset, cost=cost)
            values = drawing.pivoted(part, "anonymizer", "rule", "value", "mean")
            title = f"{part['label'].iloc[0]}, {data_name(dataset)}"
            maps.append(drawing.Map(title, values.clip(upper=1), values.map(drawing.share), _whys(part)))
    above = f"Loss; {_setting(results)}"
    bar = "loss (share; 100 % and more is darkest)"
    ticks = {at: f"{100 * at:.0f} %" for at in (0, 0.25, 0.5, 0.75, 1)}
    return drawing.draw(maps, shade="cost", above=above, bar=bar, ticks=ticks, across=2)


def risks(results: runs.Tables) -> Figure:
    """The share of people that each attack breaches, in the worst table."""
    rows = results["risks"]
    maps = []
    for attack in dict.fromkeys(rows["attack"]):
        part = runs.rows_where(rows, attack=attack)
        worst = drawing.pivoted(part, "anonymizer", "rule", "share", "max")
        maps.append(drawing.Map(attack, worst.map(drawing.root), worst.map(drawing.share), _whys(part)))
    where = ", in the worst table" if len(dict.fromkeys(rows["dataset"])) > 1 else ""
    above = f"People breached{where}; {_setting(results)}"
    return drawing.draw(maps, shade="leak", above=above, bar="people breached (share)", ticks=drawing.ROOTS, across=2)


def times(results: runs.Tables) -> Figure:
    """Processor time of every anonymizer under every rule, on each table; dark is slow, by orders of magnitude."""
    rows = runs.rows_where(results["costs"], cost="time")
    low, high = np.log(rows["value"].min()), np.log(rows["value"].max())
    maps = []
    for dataset in dict.fromkeys(rows["dataset"]):
        part = runs.rows_where(rows, dataset=dataset)
        values = drawing.pivoted(part, "anonymizer", "rule", "value", "mean")
        dark = (np.log(values) - low) / max(high - low, 1e-9)
        maps.append(drawing.Map(data_name(dataset), dark, values.map(lambda v: drawing.short(1000 * v)), _whys(part)))
    above = f"Processor time in milliseconds; {_setting(results)}"
    ends = 1000 * rows["value"].min(), 1000 * rows["value"].max()
    ticks = {(np.log(at / 1000) - low) / max(high - low, 1e-9): drawing.short(at) for at in round_numbers(*ends)}
    return drawing.draw(maps, shade="cost", above=above, bar="time (ms)", ticks=ticks, across=2)


def round_numbers(low: float, high: float) -> list[float]:
    """Powers of ten from one number to another, two and five times each as well if they are few; else the two themselves.

    >>> round_numbers(0.89, 30), round_numbers(3, 4)
    ([1.0, 2.0, 5.0, 10.0, 20.0], [3, 4])
    """
    powers = [10.0**n for n in range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)]
    for factors in ((1, 2, 5), (1,)):
        found = [factor * power for power in powers for factor in factors if low <= factor * power <= high]
        if len(found) <= 10:
            break
    return found if len(found) > 1 else [low, high]


def best(results: runs.Tables) -> Figure:
    """Who does best under each rule by each criterion: coloured where one alone does, by its letters where some tie."""
    rows = results["best"]
    names = list(dict.fromkeys(results["costs"]["anonymizer"]))
    short = initials(names)
    datasets, rules = (list(dict.fromkeys(rows[column])) for column in ("dataset", "rule"))
    criteria = list(dict.fromkeys(rows.sort_values("kind", key=lambda c: c.map(_KINDS), kind="stable")["criterion"]))
    # The names of the criteria, the legend and the caption need as much room for one table as for several.
    height = 2.2 / len(datasets) + 0.35 + 0.26 * len(rules)
    size = {"width": 3.2 + 0.5 * len(criteria), "height": height}
    figure, axes = plotting.figure(len(datasets), 1, squeeze=False, **size)
    for i, (ax, dataset) in enumerate(zip(axes[:, 0], datasets)):
        part = runs.rows_where(rows, dataset=dataset).set_index(["rule", "criterion"])
        for (rule, criterion), found in part.iterrows():
            x, y = criteria.index(criterion), rules.index(rule)
            who = found["best"].split(", ")
            alone, everybody = len(who) == 1, len(who) == found["possible"]
            face = _pale(plotting.style(names.index(who[0]))["color"]) if alone else "#f4f4f4"
            ax.add_patch(Rectangle((x, y), 1, 1, facecolor=face, edgecolor="white"))
            text = "all" if everybody and not alone else _in_lines([short[name] for name in who])
            points = 7 if alone or everybody else 6
            ax.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=points, linespacing=0.95)
        for x, y in product(range(len(criteria)), range(len(rules))):
            if (rules[y], criteria[x]) not in part.index:
                drawing.void(ax, x, y)
        drawing.frame_of(ax, rules, criteria)
        ax.set_title(data_name(dataset))
        if i:
            ax.set_xticks([])
    handles = [Patch(facecolor=_pale(plotting.style(i)["color"]), label=f"{short[n]} {n}") for i, n in enumerate(names)]
    above = drawing.wrapped(f"The best anonymizer; {_setting(results)}", size["width"])
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


def _in_lines(letters: list[str]) -> str:
    """Letters of those who tie, in two lines if they are more than two.

    >>> _in_lines(["F", "I", "Sp"])
    'F I\\nSp'
    """
    half = len(letters) if len(letters) < 3 else -(-len(letters) // 2)
    return "\n".join(" ".join(part) for part in (letters[:half], letters[half:]) if part)


def _pale(colour: str) -> str:
    """A colour light enough to write on."""
    red, green, blue = (0.45 * part + 0.55 for part in to_rgb(colour))
    return to_hex((red, green, blue))


def _whys(part: pd.DataFrame) -> pd.DataFrame:
    """Why a combination cannot be, or what is to be noted of it."""
    said = part["why"].where(part["why"] != "", part["note"])
    return drawing.whys(part.assign(why=said), "anonymizer", "rule")


def _setting(results: runs.Tables) -> str:
    """What was given to all, in one line."""
    rows = results["setting"]
    tables_said = ", ".join(f"{data_name(name)} ({n:,.0f} rows)" for name, n in zip(rows["dataset"], rows["rows"]))
    first = rows.iloc[0]
    return f"k = {first['k']:.0f}, l = {first['l']:.0f}, t = {first['t']:g}; {tables_said}"
