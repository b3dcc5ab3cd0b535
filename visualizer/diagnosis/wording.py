"""How explanations put numbers into words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from visualizer.language import mark, recorded, tr
from visualizer.recording.schema import PS_PER_NS, PS_PER_US
from visualizer.recording.tables import Ending

STATES = {
    "not_started": mark("not started"),
    "idle": mark("idle"),
    "running": mark("running"),
    "waiting": mark("waiting"),
    "reading": mark("reading"),
    "exited": mark("exited"),
    "timed_out": mark("gave up"),
    "in_range": mark("in a range"),
    "empty": mark("empty"),
    "filling": mark("filling"),
    "full": mark("full"),
}
"""What agents and stages can be doing, for people, by the name that JSON has for it."""
_ENDINGS = {
    "completed": mark("completed"),
    "deadlock": mark("deadlock"),
    "timeout": mark("timeout"),
    "crash": mark("crash"),
    "cancelled": mark("cancelled"),
}


def duration(ps: float, longest: float | None = None) -> str:
    """A time span, to the picosecond, as people say it: "21.5 ns", "1378 ns", "14.32 µs". `longest`: of the column it
    stands in, all of which has one unit, "1.378 µs" above "14.320 µs"."""
    ps = round(ps)
    if max(ps, round(longest or 0)) >= 10 * PS_PER_US:
        return f"{ps / PS_PER_US:.{2 if longest is None else 3}f} µs"
    return f"{ps / PS_PER_NS:.{1 if ps < 100 * PS_PER_NS else 0}f} ns"


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
    return reduce(lambda first, following: tr("{first} {following}", first=first, following=following), said or [""])


def sentence(text: str) -> str:
    """The text with a capital first letter; names in it keep theirs."""
    return text[:1].upper() + text[1:]


def named_tile(tile: int) -> str:
    """ " tile 3"; "" where none is told (-1)."""
    return tr(" tile {tile}", tile=tile) if tile >= 0 else ""


def of_tile(tile: int) -> str:
    """ " of tile 3"; "" where none is told (-1)."""
    return tr(" of tile {tile}", tile=tile) if tile >= 0 else ""


def at_tile(tile: int) -> str:
    """ " at tile 3"; "" where none is told (-1)."""
    return tr(" at tile {tile}", tile=tile) if tile >= 0 else ""


def state_word(state: str) -> str:
    """The state of an agent or a stage for people; the JSON has it in English."""
    return tr(STATES[state]) if state in STATES else state


def ending_word(kind: str) -> str:
    """How a run ended, in a word."""
    return tr(_ENDINGS[kind]) if kind in _ENDINGS else kind


def ending_sentence(ending: Ending) -> str:
    """How a run ended and what was said of it."""
    if not ending.detail:
        return tr("The run ended with {ending}.", ending=ending_word(ending.kind))
    return tr("The run ended with {ending}: {detail}", ending=ending_word(ending.kind), detail=recorded(ending.detail))
