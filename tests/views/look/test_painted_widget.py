"""Whatever a picture meets, its painter ends and the widget says what failed; no widget paints another way."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QWidget
from pytestqt.qtbot import QtBot

import visualizer
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import painter_on


class _Broken(Painted, QWidget):
    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), Qt.GlobalColor.red)
        raise IndexError("cursor 9 of 4")


class _BrokenArea(Painted, QAbstractScrollArea):
    def paint(self, painter: QPainter) -> None:
        raise IndexError("cursor 9 of 4")


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    errors: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: errors.append(error))
    return errors


@pytest.mark.parametrize("kind", [_Broken, _BrokenArea])
def test_a_widget_says_that_it_cannot_be_drawn(kind: type[QWidget], qtbot: QtBot, met: list[BaseException]) -> None:
    widget = kind()
    qtbot.addWidget(widget)
    widget.resize(400, 100)
    widget.show()
    picture = widget.grab().toImage()
    assert [str(error) for error in met]
    assert all(str(error) == "cursor 9 of 4" for error in met)
    colours = {picture.pixelColor(x, y).name() for x in range(0, 400, 2) for y in range(100)}
    assert Qt.GlobalColor.red not in colours
    assert "#ff0000" not in colours
    assert widget.palette().text().color().name() in colours, "no sentence is written"


def test_a_painter_ends_when_painting_fails() -> None:
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    with pytest.raises(ZeroDivisionError), painter_on(image) as painter:
        painter.drawPoint(1 // 0, 0)
    assert not image.paintingActive()


def _calls_and_methods() -> Iterator[tuple[str, str]]:
    """(file, "QPainter(" or "paintEvent") for each place that makes a painter or overrides Qt's way to paint."""
    root = Path(visualizer.__file__).parent
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "QPainter":
                yield path.name, "QPainter("
            if isinstance(node, ast.FunctionDef) and node.name == "paintEvent":
                yield path.name, "paintEvent"


def test_nobody_paints_another_way() -> None:
    assert sorted(_calls_and_methods()) == [
        ("cell_table_widget.py", "paintEvent"),  # Qt's own, then Painted's
        ("painted_widget.py", "paintEvent"),
        ("painting.py", "QPainter("),
        ("plain_text_widget.py", "paintEvent"),  # Qt's own where all fits, else Painted's
    ]
