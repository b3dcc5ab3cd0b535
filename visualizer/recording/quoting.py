"""How a sentence quotes what stands in a stranger's file: however long or deep it is, in a line that can be read."""

from __future__ import annotations

import reprlib

_MOST = 40
"""Characters, unless somebody asks for more."""
_DEPTH = 2


def quoted(value: object, most: int = _MOST) -> str:
    """The value as Python writes it, at most `most` characters; of a number that long only "...", of what stands deep
    in lists and objects the same."""
    if isinstance(value, int) and abs(value) >= 10**most:
        return "..."
    brief = reprlib.Repr()
    brief.maxlevel = _DEPTH
    brief.maxlist = brief.maxtuple = brief.maxdict = most
    brief.maxlong = most + 2
    brief.maxstring = brief.maxother = max(most, len(value) + 2) if isinstance(value, str) else most
    try:
        return shortened(brief.repr(value), most)
    except ValueError:  # Python writes no number of thousands of digits
        return "..."


def shortened(text: str, most: int = _MOST) -> str:
    """The text, or of one longer than `most` characters its beginning and "..."."""
    return text if len(text) <= most else text[: most - 3] + "..."


def abridged(name: str, most: int = _MOST) -> str:
    """The name, or of one longer than `most` characters its beginning and its end, which tell it from others."""
    end = most // 3
    return name if len(name) <= most else f"{name[: most - end - 1]}…{name[-end:]}"
