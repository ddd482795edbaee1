"""Lattice: all combinations of levels, and the order in which a search checks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ppdp_lab.anonymize import Flash, Incognito, Samarati
from ppdp_lab.anonymize.lattice import LatticeSearch
from ppdp_lab.explore import drawings, measure
from ppdp_lab.explore.base import EXPLORERS, Explorer, Kept, Knob, Pick, Several, Shown, Stops, Whole, Work
from ppdp_lab.explore.code import script
from ppdp_lab.explore.drawings.lattices import gid
from ppdp_lab.explore.given import Tables
from ppdp_lab.principles import KAnonymity
from ppdp_lab.table import Microdata, Schema

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
        nodes = measure.lattices.after(result, truth, losses, step)
        work.step(2, 3, "drawing")
        known = int((nodes["state"] != "unknown").sum())
        checks = measure.checks_of(result)
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
            figure=drawings.lattice(nodes),
            alt=f"A lattice of {len(nodes)} nodes, lowest levels below, coloured by loss. {says}",
            says=says,
            facts=self._facts(columns.value, result.minimal),
            code=script(
                self._tables.code(state["table"]),
                f"table = table.project({list(columns.value)!r})",
                *(["table = explore.measure.lattices.with_hierarchies(table)"] if plain else ()),
                f"search = {search!r}",
                f"nodes = explore.measure.lattice_nodes(table, search, step={step})",
                "figure = explore.drawings.lattice(nodes)",
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
        return self._kept.get(key, lambda: measure.lattices.searched(measure.lattices.with_hierarchies(part), search))

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
