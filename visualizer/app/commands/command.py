"""What a command is, and the registry of them all that menus, toolbar, palette, help sheet, docs and tests read.

Knows nothing of Qt, so that docs/commands.md can be written and key clashes found without a window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from visualizer.language import mark

if TYPE_CHECKING:
    from visualizer.app.window.main_window import MainWindow

Group = Literal["File", "Step", "Find", "Debug", "Mark", "Play", "View", "Lanes", "Lecture", "Window", "Help", "Stage"]
GROUPS: tuple[Group, ...] = (
    "File", "Step", "Find", "Debug", "Mark", "Play", "View", "Lanes", "Lecture", "Window", "Help"
)  # fmt: skip
GROUP_TITLES = (
    mark("File"), mark("Step"), mark("Find"), mark("Debug"), mark("Mark"), mark("Play"), mark("View"), mark("Lanes"),
    mark("Lecture"), mark("Window"), mark("Help"), mark("&File"), mark("&Step"), mark("&Find"), mark("&Debug"),
    mark("&Mark"), mark("&Play"), mark("&View"), mark("&Lanes"), mark("&Lecture"), mark("&Window"), mark("&Help"),
)  # fmt: skip
"""Menus, in the order of the menu bar. The group Stage is no menu: its keys work on a lecture's stage."""

Run = Callable[["MainWindow"], Any]


def always(window: MainWindow) -> bool:
    return True


def with_recording(window: MainWindow) -> bool:
    return window.document is not None


def with_history(window: MainWindow) -> bool:
    """Whether the recording is read, so that every state can be asked for."""
    return window.document is not None and window.document.read


@dataclass(frozen=True, slots=True)
class Command:
    """One thing the user can do. `keys` are QKeySequence texts, the first is shown in menus."""

    id: str  # "step.next"; the part before the dot is the group in small letters
    title: str
    help: str  # one sentence: tooltip, help sheet, docs/commands.md
    group: Group
    run: Run
    keys: tuple[str, ...] = ()
    enabled: Callable[[MainWindow], bool] = always
    scope: Literal["window", "timeline"] = "window"
    """ "timeline": `keys[0]` works only while the timeline has the keyboard, so that Space still presses buttons."""
    checked: Callable[[MainWindow], bool] | None = None
    """Whether a command that switches something is on; None for one that does not."""
    separated: bool = False
    """A line above it in the menu."""
    submenu: str = ""
    """The menu in the menu where it stands; "" for the menu itself."""


class Registry:
    """Commands by id, in menu order. Refuses two of one id, and two on one key: Qt would silently fire neither."""

    def __init__(self, commands: Sequence[Command]) -> None:
        self._by_id: dict[str, Command] = {}
        taken: dict[str, str] = {}
        for command in commands:
            if command.id in self._by_id:
                raise ValueError(f"two commands have the id {command.id}")
            self._by_id[command.id] = command
            for key in command.keys:
                other = taken.setdefault(key.lower(), command.id)
                if other != command.id:
                    raise ValueError(f"{key} is the key of both {other} and {command.id}")

    def __iter__(self) -> Iterator[Command]:
        return iter(self._by_id.values())

    def __getitem__(self, command_id: str) -> Command:
        return self._by_id[command_id]

    def in_group(self, group: Group) -> list[Command]:
        return [command for command in self if command.group == group]
