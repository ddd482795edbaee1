"""What a hierarchy shows of itself in a notebook: a tree, whose branches a click opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ppdp_lab import pages

if TYPE_CHECKING:
    from ppdp_lab.table.hierarchies.hierarchy import Hierarchy

MOST_NODES, MOST_CHILDREN = 400, 30  # of larger trees the upper levels, and of wide nodes the first children
MOST_LETTERS = 80


def tree_html(tree: Hierarchy) -> str:
    """The nodes under each other, from the root; how many leaves lie below each."""
    lowest = _lowest(tree)
    note = "" if lowest == 0 else f", shown down to level {lowest}"
    title = f"Hierarchy of {tree.n_leaves} leaves, nodes per level {'-'.join(map(str, tree.level_sizes()))}{note}"
    return pages.card(title, _branch(tree, tree.height, _root(tree), lowest, opened=True))


def _root(tree: Hierarchy) -> int:
    return int(tree.ancestors[-1, 0])


def _children(tree: Hierarchy, level: int, node: int) -> list[int]:
    """The nodes right below one of a level, in the order of their leaves."""
    below = np.unique(tree.ancestors[level - 1, tree.low[node] : tree.high[node] + 1])
    return sorted(below.tolist(), key=lambda child: int(tree.low[child]))


def _lowest(tree: Hierarchy) -> int:
    """The lowest level that can be shown without showing too many nodes, those that are left out not counted."""
    shown, count = [_root(tree)], 1
    for level in range(tree.height, 0, -1):
        shown = [child for node in shown for child in _children(tree, level, node)[:MOST_CHILDREN]]
        count += len(shown)
        if count > MOST_NODES:
            return level
    return 0


def _branch(tree: Hierarchy, level: int, node: int, lowest: int, *, opened: bool = False) -> pages.Html:
    """A node and what is below it. A branch that is shorter than the tree repeats its leaf: it stands there once."""
    count = int(tree.leaf_counts[node])
    name = pages.shortened(str(tree.labels[node]), MOST_LETTERS)
    if level == lowest or node < tree.n_leaves:
        return pages.text(name if node < tree.n_leaves else f"{name} ({count} leaves)")
    children = _children(tree, level, node)
    items: list[object] = [_branch(tree, level - 1, child, lowest) for child in children[:MOST_CHILDREN]]
    if len(children) > MOST_CHILDREN:
        items.append(f"and {len(children) - MOST_CHILDREN} more")
    words = pages.Html(f"{pages.text(name)} {pages.element('small', f'({count})')}")
    return pages.folded(words, pages.listing(items), opened=opened)
