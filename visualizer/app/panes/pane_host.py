"""Keeps all panes in step with the document, the focus and the theme, and spends no time on those nobody sees.

A pane behind another tab, or in a closed dock, lets go of what it showed and is marked stale; it catches up the moment
it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDockWidget, QWidget

from visualizer.app.session.panes import Panes
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.theme import Theme


@dataclass(slots=True)
class _Entry:
    pane: QWidget | None
    """None until it is made."""
    seen: bool
    empty: bool = True  # holds no history
    stale_history: bool = True
    stale_focus: bool = True
    stale_theme: bool = True


class PaneHost(QObject):
    """Panes are added once, made or not; `focus_requested` is the request of any of them."""

    focus_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._entries: list[_Entry] = []
        self._history: History | None = None
        self._focus: Focus | None = None
        self._theme = theme
        self._arranging = False

    def add(self, pane: QWidget) -> None:
        """A pane that is always seen."""
        entry = _Entry(None, seen=True)
        self._entries.append(entry)
        self._take(entry, pane)

    def add_docked(self, panes: Panes, name: str, dock: QDockWidget) -> None:
        """The pane of that name, which stands in `dock` and is made when that is seen, if not before."""
        entry = _Entry(None, seen=False)
        self._entries.append(entry)
        panes.when_made(name, partial(self._take, entry))
        # isVisible() is true of a dock behind another tab, this signal is not.
        dock.visibilityChanged.connect(partial(self._set_seen, entry))

    def set_history(self, history: History | None, focus: Focus | None) -> None:
        """A new document, and where to look in it; `focus` is None if there is no event to look at."""
        self._history = history
        self._focus = focus
        for entry in self._entries:
            entry.stale_history = entry.stale_focus = True
            if not entry.seen and not entry.empty:
                entry.empty = True
                entry.pane.set_history(None)  # or an old recording would live on behind a tab, with all its events
        self._catch_up_all()

    def show_again(self, pane: QWidget) -> None:
        """Give one pane the present document anew: it has been told something that changes the picture."""
        for entry in self._entries:
            if entry.pane is pane:
                entry.stale_history = entry.stale_focus = True
                if entry.seen:
                    self._catch_up(entry)

    def say_again(self) -> None:
        """The language is another: all that panes made of the document they make again."""
        for entry in self._entries:
            entry.stale_history = entry.stale_focus = entry.stale_theme = True
        self._catch_up_all()

    @contextmanager
    def arranging(self) -> Iterator[None]:
        """While panes are put elsewhere, whoever shows for a moment need not catch up; who is seen at the end does."""
        self._arranging = True
        try:
            yield
        finally:
            self._arranging = False
            self._catch_up_all()

    def set_focus(self, focus: Focus) -> None:
        self._focus = focus
        for entry in self._entries:
            entry.stale_focus = True
        self._catch_up_all()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for entry in self._entries:
            entry.stale_theme = True
        self._catch_up_all()

    def _take(self, entry: _Entry, pane: QWidget) -> None:
        entry.pane = pane
        pane.focus_requested.connect(self.focus_requested)

    def _set_seen(self, entry: _Entry, seen: bool) -> None:
        entry.seen = seen
        if seen and not self._arranging:
            self._catch_up(entry)

    def _catch_up_all(self) -> None:
        if self._arranging:
            return
        for entry in self._entries:
            if entry.seen:
                self._catch_up(entry)

    def _catch_up(self, entry: _Entry) -> None:
        if entry.pane is None:
            return
        if entry.stale_theme:
            entry.stale_theme = False
            entry.pane.set_theme(self._theme)
        if entry.stale_history:
            entry.stale_history = False
            entry.pane.set_history(self._history)
            entry.empty = self._history is None
        if entry.stale_focus and self._focus is not None:
            entry.stale_focus = False
            entry.pane.set_focus(self._focus)
