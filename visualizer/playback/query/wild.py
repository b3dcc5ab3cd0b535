"""Names with * and ? in them, matched in time that grows with the name: a regular expression of many .* does not come
back from a name that nearly fits."""

from __future__ import annotations

from collections.abc import Callable


def wild_matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a whole name is what the pattern says: * for any text, ? for one character; [ ] are themselves."""
    first, *pieces = pattern.split("*")

    def matches(name: str) -> bool:
        if not pieces:
            return len(name) == len(first) and _fits(name, 0, first)
        if not _fits(name, 0, first):
            return False
        at = len(first)
        # The first place where a piece fits leaves most for the others.
        for piece in pieces[:-1]:
            at = next((start for start in range(at, len(name)) if _fits(name, start, piece)), -1) if piece else at
            if at < 0:
                return False
            at += len(piece)
        end = len(name) - len(pieces[-1])
        return end >= at and _fits(name, end, pieces[-1])

    return matches


def _fits(name: str, start: int, piece: str) -> bool:
    """Whether the piece, which has no *, is what stands at `start`."""
    if "?" not in piece:
        return name.startswith(piece, start)
    there = name[start : start + len(piece)]
    return len(there) == len(piece) and all(want in ("?", have) for want, have in zip(piece, there, strict=True))
