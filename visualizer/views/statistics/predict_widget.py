"""The Predict pane: the time per tile other stage counts would give, two knobs, and Verify, which runs them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from visualizer.diagnosis.predict.predict import Prediction
from visualizer.diagnosis.predict.verify import Verification
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.charts.chart_widget import ChartWidget
from visualizer.views.look.field_widget import NumberBox, WheelFreeChoice
from visualizer.views.look.pane_look_widget import scaled_font, use_panel_colours
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme, load_theme
from visualizer.views.statistics.predict_charts import prediction_chart
from visualizer.views.statistics.predict_model import points, remarks, ring_choices, summary

_MOST_NS = 1_000_000
_AS_RECORDED = -1


class PredictWidget(QScrollArea):
    """Pane of the prediction it is given; `asked(History | None, delay, copy time, ring)` asks for one, times in ns and
    None: as recorded; `ring` is the name of one of several, None: there is one."""

    focus_requested = Signal(object)
    asked = Signal(object, object, object, object)
    verify_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Predict"))
        self.summary = PlainLabel(accessibleDescription=tr("Prediction"), wordWrap=True)
        self.ring = WheelFreeChoice(accessibleName=tr("Ring"), toolTip=tr("The ring that has other stage counts"))
        self.delay = _knob(tr("Consumer delay"))
        self.copy_time = _knob(tr("Copy time"))
        self.chart = ChartWidget()
        self.verify_button = QPushButton(tr("Verify"))
        self.verify_button.setToolTip(tr("Run each stage count, on the GPU if there is one, and measure"))
        self.progress = QProgressBar(maximum=1000, accessibleName=tr("Progress"))
        self.stage_of_work = PlainLabel(wordWrap=True)
        self.remarks = PlainLabel(accessibleDescription=tr("What the prediction rests on"), wordWrap=True)
        self._lay_out()
        self._history: History | None = None
        self._prediction: Prediction | None = None
        self._verification: Verification | None = None
        self._refusal = ""
        self._busy = False
        self._theme: Theme = load_theme("dark")
        self.ring.activated.connect(self._ask)
        self.delay.valueChanged.connect(self._ask)
        self.copy_time.valueChanged.connect(self._ask)
        self.verify_button.clicked.connect(self.verify_or_cancel)
        self._show()

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._prediction = self._verification = None
        for knob in (self.delay, self.copy_time):
            knob.blockSignals(True)
            knob.setValue(_AS_RECORDED)
            knob.blockSignals(False)
        self.ring.clear()
        self.ring.addItems(ring_choices(self._history))
        self._show()
        self._ask()

    def set_focus(self, focus: Focus) -> None:
        """A prediction is of the whole recording, whatever is in focus."""

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        use_panel_colours(self, theme)
        use_panel_colours(self.widget(), theme)
        self.chart.set_theme(theme)
        self._restyle()

    @property
    def can_verify(self) -> bool:
        return self._prediction is not None and not self._refusal and not self._busy

    def verify_or_cancel(self) -> None:
        if self._busy:
            self.cancel_requested.emit()
        elif self.can_verify:
            self.verify_requested.emit()

    def show_prediction(self, prediction: Prediction, refusal: str) -> None:
        """A prediction, and why it cannot be verified ("" if it can)."""
        self._prediction, self._verification, self._refusal = prediction, None, refusal
        self._show()

    def show_verification(self, verification: Verification) -> None:
        self._verification = verification
        self._show()

    def show_problem(self, sentence: str) -> None:
        self._prediction = self._verification = None
        self._show()
        self.summary.setText(sentence)

    def set_busy(self, busy: bool) -> None:
        """Whether a verification is running."""
        self._busy = busy
        self.progress.setValue(0)
        self.stage_of_work.clear()
        self._show_busy()

    def show_progress(self, fraction: float, what: str) -> None:
        self.progress.setValue(round(fraction * self.progress.maximum()))
        self.stage_of_work.setText(what)

    def show_note(self, sentence: str) -> None:
        """What became of a verification that brought nothing."""
        self.stage_of_work.setText(sentence)
        self.stage_of_work.show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_theme"):
            self._restyle()

    def _ask(self) -> None:
        ring = self.ring.currentText() if self.ring.count() else None
        self.asked.emit(self._history, _value(self.delay), _value(self.copy_time), ring)

    def _show(self) -> None:
        prediction = self._prediction
        if prediction is None:
            none = tr("Open or run a recording to predict from it.")
            self.summary.setText(none if self._history is None else tr("Working out the prediction…"))
            self.chart.set_chart(prediction_chart(()))
            self.remarks.clear()
        else:
            self.summary.setText(summary(prediction))
            self.chart.set_chart(prediction_chart(points(prediction, self._verification)))
            said = remarks(prediction, self._verification)
            self.remarks.setText("\n".join([*said, *([self._refusal] if self._refusal else [])]))
        for widget in (self.delay, self.copy_time):
            widget.setEnabled(self._history is not None)
        for part in (self._ring_title, self.ring):
            part.setVisible(self.ring.count() > 0)
        self.chart.setVisible(prediction is not None)
        self.remarks.setVisible(bool(self.remarks.text()))
        self._show_busy()

    def _show_busy(self) -> None:
        self.progress.setVisible(self._busy)
        self.stage_of_work.setVisible(self._busy)
        self.verify_button.setText(tr("Cancel") if self._busy else tr("Verify"))
        self.verify_button.setEnabled(self._busy or self.can_verify)

    def _restyle(self) -> None:
        self.summary.setFont(scaled_font(self.font(), 1.0, bold=True))
        theme = self._theme
        self.remarks.setStyleSheet(f"QLabel {{ color: {theme.text_muted}; background: transparent }}")
        # The pane's own palette keeps the button from following the window's.
        self.verify_button.setStyleSheet(
            f"QPushButton {{ color: {theme.text} }} QPushButton:disabled {{ color: {theme.text_disabled} }}"
        )

    def _lay_out(self) -> None:
        knobs = QGridLayout()
        self._ring_title = PlainLabel(tr("Ring"))
        titles = (self._ring_title, PlainLabel(tr("Consumer delay")), PlainLabel(tr("Copy time")))
        for row, (label, knob) in enumerate(zip(titles, (self.ring, self.delay, self.copy_time), strict=True)):
            label.setBuddy(knob)
            knobs.addWidget(label, row, 0)
            knobs.addWidget(knob, row, 1)
        knobs.addWidget(self.verify_button, 3, 1)
        knobs.setColumnStretch(2, 1)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.setSpacing(6)
        layout.addWidget(self.summary)
        layout.addLayout(knobs)
        for widget in (self.progress, self.stage_of_work, self.chart, self.remarks):
            layout.addWidget(widget)
        layout.addStretch(1)
        self.setWidget(inside)


def _knob(name: str) -> NumberBox:
    """Nanoseconds, or as recorded."""
    knob = NumberBox(minimum=_AS_RECORDED, maximum=_MOST_NS, singleStep=100, accessibleName=name)
    knob.setSpecialValueText(tr("as recorded"))
    knob.setSuffix(tr(" ns"))
    knob.setKeyboardTracking(False)
    return knob


def _value(knob: NumberBox) -> int | None:
    return None if knob.value() == _AS_RECORDED else knob.value()
