"""From a query's text to its tree: columns, comparisons, `and`, `or`, `not` and parentheses."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from visualizer.language import tr
from visualizer.playback.query.columns import COLUMN_OF, Column
from visualizer.playback.query.error import QueryError, did_you_mean
from visualizer.playback.query.syntax import (
    Both,
    CompareName,
    CompareNumber,
    Comparison,
    Differs,
    Either,
    Flag,
    Missing,
    Name,
    Node,
    Not,
)
from visualizer.playback.query.tokens import Token, tokenize

UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "μs": 10**6, "ms": 10**9, "s": 10**12}
"""Picoseconds of each unit; both of Unicode's micro signs."""

_DEEPEST = 50
_LARGEST = 2**62


@dataclass(frozen=True, slots=True)
class Query:
    """A query that can be read; whether its names exist is known when it meets a recording."""

    text: str
    root: Node


def parse(text: str) -> Query:
    """The query in `text`. Raises QueryError, which says where it stops making sense."""
    parser = _Parser(text)
    root = parser.either()
    parser.expect_end()
    return Query(text, root)


class _Parser:
    """One method per rule, loosest first."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokenize(text)
        self._at = 0
        self._depth = 0

    def either(self) -> Node:
        node = self._both()
        while self._take_word("or"):
            node = Either(node, self._both())
        return node

    def expect_end(self) -> None:
        token = self._next
        if token.kind == "end":
            return
        if token.is_sign(")"):
            raise self._error(tr("This parenthesis closes nothing."), token)
        raise self._error(
            tr("Join conditions with and, or; {token} comes after a whole one.", token=token.value), token
        )

    def _both(self) -> Node:
        node = self._negated()
        while self._take_word("and"):
            node = Both(node, self._negated())
        return node

    def _negated(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(tr("This query is nested too deeply."), self._next)
        if self._take_word("not"):
            node: Node = Not(self._negated())
        elif self._next.is_sign("("):
            node = self._in_parentheses()
        else:
            node = self._condition()
        self._depth -= 1
        return node

    def _in_parentheses(self) -> Node:
        opening = self._take()
        node = self.either()
        if not self._next.is_sign(")"):
            raise self._error(tr("This parenthesis is not closed."), opening)
        self._take()
        return node

    def _condition(self) -> Node:
        token = self._take()
        if token.kind != "word" or token.is_word("and", "or", "in"):
            raise self._error(tr("A condition begins with a column, such as kind, barrier or wait."), token)
        column = COLUMN_OF.get(token.value.lower())
        if column is None:
            hint = did_you_mean(token.value, COLUMN_OF, tr("The columns are {names}.", names=", ".join(COLUMN_OF)))
            raise self._error(tr("There is no column {name}.", name=token.value) + " " + hint, token)
        if self._take_word("in"):
            return self._set(column, token)
        if self._next.kind == "sign" and self._next.value in get_args(Comparison):
            return self._comparison(column, self._take())
        if column.type == "flag":
            return Flag(column)
        raise self._error(
            tr("{column} has to be compared with something: {example}.", column=column.name, example=column.example),
            token,
        )

    def _comparison(self, column: Column, sign: Token) -> Node:
        comparison: Comparison = sign.value  # type: ignore[assignment]  # get_args has just checked it
        if comparison not in _COMPARISONS[column.type]:
            raise self._error(
                tr(
                    "{column} takes {comparisons}: {example}.",
                    column=column.name,
                    comparisons=" ".join(_COMPARISONS[column.type]),
                    example=column.example,
                ),
                sign,
            )
        differs = comparison in ("!=", "!~")
        if comparison in ("==", "!=") and column.type != "flag" and self._take_word("none"):
            missing = Missing(column)
            return Not(missing) if differs else missing
        if column.type == "flag":
            return Flag(column) if self._truth() != differs else Not(Flag(column))
        if column.type == "name":
            equal = CompareName(column, (self._name(column),), pattern=comparison in ("~", "!~"))
            return Differs(equal) if differs else equal
        value = self._number_or_column(column)
        if differs:
            return Differs(CompareNumber(column, "==", value))
        return CompareNumber(column, comparison, value)

    def _set(self, column: Column, at: Token) -> Node:
        """`in (a, b)`, or `in 2..5` with both ends."""
        if column.type == "flag":
            raise self._error(tr("{column} is true or false by itself.", column=column.name), at)
        if not self._next.is_sign("("):
            if column.type == "name":
                raise self._error(tr("After in comes a list in parentheses: kind in (arrive, wait_end)."), self._next)
            return self._range(column)
        opening = self._take()
        names: list[Name] = []
        node: Node | None = None
        while True:
            if column.type == "name":
                names.append(self._name(column))
            else:
                equal = CompareNumber(column, "==", self._number(column))
                node = equal if node is None else Either(node, equal)
            if not self._next.is_sign(","):
                break
            self._take()
        if not self._next.is_sign(")"):
            raise self._error(tr("This list is not closed; its values are separated by commas."), opening)
        self._take()
        return CompareName(column, tuple(names), pattern=False) if node is None else node

    def _range(self, column: Column) -> Node:
        low = CompareNumber(column, ">=", self._number(column))
        if not self._next.is_sign(".."):
            raise self._error(tr("A range has two ends: {column} in 2..5.", column=column.name), self._next)
        self._take()
        return Both(low, CompareNumber(column, "<=", self._number(column)))

    def _name(self, column: Column) -> Name:
        token = self._take()
        if token.kind not in ("text", "word"):
            raise self._error(tr("Here comes a name: {example}.", example=column.example), token)
        return Name(token.value, token.start, token.length)

    def _truth(self) -> bool:
        token = self._take()
        if not token.is_word("true", "false"):
            raise self._error(tr("Here comes true or false."), token)
        return token.is_word("true")

    def _number_or_column(self, column: Column) -> int | Column:
        other = COLUMN_OF.get(self._next.value.lower()) if self._next.kind == "word" else None
        if other is None:
            return self._number(column)
        if other.type != column.type:
            raise self._error(
                tr("{column} cannot be compared with {other}.", column=column.name, other=other.name), self._next
            )
        self._take()
        return other

    def _number(self, column: Column) -> int:
        """A whole number; of a duration, in ps."""
        token = self._take()
        if token.kind != "number":
            raise self._error(tr("Here comes a number: {example}.", example=column.example), token)
        value = Fraction(token.value)
        if column.type == "duration":
            value *= self._unit(token)
        if value.denominator != 1:
            raise self._error(tr("{number} has to be a whole number.", number=token.value), token)
        return min(max(int(value), -_LARGEST), _LARGEST)

    def _unit(self, number: Token) -> int:
        unit = self._next
        if unit.kind == "word" and unit.value in UNITS:
            return UNITS[self._take().value]
        if Fraction(number.value) == 0:
            return 1
        raise self._error(tr("A time needs a unit: {number} ns, us, ms, s or ps.", number=number.value), number)

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        if token.kind != "end":
            self._at += 1
        return token

    def _take_word(self, word: str) -> bool:
        found = self._next.is_word(word)
        if found:
            self._take()
        return found

    def _error(self, message: str, token: Token) -> QueryError:
        return QueryError(message, self._text, token.start, token.length)


_COMPARISONS: dict[str, tuple[str, ...]] = {
    "name": ("==", "!=", "~", "!~"),
    "number": ("==", "!=", "<", "<=", ">", ">="),
    "duration": ("==", "!=", "<", "<=", ">", ">="),
    "flag": ("==", "!="),
}
"""What each type of column can be compared with."""
