"""What two runs are aligned at: a tile by its number, or a use of a ring, and of which CTA.

What has no choice is not shown.
"""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Anchor
from visualizer.language import tr
from visualizer.views.look.field_widget import NumberBox, WheelFreeChoice
from visualizer.views.look.plain_text_widget import PlainLabel

_MOST = 1_000_000_000  # of tiles and uses


class AnchorChoice(QWidget):
    """Emits `chosen(Anchor)` when a person has chosen another."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Align at"))
        self.kind = WheelFreeChoice(accessibleName=tr("Align at a tile or a use of a ring"))
        self.kind.addItems([tr("tile"), tr("use of a ring")])
        self.kind.setToolTip(tr("What stands at the same moment in both: uses are counted from 0, stage after stage"))
        self.number = NumberBox(accessibleName=tr("Number of the tile or use"), maximum=_MOST, keyboardTracking=False)
        self.ring = WheelFreeChoice(accessibleName=tr("Ring to align by"))
        self.ring.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.cta = NumberBox(accessibleName=tr("CTA to align by"), prefix="CTA ", keyboardTracking=False)
        self._names: list[str] = []
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 6, 2)
        layout.addWidget(PlainLabel(tr("Align at")))
        for part in (self.kind, self.number, self.ring, self.cta):
            layout.addWidget(part)
        layout.addStretch(1)
        self.kind.activated.connect(self._kind_chosen)
        self.ring.activated.connect(self._tell)
        for spin in (self.number, self.cta):
            spin.valueChanged.connect(self._tell)

    def offer(self, comparison: Comparison, anchor: Anchor) -> None:
        """What this comparison can be aligned at, and what it is."""
        self._names = list(comparison.a.structure.names)
        with QSignalBlocker(self.cta):
            self.cta.setMaximum(max(comparison.a.trace.ctas - 1, 0))
        self.cta.setVisible(comparison.a.trace.ctas > 1)
        self.show_anchor(anchor)

    def show_anchor(self, anchor: Anchor) -> None:
        """Show this choice, and tell nobody."""
        self.kind.setCurrentIndex(int(anchor.by_use))
        self._offer_rings()
        self.ring.setCurrentIndex(max(self.ring.findData(anchor.ring), 0))
        for spin, value in ((self.number, anchor.number), (self.cta, anchor.cta)):
            with QSignalBlocker(spin):
                spin.setValue(value)

    @property
    def anchor(self) -> Anchor:
        """What is chosen."""
        by_use = self.kind.currentIndex() == 1
        return Anchor(self.number.value(), by_use, self.cta.value(), self.ring.currentData())

    def _offer_rings(self) -> None:
        """A use is of one ring; a tile is in when it is in the first of them, if none is named."""
        chosen = self.ring.currentData()
        self.ring.clear()
        if self.kind.currentIndex() == 0:
            self.ring.addItem(tr("first ring to have it"), None)
        for name in self._names:
            self.ring.addItem(name, name)
        self.ring.setCurrentIndex(max(self.ring.findData(chosen), 0))
        self.ring.setVisible(len(self._names) > 1)

    def _kind_chosen(self) -> None:
        self._offer_rings()
        self._tell()

    def _tell(self) -> None:
        self.chosen.emit(self.anchor)
