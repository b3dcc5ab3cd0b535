"""The explanation pane: one or two sentences about the focused event, large, with how the run ended above them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from visualizer.diagnosis.explanations.explain import explain
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.inspector.explanation_model import ending_text, heading_text, lost_text, probe_note, time_note
from visualizer.views.look.pane_look_widget import alarm_style, use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme, load_theme

TEXT_SCALE = 1.35


class ExplanationWidget(QWidget):
    """Where we are, what happens here and why; banners for runs that did not end well or lost records."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = _label(tr("Step"))
        self.text = _label(tr("Explanation"))
        self.note = _label(tr("Note on this event's time"))
        self.ending = _label(tr("How the run ended"))
        self.lost = _label(tr("Lost events"))
        content = QWidget()
        inner = QVBoxLayout(content)
        for label in (self.heading, self.text, self.note, self.ending, self.lost):
            inner.addWidget(label)
        inner.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(content)
        # The pane's own background shows through.
        content.setAutoFillBackground(False)
        area.viewport().setAutoFillBackground(False)
        area.setStyleSheet("QScrollArea { background: transparent }")
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(tr("Explanation"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        self.setFocusProxy(area)
        self._history: History | None = None
        self._theme = load_theme("dark")
        self.set_theme(self._theme)
        self.set_history(None)

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self.heading.setText("")
        self.note.hide()
        self.text.setText(tr("Open or run a recording to have each step explained.") if history is None else "")
        self._show(self.ending, ending_text(history.trace) if history is not None else "")
        self._show(self.lost, lost_text(history.trace) if history is not None else "")

    def set_focus(self, focus: Focus) -> None:
        if self._history is None:
            return
        self.heading.setText(heading_text(self._history.trace, focus.step))
        self.text.setText(explain(self._history, focus.step))
        trace = self._history.trace
        self._show(self.note, "\n".join(filter(None, (time_note(trace, focus.step), probe_note(trace, focus.step)))))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._restyle()

    def _restyle(self) -> None:
        """Colours and sizes of the labels. Sizes stand in the style sheet, which would otherwise reset them."""
        theme = self._theme
        large = f"font-size: {round(self.fontInfo().pixelSize() * TEXT_SCALE)}px"
        self.heading.setStyleSheet(f"color: {theme.text_muted}")
        self.text.setStyleSheet(f"color: {theme.text}; {large}")
        self.note.setStyleSheet(f"color: {theme.text_muted}")
        self.ending.setStyleSheet(alarm_style(theme))
        self.lost.setStyleSheet(alarm_style(theme))

    @staticmethod
    def _show(label: PlainLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))


def _label(name: str) -> PlainLabel:
    label = PlainLabel()
    label.setAccessibleDescription(name)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
