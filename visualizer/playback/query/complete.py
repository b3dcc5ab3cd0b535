"""What could come next in a half-written query: columns, comparisons, the recording's own names, units, and, or."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from visualizer.playback.query.columns import COLUMN_OF, COLUMNS, Column
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.evaluate import names_of
from visualizer.playback.query.parse import UNITS
from visualizer.playback.query.tokens import Token, tokenize
from visualizer.replay.history import History

_PARTIAL = re.compile(r"""["'][^"']*$|0[xX][0-9a-fA-F]*$|[^\W\d][\w.*?]*(?:\[[\w*?]*\]?)*$""")
_BARE = re.compile(r"0[xX][0-9a-fA-F]+|[^\W\d][\w.]*(?:\[\w*\])?")
_JOINS = ("and", "or")


@dataclass(frozen=True, slots=True)
class Completion:
    """`options` may replace the text from `start` to the cursor."""

    start: int
    options: tuple[str, ...]


def complete(text: str, cursor: int, history: History | None) -> Completion:
    """What may stand at `cursor`; nothing where the text before it makes no sense."""
    before = text[:cursor]
    match = _PARTIAL.search(before)
    start = match.start() if match else cursor
    # A quote that closes a text is not the start of another.
    if before[start : start + 1] in ('"', "'") and before[:start].count(before[start]) % 2:
        start = cursor
    try:
        tokens = tokenize(before[:start])[:-1]
    except QueryError:
        return Completion(start, ())
    typed = before[start:].lstrip("\"'").lower()
    options = [option for option in _options(tokens, history) if option.strip('"').lower().startswith(typed)]
    return Completion(start, tuple(options))


def _options(tokens: list[Token], history: History | None) -> Iterable[str]:
    last = tokens[-1] if tokens else None
    if last is None or last.is_word("and", "or", "not"):
        return _beginnings()
    column = _column_before(tokens)
    if last.is_sign("("):
        return _values(column, history) if len(tokens) > 1 and tokens[-2].is_word("in") else _beginnings()
    if last.kind == "word" and column is not None and last.value.lower() == column.name:
        after_comparison = len(tokens) > 1 and tokens[-2].kind == "sign" and not tokens[-2].is_sign("(")
        return _JOINS if after_comparison else _comparisons(column)
    if last.is_word("in"):
        return ("(",)
    if last.kind == "sign" and not last.is_sign(")"):
        return _values(column, history)
    if last.kind == "number" and column is not None and column.type == "duration":
        return tuple(unit for unit in UNITS if unit.isascii())
    return _JOINS


def _beginnings() -> list[str]:
    return [*(column.name for column in COLUMNS), "not"]


def _comparisons(column: Column) -> tuple[str, ...]:
    if column.type == "flag":
        return _JOINS
    return ("==", "!=", "~", "!~", "in") if column.type == "name" else ("==", "!=", "<", "<=", ">", ">=", "in")


def _values(column: Column | None, history: History | None) -> list[str]:
    if column is None:
        return []
    if column.type == "flag":
        return ["true", "false"]
    names = names_of(column, history) if history is not None else []
    return [*(name if _BARE.fullmatch(name) else f'"{name}"' for name in names), "none"]


def _column_before(tokens: list[Token]) -> Column | None:
    """The column that the end of the query is about."""
    for index in range(len(tokens) - 1, -1, -1):
        token = tokens[index]
        if token.kind == "word" and token.value.lower() in COLUMN_OF:
            return COLUMN_OF[token.value.lower()]
    return None
