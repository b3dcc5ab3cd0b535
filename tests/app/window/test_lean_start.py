"""A start imports and makes what it shows, and no more; what comes later comes whole."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.session.panes import Panes
from visualizer.app.settings.settings import Settings
from visualizer.app.settings.workspace_table import WORKSPACES
from visualizer.app.window.main_window import MainWindow
from visualizer.children import child_environment
from visualizer.programs.parameters import LessonConfig

LATER = (
    "babel",
    "pygments",
    "pyqtgraph",
    "numpy.ma",
    "numpy.random",
    "visualizer.app.commands.palette",
    "visualizer.app.files.export_dialog",
    "visualizer.app.lecture.editor",
    "visualizer.app.lecture.lecture",
    "visualizer.app.lecture.take_home",
    "visualizer.app.record.attach_dialog",
    "visualizer.app.record.experiment_panel",
    "visualizer.app.window.findable",
    "visualizer.cli.record",
    "visualizer.cli.stats",
    "visualizer.diagnosis.comparison",
    "visualizer.diagnosis.diagnose",
    "visualizer.diagnosis.predict",
    "visualizer.diagnosis.statistics",
    "visualizer.export.formats",
    "visualizer.playback.query.evaluate",
    "visualizer.playback.stories.load",
    "visualizer.programs.operations",
    "visualizer.sources.attach",
    "visualizer.sources.imports.registry",
    "visualizer.sources.registry",
    "visualizer.views.charts",
    "visualizer.views.compare",
    "visualizer.views.statistics",
    "visualizer.views.structure",
    "visualizer.views.tables.event_table_widget",
)
"""Not imported before the first picture of a recording is painted."""

_CHILD = """
import json, sys
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication
run = QApplication.exec

class Watch(QObject):
    painted = Signal()
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.painted.emit()
        return False

def watched(application):
    window = next(one for one in application.topLevelWidgets() if hasattr(one, "timeline"))
    watch = Watch(window)
    def note():
        if window.document is not None and window.isVisible():
            made = [name for name in window.panes if window.panes.made(name) is not None]
            seen = [name for name in window.docks.names if not window.docks[name].visibleRegion().isEmpty()]
            print(json.dumps({"modules": sorted(sys.modules), "made": made, "seen": seen}), flush=True)
            window.close()
    watch.painted.connect(note, Qt.ConnectionType.QueuedConnection)
    window.timeline.viewport().installEventFilter(watch)
    return run()

QApplication.exec = watched
sys.argv = ["phasescope"]
from visualizer.__main__ import main
sys.exit(main())
"""


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What is there when a start of the command has painted the lesson."""
    environment = child_environment() | {
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(tmp_path_factory.mktemp("settings")),
    }
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=120
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_what_is_not_shown_at_first_is_imported_later(started: dict[str, list[str]]) -> None:
    assert not [name for name in started["modules"] if any(f"{name}.".startswith(f"{later}.") for later in LATER)]


def test_what_is_to_come_later_is_there(started: dict[str, list[str]]) -> None:
    """Or the list above would hold nothing back."""
    code = "import importlib.util, sys; sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))"
    assert subprocess.run([sys.executable, "-c", code, *LATER], env=child_environment(), timeout=120).returncode == 0


def test_the_panes_that_are_seen_are_made_and_no_other(started: dict[str, list[str]]) -> None:
    assert sorted(started["made"]) == sorted(started["seen"])
    assert set(started["made"]) <= WORKSPACES["look"].open
    assert "code" in started["made"]


def test_a_pane_is_made_when_it_is_first_shown_with_all_there_is(window: MainWindow) -> None:
    later = [name for name in window.panes if window.panes.made(name) is None]
    assert len(later) > 8
    for name in later:
        window.show_pane(name)
        QApplication.processEvents()
        pane = window.panes.made(name)
        assert pane is not None, name
        assert window.docks[name].isAncestorOf(pane), name
        assert not pane.visibleRegion().isEmpty(), name


def test_a_pane_that_is_made_late_shows_what_was_told_before(
    window: MainWindow, make_document: Callable[..., Document], qtbot: QtBot
) -> None:
    window.breakpoints.add("kind == arrive")
    window.noting.toggle_mark()
    assert window.panes.made("breakpoints") is window.panes.made("notes") is None
    assert window.panes["breakpoints"].list.topLevelItemCount() == 1
    assert window.panes["notes"].rows.rowCount() == 1
    window.show_document(make_document(LessonConfig(tiles=5)))
    assert window.experiment.form.parameters()["tiles"] == 5
    window.show_pane("tiles")
    qtbot.waitUntil(lambda: not window.panes["tiles"].visibleRegion().isEmpty())


def test_a_window_comes_back_with_the_panes_it_was_left_with(
    make_window: Callable[[], MainWindow], settings: Settings
) -> None:
    first = make_window()
    first.show_pane("events")
    QApplication.processEvents()
    open_ = first.docks.open
    first.close()
    again = make_window()
    QApplication.processEvents()
    assert again.docks.open == open_
    assert again.panes.made("events") is not None
    assert again.panes.made("statistics") is None


def test_panes_are_made_once_and_told_in_order() -> None:
    told: list[object] = []
    panes = Panes(("a", "b"), lambda name: told.append(f"make {name}") or object())  # type: ignore[arg-type, return-value]
    panes.when_made("a", lambda pane: told.append("first"))
    panes.when_made("a", lambda pane: told.append("second"))
    assert ("a" in panes, "c" in panes, panes.made("a"), list(panes)) == (True, False, None, ["a", "b"])
    assert panes["a"] is panes["a"] is panes.made("a")
    panes.when_made("a", lambda pane: told.append("late"))
    assert told == ["make a", "first", "second", "late"]
    with pytest.raises(KeyError):
        panes["c"]


def test_a_command_is_imported_without_the_others(tmp_path: Path) -> None:
    code = (
        "import sys; from visualizer.cli.main import main; sys.argv = ['phasescope', 'show', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('\\n'.join(name for name in sys.modules if name.startswith('visualizer.cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_environment(), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    imported = done.stdout.split()
    assert "visualizer.cli.show" in imported
    assert not {"visualizer.cli.attach", "visualizer.cli.explore", "visualizer.cli.open"} & set(imported)
