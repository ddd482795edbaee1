"""Rooms stay small: at most ten modules, kernels not counted, and imports at most five deep within a room.

A room is a package. A sub-room is a room of its own; for the room that holds it, it is one module. Depth is the number of
modules on the longest chain of imports inside a room; modules that import each other count all together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

import ppdp_lab

PACKAGE = Path(ppdp_lab.__file__).parent
MODULES, DEPTH = 10, 5
# Rooms that break a limit, with their numbers of modules and depth: they may shrink, not grow. One that keeps the limits is
# taken off this list.
TOO_LARGE: dict[str, tuple[int, int]] = {}

ROOMS = sorted(path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*/__init__.py"))


def kernel(path: Path) -> bool:
    return path.name.startswith("_") and "njit" in path.read_text(encoding="utf-8")


def members(room: Path) -> dict[str, list[Path]]:
    """Modules and sub-rooms of a room, and their sources."""
    found = {path.stem: [path] for path in sorted(room.glob("*.py")) if path.name != "__init__.py"}
    return found | {door.parent.name: sorted(door.parent.rglob("*.py")) for door in sorted(room.glob("*/__init__.py"))}


def imports(path: Path) -> Iterator[str]:
    """Full names that a source imports; what stands there for the type checker alone does not count."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)]
    left_out = {id(node) for block in typing for statement in block.body for node in ast.walk(statement)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in left_out:
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom) and id(node) not in left_out:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def graph_of(room: Path) -> nx.DiGraph:
    """Who imports whom in a room; a name taken from the room's own door counts as the module that it comes from."""
    inside, name = members(room), ".".join(["ppdp_lab", *room.relative_to(PACKAGE).parts])
    door = {full.rpartition(".")[2]: full for full in imports(room / "__init__.py")}
    graph = nx.DiGraph()
    graph.add_nodes_from(inside)
    for member, sources in inside.items():
        for full in (full for path in sources for full in imports(path) if full.startswith(f"{name}.")):
            first = full.removeprefix(f"{name}.").partition(".")[0]
            if first not in inside:
                first = door.get(first, "").removeprefix(f"{name}.").partition(".")[0]
            if first in inside and first != member:
                graph.add_edge(member, first)
    return graph


def depth_of(graph: nx.DiGraph) -> int:
    rings = nx.condensation(graph)
    deep: dict[int, int] = {}
    for ring in reversed(list(nx.topological_sort(rings))):
        deep[ring] = len(rings.nodes[ring]["members"]) + max((deep[below] for below in rings[ring]), default=0)
    return max(deep.values(), default=0)


def measured(room: str) -> tuple[int, int]:
    inside = members(PACKAGE / room)
    counted = sum(not (len(sources) == 1 and kernel(sources[0])) for sources in inside.values())
    return counted, depth_of(graph_of(PACKAGE / room))


def test_depth_is_the_longest_chain_and_a_ring_counts_whole():
    assert depth_of(nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")])) == 3
    assert depth_of(nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])) == 3


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_small_and_shallow(room):
    modules, depth = measured(room)
    print(f"{room}: {modules} modules, {depth} deep")
    fits = modules <= MODULES and depth <= DEPTH
    if room not in TOO_LARGE:
        assert fits, f"{room} has {modules} modules (at most {MODULES}) and imports {depth} deep (at most {DEPTH})"
    else:
        assert not fits, f"{room} keeps the limits now: take it off the list of rooms that are too large"
        was = TOO_LARGE[room]
        assert modules <= was[0] and depth <= was[1], f"{room} had {was} modules and depth, and has {(modules, depth)}"


def test_the_list_of_rooms_that_are_too_large_names_rooms():
    assert set(TOO_LARGE) <= set(ROOMS) and not any(room.startswith("lab") for room in TOO_LARGE)


@pytest.mark.parametrize("room", [room for room in ROOMS if room.startswith("lab")])
def test_a_door_of_the_lab_holds_public_names_and_none_of_a_module(room):
    """`lab.finish` is the function, whatever is imported first: no module has the name of what its room exports."""
    tree = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))
    assert {type(node) for node in tree.body} <= {ast.Expr, ast.ImportFrom, ast.Assign}
    exported = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert not exported & set(members(PACKAGE / room))


def test_a_leading_underscore_in_the_lab_means_a_kernel():
    assert not [path for path in (PACKAGE / "lab").rglob("_*.py") if path.name != "__init__.py" and not kernel(path)]


def test_the_package_has_one_verdict():
    defined = [
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    assert defined.count("Verdict") == 1 and defined.count("ClaimVerdict") == 1
