"""Which pane stands where: the docks, and how a workspace arranges them in a window of some size."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics
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

from visualizer.app.session.front import bring_to_front
from visualizer.app.session.panes import Panes
from visualizer.app.settings.workspace_table import Workspace
from visualizer.language import mark, tr
from visualizer.views.look.pane_look_widget import inherited_mono_font

_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


_TITLES = {
    "experiment": mark("Experiment"),
    "code": mark("Code"),
    "ring": mark("Ring"),
    "inspector": mark("Inspector"),
    "explanation": mark("Explanation"),
    "barriers": mark("Barriers"),
    "tiles": mark("Per tile"),
    "events": mark("Events"),
    "memory": mark("Shared memory"),
    "diagnosis": mark("Diagnosis"),
    "breakpoints": mark("Breakpoints"),
    "notes": mark("Notes"),
    "structure": mark("Structure"),
    "statistics": mark("Statistics"),
    "predict": mark("Predict"),
    "story": mark("Story"),
}
"""The docks, in the order of the Window menu."""

_ROOM_FOR_THREE, _ROOM_FOR_TWO = 68, 52
"""In a narrower window, in line heights, fewer panes stand side by side under the timeline; the rest are tabs."""
_ROOM_BESIDE = 52
"""In a narrower one nothing stands beside the timeline."""
_CODE_COLUMNS = 80
_MARGIN_COLUMNS = 18
"""What the code's margin and scroll bar take, in columns."""
_LEAST = QSize(320, 120)
"""No pane asks for more pixels: at a large scale it scrolls instead of pushing the window off the screen."""
_WIDE_TEXT = frozenset({"experiment", "ring", "memory", "breakpoints", "notes", "structure"})
"""Panes that do not scroll by themselves."""


class Docks:
    """The docks of one window, by name. A pane comes into its dock when it is made: when the dock is seen, if not
    before."""

    def __init__(self, window: QMainWindow, panes: Panes) -> None:
        self._window, self._panes = window, panes
        self._docks: dict[str, QDockWidget] = {}
        window.setDockNestingEnabled(True)
        window.setAnimated(False)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        # What stands beside the timeline keeps the whole height.
        window.setCorner(Qt.Corner.BottomLeftCorner, _LEFT)
        for name, title in _TITLES.items():
            dock = QDockWidget(tr(title), window)
            dock.setObjectName(f"dock.{name}")
            self._docks[name] = dock
            panes.when_made(name, partial(self._put, name))
            dock.visibilityChanged.connect(partial(self._see, name))

    def _put(self, name: str, pane: QWidget) -> None:
        pane.setAccessibleName(tr(_TITLES[name]))
        self._docks[name].setWidget(_Scrolling(pane) if name in _WIDE_TEXT else pane)

    def _see(self, name: str, seen: bool) -> None:
        if seen:
            self._panes[name]

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def bring(self, name: str) -> None:
        """Bring a pane to the front."""
        bring_to_front(self._docks[name])

    @property
    def names(self) -> list[str]:
        """In the order of the Window menu."""
        return list(self._docks)

    def all(self) -> list[QDockWidget]:
        return list(self._docks.values())

    @property
    def open(self) -> frozenset[str]:
        """The panes that are open, be it behind another's tab."""
        return frozenset(name for name, dock in self._docks.items() if not dock.isHidden())

    def arrange(self, workspace: Workspace, size: QSize, shown: frozenset[str] | None = None) -> None:
        """The layout of `workspace` as it is meant, for a window of `size`; `shown`: with these panes open."""
        window, docks = self._window, self._docks
        for dock in self.all():
            if dock.isFloating():  # of one that does not float it hides and shows what is in it
                dock.setFloating(False)  # of one that is removed it does nothing
            window.removeDockWidget(dock)
        room = size.width() / window.fontMetrics().height()
        columns = 3 if room >= _ROOM_FOR_THREE else 2 if room >= _ROOM_FOR_TWO else 1
        groups = list(workspace.bottom)
        beside = workspace.left if room >= _ROOM_BESIDE else ()
        if workspace.left and not beside:
            groups.append(workspace.left)
        if workspace.left:
            columns = min(columns, 2)
        while len(groups) > columns:
            last = groups.pop()
            groups[-1] = (*last, *groups[-1])  # the first is the one in front
        if beside:
            window.addDockWidget(_LEFT, docks[beside[0]])
        window.addDockWidget(_BOTTOM, docks[groups[0][0]])
        # Before any of them has tabs: what is split off a dock with tabs becomes one of them.
        for before, group in pairwise(groups):
            window.splitDockWidget(docks[before[0]], docks[group[0]], Qt.Orientation.Horizontal)
        for first, *others in filter(None, (beside, *groups)):
            for name in others:
                window.tabifyDockWidget(docks[first], docks[name])
        for name, dock in docks.items():
            dock.setVisible(name in (workspace.open if shown is None else shown))
        for group in filter(None, (beside, *groups)):
            docks[group[0]].raise_()
        self._share_out(workspace, size, beside, groups)
        self.show_tabs()

    def show_tabs(self) -> None:
        """The tabs of this arrangement and no others. Qt shows them with the next layout request, and forgets to if
        another change comes first; those of an arrangement before, or of one that a restored state replaced, it may
        leave where they stood."""
        groups = {self._tabs_with(dock) for dock in self.all()}
        latest: dict[tuple[str, ...], QTabBar] = {}
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName(tr("Panes"))
            # Letters and dots would be all that is left of the titles where many stand side by side.
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
            if bar.count() > 1:
                titles = tuple(bar.tabText(index) for index in range(bar.count()))
                if titles in latest:
                    latest[titles].hide()
                latest[titles] = bar
                bar.setVisible(frozenset(titles) in groups)
            elif bar.x() >= 0:  # one of a single pane stands outside
                bar.hide()

    def _tabs_with(self, dock: QDockWidget) -> frozenset[str]:
        """The titles of the open docks that share a place with this one, its own among them."""
        together = [dock, *self._window.tabifiedDockWidgets(dock)]
        return frozenset(one.windowTitle() for one in together if not one.isHidden() and not one.isFloating())

    def _share_out(
        self, workspace: Workspace, size: QSize, beside: tuple[str, ...], groups: list[tuple[str, ...]]
    ) -> None:
        """Divide the window among the docks: code gets its columns, the others share the rest."""
        docks, resize = self._docks, self._window.resizeDocks
        rest = size.width()
        if beside:
            least = self._panes[beside[0]].minimumSizeHint().width()
            left = max(least, round(rest * workspace.left_share))
            resize([docks[beside[0]]], [left], Qt.Orientation.Horizontal)
            rest -= left
        fronts = [docks[group[0]] for group in groups]
        widths = [rest // len(groups)] * len(groups)
        if groups[0][0] == "code" and len(groups) > 1:
            digit = QFontMetrics(inherited_mono_font()).horizontalAdvance("0")
            code = max((_CODE_COLUMNS + _MARGIN_COLUMNS) * digit, round(rest * 0.36))
            code = min(code, round(rest * 0.6))
            widths = [code, *[(rest - code) // (len(groups) - 1)] * (len(groups) - 1)]
        resize(fronts, widths, Qt.Orientation.Horizontal)
        resize(fronts[:1], [round(size.height() * workspace.bottom_share)], Qt.Orientation.Vertical)


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
