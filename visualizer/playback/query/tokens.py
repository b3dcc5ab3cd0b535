"""A query's words, numbers, texts and signs, each with its place in the query."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from visualizer.language import tr
from visualizer.playback.query.error import QueryError

TokenKind = Literal["word", "number", "text", "sign", "end"]

LONGEST = 2000
"""Characters of a query: more is a mistake, such as a file pasted into the line."""

_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<text>"[^"]*"|'[^']*')
    | (?P<word>0[xX][0-9a-fA-F]+|[^\W\d][\w.*?]*(?:\[[\w*?]*\][\w.*?]*)*)
    | (?P<number>-?\d+(?:\.\d+)?)
    | (?P<sign>==|!=|<=|>=|!~|\.\.|[<>~(),])
    """,
    re.VERBOSE,
)
_INSTEAD = {"=": "==", "&": "and", "|": "or", "!": "not"}


@dataclass(frozen=True, slots=True)
class Token:
    """`value` is a text without its quotes, a word or sign as written."""

    kind: TokenKind
    value: str
    start: int
    length: int

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.value.lower() in words

    def is_sign(self, *signs: str) -> bool:
        return self.kind == "sign" and self.value in signs


def tokenize(query: str) -> list[Token]:
    """The tokens of a query, the last of kind "end". Raises QueryError at what is none."""
    if len(query) > LONGEST:
        raise QueryError(tr("A query has at most {most} characters.", most=LONGEST), query[:LONGEST], LONGEST)
    tokens: list[Token] = []
    at = 0
    while at < len(query):
        match = _TOKEN.match(query, at)
        if match is None:
            raise _unknown(query, at)
        at = match.end()
        value, start = match.group(), match.start()
        if match["text"]:
            tokens.append(Token("text", value[1:-1], start, len(value)))
        elif match["number"]:
            tokens.append(Token("number", value, start, len(value)))
        elif match["word"]:
            tokens.append(Token("word", value, start, len(value)))
        elif match["sign"]:
            tokens.append(Token("sign", value, start, len(value)))
    tokens.append(Token("end", "", len(query), 1))
    return tokens


def _unknown(query: str, at: int) -> QueryError:
    sign = query[at]
    if sign in "\"'":
        return QueryError(tr("This text has no closing quote."), query, at, len(query) - at)
    if sign in _INSTEAD:
        return QueryError(
            tr("{sign} means nothing here: write {instead}.", sign=sign, instead=_INSTEAD[sign]), query, at
        )
    return QueryError(tr("{sign} means nothing in a query; put names with such signs in quotes.", sign=sign), query, at)
