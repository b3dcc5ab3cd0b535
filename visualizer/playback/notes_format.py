"""What stands in a sidecar file, RECORDING.notes.json: notes, and what is said of the structure, each checked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.notes import BOOKMARKS, Mark, Notes, SavedBreakpoint

FORMAT = "phasescope-notes"
VERSION = 1
STRUCTURE = "structure"
"""The key of what the user says of the structure."""
MOST_MARKS = 50_000
"""More than anybody writes, and few enough to be read in a blink."""
MOST_ENTRIES = 1_000
_DEEPEST = 8
"""Of what is said of the structure: more than anybody says, and deeper than an entry goes."""


class Wrong(Exception):
    """What in the document is not as it should be."""


@dataclass(frozen=True, slots=True)
class NotesOf:
    """Notes, the fingerprint of the recording they are on, and the last step that they name; -1: none."""

    notes: Notes
    of: str
    last: int


def last_step(marks: Iterable[Mark]) -> int:
    """The last step that any of the marks names; -1 without marks."""
    return max((max(mark.focus.step, mark.last or 0) for mark in marks), default=-1)


class Line(str):
    """An item of a list as the file holds it."""

    __slots__ = ()


def json_text(document: dict[str, Any]) -> str:
    """The document as a file holds it: an item of a list a line. Python's own indenting takes ten times as long."""
    parts = []
    for key, value in document.items():
        if isinstance(value, list) and value:
            said = "[\n" + ",\n".join(["  " + (item if type(item) is Line else _json(item)) for item in value]) + "\n ]"
        else:
            said = _json(value)
        parts.append(f" {_json(key)}: {said}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


_json = json.JSONEncoder(ensure_ascii=False).encode


def lines_of(marks: Sequence[Mark], known: Mapping[int, Line]) -> dict[int, Line]:
    """The marks' lines by the marks' `id`; those that are known are not written anew."""
    return {id(mark): known.get(id(mark)) or _line(mark) for mark in marks}


def _line(mark: Mark) -> Line:
    says = {
        "step": mark.focus.step,
        "lane": mark.focus.lane,
        "last": mark.last,
        "bookmark": mark.bookmark,
        "text": mark.text,
    }
    return Line(_json(says))


def encode(notes: Notes, of: str, lines: Mapping[int, Line]) -> dict[str, Any]:
    """The document for `json_text`, of notes whose marks have these lines."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "recording": of,
        "marks": [lines[id(mark)] for mark in notes.marks],
        "breakpoints": [{"query": saved.query, "enabled": saved.enabled} for saved in notes.breakpoints],
    }


def notes_in(document: object) -> NotesOf:
    """The notes in the document. Raises Wrong."""
    top = _object(document, tr("the file"))
    entries_in(top)
    if set(top) == {STRUCTURE}:  # written by hand, as docs/structure.md says
        return NotesOf(Notes(), "", -1)
    if top.get("format") != FORMAT:
        raise Wrong(tr("it does not say {format}", format=f'"format": "{FORMAT}"'))
    if top.get("version") != VERSION:
        raise Wrong(
            tr("its version is {version}, this phasescope reads {known}", version=top.get("version"), known=VERSION)
        )
    if len(_list(top, "marks")) > MOST_MARKS:
        raise Wrong(tr("it has more than {most} marks", most=MOST_MARKS))
    marks = [
        _mark(_object(entry, f"marks[{number}]"), f"marks[{number}]")
        for number, entry in enumerate(_list(top, "marks"))
    ]
    numbers = [mark.bookmark for mark in marks if mark.bookmark is not None]
    if len(set(numbers)) != len(numbers):
        raise Wrong(tr("two marks have one bookmark number"))
    saved = [
        _breakpoint(_object(entry, f"breakpoints[{number}]"), f"breakpoints[{number}]")
        for number, entry in enumerate(_list(top, "breakpoints"))
    ]
    return NotesOf(Notes.of(marks, saved), _text(top, tr("recording"), tr("the file")), last_step(marks))


def entries_in(document: object) -> list[Any]:
    """What the document says of the structure. Raises Wrong."""
    top = _object(document, tr("the file"))
    entries = _list(top, STRUCTURE) if STRUCTURE in top else []
    if len(entries) > MOST_ENTRIES:
        raise Wrong(tr("it has more than {most} entries on the structure", most=MOST_ENTRIES))
    level: list[Any] = [entries]
    for _ in range(_DEEPEST):
        parts = [part for one in level for part in (one.values() if isinstance(one, dict) else one)]
        level = [part for part in parts if isinstance(part, dict | list)]
    if level:
        raise Wrong(tr("an entry on the structure is nested too deep"))
    return entries


def _mark(entry: dict[str, Any], where: str) -> Mark:
    step, last, bookmark, lane = entry.get("step"), entry.get("last"), entry.get("bookmark"), entry.get("lane")
    if step is None or not _is_number(step):
        raise Wrong(tr("{place} has no step, a number from 0", place=where))
    if last is not None and not (_is_number(last) and last >= step):
        raise Wrong(tr("{place}: last must be a step not before step, or null", place=where))
    if bookmark is not None and not (_is_number(bookmark) and bookmark in BOOKMARKS):
        raise Wrong(tr("{place}: bookmark must be 1 to 9, or null", place=where))
    if lane is not None and not (isinstance(lane, str) and _is_text(lane)):
        raise Wrong(tr("{place}: lane must be a name, or null", place=where))
    return Mark(Focus(int(step), lane), last, _text(entry, "text", where), bookmark)


def _breakpoint(entry: dict[str, Any], where: str) -> SavedBreakpoint:
    enabled = entry.get("enabled")
    if not isinstance(enabled, bool):
        raise Wrong(tr("{place}: enabled must be true or false", place=where))
    return SavedBreakpoint(_text(entry, "query", where), enabled)


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Wrong(tr("{place} is not an object", place=where))
    return value


def _list(entry: dict[str, Any], key: str) -> list[Any]:
    value = entry.get(key)
    if not isinstance(value, list):
        raise Wrong(tr("{key} is not a list", key=key))
    return value


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not _is_text(value):
        raise Wrong(tr("{place}: {key} must be a text", place=where, key=key))
    return value


def _is_text(value: str) -> bool:
    """Whether it has no half of a surrogate pair."""
    return value.isascii() or value == value.encode("utf-8", "replace").decode("utf-8")


def _is_number(value: object) -> bool:
    """Whether it is a whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
