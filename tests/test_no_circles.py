"""No file imports itself by way of others, those included that are imported for types alone or when used."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(source: str, modules: set[str]) -> set[str]:
    """Which of the modules it imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names if names <= modules else names | {node.module}
    return found & modules


def test_no_file_imports_itself_by_way_of_others() -> None:
    paths = {module_name(path): path for path in (ROOT / "visualizer").rglob("*.py")}
    graph = {name: imported(path.read_text(encoding="utf-8"), set(paths)) - {name} for name, path in paths.items()}
    assert len(graph) > 500
    TopologicalSorter(graph).prepare()


def test_a_circle_of_types_alone_is_one() -> None:
    modules = {"a", "b"}
    for_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import A\n"
    graph = {"a": imported("from b import B", modules), "b": imported(for_types, modules)}
    with pytest.raises(CycleError):
        TopologicalSorter(graph).prepare()
