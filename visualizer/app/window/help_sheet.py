"""The ? sheet: every command with its keys, from the registry."""

from __future__ import annotations

from html import escape
from itertools import groupby

from PySide6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

from visualizer.app.commands.command import MENUS, Command, Registry
from visualizer.language import mark, tr

MOUSE = (
    (mark("click anywhere"), mark("move the focus there")),
    (mark("Ctrl+wheel"), mark("zoom at the pointer")),
    (mark("Shift+wheel, middle-drag"), mark("pan")),
    (mark("drag on the ruler"), mark("measure, snapped to events; with Alt held, freely")),
    (mark("drop a file"), mark("open it; import it if it is another tool's")),
)


_COLUMNS_BEGIN = (2, 5)
"""Numbers of the menus at which the sheet's second and third columns begin."""


def help_sheet(parent: QWidget, registry: Registry) -> QDialog:
    """The sheet as a dialog, ready to be shown."""
    sheet = QDialog(parent)
    sheet.setWindowTitle(tr("Keys and commands"))
    text = QTextBrowser(accessibleName=sheet.windowTitle())
    text.setHtml(_html(registry))
    layout = QVBoxLayout(sheet)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(text)
    sheet.resize(parent.fontMetrics().averageCharWidth() * 190, parent.fontMetrics().height() * 44)
    return sheet


def _html(registry: Registry) -> str:
    """Three columns of menus: the whole sheet should be seen without scrolling."""
    columns: tuple[list[str], ...] = ([], [], [])
    for index, (group, (name, _)) in enumerate(MENUS.items()):
        rows = [_row(commands) for commands in _folded(registry.in_group(group))]
        columns[sum(index >= first for first in _COLUMNS_BEGIN)].append(_section(tr(name), rows))
    columns[-1].append(_section(tr("Mouse"), [(tr(gesture), tr(what)) for gesture, what in MOUSE]))
    cells = "".join(f'<td width="33%" style="padding: 4px 14px">{"".join(column)}</td>' for column in columns)
    star = tr("* while the timeline has the keyboard")
    return f'<table width="100%"><tr>{cells}</tr></table><p>{star}</p>'


def _section(title: str, rows: list[tuple[str, str]]) -> str:
    body = "".join(
        f'<tr><td style="padding-right: 18px; white-space: nowrap"><b>{escape(keys)}</b></td>'
        f"<td>{escape(what)}</td></tr>"
        for keys, what in rows
    )
    return f"<h3>{escape(title)}</h3><table>{body}</table>"


def _folded(commands: list[Command]) -> list[list[Command]]:
    """The commands one by one, but those of a submenu together: nine bookmarks are one thing to remember."""
    return [list(together) for _, together in groupby(commands, key=lambda command: command.submenu or command.id)]


def _row(commands: list[Command]) -> tuple[str, str]:
    """Keys and title of one command, or the first and last key and the common title of several."""
    first, last = commands[0], commands[-1]
    if first is last:
        return tr(" or ").join(keys_of(first)), tr(first.title)
    ends = [tr(" or ").join(keys_of(command)) for command in (first, last)]
    return " … ".join(ends), tr(first.submenu)


def keys_of(command: Command) -> list[str]:
    """Its keys; one that wants the keyboard in the timeline with a star."""
    mark = "*" if command.scope == "timeline" else ""
    return [key + (mark if index == 0 else "") for index, key in enumerate(command.keys)]
