"""The inspector: one pane that says everything about the focus, and leads to what caused it and what it caused."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from visualizer.diagnosis.report import Report
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.diagnosis.diagnosis_model import FindingRow
from visualizer.views.diagnosis.lines_widget import LinesBrowser
from visualizer.views.inspector.about import Section
from visualizer.views.inspector.inspector_model import inspect, inspector_rows, run_text
from visualizer.views.look.pane_look_widget import alarm_style, use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme, load_theme


class InspectorWidget(QWidget):
    """Pane of Sections. `set_report` comes before the `set_history` of the recording it is about."""

    focus_requested = Signal(object)
    place_requested = Signal(object)
    """A SourceLine."""
    lesson_requested = Signal(object)
    """A Lesson: the chapter that teaches a finding's mistake."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.banner = PlainLabel(wordWrap=True, accessibleDescription=tr("How the run ended"))
        self.text = LinesBrowser(tr("Inspector"))
        self.text.focus_requested.connect(self.focus_requested)
        self.text.place_requested.connect(self.place_requested)
        self.text.lesson_requested.connect(self.lesson_requested)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 2, 2, 2)
        layout.addWidget(self.banner)
        layout.addWidget(self.text, 1)
        self.setFocusProxy(self.text)
        self.sections: tuple[Section, ...] = ()
        self._range: tuple[Section, ...] = ()
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
        self.text.set_theme(theme)
        self.banner.setStyleSheet(alarm_style(theme))
        self._show()

    def _show(self) -> None:
        bar = self.text.verticalScrollBar()
        place = bar.value()
        shown = (*self._range, *self.sections)
        # Above the finding of a run that hangs it would say the same, and take the room of who owes what.
        told = bool(shown) and shown[0].alarm
        banner = run_text(self._history, ending=not told) if self._history is not None else ""
        self.banner.setText(banner)
        self.banner.setVisible(bool(banner))
        self.text.show_pieces(((self._html(section), section.lines) for section in shown), self._theme)
        bar.setValue(place)

    def _html(self, section: Section) -> str:
        """What stands above the section's lines."""
        theme = self._theme
        colour = theme.error.outline if section.alarm else theme.text
        parts = [f"<p style='margin: 6px 0 2px 0; color: {colour}'><b>{escape(section.title)}</b></p>"]
        if section.text:
            muted = "" if section.lines else f"; color: {theme.text_muted}"
            words = escape(section.text).replace("\n", "<br>")
            parts.append(f"<p style='margin: 0 0 3px 0{muted}'>{words}</p>")
        return "".join(parts)
