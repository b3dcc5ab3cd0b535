"""The sentence above the timeline: what happens at the focus and why, always in sight, and as high at every step."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from visualizer.diagnosis.explanations.explain import explain
from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.look.pane_look_widget import scaled_font, use_panel_colours
from visualizer.views.look.plain_text_widget import ElidedLabel, tip
from visualizer.views.look.theme import Theme

_FEWEST, _MOST = 2, 3
"""Lines; more than the fewest only where all of them take no more than a tenth of the window."""
_LENGTH = 190
"""Characters that 19 sentences in 20 do not exceed."""
_SCALE = 1.15


class SentenceWidget(QWidget):
    """Pane of one text. Of a longer one than has room the beginning is shown; its tool tip and the inspector have it
    whole."""

    focus_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("The focus in a sentence"))
        self.text = ElidedLabel(wordWrap=True, accessibleDescription=tr("Explanation"))
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        # As high whatever it says: the lanes below must not jump while stepping.
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 2, 10, 2)
        layout.addWidget(self.text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._history: History | None = None
        self._fit()
        self.set_history(None)

    def set_history(self, history: History | None) -> None:
        self._history = history if history is not None and history.steps else None
        self._say(tr("Open or run a recording to have each step explained.") if history is None else "")

    def set_focus(self, focus: Focus) -> None:
        if self._history is not None:
            self._say(explain(self._history, focus.step))

    def set_theme(self, theme: Theme) -> None:
        use_panel_colours(self, theme)

    def hasHeightForWidth(self) -> bool:
        """What it says does not change its height, though a label that wraps asks for it."""
        return False

    def sizeHint(self) -> QSize:
        margins, metrics = self.layout().contentsMargins(), self.text.fontMetrics()
        across = max(self.width() / metrics.averageCharWidth(), 1)
        most = min(int(self.window().height() / (10 * metrics.lineSpacing())), _MOST)
        lines = max(min(math.ceil(_LENGTH / across), most), _FEWEST)
        return QSize(0, lines * metrics.lineSpacing() + margins.top() + margins.bottom())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self.text.setFont(scaled_font(self.font(), _SCALE))
        self.updateGeometry()

    def _say(self, text: str) -> None:
        self.text.setText(text)
        self.text.setToolTip(tip(text))
