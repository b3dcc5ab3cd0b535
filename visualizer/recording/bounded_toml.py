"""TOML that somebody else wrote, read within bounds: Python's parser takes the square of a key's parts, so that a key
of 600 kB would hold it for hours."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 64
"""Of a key `a.b.c`: more than any file of ours has."""
# A text that does not end goes on to where TOML would stop reading it, so that each character is looked at once.
_TEXTS = re.compile(
    r"\"\"\"(?:(?!\"\"\")(?:[^\\]|\\.))*+(?:\"\"\"|\\?\Z)"
    r"|'''(?:(?!''').)*+(?:'''|\Z)"
    r"|\"(?:[^\"\\\n]|\\[^\n])*+(?:\"|\\?(?=\n)|\\?\Z)"
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)
_BETWEEN = re.compile(r"[=,\[\]{}\n]")


def read_toml(text: str) -> dict[str, Any]:
    """The document. ValueError if it is no TOML, or has a number of thousands of digits; RecursionError if it is nested
    too deeply, or a key has more than MOST_PARTS parts."""
    if has_endless_key(text):
        raise RecursionError(f"a key has more than {MOST_PARTS} parts")
    return tomllib.loads(text)


def has_endless_key(text: str) -> bool:
    """Whether any key has more than MOST_PARTS parts. Time linear in the text."""
    return any(part.count(".") >= MOST_PARTS for part in _BETWEEN.split(_TEXTS.sub("", text)))
