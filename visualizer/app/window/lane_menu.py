"""What can be done with what lies under the pointer on the timeline: the menu of the right button."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from visualizer.app.commands.actions import Actions
from visualizer.app.session.navigator import Navigator
from visualizer.playback.focus import Focus

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("view.slice", "mark.measure", "view.fit_all"),
    ("step.cause", "step.effect", "step.next_same_kind", "step.previous_same_kind", "step.next_tile"),
    ("debug.toggle", "mark.toggle", "mark.note", "find.copy_address"),
    ("lanes.pin", "lanes.toggle_cta"),
)
"""In groups. They act on the focus, which goes to where the menu was asked for first."""


def lane_menu(actions: Actions, parent: QWidget) -> QMenu:
    """The menu, to be shown and then forgotten."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    for number, group in enumerate(COMMANDS):
        if number:
            menu.addSeparator()
        menu.addActions([actions[command_id] for command_id in group])
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def open_lane_menu(focus: Focus | None, at: QPoint, navigator: Navigator, actions: Actions, parent: QWidget) -> None:
    """Go to `focus`, then show what can be done there; `at` is a place on the screen."""
    if focus is not None:
        navigator.go_to(focus)
    actions.refresh()
    lane_menu(actions, parent).popup(at)
