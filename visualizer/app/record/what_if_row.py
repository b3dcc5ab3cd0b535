"""The "what if" row: explores the chosen program as it is and with one change, and says what changes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from visualizer.app.record.titles import with_titles
from visualizer.app.work.job import JobRunner, Work
from visualizer.language import tr
from visualizer.programs.lesson import NAME as LESSON
from visualizer.sources.explorer.what_if import WHAT_IFS, Answer, WhatIf, ask
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.source import Request
from visualizer.views.look.field_widget import WheelFreeChoice
from visualizer.views.look.plain_text_widget import PlainLabel, tip

_NARROW = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon


class WhatIfRow(QWidget):
    """A choice of changes, a button that asks (or stops), and the answer, which goes when the experiment changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("What if"))
        self._request: Request | None = None
        self._answer: Answer | None = None  # that is shown
        self.jobs = JobRunner(self)
        self.choice = WheelFreeChoice(accessibleName=tr("What if"), sizeAdjustPolicy=_NARROW, minimumContentsLength=8)
        for what_if in WHAT_IFS:
            self.choice.addItem(tr(what_if.title), what_if)
        self.choice.setToolTip(tr("explores random schedules of the program as it is and with this change"))
        self.button = QPushButton(tr("Ask"))
        self.answer = PlainLabel(objectName="hint", wordWrap=True)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label = PlainLabel(tr("What if"))
        label.setBuddy(self.choice)
        row = QHBoxLayout()
        row.setSpacing(5)
        row.addWidget(label)
        row.addWidget(self.choice, 1)
        row.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5)
        layout.addLayout(row)
        layout.addWidget(self.answer)
        self.button.clicked.connect(self.ask_or_stop)
        self.choice.currentIndexChanged.connect(self._forget)
        self.jobs.busy_changed.connect(self._refresh)
        self.jobs.progressed.connect(lambda fraction, what: self._say(f"{what}: {fraction:.0%}"))
        self.jobs.succeeded.connect(self._show)
        self.jobs.failed.connect(lambda sentence: self._say(with_titles(sentence)))
        self.jobs.cancelled.connect(lambda: self._say(tr("Cancelled.")))
        self._say("")
        self._refresh()

    def set_request(self, request: Request | None) -> None:
        """What to ask about; None while there is nothing that could run. The source and the seed do not matter."""
        if _program_of(request) == _program_of(self._request):
            return
        self._request = request
        self._forget()

    def ask_or_stop(self) -> None:
        if self.jobs.is_busy:
            self.jobs.cancel()
        elif self._request is not None and not self._refusal(self.choice.currentData()):
            self.jobs.start(_work(self.choice.currentData(), self._request))

    def _forget(self) -> None:
        """What was answered, or is being found out, is of another question."""
        self.jobs.stop()
        self._say("")
        self._refresh()

    def say_again(self) -> None:
        """The language is another now."""
        if self._answer is not None:
            self._show(self._answer)
        self._refresh()

    def _show(self, answer: Answer) -> None:
        self._say(answer.sentence)
        self._answer = answer

    def _say(self, sentence: str) -> None:
        self._answer = None
        self.answer.setText(sentence)
        self.answer.setVisible(bool(sentence))

    def _refresh(self) -> None:
        model = self.choice.model()
        assert isinstance(model, QStandardItemModel)
        for index in range(self.choice.count()):
            refusal = self._refusal(self.choice.itemData(index))
            if model.item(index).isEnabled() == bool(refusal):
                model.item(index).setEnabled(not refusal)
            if model.item(index).toolTip() != refusal:
                model.item(index).setToolTip(tip(refusal))
        refusal = self._refusal(self.choice.currentData())
        self.button.setText(tr("Stop") if self.jobs.is_busy else tr("Ask"))
        self.button.setEnabled(self._request is not None and not refusal)
        self.button.setToolTip(tip(refusal))

    def _refusal(self, what_if: WhatIf) -> str:
        if self._request is None:
            return ""
        return with_titles(what_if.refusal(self._request.program or LESSON, self._request.parameters))


def _program_of(request: Request | None) -> object:
    return request and (request.program, request.parameters, request.fault)


def _work(what_if: WhatIf, request: Request) -> Work:
    def work(progress: Progress, cancelled: CancelCheck) -> Answer:
        return ask(
            what_if,
            request.program or LESSON,
            request.parameters,
            request.fault,
            progress=progress,
            cancelled=cancelled,
        )

    return work
