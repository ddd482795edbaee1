"""The rooms and the one-way rule: each room imports only from those before it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ppdp_lab

PACKAGE = Path(ppdp_lab.__file__).parent
ROOMS = [
    "versions", "errors", "registry",
    "table", "datasets", "principles", "forms", "release", "metrics", "attacks", "anonymize", "republish",
    "holder", "plotting", "lab", "explore", "cli",
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
    listed = [*ppdp_lab._ROOMS, *(name for names in ppdp_lab._HOME.values() for name in names)]
    assert sorted(listed) == sorted(ppdp_lab.__all__) and set(ppdp_lab.__all__) <= set(dir(ppdp_lab))
    with pytest.raises(AttributeError, match="module 'ppdp_lab' has no attribute 'Mondrain'"):
        ppdp_lab.Mondrain  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, ppdp_lab.cli; print(sorted({'numpy', 'pandas', 'numba', 'scipy', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
