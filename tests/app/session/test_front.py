"""A pane is brought to the front by the dock it stands in, however deep."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QLabel, QMainWindow, QScrollArea
from pytestqt.qtbot import QtBot

from visualizer.app.session.front import bring_to_front


def test_the_dock_around_a_pane_opens_before_the_tabs_beside_it(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    pane, holder = QLabel("pane"), QScrollArea()
    holder.setWidget(pane)
    docks = [QDockWidget(name, window) for name in ("covered", "covering")]
    docks[0].setWidget(holder)
    for dock in docks:
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.tabifyDockWidget(*docks)
    window.show()
    docks[0].hide()
    bring_to_front(pane)
    qtbot.waitUntil(lambda: not pane.visibleRegion().isEmpty())
    docks[1].raise_()
    qtbot.waitUntil(lambda: pane.visibleRegion().isEmpty())
    bring_to_front(pane)
    qtbot.waitUntil(lambda: not pane.visibleRegion().isEmpty())


def test_a_pane_in_no_dock_is_left_alone(qtbot: QtBot) -> None:
    pane = QLabel("pane")
    qtbot.addWidget(pane)
    bring_to_front(pane)
    assert pane.isHidden()
