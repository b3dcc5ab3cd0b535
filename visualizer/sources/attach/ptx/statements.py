"""A function's body as statements, and an instruction as guard, opcode and operands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from visualizer.language import tr
from visualizer.sources.errors import SourceError

TokenKind = Literal["statement", "label", "open", "close", "loc"]

_TOKEN = re.compile(
    r"""(?:\s+|//[^\n]*|/\*.*?\*/|\.file\b[^\n]*)*+
    (?:
        (?P<open>\{) | (?P<close>\})
      | (?P<loc>\.loc\b[^\n]*)
      | (?P<label>[\w$%]+)\s*:(?!:)
      | (?P<statement>(?:[^;{}/"]++|/(?![/*])|//[^\n]*|/\*.*?\*/|"[^"\n]*"|\{[^{}]*\})*+;)
    )""",
    re.VERBOSE | re.DOTALL,
)
_INSTRUCTION = re.compile(
    r"(?:@(?P<negated>!?)\s*(?P<guard>[\w$%.]+)\s+)?(?P<opcode>[a-z][\w.:]*)\s*(?P<rest>.*?)\s*;$", re.DOTALL
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PART = re.compile(r"[\[{(]|[\]})]|,")
_ADDRESS = re.compile(r"\[\s*(?P<base>[\w$%.]+)\s*(?:(?P<sign>[+-])\s*(?P<offset>-?\w+))?\s*\]$")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?$")
_REGISTERS = re.compile(r"\.reg\s+(?:\.v[24]\s+)?\.(\w+)\s+(.*?);$", re.DOTALL)
_NUMBERED = re.compile(r"^(.*?)(\d+)$")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a body, without what separates it from others."""

    kind: TokenKind
    text: str
    begin: int  # in the text that was split
    end: int


@dataclass(frozen=True, slots=True)
class Instruction:
    opcode: str
    operands: tuple[str, ...]
    guard: str = ""  # the predicate register; "": none
    negated: bool = False


def tokens(text: str, begin: int, end: int) -> Iterator[Token]:
    """The pieces of text[begin:end], which is a body without its braces. SourceError if it cannot be read."""
    at = begin
    while at < end:
        found = _TOKEN.match(text, at, end)
        if found is None:
            rest = _COMMENT.sub(" ", text[at:end])
            if rest.strip() and not rest.strip().startswith(".file"):
                place = rest.strip()[:60]
                raise SourceError(tr("its PTX cannot be read at {place!r}: report it with the PTX", place=place))
            return
        kind = cast(TokenKind, found.lastgroup)
        yield Token(kind, found[kind], found.start(kind), found.end())
        at = found.end()


def instruction(statement: str) -> Instruction | None:
    """The instruction of a statement; None if it is a directive."""
    found = _INSTRUCTION.match(_COMMENT.sub(" ", statement) if "/" in statement else statement)
    if found is None:
        return None
    return Instruction(found["opcode"], split_operands(found["rest"]), found["guard"] or "", bool(found["negated"]))


def split_operands(text: str) -> tuple[str, ...]:
    """Operands at commas outside brackets, braces and parentheses."""
    parts, depth, begin = [], 0, 0
    for sign in _PART.finditer(text):
        if sign[0] in "[{(":
            depth += 1
        elif sign[0] in ")}]":
            depth -= 1
        elif not depth:
            parts.append(text[begin : sign.start()].strip())
            begin = sign.end()
    parts.append(text[begin:].strip())
    return tuple(part for part in parts if part)


def address(operand: str) -> tuple[str, int] | None:
    """Base and offset of `[base+offset]`; None if it is no such address."""
    found = _ADDRESS.match(operand)
    if found is None or not (found["offset"] is None or _NUMBER.match(found["offset"])):
        return None
    offset = number(found["offset"] or "0")
    return found["base"], -offset if found["sign"] == "-" else offset


def is_number(operand: str) -> bool:
    return _NUMBER.match(operand) is not None


def number(operand: str) -> int:
    """The value of an integer constant."""
    digits = operand.rstrip("U")
    if digits.lstrip("-").startswith("0") and digits.lstrip("-0").isdigit():
        return int(digits, 8)
    return int(digits, 0)


class Registers:
    """The types of registers that are declared in the open scopes of a function."""

    def __init__(self) -> None:
        self._scopes: list[dict[str, str]] = [{}]

    def open(self) -> None:
        self._scopes.append({})

    def close(self) -> None:
        self._scopes.pop()

    def declare(self, statement: str) -> None:
        """Take note of a `.reg` statement; of others nothing."""
        found = _REGISTERS.match(statement)
        if found is not None:
            for name in found[2].split(","):
                plain, _, several = name.strip().partition("<")
                self._scopes[-1][f"{plain}<" if several else plain] = found[1]

    def type_of(self, name: str) -> str:
        """Such as "b32"; "": it is no register."""
        numbered = _NUMBERED.match(name)
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
            if numbered is not None and f"{numbered[1]}<" in scope:
                return scope[f"{numbered[1]}<"]
        return ""

    def bits(self, name: str) -> int:
        """Width of a register; 0: it is none, or a predicate."""
        kind = self.type_of(name)
        return int(kind[1:]) if kind[1:].isdigit() else 0
