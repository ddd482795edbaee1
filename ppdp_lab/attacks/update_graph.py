"""The sensitive attribute update graph (SUG) of one person: to look at, to draw, and to calculate with.

References
----------
.. [1] F. Li, S. Zhou, "Challenging more updates: towards anonymous re-publication of fully dynamic datasets", 2008,
   section III.
"""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ppdp_lab import pages
from ppdp_lab.attacks.background import Background
from ppdp_lab.attacks.inputs import check_series, sensitive_values
from ppdp_lab.attacks.units import histories
from ppdp_lab.attacks.updating import EQUAL, MODEL, model_of, shares
from ppdp_lab.errors import ParameterError, check_choice, check_integer, check_items, listed
from ppdp_lab.release.forms import Published
from ppdp_lab.text import OneLine, cut

if TYPE_CHECKING:
    import networkx as nx  # not at run time: only drawing needs it
    from matplotlib.figure import Figure


MOST_VALUES = 5


@dataclass(frozen=True, eq=False)
class SensitiveUpdateGraph(OneLine):
    """One person's candidate values, level by level, and the updates that may lead from one to the next (Definition 10).

    Attributes
    ----------
    levels : tuple of tuples
        Candidate values of each version, the nodes.
    weights : tuple of arrays
        Weight of each node: the share of its value in the person's group.
    chances : tuple of matrices
        From each level to the next, the probability of each update; 0 where there is no edge.
    releases : tuple of int
        The release of each version.
    edges : {"equal", "model"}
        What an edge weighs: an equal share of the edges that leave its node in the feasible graph, or the model's chance.
    person : object
        Whose graph it is.

    Examples
    --------
    >>> graph = SensitiveUpdateGraph.from_edges([[1, 2, 3], [3, 4], [2, 3, 4]],
    ...                                         [[(1, 3), (2, 3), (2, 4), (3, 3)], [(3, 2), (4, 3), (4, 4)]])
    >>> {path: round(1 / weight) for path, weight in graph.paths().items()}
    {(1, 3, 2): 18, (2, 3, 2): 36, (2, 4, 3): 72, (2, 4, 4): 72, (3, 3, 2): 18}
    >>> [round(1 / risk) for risk in graph.risks([2, 4, 3])]  # Example 4 of the paper
    [3, 6, 12]
    """

    levels: tuple[tuple[Hashable, ...], ...]
    weights: tuple[np.ndarray, ...]
    chances: tuple[np.ndarray, ...]
    releases: tuple[int, ...]
    edges: str = EQUAL
    person: object = None

    @classmethod
    def of(
        cls,
        series: Sequence[Published],
        background: Background,
        person: object,
        *,
        edges: str = EQUAL,
        attribute: str | None = None,
    ) -> SensitiveUpdateGraph:
        """A person's graph, from what was published and what is known; parameters as for
        :func:`~ppdp_lab.attacks.updating.update_risks`."""
        check_choice("edges", edges, (EQUAL, MODEL))
        releases, background = check_series(series, background)
        alone = background.about([person])
        times = np.array(background.times)
        values = sensitive_values(releases, attribute)
        domain = values.domains[0]
        units, history = histories(releases, alone)
        here = np.flatnonzero(history[0] >= 0).tolist()
        in_groups = values.of_groups(releases)
        codes, weights = [], []
        for number in here:
            cells = units[number].pool(in_groups[number])
            at = slice(*cells.offsets[history[0, number] : history[0, number] + 2])
            codes.append(cells.values[at])
            weights.append(shares(cells)[at])
        model = model_of(background, domain)
        chances = []
        for i, gap in enumerate(np.diff(times[here]).tolist()):
            after = np.where(model.reach(gap), np.maximum(model.chances_after(gap), 1e-300), 0.0)
            chances.append(model.over(domain, after)[np.ix_(codes[i], codes[i + 1])])
        levels = tuple(tuple(domain.labels[level].tolist()) for level in codes)
        return cls(levels, tuple(weights), tuple(chances), tuple(here), edges, person)

    @classmethod
    def from_edges(cls, levels: Sequence[Sequence[Hashable]], edges: Sequence[Any]) -> SensitiveUpdateGraph:
        """From the nodes of each level, equally likely, and the pairs of nodes between one level and the next."""
        nodes = tuple(_values("a level", level) for level in check_items("levels", levels))
        pairs = [check_items("edges", some) for some in check_items("edges", edges)]
        if not nodes or not all(nodes) or len(pairs) != len(nodes) - 1:
            raise ParameterError("give levels that are not empty, and for all but the last its edges to the next")
        chances = []
        for before, after, some in zip(nodes, nodes[1:], pairs):
            matrix = np.zeros((len(before), len(after)))
            for pair in some:
                ends = _values("an edge", pair)
                if len(ends) != 2 or ends[0] not in before or ends[1] not in after:
                    raise ParameterError(f"the edge {ends} does not lead from a node of its level to one of the next")
                matrix[before.index(ends[0]), after.index(ends[1])] = 1.0
            chances.append(matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1))
        weights = tuple(np.full(len(level), 1 / len(level)) for level in nodes)
        return cls(nodes, weights, tuple(chances), tuple(range(len(nodes))))

    # ------------------------------------------------------------------ what can be
    def alive(self) -> list[np.ndarray]:
        """Per level, which nodes lie on a path from the first level to the last: what Definition 11 does not delete."""
        ahead: list[Any] = [np.ones(len(self.levels[0]), dtype=bool)]
        for matrix in self.chances:
            ahead.append((matrix[ahead[-1]] > 0).any(axis=0))
        kept = [ahead[-1]]
        for matrix, reached in zip(self.chances[::-1], ahead[-2::-1]):
            kept.append(reached & (matrix[:, kept[-1]] > 0).any(axis=1))
        return kept[::-1]

    def feasible(self) -> SensitiveUpdateGraph:
        """The feasible sub-graph (Definition 11): nodes keep their weights."""
        kept = self.alive()
        levels = tuple(tuple(v for v, is_left in zip(level, mask) if is_left) for level, mask in zip(self.levels, kept))
        chances = tuple(matrix[np.ix_(a, b)] for matrix, a, b in zip(self.chances, kept, kept[1:]))
        weights = tuple(w[mask] for w, mask in zip(self.weights, kept))
        return SensitiveUpdateGraph(levels, weights, chances, self.releases, self.edges, self.person)

    def edge_weights(self) -> list[np.ndarray]:
        """Per pair of levels the weight of every feasible edge."""
        kept = self.alive()
        out = []
        for matrix, before, after in zip(self.chances, kept, kept[1:]):
            matrix = np.where(before[:, None] & after, matrix, 0.0)
            degree = np.maximum((matrix > 0).sum(axis=1, keepdims=True), 1)
            out.append((matrix > 0) / degree if self.edges == EQUAL else matrix)
        return out

    def paths(self, limit: int = 10_000) -> dict[tuple[Hashable, ...], float]:
        """Every feasible path and its weight (equation 1), for small graphs; refuses more than ``limit`` of them."""
        limit = check_integer("limit", limit, at_least=1)
        kept, edges = self.alive(), self.edge_weights()
        found: dict[tuple[int, ...], float] = {(j,): float(w) for j, w in enumerate(self.weights[0]) if kept[0][j]}
        for level, matrix in zip(self.weights[1:], edges):
            found = {
                (*path, k): weight * matrix[path[-1], k] * level[k]
                for path, weight in found.items()
                for k in np.flatnonzero(matrix[path[-1]]).tolist()
            }
            if len(found) > limit:
                raise ParameterError(
                    f"the graph has more than limit = {limit} paths; use posterior(), which lists none"
                )
        return {tuple(level[k] for level, k in zip(self.levels, path)): float(w) for path, w in found.items()}

    # ------------------------------------------------------------------ how likely it is
    def posterior(self) -> list[dict[Hashable, float]]:
        """Per level the probability of each value that is left (equation 2), by sums over the two halves of the paths."""
        edges, kept = self.edge_weights(), self.alive()
        ahead = [self.weights[0] * kept[0]]
        for weights, matrix in zip(self.weights[1:], edges):
            ahead.append(_scaled(weights * (ahead[-1] @ matrix)))
        behind = [np.ones(len(self.levels[-1]))]
        for weights, matrix in zip(self.weights[:0:-1], edges[::-1]):
            behind.append(_scaled(matrix @ (weights * behind[-1])))
        shares_left = [_scaled(a * b) for a, b in zip(ahead, behind[::-1])]
        return [
            {value: float(p) for value, p, is_left in zip(level, row, mask) if is_left}
            for level, row, mask in zip(self.levels, shares_left, kept)
        ]

    def risks(self, truth: Sequence[Hashable]) -> list[float]:
        """Disclosure risk of each version (Definition 8) for the true values, one per level; 0 for a value that cannot be."""
        truth = _values("truth", truth)
        if len(truth) != len(self.levels):
            raise ParameterError(f"give a true value for each of {len(self.levels)} versions, not {len(truth)}")
        for value, level in zip(truth, self.levels):
            if value not in level:
                raise ParameterError(f"the true value {value!r} is none of the candidates {listed(level)}")
        return [found.get(value, 0.0) for value, found in zip(truth, self.posterior())]

    def to_frame(self) -> pd.DataFrame:
        """One row per node: release, value, weight, whether it is left, and its probability."""
        rows = [
            (release, value, weight, value in found, found.get(value, 0.0))
            for release, level, weights, found in zip(self.releases, self.levels, self.weights, self.posterior())
            for value, weight in zip(level, weights.tolist())
        ]
        return pd.DataFrame(rows, columns=["release", "value", "weight", "left", "probability"])

    # ------------------------------------------------------------------ looking at it
    def _said(self) -> str:
        left = [int(mask.sum()) for mask in self.alive()]
        person = self.person.item() if isinstance(self.person, np.generic) else self.person
        whose = "" if person is None else f" of {person!r}"
        shown = ", ".join(f"{few} of {len(level)}" for few, level in zip(left, self.levels))
        return f"Update graph{whose}, {len(self.levels)} versions; values left in each: {shown}"

    def __repr__(self) -> str:
        return cut(f"<{self._said()}>")

    def _repr_html_(self) -> str:
        rows = []
        for release, level, found in zip(self.releases, self.levels, self.posterior()):
            likely = sorted(found.items(), key=lambda pair: -pair[1])[:MOST_VALUES]
            words = ", ".join(f"{value} {p:.0%}" for value, p in likely) or "none: no sequence of updates fits"
            rest = len(found) - len(likely)
            rows.append((release, len(level), len(found), words + (f" and {rest} more" if rest > 0 else "")))
        return pages.card(
            cut(self._said()), pages.table(("release", "values shown", "left", "which, how likely"), rows, limit=20)
        )

    def plot(self, truth: Sequence[Hashable] | None = None) -> Figure:
        """Drawn as a figure of its own; see :meth:`draw`."""
        from ppdp_lab import plotting

        deepest = max(map(len, self.levels), default=1)
        figure, ax = plotting.figure(width=max(3.2, 1.4 * len(self.levels)), height=max(2.4, 0.45 * deepest + 0.8))
        self.draw(ax, truth)
        drawn: Figure = figure
        return drawn

    def to_networkx(self) -> nx.DiGraph:
        """Nodes are (level, value), with weight, probability and ``left``; edges carry their chance, and ``left``, too."""
        import networkx as nx

        graph = nx.DiGraph()
        found = self.posterior()
        for i, (level, weights) in enumerate(zip(self.levels, self.weights)):
            for value, weight in zip(level, weights.tolist()):
                said = {"weight": weight, "probability": found[i].get(value, 0.0), "left": value in found[i]}
                graph.add_node((i, value), subset=i, **said)
        for i, matrix in enumerate(self.chances):
            for j, k in zip(*(at.tolist() for at in np.nonzero(matrix))):
                one, other = (i, self.levels[i][j]), (i + 1, self.levels[i + 1][k])
                left = graph.nodes[one]["left"] and graph.nodes[other]["left"]
                graph.add_edge(one, other, chance=float(matrix[j, k]), left=left)
        return graph

    def draw(self, ax: Any = None, truth: Sequence[Hashable] | None = None) -> Any:
        """Draw it, a column per version: what is not feasible is grey, true values are ringed."""
        import networkx as nx
        from matplotlib.figure import Figure

        if ax is None:
            ax = Figure(layout="constrained").subplots()
        graph = self.to_networkx()
        at = {(i, value): (i, -j) for i, level in enumerate(self.levels) for j, value in enumerate(level)}
        known = set() if truth is None else {(i, value) for i, value in enumerate(truth)}
        for left, colour, style in ((True, "#0072B2", "-"), (False, "0.75", ":")):
            nodes = [node for node, is_left in graph.nodes(data="left") if is_left == left]
            edges = [(a, b) for a, b, is_left in graph.edges(data="left") if is_left == left]
            ring = ["black" if node in known else colour for node in nodes]
            nx.draw_networkx_nodes(
                graph, at, nodelist=nodes, node_color=colour, edgecolors=ring, linewidths=2, ax=ax, node_size=260
            )
            nx.draw_networkx_edges(graph, at, edgelist=edges, edge_color=colour, style=style, ax=ax, node_size=260)
        for (_, value), (x, y) in at.items():
            ax.annotate(str(value), (x, y), xytext=(0, 12), textcoords="offset points", ha="center", fontsize=8)
        ax.margins(0.2)
        ax.set_axis_off()
        return ax


def _values(what: str, given: Any) -> tuple[Hashable, ...]:
    """A list of values that can be compared."""
    values = tuple(check_items(what, given))
    if not all(isinstance(value, (str, int, float, np.generic)) for value in values):
        raise ParameterError(f"{what} must hold plain values such as numbers or texts, not {reprlib.repr(values)}")
    return values


def _scaled(row: np.ndarray) -> np.ndarray:
    """The same proportions, adding up to 1: long series would leave the range of a float."""
    total = row.sum()
    return row / total if total > 0 else row
