"""Shows Lines as text, those that lead somewhere as links: the details of a finding, and what the inspector says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QFrame, QTextBrowser

from visualizer.views.diagnosis.details_model import Line
from visualizer.views.look.theme import Theme

Piece = tuple[str, Sequence[Line]]
"""HTML, and the lines that stand below it as a table of labels and texts."""


class LinesBrowser(QTextBrowser):
    """A click on a line asks for what it leads to."""

    focus_requested = Signal(object)
    place_requested = Signal(object)
    """A SourceLine."""
    lesson_requested = Signal(object)
    """A Lesson: the chapter that teaches a finding's mistake."""

    def __init__(self, name: str) -> None:
        """`name` is for screen readers."""
        super().__init__(accessibleName=name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._follow)
        self._links: list[Line] = []

    def set_theme(self, theme: Theme) -> None:
        """What is shown already keeps its colours until it is shown again."""
        self.setStyleSheet(f"QTextBrowser {{ background: transparent; color: {theme.text} }}")

    def show_pieces(self, pieces: Iterable[Piece], theme: Theme) -> None:
        """Show these in place of what was shown."""
        self._links = []
        self.setHtml("".join(html + self._table(lines, theme) for html, lines in pieces))

    def _table(self, lines: Sequence[Line], theme: Theme) -> str:
        rows = "".join(
            f"<tr><td style='color: {theme.text_muted}; padding-right: 8px; white-space: nowrap'>"
            f"{escape(line.label)}</td><td>{self._linked(line, theme)}</td></tr>"
            for line in lines
        )
        return f"<table cellspacing='1'>{rows}</table>" if rows else ""

    def _linked(self, line: Line, theme: Theme) -> str:
        if not line.leads:
            return escape(line.text)
        self._links.append(line)
        return f"<a href='{len(self._links) - 1}' style='color: {theme.text}'>{escape(line.text)}</a>"

    def _follow(self, link: QUrl) -> None:
        line = self._links[int(link.toString())]
        if line.place is not None:
            self.place_requested.emit(line.place)
        if line.lesson is not None:
            self.lesson_requested.emit(line.lesson)
        if line.focus is not None:
            self.focus_requested.emit(line.focus)
