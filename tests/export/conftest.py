"""What the tests of the export room share: writing a selection, and the recorded runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from visualizer.export.formats import export
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.recording.file import load
from visualizer.replay.history import History
from visualizer.resources import resource_dir

Export = Callable[..., Path]


@pytest.fixture(scope="session")
def recorded() -> History:
    """The lesson as an H200 ran it."""
    return History(load(resource_dir("assets") / "traces" / "lesson.pscope"))


@pytest.fixture(scope="session")
def four_ctas() -> History:
    return History(load(resource_dir("assets") / "traces" / "four-ctas.pscope"))


@pytest.fixture
def write(tmp_path: Path) -> Export:
    """`write(history, ".vcd", "10:20", ["producer"])` exports to a file with that ending and returns its path."""

    def run(
        history: History, suffix: str, range_: str = "", lanes: Sequence[str] = (), look: Look | None = None
    ) -> Path:
        path = tmp_path / f"export{suffix}"
        size = export(select(history, range_, lanes), path, look or Look())
        assert size == path.stat().st_size
        return path

    return run
