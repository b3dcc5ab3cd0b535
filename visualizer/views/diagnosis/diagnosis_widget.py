"""The diagnosis pane: a list of findings, the details of the selected one, and below them who waits for whom."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from visualizer.diagnosis.report import Report
from visualizer.diagnosis.report_text import not_judged_lines
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.diagnosis.chain_model import Chain, chain
from visualizer.views.diagnosis.chain_widget import ChainWidget
from visualizer.views.diagnosis.diagnosis_model import FindingRow, folded_rows, headline
from visualizer.views.diagnosis.lines_widget import LinesBrowser
from visualizer.views.look.pane_look_widget import scaled_font, use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel, tip
from visualizer.views.look.theme import Theme, load_theme

_ROWS_SHOWN = 3
"""So many findings are seen before the list scrolls; the details matter more."""


class DiagnosisWidget(QWidget):
    """Pane of one Report. `set_report` comes before the `set_history` of the recording it is about."""

    focus_requested = Signal(object)
    place_requested = Signal(object)
    """A SourceLine."""
    lesson_requested = Signal(object)
    """A Lesson: the chapter that teaches a finding's mistake."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.headline = PlainLabel(accessibleDescription=tr("Outcome"), wordWrap=True)
        self.headline.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.findings = QListWidget(accessibleName=tr("Findings"))
        self.findings.setFrameShape(QFrame.Shape.NoFrame)
        self.findings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.findings.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.details = LinesBrowser(tr("Details of the finding"))
        self.chain = ChainWidget()
        self._chain_area = QScrollArea()
        self._chain_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the chain in it takes the keyboard
        self._chain_area.setFrameShape(QFrame.Shape.NoFrame)
        self._chain_area.setWidgetResizable(True)
        self._chain_area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._chain_area.setWidget(self.chain)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 2)
        layout.setSpacing(3)
        layout.addWidget(self.headline)
        layout.addWidget(self.findings)
        layout.addWidget(self.details, 1)
        layout.addWidget(self._chain_area)
        self.setFocusProxy(self.findings)
        self._report: Report | None = None
        self._history: History | None = None
        self._rows: tuple[FindingRow, ...] = ()
        self._veiled = False
        self._chain = Chain()
        self._theme = load_theme("dark")
        self.findings.currentRowChanged.connect(self._show_details)
        self.findings.itemClicked.connect(lambda item: self._choose(self.findings.row(item)))
        self.findings.itemActivated.connect(lambda item: self._choose(self.findings.row(item)))
        self.details.focus_requested.connect(self.focus_requested)
        self.details.place_requested.connect(self.place_requested)
        self.details.lesson_requested.connect(self.lesson_requested)
        self.chain.focus_requested.connect(self.focus_requested)
        self.set_theme(self._theme)
        self.set_history(None)

    def set_report(self, report: Report | None) -> None:
        """What was found; None if the recording was not diagnosed."""
        self._report = report

    def set_history(self, history: History | None) -> None:
        self._history = history
        report = self._report if history is not None else None
        self._rows = folded_rows(history.trace, report) if history is not None and report is not None else ()
        self.findings.clear()
        for row in self._rows:
            item = QListWidgetItem(row.text)
            item.setToolTip(tip(row.cause))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{row.severity}: {row.verdict}, {row.title}")
            self.findings.addItem(item)
        self._show_outcome()
        self._restyle()
        self.findings.setCurrentRow(0 if self._rows else -1)
        self._show_details(self.findings.currentRow())

    def _show_outcome(self) -> None:
        if self._veiled:
            text = "?"
        elif self._history is None:
            text = tr("Open or run a recording to have it diagnosed.")
        else:
            text = headline(self._report) if self._report is not None else tr("This recording was not diagnosed.")
        self.headline.setText(text)
        self.headline.setToolTip(tip("\n".join(self._not_judged())))
        shown = bool(self._rows) and not self._veiled
        self.findings.setVisible(shown)
        self.details.setVisible(shown)
        self._chain_area.setVisible(shown and bool(self._chain.nodes))

    def _not_judged(self) -> list[str]:
        """All of it: the headline may have room for the first one alone."""
        if self._veiled or self._history is None or self._report is None:
            return []
        return not_judged_lines(self._report)

    def set_focus(self, focus: Focus) -> None:
        """Select the finding that is in focus, so that going back selects the one before."""
        current = self.findings.currentRow()
        if not (0 <= current < len(self._rows) and self._rows[current].focus == focus):
            for number, row in enumerate(self._rows):
                if focus in (row.focus, *row.elsewhere):
                    self.findings.setCurrentRow(number)
                    break
        self.chain.set_focus(focus)

    def set_veil(self, step: int | None) -> None:
        """Hide what was found, which would answer a lecture's question; None shows it."""
        self._veiled = step is not None
        self._show_outcome()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        self.chain.set_theme(theme)
        self._restyle()
        self._show_details(self.findings.currentRow())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._restyle()

    def _restyle(self) -> None:
        theme = self._theme
        self.headline.setFont(scaled_font(self.font(), 1.0, bold=True))
        clear = f"background: transparent; color: {theme.text}"
        self.details.set_theme(theme)
        self._chain_area.setStyleSheet("QScrollArea { background: transparent }")
        self._chain_area.viewport().setAutoFillBackground(False)
        self.chain.setAutoFillBackground(False)
        self.findings.setStyleSheet(
            f"QListWidget {{ {clear} }} QListWidget::item:selected {{"
            f" background: {theme.selection}; color: {theme.text}; border-left: 3px solid {theme.accent} }}"
        )
        marks = {"error": theme.waiting.outline, "warning": theme.text, "note": theme.text_muted}
        for number, row in enumerate(self._rows):
            self.findings.item(number).setForeground(QColor(marks[row.severity]))
        self.findings.ensurePolished()
        rows = min(len(self._rows), _ROWS_SHOWN)
        margins = self.findings.contentsMargins()
        self.findings.setFixedHeight(
            sum(self.findings.sizeHintForRow(row) for row in range(rows)) + margins.top() + margins.bottom()
        )

    def _show_details(self, number: int) -> None:
        shown = Chain()
        if 0 <= number < len(self._rows) and self._history is not None and self._report is not None:
            row = self._rows[number]
            cause = f"<p style='margin: 2px 0 4px 0'>{escape(row.cause)}</p>"
            self.details.show_pieces([(cause, row.lines)], self._theme)
            shown = chain(self._history.trace, self._report, self._report.every[row.number])
        self.chain.set_chain(shown)
        self._chain = shown
        self._chain_area.setVisible(bool(shown.nodes) and not self._veiled)
        self._chain_area.setFixedHeight(self.chain.minimumSizeHint().height() + 2)

    def _choose(self, number: int) -> None:
        focus = self._rows[number].focus
        if focus is not None:
            self.focus_requested.emit(focus)
