"""Other Pythons of ours import nothing from the folder that a person happens to be in."""

from __future__ import annotations

import ast
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import visualizer
from visualizer.children import child_command, child_environment
from visualizer.cli.doctor import examine_qt
from visualizer.sources.errors import SourceError
from visualizer.sources.runner.find_gpu import find_gpu

LIBRARIES = ("base64", "json", "numpy", "visualizer", "PySide6", "cupy", "random", "signal")
SOURCE = Path(visualizer.__file__).parent


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder has modules of libraries' names, each of which leaves a mark when it is imported."""
    for name in LIBRARIES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'a').write({name!r})\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ":")
    return tmp_path / "sprung"


def test_doctor_and_the_gpu_worker_spring_no_trap(traps: Path) -> None:
    assert examine_qt()
    with suppress(SourceError):  # there is no GPU, or no CuPy
        find_gpu()
    assert not traps.exists()


def test_a_child_finds_this_phasescope(traps: Path) -> None:
    done = subprocess.run(child_command("visualizer", "--version"), env=child_environment(), capture_output=True)
    assert done.stdout.startswith(b"phasescope ")
    assert not traps.exists()


def test_nobody_starts_a_python_otherwise() -> None:
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        uses = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "executable"]
        assert not uses or path.name == "children.py", path
    assert sys.executable in child_command("x")
