"""A search through the lattice, check by check: what is known of every node, and what it would lose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from ppdp_lab import metrics, plotting
from ppdp_lab.anonymize import Flash, Incognito, Samarati
from ppdp_lab.anonymize.lattice import Lattice, LatticeSearch, SearchResult
from ppdp_lab.anonymize.lattice.base import default_hierarchy
from ppdp_lab.anonymize.lattice.nodes import FAILS, HOLDS
from ppdp_lab.anonymize.lattice.pictures import edges, places
from ppdp_lab.errors import ParameterError
from ppdp_lab.explore.base import EXPLORERS, Explorer, Kept, Knob, Pick, Several, Shown, Stops, Whole, Work, script
from ppdp_lab.explore.tables import Tables
from ppdp_lab.principles import KAnonymity
from ppdp_lab.table import Domain, Hierarchy, Microdata, Schema
from ppdp_lab.text import letters

MOST_NODES = 1_500  # nodes in a picture
COLUMNS = "columns"  # under this name the frame of nodes says whose levels they are
STATES = {HOLDS: "holds", FAILS: "fails", 0: "unknown"}


def lattice_nodes(table: Microdata, search: LatticeSearch, *, step: int | None = None) -> pd.DataFrame:
    """All nodes of the lattice as they stand after so many checks of a search; after all of them unless given.

    One row per node: ``node`` (its levels), ``height``, ``loss`` and ``entropy`` (GCP and non-uniform entropy of the levels,
    nobody being suppressed), ``holds`` (whether the rule does, in truth), ``state`` (what is known after the step: holds, fails,
    unknown) and ``check`` (its number, or 0).

    >>> import ppdp_lab as pl
    >>> table = pl.datasets.examples.speedy.table_16()
    >>> nodes = lattice_nodes(table, pl.Flash(pl.KAnonymity(2)), step=1)
    >>> nodes["state"].value_counts().to_dict(), nodes.loc[nodes["check"] == 1, "node"].item()
    ({'unknown': 28, 'fails': 8}, '1,0,3')
    """
    return after(*searched(table, search), step)


def with_hierarchies(table: Microdata) -> Microdata:
    """The table, with a hierarchy for every quasi-identifier: one that has none gets default intervals, or all or nothing.

    >>> import ppdp_lab as pl
    >>> frame = pd.DataFrame({"age": range(20, 47), "sex": ["f", "m", "f"] * 9})
    >>> table = with_hierarchies(pl.Microdata(frame, pl.Schema(["age", "sex"])))
    >>> [table.hierarchies[name].levels(value) for name, value in (("age", 21), ("sex", "f"))]
    [['21', '[20, 21]', '[20, 23]', '[20, 27]', '[20, 35]', '*'], ['f', '*']]
    """
    lacking = {d.name: d for d in table.qi_domains if d.hierarchy is None}
    if not lacking:
        return table
    codes = dict(zip(table.schema.quasi_identifiers, table.qi_codes))
    frame = table.frame.assign(**{name: domain.labels[codes[name]] for name, domain in lacking.items()})
    said = {name: values for name, values in table.schema.domains.items() if name not in lacking}
    roles = table.schema
    schema = Schema(roles.quasi_identifiers, roles.sensitive, roles.identifiers, said)
    trees = {name: _plain(domain) for name, domain in lacking.items()}
    trees = table.hierarchies | trees
    return Microdata(frame, schema, trees, table.ids, provenance=table.provenance, missing=table.missing)


def _plain(domain: Domain) -> Hierarchy:
    """The default intervals of full-domain generalization where values have an order; else all or nothing."""
    if domain.kind == "ordered":
        return default_hierarchy(domain)
    return Hierarchy.from_levels({value: ["*"] for value in domain.labels[: domain.known]})


def searched(table: Microdata, search: LatticeSearch) -> tuple[SearchResult, np.ndarray, list[np.ndarray]]:
    """What a search finds, what it would say of every node, and what each level of each quasi-identifier loses."""
    size = math.prod(d.hierarchy.height + 1 for d in table.qi_domains if d.hierarchy is not None)
    if size > MOST_NODES:
        raise ParameterError(
            f"the lattice of these quasi-identifiers has {size:,} nodes, too many to draw; pick fewer of them"
        )
    result = search.search(table)
    # Samarati's search does not ask about every node; Flash's answers are those of any search that does.
    truth = Flash(search.rule, suppression=search.suppression).search(table).lattice.state
    return result, truth, _loss_table(table)


def after(result: SearchResult, truth: np.ndarray, losses: list[np.ndarray], step: int | None) -> pd.DataFrame:
    """The nodes of a lattice after so many checks; see :func:`lattice_nodes`."""
    lattice = Lattice(result.lattice.distinct)
    order = np.zeros(lattice.shape, dtype=np.int64)
    for number, node in enumerate(result.checked[:step], start=1):
        whole = tuple(top if level is None else level for level, top in zip(node, lattice.top))
        holds = truth[whole] == HOLDS
        if None not in node:
            order[whole] = number
        if None not in node or not holds:  # of a smaller subset only a failure says something about all of them
            lattice.tag(whole, bool(holds))
    levels = np.array(np.unravel_index(np.arange(lattice.size), lattice.shape)).T
    frame = pd.DataFrame(
        {
            "node": [",".join(map(str, row)) for row in levels.tolist()],
            "height": levels.sum(axis=1),
            "loss": np.mean([loss[0, column] for loss, column in zip(losses, levels.T)], axis=0),
            "entropy": np.mean([loss[1, column] for loss, column in zip(losses, levels.T)], axis=0),
            "holds": (truth == HOLDS).reshape(-1),
            "state": [STATES[state] for state in lattice.state.reshape(-1).tolist()],
            "check": order.reshape(-1),
        }
    )
    frame.attrs[COLUMNS] = list(result.quasi_identifiers)
    return frame


def _loss_table(table: Microdata) -> list[np.ndarray]:
    """Loss of each level of each quasi-identifier by two metrics; that of a node is the mean over its levels."""
    out = []
    everything = Flash(KAnonymity(1))
    for domain in table.qi_domains:
        alone = table.project([domain.name])
        assert domain.hierarchy is not None  # the search has refused others
        levels = [everything.generalize(alone, (level,)) for level in range(domain.hierarchy.height + 1)]
        out.append(
            np.array([[metric(level) for level in levels] for metric in (metrics.gcp, metrics.non_uniform_entropy)])
        )
    return out


def checks_of(result: SearchResult) -> list[str]:
    """Each check of a search in words.

    >>> import ppdp_lab as pl
    >>> table = pl.datasets.examples.speedy.table_16()
    >>> checks_of(pl.Incognito(pl.KAnonymity(2)).search(table))[:2]
    ['birthplace at level 0', 'birthplace at level 1']
    """
    names = result.quasi_identifiers
    return [
        ", ".join(f"{name} at level {level}" for name, level in zip(names, node) if level is not None)
        for node in result.checked
    ]


# --------------------------------------------------------------------
# A lattice, bottom up: colour is loss, shape is what a search knows, and numbers are the order of its checks.


SHAPES = {"holds": ("o", "rule holds"), "fails": ("s", "rule fails"), "unknown": ("D", "not known yet")}
ROOM = 12  # nodes side by side whose names can be read
COLOURS = mpl.colormaps["cividis_r"]  # alike for colour-blind readers, and dark means much in grey, too


def draw_lattice(nodes: pd.DataFrame) -> Figure:
    """The nodes of a lattice as ``explore.lattices.lattice_nodes`` gives them; each has its name as ``gid``."""
    with plotting.look():
        figure, ax = plotting.figure(width=8.4, height=5.6)
        levels = np.array([list(map(int, name.split(","))) for name in nodes["node"]])
        place = places(levels)
        widest = int(nodes["height"].value_counts().max())
        size = 620 if widest <= ROOM else max(40, 620 * ROOM**2 / widest**2)
        lines = LineCollection(
            [place[[a, b]] for a, b in edges(levels)], colors=plotting.FAINT, linewidths=0.8, zorder=1
        )
        ax.add_collection(lines)
        latest = int(nodes["check"].max())
        for row, (x, y) in zip(nodes.itertuples(), place.tolist()):
            _node(ax, row, (x, y), size, latest, named=widest <= ROOM)
        ax.set_ylabel("height: sum of the levels")
        if columns := nodes.attrs.get(COLUMNS):
            ax.set_xlabel(letters(f"a node: the levels of {', '.join(columns)}"))
        ax.set_yticks(range(int(nodes["height"].max()) + 1))
        ax.set_xticks([])
        ax.spines["bottom"].set_visible(False)
        ax.grid(False)
        ax.margins(0.06, 0.09)
        shades = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 1), COLOURS.resampled(50))  # each is drawn by itself
        figure.colorbar(shades, ax=ax, label="loss of the levels (GCP, share)", fraction=0.035, pad=0.02)
        figure.legend(handles=_key(), loc="outside upper left", ncols=5)
        return figure


def gid(node: str) -> str:
    """The name of a node's mark in the drawing."""
    return f"node-{node.replace(',', '-')}"


