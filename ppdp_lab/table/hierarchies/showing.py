"""What a hierarchy shows of itself in a notebook: a tree, whose branches a click opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab import pages

if TYPE_CHECKING:
    from ppdp_lab.table.hierarchies.hierarchy import Hierarchy

MOST_NODES, MOST_CHILDREN = 400, 30  # of larger trees the upper levels, and of wide nodes the first children


def tree_html(tree: Hierarchy) -> str:
    """The nodes under each other, from the root; how many leaves lie below each."""
    sizes = tree.level_sizes()
    lowest = next((level for level in range(tree.height + 1) if sum(sizes[level:]) <= MOST_NODES), tree.height)
    note = "" if lowest == 0 else f", shown down to level {lowest}"
    title = f"Hierarchy of {tree.n_leaves} leaves, nodes per level {'-'.join(map(str, sizes))}{note}"
    return pages.card(title, _branch(tree, tree.height, int(tree.ancestors[-1, 0]), lowest, opened=True))


def _branch(tree: Hierarchy, level: int, node: int, lowest: int, *, opened: bool = False) -> pages.Html:
    """A node and what is below it. A branch that is shorter than the tree repeats its leaf: it stands there once."""
    count = int(tree.leaf_counts[node])
    name = tree.labels[node]
    if level == lowest or node < tree.n_leaves:
        return pages.text(name if node < tree.n_leaves else f"{name} ({count} leaves)")
    below = np.unique(tree.ancestors[level - 1, tree.low[node] : tree.high[node] + 1])
    children = sorted(below.tolist(), key=lambda child: int(tree.low[child]))
    items: list[object] = [_branch(tree, level - 1, child, lowest) for child in children[:MOST_CHILDREN]]
    if len(children) > MOST_CHILDREN:
        items.append(f"and {len(children) - MOST_CHILDREN} more")
    words = pages.Html(f"{pages.text(name)} {pages.element('small', f'({count})')}")
    return pages.folded(words, pages.listing(items), opened=opened)
