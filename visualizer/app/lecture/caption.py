"""The words on stage: where in the story we are, the caption or the question, and the answer once it is revealed."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from visualizer.language import tr
from visualizer.views.look.painted_widget import Painted
from visualizer.views.look.pane_look_widget import scaled_font
from visualizer.views.look.plain_text_widget import PlainLabel
from visualizer.views.look.theme import Theme

TITLE_SCALE, CAPTION_SCALE = 1.1, 1.15


class Headline(QWidget):
    """Chapter title and how far into the chapter the lecture is: a box per step, the told ones filled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = PlainLabel()
        self.count = PlainLabel()
        self.progress = _Progress()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.title, 1)
        row.addWidget(self.progress)
        row.addWidget(self.count)

    def show_place(self, title: str, chapter: int, chapters: int, told: int, steps: int) -> None:
        """`chapter` counts from 0, `told` from 1."""
        self.title.setText(f"{chapter + 1}. {title}")
        place = tr(
            "chapter {chapter} of {chapters}, step {step} of {steps}",
            chapter=chapter + 1,
            chapters=chapters,
            step=told,
            steps=steps,
        )
        self.count.setText(f"{told}/{steps}")
        self.setAccessibleName(place)
        self.progress.show_progress(told, steps)

    def set_theme(self, theme: Theme) -> None:
        self.progress.set_theme(theme)

    def resize_text(self, font) -> None:
        self.title.setFont(scaled_font(font, TITLE_SCALE, bold=True))
        self.count.setFont(scaled_font(font, 1.0))


class Caption(QFrame):
    """One text, or a question above its answer. Its height follows the text, the panes get the rest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lectureCaption")
        self.question = _paragraph()
        self.text = _paragraph()
        column = QVBoxLayout(self)
        column.addWidget(self.question)
        column.addWidget(self.text)

    def show_text(self, text: str) -> None:
        self.question.hide()
        self._say(text)

    def show_question(self, question: str, answer: str | None) -> None:
        """`answer` None: not yet; the room is asked to think."""
        self.question.setText("?  " + question)
        self.question.show()
        self._say(answer if answer is not None else tr("What happens next?"))

    def resize_text(self, font) -> None:
        self.question.setFont(scaled_font(font, CAPTION_SCALE, bold=True))
        self.text.setFont(scaled_font(font, CAPTION_SCALE))

    def _say(self, text: str) -> None:
        self.text.setText(text)
        self.setAccessibleName(text)


def _paragraph() -> PlainLabel:
    label = PlainLabel(wordWrap=True)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
    return label


class _Progress(Painted, QWidget):
    """Boxes rather than a bar: how many steps are left can be counted from the back row."""

    def __init__(self) -> None:
        super().__init__()
        self._told = self._steps = 0
        self._theme: Theme | None = None
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)

    def show_progress(self, told: int, steps: int) -> None:
        self._told, self._steps = told, steps
        self.setAccessibleName(tr("step {step} of {steps}", step=told, steps=steps))
        self.setFixedWidth(steps * self._pitch())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paint(self, painter: QPainter) -> None:
        if self._theme is None:
            return
        pitch = self._pitch()
        size = max(pitch - 6, 4)
        top = (self.height() - size) // 2
        painter.setPen(self._theme.text)
        for step in range(self._steps):
            box = (step * pitch, top, size, size)
            if step < self._told:
                painter.fillRect(*box, self._theme.accent)
            painter.drawRect(*box)

    def _pitch(self) -> int:
        return min(self.fontMetrics().height(), 22)