def _node(ax: Axes, row: object, at: tuple[float, float], size: float, latest: int, *, named: bool) -> None:
    loss, check, state = float(row.loss), int(row.check), str(row.state)  # type: ignore[attr-defined]
    fill = COLOURS(loss)
    now = check and check == latest
    scale = 0.55 if state == "unknown" and not check else 1.0
    x, y = at
    (mark,) = ax.plot(  # a scatter for each node would take several times as long
        [x], [y], marker=SHAPES[state][0], markersize=(size * scale) ** 0.5, linestyle="none", color=fill, zorder=3,
        markeredgecolor=plotting.INK if check else "#999999", markeredgewidth=1.8 if check else 0.8,
    )  # fmt: skip
    if now:  # a second ring: the colour alone is lost on a node of like lightness
        ax.plot(
            [x], [y], marker=SHAPES[state][0], markersize=(1.8 * size) ** 0.5, linestyle="none", color="none", zorder=2,
            markeredgecolor=plotting.COLOURS[1], markeredgewidth=2.2,
        )  # fmt: skip
    name = str(row.node)  # type: ignore[attr-defined]
    mark.set_gid(gid(name))
    if named:
        dark = np.dot(fill[:3], (0.299, 0.587, 0.114)) < 0.55
        ax.text(
            x, y, name, ha="center", va="center", fontsize=7, zorder=4, color="white" if dark else "black"
        ).set_in_layout(False)
        if check:
            beside = ScaledTranslation(19 / 72, 11 / 72, ax.figure.dpi_scale_trans)
            ax.text(
                x, y, str(check), transform=ax.transData + beside, fontsize=8, fontweight="bold", zorder=5,
                ha="center", va="baseline",
            ).set_in_layout(False)  # fmt: skip


