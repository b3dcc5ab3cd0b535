"""The cards that greet a newcomer: take the lesson, break it, record your own kernel, take the whole course; and what
the colours mean.

They stay until they are dismissed, and the Help menu brings them back.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from visualizer.app.commands.command import Parts
from visualizer.app.lecture.lectures import Lectures
from visualizer.app.record.attaching import Attaching
from visualizer.app.record.running import Running, lesson_faults
from visualizer.app.settings.settings import Settings
from visualizer.language import mark, tr
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.painting import brush, colour, hatch_brush, pen
from visualizer.views.look.plain_text_widget import PlainLabel, tip
from visualizer.views.look.theme import Theme, load_theme

_MEANINGS = (
    ("empty", mark("empty")),
    ("filling", mark("filling: bytes are on their way")),
    ("full", mark("full")),
    ("reading", mark("being read")),
    ("waiting", mark("waiting")),
    ("error", mark("something is wrong")),
)

_ROOMY = 40
"""Line heights of a window."""


class FirstSteps(QFrame):
    """The cards and the legend. What they offer: `lesson_wanted`, `fault_wanted(id)`, `recording_wanted`,
    `course_wanted`."""

    lesson_wanted = Signal()
    fault_wanted = Signal(str)
    recording_wanted = Signal()
    course_wanted = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="firstSteps")
        self.setAccessibleName(tr("First steps"))
        self._settings = settings
        self.lesson = QPushButton(tr("Take the lesson"))
        self.lesson.clicked.connect(self.lesson_wanted)
        self.faults = QPushButton(tr("Break it…"))
        self.menu = QMenu(self.faults)
        self.faults.clicked.connect(self._offer_faults)
        self.record = QPushButton(tr("Record your own kernel"))
        self.record.clicked.connect(self.recording_wanted)
        self.course = QPushButton(tr("Take the course"))
        self.course.clicked.connect(self.course_wanted)
        self.legend = Legend()
        self.close_button = QToolButton(text="\N{MULTIPLICATION SIGN}", autoRaise=True)
        self.close_button.setAccessibleName(tr("Dismiss the first steps"))
        self.close_button.setToolTip(tr("The Help menu brings them back"))
        self.close_button.clicked.connect(self.toggle)
        self._hints: list[QWidget] = []
        cards = QHBoxLayout()
        for button, says in (
            (self.lesson, tr("a pipeline explained step by step, full screen")),
            (self.faults, tr("run it with a known mistake, and see what the diagnosis says")),
            (self.record, tr("a program of yours on this computer's GPU")),
            (self.course, tr("from the lesson to FlashAttention: five stories, one after another")),
        ):
            card = QVBoxLayout()
            card.setSpacing(2)
            card.addWidget(button)
            hint = PlainLabel(says, objectName="hint", wordWrap=True)
            self._hints.append(hint)
            button.setToolTip(tip(says))
            card.addWidget(hint)
            cards.addLayout(card, 1)
        cards.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 6, 4)
        column.setSpacing(4)
        column.addLayout(cards)
        column.addWidget(self.legend)

    def fit(self) -> None:
        """To the window's height: in a low one the buttons alone, so that the lanes have room."""
        roomy = self.window().height() / self.fontMetrics().height() >= _ROOMY
        for part in (*self._hints, self.legend):
            part.setVisible(roomy)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()

    def toggle(self) -> None:
        """Show them or hide them, now and when a window opens."""
        self._settings.first_steps = self.isHidden()
        self.setVisible(self.isHidden())

    def set_theme(self, theme: Theme) -> None:
        self.legend.theme = theme
        self.legend.update()

    def _offer_faults(self) -> None:
        """In the language of now."""
        self.menu.clear()
        for fault, title in lesson_faults():
            self.menu.addAction(f"{title} ({fault})", lambda fault=fault: self.fault_wanted.emit(fault))
        self.menu.popup(self.faults.mapToGlobal(self.faults.rect().bottomLeft()))


def connect_first_steps(parts: Parts) -> None:
    """What the cards of one window lead to."""
    cards, lectures, attaching = parts[FirstSteps], parts[Lectures], parts[Attaching]
    cards.lesson_wanted.connect(lambda: lectures.present_built_in("lesson"))
    cards.fault_wanted.connect(parts[Running].break_it)
    cards.recording_wanted.connect(lambda: attaching.ask())
    cards.course_wanted.connect(lambda: lectures.present_built_in("course"))
    cards.setVisible(parts[Settings].first_steps)


class Legend(Painted, QWidget):
    """What the colours of slices and buffers mean, each a swatch and its words."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Legend"))
        self.theme = load_theme("dark")

    def sizeHint(self) -> QSize:
        return QSize(0, round(self.fontMetrics().height() * 1.3) * self._rows(self.width()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: object) -> None:
        self.updateGeometry()

    def paint(self, painter: QPainter) -> None:
        high, line = self.fontMetrics().height(), self.fontMetrics().height() * 1.3
        painter.setFont(self.font())
        for (x, row), (role, words) in zip(self._places(self.width()), _MEANINGS, strict=True):
            paint = self.theme.paint(role)
            box = QRectF(x, row * line + 2, high * 1.4, high - 3)
            painter.fillRect(box, brush(paint.fill))
            if role == "waiting":
                painter.fillRect(box, hatch_brush(paint.text))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(paint.outline, 1.0))
            painter.drawRect(box)
            painter.setPen(colour(self.theme.text))
            place = QRectF(box.right() + 6, row * line, self.width(), high)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, tr(words))

    def _places(self, width: int) -> list[tuple[float, int]]:
        """Left edge and row of each entry: as many in a row as there is room for."""
        places, x, row = [], 0.0, 0
        for _, words in _MEANINGS:
            room = self.fontMetrics().height() * 2.6 + self.fontMetrics().horizontalAdvance(tr(words))
            if x and x + room > width:
                x, row = 0.0, row + 1
            places.append((x, row))
            x += room
        return places

    def _rows(self, width: int) -> int:
        return self._places(width)[-1][1] + 1 if width else 1
