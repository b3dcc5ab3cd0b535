"""Going from pane to pane by key: the keyboard's way to what a mouse would click into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from visualizer.app.main_window import MainWindow


def go_to_pane(window: MainWindow, direction: int) -> None:
    """Give the keyboard to the open pane after (+1) or before (-1) the one that has it; the timeline is one of them."""
    docks = [dock for dock in window.docks.all() if not dock.isHidden()]
    panes: list[QWidget] = [window.timeline, *(dock.widget() for dock in docks)]
    focused = QApplication.focusWidget()
    here = next((index for index, pane in enumerate(panes) if _holds(pane, focused)), 0)
    for distance in range(1, len(panes) + 1):
        index = (here + direction * distance) % len(panes)
        target = _entrance(panes[index])
        if target is None:
            continue
        if index:
            docks[index - 1].raise_()
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return


def _holds(pane: QWidget, focused: QWidget | None) -> bool:
    return focused is not None and (pane is focused or pane.isAncestorOf(focused))


def _entrance(pane: QWidget) -> QWidget | None:
    """The pane itself or the first thing in it that takes the keyboard; None if nothing does."""
    if pane.focusProxy() is not None or pane.focusPolicy() & Qt.FocusPolicy.TabFocus:
        return pane
    inside = (child for child in pane.findChildren(QWidget) if child.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return next((child for child in inside if child.isEnabled() and not child.isHidden()), None)
