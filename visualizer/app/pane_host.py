"""Keeps all panes in step with the document, the focus and the theme, and spends no time on those nobody sees.

A pane in a hidden tab is only marked stale; it catches up the moment it is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.pane import Pane
from visualizer.views.theme import Theme


@dataclass(slots=True)
class _Entry:
    pane: Pane
    stale_history: bool = True
    stale_focus: bool = True
    stale_theme: bool = True


class PaneHost(QObject):
    """Panes are added once; `focus_requested` is the request of any of them."""

    focus_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._entries: dict[QWidget, _Entry] = {}
        self._history: History | None = None
        self._focus: Focus | None = None
        self._theme = theme

    def add(self, pane: QWidget) -> None:
        self._entries[pane] = _Entry(pane)
        pane.focus_requested.connect(self.focus_requested)
        pane.installEventFilter(self)
        if pane.isVisible():
            self._catch_up(pane)

    def set_history(self, history: History | None, focus: Focus | None) -> None:
        """A new document, and where to look in it; `focus` is None if there is no event to look at."""
        self._history = history
        self._focus = focus
        for entry in self._entries.values():
            entry.stale_history = entry.stale_focus = True
        self._catch_up_all()

    def set_focus(self, focus: Focus) -> None:
        self._focus = focus
        for entry in self._entries.values():
            entry.stale_focus = True
        self._catch_up_all()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for entry in self._entries.values():
            entry.stale_theme = True
        self._catch_up_all()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and watched in self._entries:
            self._catch_up(watched)
        return super().eventFilter(watched, event)

    def _catch_up_all(self) -> None:
        for pane in self._entries:
            if pane.isVisible():
                self._catch_up(pane)

    def _catch_up(self, widget: QWidget) -> None:
        entry = self._entries[widget]
        if entry.stale_theme:
            entry.stale_theme = False
            entry.pane.set_theme(self._theme)
        if entry.stale_history:
            entry.stale_history = False
            entry.pane.set_history(self._history)
        if entry.stale_focus and self._focus is not None:
            entry.stale_focus = False
            entry.pane.set_focus(self._focus)
