"""Which pane stands where: the docks, their order, and a default in which all that matters is seen at once."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QMainWindow,
    QScrollArea,
    QTabBar,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from visualizer.language import mark, tr

_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


_TITLES = {
    "experiment": mark("Experiment"),
    "ring": mark("Ring"),
    "explanation": mark("Explanation"),
    "barriers": mark("Barriers"),
    "code": mark("Code"),
    "tiles": mark("Per tile"),
    "events": mark("Events"),
    "memory": mark("Shared memory"),
    "diagnosis": mark("Diagnosis"),
    "breakpoints": mark("Breakpoints"),
    "notes": mark("Notes"),
    "structure": mark("Structure"),
    "statistics": mark("Statistics"),
    "predict": mark("Predict"),
}
"""The docks, in the order of the Window menu."""

_ROOM_FOR_EXPERIMENT = 100
"""Narrower windows, in line heights, keep the experiment behind the code, so that the timeline has room."""
_ROOM_FOR_PAIRS = 70
"""Narrower ones show one pane at a time under the timeline, and one under the ring."""
_LEAST = QSize(320, 240)
"""No pane asks for more pixels: at a large scale it scrolls instead of pushing the window off the screen."""
_WIDE_TEXT = frozenset({"experiment", "ring", "memory", "breakpoints", "notes", "structure"})
"""Panes that do not scroll by themselves."""


class Docks:
    """The docks of one window, by name."""

    def __init__(self, window: QMainWindow, panes: dict[str, QWidget]) -> None:
        self._window = window
        self._docks: dict[str, QDockWidget] = {}
        window.setDockNestingEnabled(True)
        window.setAnimated(False)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        # The right column keeps the whole height: ring, explanation and barrier table belong together.
        window.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)
        window.setCorner(Qt.Corner.BottomLeftCorner, _LEFT)
        for name, title in _TITLES.items():
            dock = QDockWidget(tr(title), window)
            dock.setObjectName(f"dock.{name}")
            panes[name].setAccessibleName(title)
            dock.setWidget(_Scrolling(panes[name]) if name in _WIDE_TEXT else panes[name])
            self._docks[name] = dock

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def all(self) -> list[QDockWidget]:
        return list(self._docks.values())

    def arrange(self, size: QSize) -> None:
        """The default layout for a window of `size`."""
        window, docks = self._window, self._docks
        for dock in self.all():
            window.removeDockWidget(dock)
            dock.setFloating(False)
        room = size.width() / window.fontMetrics().height()
        pairs, wide = room >= _ROOM_FOR_PAIRS, room >= _ROOM_FOR_EXPERIMENT
        for name in ("ring", "explanation", "barriers"):
            window.addDockWidget(_RIGHT, docks[name])
        window.addDockWidget(_BOTTOM, docks["code"])
        if pairs:
            window.splitDockWidget(docks["code"], docks["tiles"], Qt.Orientation.Horizontal)
        else:
            window.tabifyDockWidget(docks["explanation"], docks["barriers"])
            window.tabifyDockWidget(docks["code"], docks["tiles"])
        for name in ("events", "memory", "diagnosis", "structure"):
            window.tabifyDockWidget(docks["tiles"], docks[name])
        for name in ("breakpoints", "notes", "statistics", "predict"):
            window.tabifyDockWidget(docks["code"], docks[name])
        if wide:
            window.addDockWidget(_LEFT, docks["experiment"])
        else:
            window.tabifyDockWidget(docks["code"], docks["experiment"])
        for dock in self.all():
            dock.show()
        for name in ("tiles", "code", "explanation"):
            docks[name].raise_()
        self._share_out(size, wide, pairs)
        # Qt shows the tab bars with the next layout request, and forgets to if another change comes first. Of an
        # arrangement before, it may leave one where it stood, perhaps in another language.
        spoken = {dock.windowTitle() for dock in self.all()}
        latest: dict[tuple[str, ...], QTabBar] = {}
        for bar in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName(tr("Panes"))
            # Letters and dots would be all that is left of the titles where many stand side by side.
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
            if bar.count() > 1:
                titles = tuple(bar.tabText(index) for index in range(bar.count()))
                if titles in latest:
                    latest[titles].hide()
                latest[titles] = bar
                bar.setVisible(spoken.issuperset(titles))

    def _share_out(self, size: QSize, wide: bool, pairs: bool) -> None:
        """Divide the window among the docks: the timeline and the ring get what grows."""
        width, height = size.width(), size.height()
        docks, resize = self._docks, self._window.resizeDocks
        left = docks["experiment"].widget().widget().minimumSizeHint().width() if wide else 0
        right = round(width * (0.30 if pairs else 0.36))
        rest = width - left - right
        if wide:
            resize([docks["experiment"]], [left], Qt.Orientation.Horizontal)
        resize([docks["ring"]], [right], Qt.Orientation.Horizontal)
        resize([docks["code"]], [round(height * 0.34)], Qt.Orientation.Vertical)
        resize([docks["code"], docks["tiles"]], [round(rest * 0.5), round(rest * 0.5)], Qt.Orientation.Horizontal)
        resize(
            [docks["ring"], docks["explanation"], docks["barriers"]],
            [round(height * 0.48), round(height * 0.21), round(height * 0.25)],
            Qt.Orientation.Vertical,
        )


class _Scrolling(QScrollArea):
    """A pane that scrolls where it has less room than it needs."""

    def __init__(self, pane: QWidget) -> None:
        super().__init__(widgetResizable=True, focusPolicy=Qt.FocusPolicy.NoFocus, accessibleName=pane.accessibleName())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(pane)

    def sizeHint(self) -> QSize:
        return self.widget().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self.widget().minimumSizeHint().boundedTo(_LEAST)


def stacked(*widgets: QWidget) -> QWidget:
    """The widgets one above the other; the last takes the room."""
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in widgets[:-1]:
        layout.addWidget(widget)
    layout.addWidget(widgets[-1], 1)
    return holder
