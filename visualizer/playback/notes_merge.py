"""What two windows wrote beside one recording at the same time, brought together: nothing of either is lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from visualizer.playback.notes import Mark, Notes, SavedBreakpoint

T = TypeVar("T")


def merged(base: Notes, mine: Notes, theirs: Notes) -> Notes:
    """`mine` and `theirs`, which both began as `base`.

    What one of them added, changed or took away is so, and what one changed while the other took it away stays. Of a
    mark that both wrote on, both texts are kept; of two bookmarks of one number, theirs becomes a mark without one.
    """
    if base in (mine, theirs):
        return mine if base == theirs else theirs
    marks = [_by_place(notes.marks) for notes in (base, mine, theirs)]
    breakpoints = [_by_query(notes.breakpoints) for notes in (base, mine, theirs)]
    return Notes.of(
        _brought_together(*marks, both=_both_marks),
        _brought_together(*breakpoints, both=lambda mine, theirs: [mine]),
    )


def merged_entries(base: Sequence[Any], mine: Sequence[Any], theirs: Sequence[Any]) -> list[Any]:
    """What `mine` and `theirs`, which both began as `base`, say of the structure: what one of them added is there, in
    its order and theirs first; what one of them took back is not. Entries that contradict each other both stay."""
    return _brought_together(*map(_by_content, (base, mine, theirs)), both=lambda mine, theirs: [mine])


def entries_beyond(entries: Sequence[Any], *others: Sequence[Any]) -> list[Any]:
    """Those of the entries that are in none of the others."""
    known = {key for other in others for key in _by_content(other)}
    return [entry for key, entry in _by_content(entries).items() if key not in known]


def _brought_together(
    base: Mapping[Hashable, T],
    mine: Mapping[Hashable, T],
    theirs: Mapping[Hashable, T],
    *,
    both: Callable[[T, T], list[T]],
) -> list[T]:
    found: list[T] = []
    for key in dict.fromkeys([*theirs, *mine]):
        was, one, other = base.get(key), mine.get(key), theirs.get(key)
        if other in (one, was):
            found += [] if one is None else [one]
        elif one is None or one == was:
            found += [] if other is None else [other]
        elif other is None:
            found.append(one)
        else:
            found += both(one, other)
    return found


def _by_place(marks: Iterable[Mark]) -> dict[Hashable, Mark]:
    """Marks by their bookmark's number, or by where they are; several at one place are told apart by their order."""
    seen: Counter[Hashable] = Counter()
    found: dict[Hashable, Mark] = {}
    for mark in marks:
        place = mark.bookmark if mark.bookmark is not None else (mark.focus, mark.last)
        found[place, seen[place]] = mark
        seen[place] += 1
    return found


def _by_content(entries: Iterable[Any]) -> dict[Hashable, Any]:
    """Entries by what they say; one that is there twice undoes what stands between, so its order tells them apart."""
    seen: Counter[Hashable] = Counter()
    found: dict[Hashable, Any] = {}
    for entry in entries:
        says = json.dumps(entry, sort_keys=True)
        found[says, seen[says]] = entry
        seen[says] += 1
    return found


def _by_query(breakpoints: Iterable[SavedBreakpoint]) -> dict[Hashable, SavedBreakpoint]:
    return {one.query: one for one in breakpoints}


def _both_marks(mine: Mark, theirs: Mark) -> list[Mark]:
    if (mine.focus, mine.last) != (theirs.focus, theirs.last):
        return [mine, replace(theirs, bookmark=None)]
    texts = [text for text in (theirs.text, mine.text) if text]
    return [replace(mine, text="\n".join(dict.fromkeys(texts)))]
