"""How explanations put numbers into words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from visualizer.language import tr

_PS_PER_NS = 1000
_PS_PER_US = 1_000_000


def counted(number: int, noun: str) -> str:
    """ "1 arrival", "96 arrivals"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def duration(ps: int) -> str:
    """A time span as people say it: "21.5 ns", "1378 ns", "14.32 us"."""
    if ps < 100 * _PS_PER_NS:
        return f"{ps / _PS_PER_NS:.1f} ns"
    return f"{ps / _PS_PER_NS:.0f} ns" if ps < 10 * _PS_PER_US else f"{ps / _PS_PER_US:.2f} us"


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"; longer than 6 is cut short with the count of the rest."""
    if len(names) > 6:
        return tr("{names} and {n} more", names=commas(names[:5]), n=len(names) - 5)
    return tr("{names} and {last}", names=commas(names[:-1]), last=names[-1]) if len(names) > 1 else names[0]


def commas(names: Sequence[str]) -> str:
    """ "a, b, c"."""
    return tr(", ").join(names)


def sentences(*texts: str) -> str:
    """Whole sentences one after the other; empty ones are left out."""
    said = [text for text in texts if text]
    return reduce(lambda first, following: tr("{first} {following}", first=first, following=following), said)


def sentence(text: str) -> str:
    """The text with a capital first letter; names in it keep theirs."""
    return text[:1].upper() + text[1:]
