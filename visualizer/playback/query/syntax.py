"""The tree of a query. Every leaf keeps its place in the text, for errors that are found when it meets a recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from visualizer.playback.query.columns import Column

Comparison = Literal["==", "!=", "<", "<=", ">", ">=", "~", "!~"]


@dataclass(frozen=True, slots=True)
class Name:
    """A name to compare with, or a pattern of names."""

    text: str
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Flag:
    """A column that is true or false by itself."""

    column: Column


@dataclass(frozen=True, slots=True)
class Missing:
    """The event has no such value."""

    column: Column


@dataclass(frozen=True, slots=True)
class CompareName:
    """`column` is called one of `names`, or like them if `pattern`."""

    column: Column
    names: tuple[Name, ...]
    pattern: bool


@dataclass(frozen=True, slots=True)
class CompareNumber:
    """`column` compared with a whole number (a duration in ps) or with another column."""

    column: Column
    comparison: Comparison
    value: int | Column


@dataclass(frozen=True, slots=True)
class Differs:
    """The event has a value, and `equal` does not hold: what != and !~ mean."""

    equal: CompareName | CompareNumber


@dataclass(frozen=True, slots=True)
class Not:
    operand: Node


@dataclass(frozen=True, slots=True)
class Both:
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Either:
    left: Node
    right: Node


Node = Flag | Missing | CompareName | CompareNumber | Differs | Not | Both | Either