def _key() -> list[Line2D]:
    marks = [
        Line2D(
            [], [], marker=shape, linestyle="", color="#bbbbbb", markeredgecolor="#999999", markersize=8, label=words
        )
        for shape, words in SHAPES.values()
    ]
    rings = ((plotting.INK, 6, "checked (number)"), (plotting.COLOURS[1], 11, "checked last (outer ring)"))
    for colour, size, words in rings:
        marks.append(
            Line2D(
                [], [], marker="o", linestyle="", color="white", markeredgecolor=colour, markeredgewidth=2,
                markersize=size, label=words,
            )
        )  # fmt: skip
    return marks


# --------------------------------------------------------------------
# Lattice: all combinations of levels, and the order in which a search checks them.


SEARCHES: dict[str, type[LatticeSearch]] = {kind.__name__: kind for kind in (Samarati, Incognito, Flash)}
SHARES = (0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
MOST = 8  # minimal solutions in the table
_FIRST = ("age", "education", "sex")  # of the default table: few enough to read every node


class Lattices(Explorer):
    """A lattice and a search through it, check by check."""

    title = "Lattice"
    look = (
        "Move the step and see how one check settles many nodes: below a node that fails everything fails, above one that holds "
        "everything holds. Compare how many checks Samarati, Incognito and Flash need for the same border, and watch the border "
        "sink when a few people may be left out."
    )

    def __init__(self, table: Any = None, schema: Schema | None = None) -> None:
        self._tables = Tables(table, schema, default="adult-arx")
        self._kept = Kept()

    def knobs(self) -> tuple[Knob, ...]:
        """Table, quasi-identifiers, k, suppression, search and step."""
        return (
            self._tables.knob(),
            self._columns(self._tables[self._tables.first]),
            Whole("k", "k (people)", 5, 2, 200),
            Stops("suppression", "left out, at most", 0.0, options=SHARES, words={s: f"{100 * s:g}%" for s in SHARES}),
            Pick("search", "search", "Flash", options=tuple(SEARCHES)),
            Whole("step", "step (checks)", 5, 0, 40),
        )

    def _columns(self, table: Microdata) -> Several:
        names = table.schema.quasi_identifiers
        first = tuple(name for name in names if name in _FIRST)
        return Several("columns", "columns", first if len(first) > 1 else names[:3], options=names)

    def fitted(self, state: Mapping[str, Any]) -> tuple[Knob, ...]:
        """The quasi-identifiers of the table."""
        return (self._columns(self._tables[state["table"]]),)

    def show(self, state: Mapping[str, Any], work: Work) -> Shown:
        """The lattice after a number of checks."""
        work.step(0, 3, "reading the table")
        table = self._tables[state["table"]]
        columns = self._columns(table).kept(state["columns"])
        part = table.project(columns.value)
        plain = [domain.name for domain in part.qi_domains if domain.hierarchy is None]
        search = SEARCHES[state["search"]](KAnonymity(state["k"]), suppression=state["suppression"])
        work.step(1, 3, "searching")
        result, truth, losses = self._searched(state, columns.value, part, search)
        steps = len(result.checked)
        step = min(state["step"], steps)
        nodes = after(result, truth, losses, step)
        work.step(2, 3, "drawing")
        known = int((nodes["state"] != "unknown").sum())
        checks = checks_of(result)
        says = (
            f"{state['search']} needs {steps} checks for {len(nodes)} nodes. After {step} of them {known} nodes are known"
            f"{f'; the last one looked at {checks[step - 1]}' if step else ''}. "
        )
        if result.best is None:
            says += "No node keeps the rule."
        else:
            best = nodes.set_index("node").loc[",".join(map(str, result.best))]
            says += f"At the end it chooses {best.name}, which loses {_losses(best)}"
            says += ", not counting people who are left out." if search.suppression else "."
        if plain:
            says += (
                f" The table has no hierarchy for {', '.join(plain)}: ordered values are generalized to default intervals, "
                f"text to '*'."
            )
        return Shown(
            figure=draw_lattice(nodes),
            alt=f"A lattice of {len(nodes)} nodes, lowest levels below, coloured by loss. {says}",
            says=says,
            facts=self._facts(columns.value, result.minimal),
            code=script(
                self._tables.code(state["table"]),
                f"table = table.project({list(columns.value)!r})",
                *(["table = explore.lattices.with_hierarchies(table)"] if plain else ()),
                f"search = {search!r}",
                f"nodes = explore.lattices.lattice_nodes(table, search, step={step})",
                "figure = explore.lattices.draw_lattice(nodes)",
                "plotting.show(figure)",
            ),
            hover={gid(row.node): _words(row, columns.value) for row in nodes.itertuples()},
            knobs=(columns, Whole("step", "step (checks)", step, 0, steps)),
        )

    def _searched(
        self, state: Mapping[str, Any], columns: tuple[str, ...], part: Microdata, search: LatticeSearch
    ) -> Any:
        """What a search finds, kept while only the step changes."""
        key = (state["table"].strip(), columns, repr(search))
        return self._kept.get(key, lambda: searched(with_hierarchies(part), search))

    @staticmethod
    def _facts(columns: tuple[str, ...], minimal: list[tuple[int, ...]]) -> list[Any]:
        """The minimal solutions: the lowest nodes that keep the rule."""
        rows: list[Any] = [(",".join(map(str, node)), *(f"level {level}" for level in node)) for node in minimal[:MOST]]
        if len(minimal) > MOST:
            rows.append((f"and {len(minimal) - MOST} more", *("" for _ in columns)))
        return [("minimal solutions", *columns), *(rows or [("none", *("" for _ in columns))])]


def _words(row: Any, columns: tuple[str, ...]) -> str:
    levels = ", ".join(f"{name} level {level}" for name, level in zip(columns, row.node.split(",")))
    how = f"check {row.check}" if row.check else "no check of its own"
    known = {"holds": "the rule holds", "fails": "the rule fails", "unknown": "not known yet"}[row.state]
    return f"{levels}: loss {_losses(row)}; {known}; {how}"


def _losses(row: Any) -> str:
    return f"{row.loss:.1%} (GCP) or {row.entropy:.1%} (non-uniform entropy)"


@EXPLORERS.add(accepts="quasi-identifiers, best with hierarchies", promises=Lattices.look, paper="Samarati, TKDE 2001")
def lattice(table: Any = None, schema: Schema | None = None, **knobs: Any) -> Any:
    """The lattice of levels coloured by loss, and a replay of Samarati's, Incognito's and Flash's search through it.

    Parameters
    ----------
    table : str, path, Microdata or DataFrame, optional
        A data set's name, a TOML file, a table, or a frame with its ``schema``.
    schema : Schema, optional
    **knobs
        Knobs turned from the start, such as ``search="Incognito"``.
    """
    from ppdp_lab.explore.panel import Panel  # widgets are an extra: everything else here does without

    return Panel(Lattices(table, schema), knobs)
