"""docs/commands.md: every command with its keys, as text.

`python -m visualizer.app.window.commands_page` prints it; a test fails when the file there is another.
"""

from __future__ import annotations

from visualizer.app.commands.command import GROUPS
from visualizer.app.lecture.commands import LECTURE_COMMANDS
from visualizer.app.window.commands import COMMANDS
from visualizer.app.window.help_sheet import MOUSE, keys_of


def commands_markdown() -> str:
    """docs/commands.md: one table per menu, and one for the stage."""
    lines = [
        "# Commands and keys",
        "",
        "Generated from the window's command registry (`visualizer/app/window/commands`) by",
        "`python -m visualizer.app.window.commands_page > docs/commands.md`.",
        "Keys marked * want the keyboard in the timeline.",
    ]
    for group in GROUPS:
        lines += ["", f"## {group}", "", "| command | keys | what it does |", "|---|---|---|"]
        lines += [
            f"| {command.title} | {' '.join(f'`{key}`' for key in keys_of(command))} | {command.help} |"
            for command in COMMANDS.in_group(group)
        ]
    lines += ["", "## On a lecture's stage", "", "| command | keys | what it does |", "|---|---|---|"]
    lines += [
        f"| {command.title} | {' '.join(f'`{key}`' for key in command.keys)} | {command.help} |"
        for command in LECTURE_COMMANDS
    ]
    lines += ["", "## Mouse", "", "| gesture | what it does |", "|---|---|"]
    lines += [f"| {gesture} | {what} |" for gesture, what in MOUSE]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(commands_markdown(), end="")
