"""The menu bar, generated from the registry; only the recent files and the panes' switches are lists of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.command import MENUS, Registry
from visualizer.language import tr
from visualizer.views.look.plain_text_widget import tip


def build_menus(
    window: QMainWindow,
    registry: Registry,
    actions: Actions,
    docks: Sequence[QDockWidget],
    recent_files: Callable[[], Sequence[Path]],
    open_file: Callable[[Path], object],
) -> None:
    for group, (_, title) in MENUS.items():
        menu = window.menuBar().addMenu(tr(title))
        menu.setToolTipsVisible(True)
        submenus: dict[str, QMenu] = {}
        for command in registry.in_group(group):
            if command.separated:
                menu.addSeparator()
            if command.submenu and command.submenu not in submenus:
                submenus[command.submenu] = menu.addMenu(tr(command.submenu))
            submenus.get(command.submenu, menu).addAction(actions[command.id])
            if command.id == "file.open":
                menu.addMenu(_recent_menu(menu, recent_files, open_file))
        if group == "Window":
            menu.addSeparator()
            for dock in docks:
                menu.addAction(dock.toggleViewAction())


def _recent_menu(
    parent: QMenu, recent_files: Callable[[], Sequence[Path]], open_file: Callable[[Path], object]
) -> QMenu:
    """Filled each time it opens: another window may have added to the list."""
    menu = QMenu(tr("Open recent"), parent)
    menu.setObjectName("recent")
    menu.setToolTipsVisible(True)

    def fill() -> None:
        menu.clear()
        paths = list(recent_files())
        for path in paths:
            action = menu.addAction(path.name)
            action.setToolTip(tip(str(path)))
            action.triggered.connect(lambda _=False, path=path: open_file(path))
        if not paths:
            menu.addAction(tr("No recent files")).setEnabled(False)

    menu.aboutToShow.connect(fill)
    return menu
