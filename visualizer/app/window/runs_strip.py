"""The strip of runs above the picture: every run and opened recording of this window, with its outcome.

A click shows one; Ctrl+click picks a second, and Compare holds the two against each other. One can be the reference.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListView,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QWidget,
)

from visualizer.app.session.runs import Run, Runs
from visualizer.language import tr
from visualizer.views.look.plain_text_widget import tip

_RUN = Qt.ItemDataRole.UserRole


class RunsStrip(QFrame):
    """There once there is something to choose. It asks with signals and changes nothing by itself."""

    wanted = Signal(object)
    """Show this Run."""
    comparison_wanted = Signal(object, object)
    save_wanted = Signal(object)

    def __init__(self, runs: Runs, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="runsStrip")
        self.setAccessibleName(tr("Runs"))
        self._runs = runs
        self._shown: int | None = None
        self.list = _List()
        self.list.setAccessibleName(tr("Runs of this window"))
        self.list.chosen.connect(lambda item: self._choose(item.data(_RUN)))
        self.list.itemSelectionChanged.connect(self._selection_changed)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.compare = QPushButton(tr("Compare"))
        self.compare.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.compare.clicked.connect(self._compare)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 2)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.compare)
        runs.changed.connect(self.show_again)
        self.show_again()

    def show_again(self) -> None:
        """The runs as they are now, in the language of now."""
        shown = self._runs.shown
        # What was picked beside the run shown stays picked until another is shown.
        stays = self._shown is not None and shown is not None and shown.number == self._shown
        picked = {run.number for run in self.picked} if stays else set()
        self._shown = shown.number if shown is not None else None
        self.list.blockSignals(True)
        self.list.clear()
        for run in self._runs.all:
            item = QListWidgetItem(self._words(run))
            item.setData(_RUN, run)
            item.setToolTip(tip(self._runs.facts(run)))
            if run is shown:
                font = item.font()
                font.setBold(True)
                item.setFont(font)
            self.list.addItem(item)
            if run is shown:
                self.list.setCurrentItem(item)
            item.setSelected(run.number in picked or run is shown)
        self.list.blockSignals(False)
        self.compare.setText(tr("Compare"))
        self._selection_changed()
        self.setVisible(len(self._runs.all) > 1)
        self.list.show_current()

    @property
    def picked(self) -> list[Run]:
        """Those that are selected, from left to right."""
        rows = range(self.list.count())
        return [self.list.item(row).data(_RUN) for row in rows if self.list.item(row).isSelected()]

    def menu(self, run: Run) -> QMenu:
        """What can be done with one of them."""
        runs, menu = self._runs, QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        shown = runs.shown
        menu.addAction(tr("Show"), lambda: self._choose(run)).setEnabled(run is not shown)
        compare = menu.addAction(tr("Compare with the one shown"), lambda: self.comparison_wanted.emit(shown, run))
        compare.setEnabled(shown is not None and run is not shown)
        if run is runs.reference:
            menu.addAction(tr("No reference any more"), lambda: runs.pin(None))
        else:
            menu.addAction(tr("Take as the reference"), lambda: runs.pin(run))
        menu.addAction(tr("Save…"), lambda: self.save_wanted.emit(run)).setEnabled(run.trace is not None)
        menu.addAction(tr("Forget"), lambda: runs.let_go(run)).setEnabled(run is not shown and not run.would_be_lost)
        return menu

    def _words(self, run: Run) -> str:
        mark = "\N{WARNING SIGN} " if not run.sound else ""
        parts = [f"{run.number}  {self._runs.title(run)}", mark + run.outcome]
        if run is self._runs.reference:
            parts.append(tr("reference"))
        parts.append(self._runs.held_against_reference(run))
        if run.would_be_lost:
            parts.append(tr("not saved"))
        return "  |  ".join(filter(None, parts))

    def _choose(self, run: Run) -> None:
        if run is not self._runs.shown:
            self.wanted.emit(run)

    def _selection_changed(self) -> None:
        self.compare.setEnabled(len(self.picked) == 2)
        self.compare.setToolTip(tip(tr("Pick two runs: Ctrl+click takes a second one.")))

    def _compare(self) -> None:
        a, b = self.picked
        self.comparison_wanted.emit(a, b)

    def _open_menu(self, at: QPoint) -> None:
        item = self.list.itemAt(at)
        if item is not None:
            self.menu(item.data(_RUN)).popup(self.list.viewport().mapToGlobal(at))


class _List(QListWidget):
    """One line of items, as high as they are. `chosen` tells the item of a plain click, or of Return."""

    chosen = Signal(QListWidgetItem)

    def __init__(self) -> None:
        super().__init__()
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(False)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSpacing(2)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the timeline

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._height)

    @property
    def _height(self) -> int:
        return QFontMetrics(self.font()).height() + 12

    def show_current(self) -> None:
        """Scroll to the run that is shown."""
        self.doItemsLayout()
        self.scrollToItem(self.currentItem())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_current()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        item = self.itemAt(event.position().toPoint())
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if item is not None and plain and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentItem() is not None:
            self.chosen.emit(self.currentItem())
        else:
            super().keyPressEvent(event)
