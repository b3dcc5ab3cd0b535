"""A window whose language was changed says and paints what one says that was opened in it: nothing of the former."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDockWidget,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from visualizer.app.session.document import Document
from visualizer.app.window.main_window import MainWindow
from visualizer.language import use
from visualizer.playback.focus import Focus
from visualizer.playback.stories.load import story_path
from visualizer.replay.history import History

_PROPERTIES = ("text", "toolTip", "accessibleName", "accessibleDescription", "placeholderText", "specialValueText")
_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
_ROWS = 20


def _of(widget: QWidget) -> list[str]:
    said = [str(widget.property(name)) for name in _PROPERTIES if widget.property(name)]
    if isinstance(widget, QTextEdit | QPlainTextEdit):
        said.append(widget.document().toPlainText())
    if isinstance(widget, QComboBox):
        said += [str(widget.itemData(row, role)) for row in range(widget.count()) for role in _ROLES]
    model = widget.model() if isinstance(widget, QAbstractItemView) else None
    for row in range(min(model.rowCount(), _ROWS) if model is not None else 0):
        cells = [model.index(row, column) for column in range(8)]
        said += [str(cell.data(role)) for cell in cells if cell.isValid() for role in _ROLES]
    return said


def _dock_of(widget: QWidget | None) -> QWidget | None:
    while widget is not None and not isinstance(widget, QDockWidget):
        widget = widget.parentWidget()
    return widget


def _says(window: MainWindow, qtbot: QtBot) -> dict[str, Counter[str]]:
    """What is said in each pane and around them. Of a dock's frame and tabs some is Qt's own."""
    said = {}
    for name, dock in zip(window.docks.names, window.docks.all(), strict=True):
        window.show_pane(name)
        qtbot.waitUntil(lambda: not window.work.is_busy, timeout=30_000)
        QApplication.processEvents()
        seen = [one for one in window.findChildren(QWidget) if one.isVisible() and _dock_of(one) in (None, dock)]
        own = [one for one in seen if not one.objectName().startswith("qt_dockwidget")]
        own = [one for one in own if not isinstance(one, QTabBar) and not isinstance(one.parentWidget(), QTabBar)]
        said[name] = Counter(text for one in own for text in _of(one))
    return said


def _prepare(window: MainWindow, history: History, qtbot: QtBot, other: Path) -> None:
    window.resize(1280, 800)
    window.workspaces.reset()
    window.show_document(Document(history, path=None, saved=True))
    window.breakpoints.add("kind == phase_complete")
    window.breakpoints.add("there is no such query")
    window.navigator.go_to(Focus(20, "producer"))
    window.timeline.toggle_measure()
    window.navigator.go_to(Focus(90, "producer"))
    window.timeline.toggle_measure()
    window.experiment.form.field("stages").setValue(1)
    window.lectures.edit_file(story_path("lesson"))
    with qtbot.waitSignal(window.comparing.jobs.succeeded, timeout=30_000):
        window.comparing.compare_with(other)
    window.messages.hide()
    window.resize(1280, 800)


def _painted(window: MainWindow, qtbot: QtBot) -> QImage:
    window.workspaces.reset()
    QApplication.processEvents()
    window.timeline.fit_all()
    qtbot.waitUntil(lambda: window.timeline.rests and not window.timeline.busy, timeout=30_000)
    return window.timeline.viewport().grab().toImage()


def test_nothing_of_the_former_language_is_left(
    make_window: Callable[[], MainWindow], lesson_history: History, lesson_file: Path, qtbot: QtBot
) -> None:
    changed = make_window()
    _prepare(changed, lesson_history, qtbot, lesson_file)
    english = _says(changed, qtbot)
    changed.languages.toggle()
    said, compared, painted = _says(changed, qtbot), _compared(changed), _painted(changed, qtbot)
    changed.hide()
    fresh = make_window()
    _prepare(fresh, lesson_history, qtbot, lesson_file)
    for name, texts in _says(fresh, qtbot).items():
        assert said[name] - texts == Counter(), name
        assert texts - said[name] == Counter(), name
    assert _compared(fresh) == compared
    assert _painted(fresh, qtbot) == painted
    changed.show()
    changed.languages.toggle()
    use("en")
    assert _says(changed, qtbot) == english
    fresh.lectures.editor.setWindowModified(False)


def _compared(window: MainWindow) -> Counter[str]:
    return Counter(text for one in window.comparing.shown.findChildren(QWidget) for text in _of(one))
