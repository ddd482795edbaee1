"""The rooms and the one-way rule: each room imports only from those before it, and no room goes round in circles."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import networkx as nx
import pytest

import ppdp_lab

PACKAGE = Path(ppdp_lab.__file__).parent
ROOMS = [
    "versions", "errors", "text", "registry", "pages", "table", "io", "plotting", "datasets", "principles", "release", "metrics",
    "attacks", "anonymize", "republish", "holder", "lab", "sweep", "classroom", "explore", "cli",
]  # fmt: skip


def test_import_linter_keeps_every_contract() -> None:
    root = Path(__file__).parents[1]  # where the contracts stand, in pyproject.toml
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))",
    ]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def test_every_module_stands_in_a_room() -> None:
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in modules()}
    assert rooms - {"__init__", "__main__"} <= set(ROOMS), "a new room must be given its place in the order"


def test_no_room_imports_from_a_later_one() -> None:
    """The same rule by reading the sources, so that an import inside a function counts too."""
    wrong = []
    for path in modules():
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room not in ROOMS:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                parts = name.split(".")
                own = parts[0] == "ppdp_lab" and len(parts) > 1 and parts[1] in ROOMS
                if own and ROOMS.index(parts[1]) > ROOMS.index(room):
                    wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert not wrong


def test_kernels_are_private() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if "@njit" in text:
            assert path.name.startswith("_"), f"{path.name}: compiled kernels live in private modules"
            assert "cache=True" in text and "nogil=True" in text, path.name


def test_the_door_of_each_room_holds_public_names_only() -> None:
    for path in [PACKAGE / "__init__.py", *PACKAGE.glob("*/__init__.py")]:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        if path.parent == PACKAGE:  # the front door loads names on first use
            body = [node for node in body if not isinstance(node, (ast.FunctionDef, ast.If))]
        kinds = {type(node) for node in body}
        assert kinds <= {ast.Expr, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign}, path


def test_all_public_names_exist() -> None:
    for name in ppdp_lab.__all__:
        assert hasattr(ppdp_lab, name) and getattr(ppdp_lab, name).__doc__, name
    assert {"io", "release", "KAnonymity"} <= set(ppdp_lab.__all__) <= set(dir(ppdp_lab))
    with pytest.raises(AttributeError, match="module 'ppdp_lab' has no attribute 'Mondrain'"):
        ppdp_lab.Mondrain  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, ppdp_lab.cli; print(sorted({'numpy', 'pandas', 'numba', 'scipy', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Rooms that still import another room's kernels, with the kernels: to be taken off one by one.
BORROWED: set[tuple[str, str]] = set()  # (who, whose): none at present


def imported_names(path: Path) -> set[str]:
    """Full names that a source imports, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def private_imports() -> set[tuple[str, str]]:
    """(room, private module of another room) for every import of one: a sub-room is a room of its own."""
    found = set()
    for path in modules():
        here = ["ppdp_lab", *path.relative_to(PACKAGE).parent.parts]
        for parts in (name.split(".") for name in imported_names(path)):
            private = next(
                (i for i, part in enumerate(parts) if part.startswith("_") and not part.endswith("__")), None
            )
            if parts[0] != "ppdp_lab" or private is None:
                continue
            home = PACKAGE.joinpath(*parts[1:private])
            if (home / f"{parts[private]}.py").exists() and parts[:private] != here:
                found.add((".".join(here[1:]), ".".join(parts[1 : private + 1])))
    return found


def test_no_room_imports_another_rooms_private_module() -> None:
    found = private_imports()
    assert not found - BORROWED, "offer what is needed under a public name of its room"
    assert not BORROWED - found, "no longer borrowed: take it off the list"


def test_a_leading_underscore_means_a_kernel() -> None:
    for path in PACKAGE.rglob("_*.py"):
        assert path.name in ("__init__.py", "__main__.py") or "njit" in path.read_text(encoding="utf-8"), path


def test_no_module_of_attacks_or_metrics_has_the_name_of_what_its_room_offers() -> None:
    for door in [*PACKAGE.glob("attacks/**/__init__.py"), *PACKAGE.glob("metrics/**/__init__.py")]:
        room = import_module(".".join(["ppdp_lab", *door.parent.relative_to(PACKAGE).parts]))
        sources = {path.stem for path in door.parent.glob("*.py")}
        beside = sources | {path.parent.name for path in door.parent.glob("*/__init__.py")}
        for name in beside & set(room.__all__):
            assert isinstance(getattr(room, name), ModuleType), f"{room.__name__}.{name} hides the module of that name"


def test_the_package_has_one_of_each() -> None:
    for name in ("Cells", "Regions", "TOLERANCE", "Verdict", "ClaimVerdict"):
        made = []
        for path in modules():
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                targets = node.targets if isinstance(node, ast.Assign) else []
                named = [node.name] if isinstance(node, ast.ClassDef) else [ast.unparse(target) for target in targets]
                made += [str(path.relative_to(PACKAGE))] * named.count(name)
        assert len(made) == 1, f"{name} is defined in {made}"


# A package inside a room is a room of its own; for the room that holds it, it is one module.
PACKAGES = sorted(path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*/__init__.py"))


def members(room: Path) -> dict[str, list[Path]]:
    """Modules and sub-rooms of a room, and their sources."""
    found = {path.stem: [path] for path in sorted(room.glob("*.py")) if path.name != "__init__.py"}
    return found | {door.parent.name: sorted(door.parent.rglob("*.py")) for door in sorted(room.glob("*/__init__.py"))}


def imports(path: Path) -> Iterator[str]:
    """Full names that a source imports when it is loaded itself: not inside functions, not for type checkers alone."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
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


@pytest.mark.parametrize("room", PACKAGES)
def test_the_modules_of_a_room_do_not_import_each_other_in_circles(room: str) -> None:
    circles = [sorted(ring) for ring in nx.strongly_connected_components(graph_of(PACKAGE / room)) if len(ring) > 1]
    assert not circles


@pytest.mark.parametrize("room", [room for room in PACKAGES if room.startswith("lab")])
def test_a_door_of_the_lab_holds_public_names_and_none_of_a_module(room: str) -> None:
    """`lab.finish` is the function, whatever is imported first: no module has the name of what its room exports."""
    tree = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))
    assert {type(node) for node in tree.body} <= {ast.Expr, ast.ImportFrom, ast.Assign}
    exported = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert not exported & set(members(PACKAGE / room))
