"""How well a few typed letters fit a name: what the palette sorts by."""

from __future__ import annotations

import re
from itertools import takewhile

_WORD = re.compile(r"[^\W_]+")


def fits(typed: str, *texts: str) -> bool:
    """Whether every word typed stands in one of the texts."""
    return all(any(word in text.lower() for text in texts) for word in typed.lower().split())


def fit(typed: str, name: str) -> int | None:
    """Lower is better: 0 the name begins so, 1 all words typed stand in it, 2 its words begin with the letters typed
    in turn ("prs" finds "Play in real speed"), 3 the letters stand in it in this order; None if they do not. Small and
    capital letters are alike."""
    typed, name = " ".join(typed.lower().split()), name.lower()
    if name.startswith(typed):
        return 0
    if all(word in name for word in typed.split()):
        return 1
    letters = typed.replace(" ", "")
    if _begin_words(letters, _WORD.findall(name)):
        return 2
    rest = iter(name)
    return 3 if all(letter in rest for letter in letters) else None


def _begin_words(letters: str, words: list[str]) -> bool:
    """Whether the letters are beginnings of some of the words, in their order."""
    taken = {0}  # so many letters may be taken by the words so far
    for word in words:
        taken |= {at + n for at in taken for n in range(1, _common(letters[at:], word) + 1)}
    return len(letters) in taken


def _common(a: str, b: str) -> int:
    """So many letters at their beginnings are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
