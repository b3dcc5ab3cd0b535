"""What may be asked of a source, said once: the command line makes its options of it, the window its fields.

An option has a kind, which turns the words of a command line into a value and back. Limits that hang on other options
or on the program are the source's to check; a kind knows only what no value may be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from visualizer.language import tr

_MOST = 10**15 - 1


class Kind(Protocol):
    """How a value is written on the command line."""

    def parse(self, text: str) -> Any:
        """The value; ValueError with a sentence for a person."""

    def text(self, value: Any) -> str:
        """The word that `parse` takes for this value."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number. `high` is where the window's field ends; what is above it the source refuses in its own words."""

    low: int = 0
    high: int = _MOST
    step: int = 1  # that a click in the window's field goes

    def parse(self, text: str) -> int:
        if not re.fullmatch(r"\d{1,15}", text) or int(text) < self.low:
            raise ValueError(tr("{text!r} is not a whole number of at least {low}", text=text, low=self.low))
        return int(text)

    def text(self, value: int) -> str:
        return str(value)


@dataclass(frozen=True, slots=True)
class Seconds:
    """A duration of at least a second."""

    def parse(self, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0
        if not 1 <= value <= _MOST:
            raise ValueError(tr("{text!r} is not a number of at least {low}", text=text, low=1))
        return value

    def text(self, value: float) -> str:
        return f"{value:g}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these words."""

    values: tuple[str, ...]

    def parse(self, text: str) -> str:
        return text  # the command line offers `values` alone

    def text(self, value: str) -> str:
        return value


@dataclass(frozen=True, slots=True)
class Names:
    """Names of something that the source knows, separated by commas."""

    def parse(self, text: str) -> tuple[str, ...]:
        return tuple(name.strip() for name in text.split(","))

    def text(self, value: tuple[str, ...]) -> str:
        return ",".join(value)


@dataclass(frozen=True, slots=True)
class Roles:
    """Some of these roles of agents, in their order here."""

    values: tuple[str, ...]

    def parse(self, text: str) -> tuple[str, ...]:
        named = text.split(",")
        if unknown := [role for role in named if role not in self.values]:
            raise ValueError(
                tr("{unknown!r} is no role; roles are {names}", unknown=unknown[0], names=", ".join(self.values))
            )
        return tuple(role for role in self.values if role in named)

    def text(self, value: tuple[str, ...]) -> str:
        return ",".join(value)


@dataclass(frozen=True, slots=True)
class Tiles:
    """The first and the last of a span of tiles, both included; -1 is the run's last. No tile is above `high`."""

    high: int

    def parse(self, text: str) -> tuple[int, int]:
        match = re.fullmatch(r"(\d{1,15}):(\d{0,15})", text)
        if match is None or (match[2] and int(match[2]) < int(match[1])):
            raise ValueError(tr("{text!r} is not N:M, two tile numbers with N <= M, such as 1000:1099", text=text))
        return int(match[1]), int(match[2]) if match[2] else -1

    def text(self, value: tuple[int, int]) -> str:
        first, last = value
        return f"{first}:{last if last >= 0 else ''}"


@dataclass(frozen=True, slots=True)
class Group:
    """Options under one heading of the command line's help. Title and help are messages."""

    title: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """How the window offers an option; all texts are messages. `Tiles` need two of them, first and last."""

    help: str  # with the option's flag, since it is what the window's titles are called elsewhere
    title: str = ""  # none: the option's
    name: str = ""  # none: the option's
    usual: str = ""  # what stands for the usual value, such as "off"
    titles: Mapping[Any, str] = field(default_factory=dict)  # of values that are not called by their own word
    value_help: Mapping[Any, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to ask of a source. Sources that mean the same by it have the same Option."""

    name: str  # in Request.options
    flag: str
    kind: Kind
    help: str  # a message for the command line; it may name {names}, the words that the kind knows
    group: Group
    metavar: str | None = None
    default: Any = None  # the value that asks for nothing
    title: str = ""  # a message: what the window calls it
    fields: tuple[Field, ...] = ()  # none: only the command line offers it
    programs: tuple[str, ...] = ()  # those that it is a size of; none: it is of any

    def explained(self) -> str:
        """The help in the current language."""
        return tr(self.help, names=", ".join(getattr(self.kind, "values", ())))
