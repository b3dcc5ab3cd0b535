"""Which pieces of a source file the code pane colours, as plain data: Pygments finds them, themes have four kinds.

Pygments is imported when there is code to colour: a start without a recording need not wait for it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from pygments.lexer import Lexer

CodeKind = Literal["comment", "string", "keyword", "number"]
CODE_KINDS: tuple[CodeKind, ...] = get_args(CodeKind)

MAX_COLOURED = 500_000
"""Characters; a longer file is shown uncoloured."""

_CPP_SUFFIXES = {".cu", ".cuh", ".h", ".hpp", ".cpp"}
_LINE_ENDS = re.compile("\r\n|[\n\r\u2029\ufdd0\ufdd1]")
"""Where a Qt document begins a new line."""
_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")
_KINDS: Mapping[tuple[str, ...], CodeKind] = {
    ("Comment",): "comment",
    ("Comment", "Preproc"): "keyword",
    ("Comment", "PreprocFile"): "string",
    ("Literal", "String"): "string",
    ("Literal", "Number"): "number",
    ("Keyword",): "keyword",
    ("Operator", "Word"): "keyword",
    ("Name", "Builtin"): "keyword",
}
"""By Pygments' type of token, a path from the general to the special; the longest path that is here counts."""


class CodeToken(NamedTuple):
    """A coloured piece within one line."""

    line: int  # from 0
    start: int  # in the line; this and `length` count UTF-16 units, as Qt does
    length: int
    kind: CodeKind


@lru_cache(maxsize=8)  # stepping goes back and forth between a recording's files
def code_tokens(name: str, text: str) -> tuple[CodeToken, ...]:
    """What to colour in the file `name`, in order; nothing in other languages or beyond MAX_COLOURED."""
    lexer_class = _lexer_class(name) if 0 < len(text) <= MAX_COLOURED else None
    if lexer_class is None:
        return ()
    text = _TWO_UNITS.sub("\ufffd\ufffd", _LINE_ENDS.sub("\n", text)) + "\n"
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found: list[CodeToken] = []
    for position, token, value in lexer_class().get_tokens_unprocessed(text):
        kind = _kind(token)
        if kind is None:
            continue
        line = bisect_right(line_starts, position) - 1
        start = position - line_starts[line]
        for piece in value.split("\n"):
            if piece:
                _add(found, CodeToken(line, start, len(piece), kind))
            line, start = line + 1, 0
    return tuple(found)


def _add(found: list[CodeToken], token: CodeToken) -> None:
    """Pygments takes a string apart, quotes and escapes; here it is one piece."""
    if found:
        last = found[-1]
        if (last.line, last.start + last.length, last.kind) == (token.line, token.start, token.kind):
            found[-1] = last._replace(length=last.length + token.length)
            return
    found.append(token)


def _lexer_class(name: str) -> type[Lexer] | None:
    suffix = PurePath(name).suffix.lower()
    if suffix == ".py":
        from pygments.lexers.python import PythonLexer

        return PythonLexer
    if suffix == ".ptx":
        from visualizer.views.code.ptx_lexer import PtxLexer

        return PtxLexer
    if suffix in _CPP_SUFFIXES:
        from visualizer.views.code.cuda_lexer import CudaCppLexer

        return CudaCppLexer
    return None


def _kind(token: tuple[str, ...]) -> CodeKind | None:
    paths = (token[:length] for length in range(len(token), 0, -1))
    return next((_KINDS[path] for path in paths if path in _KINDS), None)
