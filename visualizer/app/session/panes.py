"""The panes of one window, each made when it is first seen or asked for: a start pays for what it shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QWidget


class Panes(Mapping[str, Any]):
    """The panes by name; `build` makes the one of a name. Who has to do with a pane says so beforehand, with
    `when_made`: a person who never opens it never has it."""

    def __init__(self, names: Sequence[str], build: Callable[[str], QWidget]) -> None:
        self._names, self._build = tuple(names), build
        self._made: dict[str, QWidget] = {}
        self._waiting: defaultdict[str, list[Callable[[Any], object]]] = defaultdict(list)

    def __getitem__(self, name: str) -> Any:
        """The pane of that name, made now if need be. Raises KeyError if there is none."""
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            pane = self._made[name] = self._build(name)
            for tell in self._waiting.pop(name, ()):
                tell(pane)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def made(self, name: str) -> Any:
        """The pane, if it is there already; else None."""
        return self._made.get(name)

    def when_made(self, name: str, tell: Callable[[Any], object]) -> None:
        """Call `tell` with the pane once it is there: who said so first is told first."""
        if name in self._made:
            tell(self._made[name])
        else:
            self._waiting[name].append(tell)
