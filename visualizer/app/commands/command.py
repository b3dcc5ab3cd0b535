"""What a command is, and the registry of them all that menus, toolbar, palette, help sheet, docs and tests read.

Knows nothing of Qt and no part of a window: a command names the class of what it acts on, and is handed the one there
is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from visualizer.language import mark

Group = Literal["File", "Step", "Find", "Debug", "Mark", "Play", "View", "Lanes", "Lecture", "Window", "Help", "Stage"]
MENUS: dict[Group, tuple[str, str]] = {
    "File": (mark("File"), mark("&File")),
    "Step": (mark("Step"), mark("&Step")),
    "Find": (mark("Find"), mark("&Find")),
    "Debug": (mark("Debug"), mark("&Debug")),
    "Mark": (mark("Mark"), mark("&Mark")),
    "Play": (mark("Play"), mark("&Play")),
    "View": (mark("View"), mark("&View")),
    "Lanes": (mark("Lanes"), mark("&Lanes")),
    "Lecture": (mark("Lecture"), mark("&Lecture")),
    "Window": (mark("Window"), mark("&Window")),
    "Help": (mark("Help"), mark("&Help")),
}
"""Each menu's name, and its title with the key that opens it, in the order of the menu bar. The group Stage is no menu:
its keys work on a lecture's stage."""
GROUPS = tuple(MENUS)

P = TypeVar("P")
A = TypeVar("A", covariant=True)


class Parts:
    """What a window is made of, by class: what commands act on, and what is connected with each other."""

    def __init__(self, *parts: object) -> None:
        self._parts = list(parts)
        self._found: dict[type, object] = {}

    def add(self, *parts: object) -> None:
        """Those that could not be made before the others, since they act on them."""
        self._parts.extend(parts)

    def __getitem__(self, kind: type[P]) -> P:
        """The part that is a `kind`. Raises LookupError if none or more than one is."""
        part = self._found.get(kind)
        if part is None:
            fitting = [one for one in self._parts if isinstance(one, kind)]
            if len(fitting) != 1:
                raise LookupError(f"{len(fitting)} parts are a {kind.__name__}: a command acts on exactly one")
            part = self._found[kind] = fitting[0]
        return part  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class On(Generic[P, A]):
    """What is done to a part, or asked of it: `On(Navigator, Navigator.next_event)`."""

    part: type[P]
    call: Callable[[P], A]

    def __call__(self, parts: Parts) -> A:
        return self.call(parts[self.part])


@dataclass(frozen=True, slots=True)
class Command:
    """One thing the user can do. `keys` are QKeySequence texts, the first is shown in menus."""

    id: str  # "step.next"; the part before the dot is the group in small letters
    title: str
    help: str  # one sentence: tooltip, help sheet, docs/commands.md
    group: Group
    run: On[Any, object]
    keys: tuple[str, ...] = ()
    enabled: On[Any, bool] | None = None
    """Whether it makes sense now; None: always."""
    scope: Literal["window", "timeline"] = "window"
    """ "timeline": `keys[0]` works only while the timeline has the keyboard, so that Space still presses buttons."""
    checked: On[Any, bool] | None = None
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
