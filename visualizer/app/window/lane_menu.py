"""What can be done with what lies under the pointer on the timeline: the menu of the right button."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from visualizer.playback.focus import Focus

if TYPE_CHECKING:
    from visualizer.app.window.main_window import MainWindow

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("view.slice", "mark.measure", "view.fit_all"),
    ("step.cause", "step.effect", "step.next_same_kind", "step.previous_same_kind", "step.next_tile"),
    ("debug.toggle", "mark.toggle", "mark.note", "find.copy_address"),
    ("lanes.pin", "lanes.toggle_cta"),
)
"""In groups. They act on the focus, which goes to where the menu was asked for first."""


def lane_menu(window: MainWindow) -> QMenu:
    """The menu, to be shown and then forgotten."""
    menu = QMenu(window)
    menu.setToolTipsVisible(True)
    for number, group in enumerate(COMMANDS):
        if number:
            menu.addSeparator()
        menu.addActions(_actions(window, group))
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def _actions(window: MainWindow, group: Sequence[str]) -> list[QAction]:
    return [window.actions_by_id[command_id] for command_id in group]


def open_lane_menu(window: MainWindow, focus: Focus | None, at: QPoint) -> None:
    """Go to `focus`, then show what can be done there; `at` is a place on the screen."""
    if focus is not None:
        window.navigator.go_to(focus)
    window.actions_by_id.refresh()
    lane_menu(window).popup(at)
