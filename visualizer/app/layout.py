"""Which pane stands where: the docks, their order, and a default in which all that matters is seen at once."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
_RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class Place:
    """Where a dock goes first. `tab_on` puts it behind another dock, which stays in front."""

    name: str
    title: str
    area: Qt.DockWidgetArea
    tab_on: str = ""


PLACES = (
    Place("experiment", "Experiment", _LEFT),
    Place("ring", "Ring", _RIGHT),
    Place("explanation", "Explanation", _RIGHT),
    Place("barriers", "Barriers", _RIGHT),
    Place("code", "Code", _BOTTOM),
    Place("tiles", "Per tile", _BOTTOM),
    Place("events", "Events", _BOTTOM, tab_on="tiles"),
    Place("memory", "Shared memory", _BOTTOM, tab_on="tiles"),
)


class Docks:
    """The docks of one window, by name."""

    def __init__(self, window: QMainWindow, panes: dict[str, QWidget]) -> None:
        self._window = window
        self._docks: dict[str, QDockWidget] = {}
        window.setDockNestingEnabled(True)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        # The right column keeps the whole height: ring, explanation and barrier table belong together.
        window.setCorner(Qt.Corner.BottomRightCorner, _RIGHT)
        window.setCorner(Qt.Corner.BottomLeftCorner, _LEFT)
        for place in PLACES:
            dock = QDockWidget(place.title, window)
            dock.setObjectName(f"dock.{place.name}")
            dock.setWidget(panes[place.name])
            self._docks[place.name] = dock
        self.arrange()

    def __getitem__(self, name: str) -> QDockWidget:
        return self._docks[name]

    def all(self) -> list[QDockWidget]:
        return list(self._docks.values())

    def arrange(self) -> None:
        """The default layout."""
        for place in PLACES:
            dock = self._docks[place.name]
            dock.setFloating(False)
            if place.tab_on:
                self._window.tabifyDockWidget(self._docks[place.tab_on], dock)
            else:
                self._window.addDockWidget(place.area, dock)
            dock.show()
        self._window.splitDockWidget(self._docks["code"], self._docks["tiles"], Qt.Orientation.Horizontal)
        for place in PLACES:
            if place.tab_on:
                self._docks[place.tab_on].raise_()

    def share_out(self, size: QSize) -> None:
        """Divide a window of `size` among the docks: the timeline and the ring get what grows."""
        width, height = size.width(), size.height()
        em = self._window.fontMetrics().averageCharWidth()
        docks = self._docks
        left = min(round(width * 0.15), em * 36)
        right = round(width * 0.29)
        self._window.resizeDocks([docks["experiment"], docks["ring"]], [left, right], Qt.Orientation.Horizontal)
        self._window.resizeDocks([docks["code"]], [round(height * 0.36)], Qt.Orientation.Vertical)
        self._window.resizeDocks(
            [docks["ring"], docks["explanation"], docks["barriers"]],
            [round(height * 0.48), round(height * 0.16), round(height * 0.28)],
            Qt.Orientation.Vertical,
        )
        rest = width - left - right
        self._window.resizeDocks(
            [docks["code"], docks["tiles"]], [round(rest * 0.5), round(rest * 0.5)], Qt.Orientation.Horizontal
        )
