"""Which of a CTA's rings a pane shows: the one that the focused event is about, or one that was chosen by hand."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QWidget

from visualizer.language import tr
from visualizer.views.look.field_widget import WheelFreeChoice


class RingChoice(WheelFreeChoice):
    """There only where there is something to choose. `activated` says that a person chose; the choice outlives a change
    of CTA, for rings have one name in every CTA."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Ring shown"))
        self.setToolTip(tr("The ring of the focused event, or always this one"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the timeline, or to a lecture
        self._names: list[str] = []
        self.hide()

    def offer(self, names: Sequence[str]) -> None:
        """Offer these rings; one that was chosen stays chosen where it is among them, else the focus is followed."""
        if list(names) != self._names:
            chosen = self.chosen
            self._names = list(names)
            self.clear()
            self.addItems([tr("Follow the focus"), *self._names])
            self.setCurrentIndex(1 + self._names.index(chosen) if chosen in self._names else 0)
            self.adjustSize()
        self.setVisible(len(self._names) > 1)

    @property
    def chosen(self) -> str | None:
        """The ring chosen by hand; None: that of the focus."""
        return self._names[self.currentIndex() - 1] if self.currentIndex() > 0 else None

    def shown(self, followed: str | None, *, room_for_all: bool) -> tuple[str | None, ...]:
        """The rings to show, `followed` being that of the focus: the chosen one; else all, where there is room for them
        side by side; else the one followed. (None,): no ring is known."""
        if self.chosen is not None:
            return (self.chosen,)
        return tuple(self._names) if room_for_all and len(self._names) > 1 else (followed,)
