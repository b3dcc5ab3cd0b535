"""A PTX module taken apart, and one entry put together again with what it needs and nothing else.

Modules are large - 18 MB for 57 entries - so what is not asked for is passed over by searches, never read word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from visualizer.language import tr
from visualizer.sources.errors import SourceError

ItemKind = Literal["header", "line", "section", "variable", "func", "entry", "other"]

_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_HEADER_WORD = re.compile(r"\.(?:version|target|address_size)\b")
_LINE_WORD = re.compile(r"\.(?:file|loc)\b|@@")
_VARIABLE = re.compile(r"(?:\.(?:extern|visible|weak|common)\s+)?\.(global|const|shared|tex)\b")
_FUNCTION = re.compile(
    r"(?P<linkage>\.(?:extern|visible|weak)\s+)?\.(?P<kind>func|entry)\b(?:\s*\.attribute\s*\([^)]*\))?"
    r"\s*(?:\([^)]*\)\s*)?(?P<name>[\w$%]+)"
)
_BODY_OR_END = re.compile(r"[;{]|//[^\n]*|/\*.*?\*/", re.DOTALL)
_BRACE = re.compile(r'[{}]|//[^\n]*|/\*.*?\*/|"[^"\n]*"', re.DOTALL)
_LINKAGE = re.compile(r"\.(?:visible|weak|extern|common)\b")
_WORD = re.compile(r"[A-Za-z_$%][\w$]*")
_NAME = re.compile(r"(?<![\w.$])[A-Za-z_$%][\w$]*")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
DRIVER_FUNCTIONS = frozenset({"vprintf", "malloc", "free", "__assertfail"})
"""Functions that the driver brings."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something at the top level of a module: `text` is what stands between `begin` and `end`."""

    kind: ItemKind
    begin: int
    end: int
    name: str = ""  # of a function or variable
    body: int = -1  # where a function's body begins, at its brace; -1: it has none
    space: str = ""  # of a variable: "global", "const", "shared", "tex"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the module that an entry uses."""

    name: str
    space: str  # "global", "const"
    holds_addresses: bool  # of functions or other variables
    is_text: bool = False  # a literal, which nothing may write


class Module:
    """A PTX module. SourceError if it ends within something."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items = list(_items(text))

    @cached_property
    def _named(self) -> dict[str, list[Item]]:
        """Declarations and definitions by name."""
        named: dict[str, list[Item]] = {}
        for item in self.items:
            if item.name:
                named.setdefault(item.name, []).append(item)
        return named

    @property
    def entries(self) -> list[str]:
        return [item.name for item in self.items if item.kind == "entry"]

    def of(self, item: Item) -> str:
        return self.text[item.begin : item.end]

    def entry(self, name: str) -> Item:
        """The entry's definition. SourceError if there is none."""
        for item in self._named.get(name, ()):
            if item.kind == "entry" and item.body >= 0:
                return item
        raise SourceError(
            tr("this PTX defines no kernel {name}, but {entries}", name=name, entries=", ".join(self.entries) or "none")
        )

    def needed(self, entry: Item) -> list[Item]:
        """The entry and every declaration, function and variable that it uses, or that those use; in their order."""
        names = self._named.keys()
        found, todo = {entry.name}, [entry]
        while todo:
            used = names & set(_WORD.findall(self.of(todo.pop())))
            for name in used - found:
                found.add(name)
                todo += self._named[name]
        return [item for item in self.items if item.kind == "header" or item is entry or self._wanted(item, found)]

    def _wanted(self, item: Item, found: set[str]) -> bool:
        return item.kind in ("variable", "func") and item.name in found

    def functions(self, items: Iterable[Item]) -> list[Item]:
        """Those of `items` that are functions with a body, entries not among them."""
        return [item for item in items if item.kind == "func" and item.body >= 0]

    def variables(self, items: Iterable[Item]) -> list[Variable]:
        """The variables of `items` that outlive a CTA. SourceError if one, or a function, is in another module."""
        variables = []
        for item in items:
            declaration = self.of(item)
            if declaration.startswith(".extern") and item.space != "shared" and item.name not in DRIVER_FUNCTIONS:
                if any(other.body >= 0 for other in self._named[item.name]):
                    continue
                raise SourceError(
                    tr(
                        "it uses {name} of another module: build it as one module, without -rdc=true",
                        name=item.name,
                    )
                )
            if item.space in ("global", "const"):
                _, _, initial = declaration.partition("=")
                holds = bool(self._named.keys() & set(_WORD.findall(initial)))
                is_text = not _LINKAGE.match(declaration) and _is_text(initial)
                variables.append(Variable(item.name, item.space, holds, is_text))
        return variables


def visible(declaration: str) -> str:
    """The declaration of a variable or function that other modules may ask for by name."""
    return declaration if _LINKAGE.match(declaration) else f".visible {declaration}"


def _is_text(initial: str) -> bool:
    """Whether what a variable holds at first is a string: characters, and perhaps the 0 behind them."""
    values = re.fullmatch(r"\s*\{([\d,\s]*)\}\s*;", initial)
    codes = [int(code) for code in values[1].split(",")] if values and values[1].strip() else []
    if codes[-1:] == [0]:
        codes.pop()
    return bool(codes) and all(code in (9, 10, 13) or 32 <= code < 256 for code in codes)


def _items(text: str) -> Iterable[Item]:
    at, end = _past_blank(text, 0), len(text)
    while at < end:
        item = _item(text, at)
        yield item
        at = _past_blank(text, item.end)


def _past_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    assert blank is not None
    return blank.end()


def _item(text: str, at: int) -> Item:
    """The item that begins at `at`."""
    if _HEADER_WORD.match(text, at) or _LINE_WORD.match(text, at):
        end = text.find("\n", at)
        kind: ItemKind = "header" if _HEADER_WORD.match(text, at) else "line"
        return Item(kind, at, len(text) if end < 0 else end)
    if text.startswith(".section", at):
        return Item("section", at, _closed(text, text.find("{", at)))
    if (variable := _VARIABLE.match(text, at)) is not None:
        end = _ended(text, at)
        head = _BRACKETS.sub(" ", text[at:end].partition("=")[0])
        names = _NAME.findall(head)
        return Item("variable", at, end, names[-1] if names else "", space=variable[1])
    if (function := _FUNCTION.match(text, at)) is not None:
        kind = "entry" if function["kind"] == "entry" else "func"
        for sign in _BODY_OR_END.finditer(text, function.end()):
            if sign[0] == ";":
                return Item(kind, at, sign.end(), function["name"])
            if sign[0] == "{":
                return Item(kind, at, _closed(text, sign.start()), function["name"], sign.start())
        raise _unfinished(text, at)
    return Item("other", at, _ended(text, at))


def _ended(text: str, at: int) -> int:
    """Behind the next semicolon."""
    end = text.find(";", at)
    if end < 0:
        raise _unfinished(text, at)
    return end + 1


def _closed(text: str, brace: int) -> int:
    """Behind the brace that closes the one at `brace`."""
    if brace < 0:
        raise _unfinished(text, len(text))
    depth = 0
    for sign in _BRACE.finditer(text, brace):
        if sign[0] == "{":
            depth += 1
        elif sign[0] == "}":
            depth -= 1
            if not depth:
                return sign.end()
    raise _unfinished(text, brace)


def _unfinished(text: str, at: int) -> SourceError:
    return SourceError(tr("the PTX ends within what begins in its line {line}", line=text.count("\n", 0, at) + 1))
