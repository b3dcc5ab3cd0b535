"""The ? sheet: every command with its keys, from the registry; and docs/commands.md, which is the same table as text.

`python -m visualizer.app.help_sheet` prints docs/commands.md; a test fails when the file there is another.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from visualizer.app.command_table import COMMANDS
from visualizer.app.commands import GROUPS, Command, Registry

if TYPE_CHECKING:
    from PySide6.QtWidgets import QDialog, QWidget

MOUSE = (
    ("click anywhere", "move the focus there"),
    ("Ctrl+wheel", "zoom at the pointer"),
    ("Shift+wheel, middle-drag", "pan"),
    ("drop a .pscope file", "open it"),
)


def commands_markdown(registry: Registry = COMMANDS) -> str:
    """docs/commands.md: one table per menu."""
    lines = [
        "# Commands and keys",
        "",
        "Generated from the window's command registry (`visualizer/app/command_table`) by",
        "`python -m visualizer.app.help_sheet > docs/commands.md`. Keys marked * want the keyboard in the timeline.",
    ]
    for group in GROUPS:
        lines += ["", f"## {group}", "", "| command | keys | what it does |", "|---|---|---|"]
        lines += [
            f"| {command.title} | {' '.join(f'`{key}`' for key in _keys(command))} | {command.help} |"
            for command in registry.in_group(group)
        ]
    lines += ["", "## Mouse", "", "| gesture | what it does |", "|---|---|"]
    lines += [f"| {gesture} | {what} |" for gesture, what in MOUSE]
    return "\n".join(lines) + "\n"


def help_sheet(parent: QWidget, registry: Registry = COMMANDS) -> QDialog:
    """The sheet as a dialog, ready to be shown."""
    from PySide6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout

    sheet = QDialog(parent)
    sheet.setWindowTitle("Keys and commands")
    text = QTextBrowser()
    text.setHtml(_html(registry))
    layout = QVBoxLayout(sheet)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(text)
    sheet.resize(parent.fontMetrics().averageCharWidth() * 130, parent.fontMetrics().height() * 44)
    return sheet


def _html(registry: Registry) -> str:
    """Two columns of menus: the whole sheet should be seen without scrolling."""
    halves: tuple[list[str], list[str]] = ([], [])
    for index, group in enumerate(GROUPS):
        rows = [(" or ".join(_keys(command)), command.title) for command in registry.in_group(group)]
        halves[index >= 2].append(_section(group, rows))
    halves[1].append(_section("Mouse", list(MOUSE)))
    cells = "".join(f'<td width="50%" style="padding: 4px 14px">{"".join(half)}</td>' for half in halves)
    return f'<table width="100%"><tr>{cells}</tr></table><p>* while the timeline has the keyboard</p>'


def _section(title: str, rows: list[tuple[str, str]]) -> str:
    body = "".join(
        f'<tr><td style="padding-right: 18px; white-space: nowrap"><b>{escape(keys)}</b></td>'
        f"<td>{escape(what)}</td></tr>"
        for keys, what in rows
    )
    return f"<h3>{escape(title)}</h3><table>{body}</table>"


def _keys(command: Command) -> list[str]:
    mark = "*" if command.scope == "timeline" else ""
    return [key + (mark if index == 0 else "") for index, key in enumerate(command.keys)]


if __name__ == "__main__":
    print(commands_markdown(), end="")
