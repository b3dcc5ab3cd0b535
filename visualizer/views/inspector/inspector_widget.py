"""The inspector: one pane that says everything about the focus, and leads to what caused it and what it caused."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget

from visualizer.diagnosis.report import Report
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.diagnosis.details_model import Line
from visualizer.views.diagnosis.diagnosis_model import FindingRow
from visualizer.views.inspector.inspector_model import Section, inspect, inspector_rows, run_text
from visualizer.views.look.pane_look_widget import use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme, load_theme


class InspectorWidget(QWidget):
    """Pane of Sections. `set_report` comes before the `set_history` of the recording it is about."""

    focus_requested = Signal(object)
    place_requested = Signal(object)
    """A Place in the source."""
    lesson_requested = Signal(object)
    """A Lesson: the chapter that teaches a finding's mistake."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.banner = PlainLabel(wordWrap=True, accessibleDescription=tr("How the run ended"))
        self.text = QTextBrowser(accessibleName=tr("Inspector"))
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(self._follow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 2, 2, 2)
        layout.addWidget(self.banner)
        layout.addWidget(self.text, 1)
        self.setFocusProxy(self.text)
        self.sections: tuple[Section, ...] = ()
        self._range: tuple[Section, ...] = ()
        self._links: list[Line] = []
        self._report: Report | None = None
        self._history: History | None = None
        self._rows: tuple[FindingRow, ...] = ()
        self._theme = load_theme("dark")
        self.set_theme(self._theme)
        self.set_history(None)

    def set_report(self, report: Report | None) -> None:
        """What was found; None if the recording was not diagnosed."""
        self._report = report

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._rows = inspector_rows(history, self._report) if history is not None else ()
        banner = run_text(history) if history is not None else ""
        self.banner.setText(banner)
        self.banner.setVisible(bool(banner))
        self.sections = ()
        if self._history is None:
            nothing = tr("Open or run a recording: here stands what is in focus, what caused it and what it caused.")
            self.sections = (Section(tr("no events") if history is not None else tr("no recording"), nothing),)
        self._show()

    def set_focus(self, focus: Focus) -> None:
        if self._history is not None:
            self.sections = inspect(self._history, focus, self._report, self._rows)
            self._show()

    def set_range(self, sections: tuple[Section, ...]) -> None:
        """The numbers of a range that is marked, above what is in focus; () for none."""
        if sections != self._range:
            self._range = sections
            self._show()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._restyle()

    def _restyle(self) -> None:
        theme = self._theme
        self.text.setStyleSheet(f"QTextBrowser {{ background: transparent; color: {theme.text} }}")
        self.banner.setStyleSheet(
            f"background: {theme.error.fill}; color: {theme.error.text}; padding: 0.3em; border-radius: 4px"
        )
        self._show()

    def _show(self) -> None:
        self._links = []
        bar = self.text.verticalScrollBar()
        place = bar.value()
        self.text.setHtml("".join(self._html(section) for section in (*self._range, *self.sections)))
        bar.setValue(place)

    def _html(self, section: Section) -> str:
        theme = self._theme
        colour = theme.error.outline if section.alarm else theme.text
        parts = [f"<p style='margin: 6px 0 2px 0; color: {colour}'><b>{escape(section.title)}</b></p>"]
        if section.text:
            muted = "" if section.lines else f"; color: {theme.text_muted}"
            words = escape(section.text).replace("\n", "<br>")
            parts.append(f"<p style='margin: 0 0 3px 0{muted}'>{words}</p>")
        rows = "".join(
            f"<tr><td style='color: {theme.text_muted}; padding-right: 8px; white-space: nowrap'>"
            f"{escape(line.label)}</td><td>{self._linked(line)}</td></tr>"
            for line in section.lines
        )
        return "".join(parts) + (f"<table cellspacing='1'>{rows}</table>" if rows else "")

    def _linked(self, line: Line) -> str:
        if not line.leads:
            return escape(line.text)
        self._links.append(line)
        return f"<a href='{len(self._links) - 1}' style='color: {self._theme.text}'>{escape(line.text)}</a>"

    def _follow(self, link: QUrl) -> None:
        line = self._links[int(link.toString())]
        if line.place is not None:
            self.place_requested.emit(line.place)
        if line.lesson is not None:
            self.lesson_requested.emit(line.lesson)
        if line.focus is not None:
            self.focus_requested.emit(line.focus)
