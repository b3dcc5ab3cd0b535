"""The transport: step buttons, play with its speed, a scrubber over all steps, and where the focus is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent
from PySide6.QtWidgets import QSlider, QStyle, QToolBar, QToolButton, QWidget

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.command import Parts
from visualizer.app.session.navigator import Navigator
from visualizer.app.session.playback import Playback
from visualizer.app.window.icons import icon
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.player import SPEEDS
from visualizer.replay.history import History
from visualizer.views.look.field_widget import WheelFreeChoice
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme

_BUTTONS = (
    "step.first",
    "step.previous_phase",
    "step.previous",
    "play.toggle",
    "step.next",
    "step.next_phase",
    "step.last",
)
_LABEL_PADDING = 8  # pixels, as the style sheet has it


class TransportBar(QToolBar):
    """Shows where the focus is and asks for other steps. The buttons are the commands' own actions."""

    scrubbed = Signal(int)
    scrubbing_ended = Signal()
    speed_chosen = Signal(float)

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(tr("Transport"), parent)
        self.setObjectName("transport")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._actions = actions
        self._history: History | None = None
        self._theme: Theme | None = None
        for command_id in _BUTTONS:
            self.addAction(actions[command_id])
        self.speed = WheelFreeChoice(accessibleName=tr("Speed"), toolTip=tr("events a second while playing"))
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g}/s", speed)
        self.speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed.currentIndexChanged.connect(lambda: self.speed_chosen.emit(self.speed.currentData()))
        self.addWidget(self.speed)
        self.scrubber = Scrubber()
        self.scrubber.valueChanged.connect(self.scrubbed)
        self.scrubber.sliderReleased.connect(self.scrubbing_ended)
        self.addWidget(self.scrubber)
        self.label = PlainLabel(objectName="stepLabel", accessibleDescription=tr("Step and time"))
        self.addWidget(self.label)

    def set_history(self, history: History | None) -> None:
        self._history = history
        blocked = self.scrubber.blockSignals(True)
        self.scrubber.setRange(0, max(history.steps - 1, 0) if history else 0)
        self.scrubber.blockSignals(blocked)
        self.scrubber.setEnabled(history is not None and history.steps > 0)
        if history is None or not history.steps:
            self.label.setText(tr("no recording") if history is None else tr("no events"))
            return
        # A fixed size, with room for the last step: a label that may change would lay out the window at each step.
        metrics = QFontMetrics(scaled_font(self.font(), 1.0, bold=True))
        room = metrics.horizontalAdvance(step_text(history, history.steps - 1))
        self.label.setFixedSize(room + 2 * (_LABEL_PADDING + metrics.averageCharWidth()), metrics.height() + 4)

    def set_focus(self, focus: Focus) -> None:
        if self._history is None:
            return
        blocked = self.scrubber.blockSignals(True)
        self.scrubber.setValue(focus.step)
        self.scrubber.blockSignals(blocked)
        self.label.setText(step_text(self._history, focus.step))

    def set_speed(self, speed: float) -> None:
        blocked = self.speed.blockSignals(True)
        self.speed.setCurrentIndex(self.speed.findData(speed))
        self.speed.blockSignals(blocked)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for command_id in _BUTTONS:
            if command_id != "play.toggle":
                self._actions[command_id].setIcon(icon(command_id, theme))
        self.show_playing(self._actions["play.toggle"].isChecked())
        self._fit_to_font()

    def changeEvent(self, event: QEvent) -> None:
        """Another scale reaches the fonts some time after it was chosen."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._theme is not None:
            self._fit_to_font()

    def _fit_to_font(self) -> None:
        side = round(self.fontMetrics().height() * 1.15)
        self.setIconSize(QSize(side, side))
        self.set_history(self._history)

    def show_playing(self, playing: bool) -> None:
        self._actions["play.toggle"].setIcon(icon("pause" if playing else "play", self._theme))

    def button(self, command_id: str) -> QToolButton:
        """The button of a command, for tests and for help that points at it."""
        return self.widgetForAction(self._actions[command_id])


def connect_transport(parts: Parts) -> None:
    """The bar of one window leads the focus and the playing, and shows the playing's speed."""
    bar, navigator, playback = parts[TransportBar], parts[Navigator], parts[Playback]
    bar.scrubbed.connect(navigator.pass_through)
    bar.scrubbing_ended.connect(navigator.stay)
    bar.speed_chosen.connect(playback.set_speed)
    bar.set_speed(playback.speed)
    playback.speed_changed.connect(bar.set_speed)
    playback.playing_changed.connect(bar.show_playing)
    playback.playing_changed.connect(lambda playing: None if playing else navigator.stay())


class Scrubber(QSlider):
    """A slider that jumps to where it is clicked, instead of a page towards it."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setAccessibleName(tr("Step"))
        self.setMinimumWidth(120)
        self.setPageStep(10)
        # The arrow keys belong to the lanes; a slider with the keyboard would take them.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setValue(self._value_at(event.position().x()))
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._value_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def _value_at(self, x: float) -> int:
        handle = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self)
        return QStyle.sliderValueFromPosition(
            self.minimum(), self.maximum(), round(x - handle / 2), max(self.width() - handle, 1)
        )


def step_text(history: History, step: int) -> str:
    """ "12 / 231   1.234 µs": steps count from 0, as in `phasescope show --step`."""
    time_ps = int(history.trace.events["time"][step])
    return f"{step} / {history.steps - 1}   {time_ps / 1e6:.3f} µs"
