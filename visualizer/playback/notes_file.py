"""The sidecar file of a recording, RECORDING.notes.json: what was noted, checked when read, replaced in one go.

It names the recording by a fingerprint, so that notes never turn up on another run that happens to have its name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.notes import BOOKMARKS, Mark, Notes, SavedBreakpoint, beyond
from visualizer.playback.notes_merge import merged, merged_entries
from visualizer.recording.replacing import alone_in, replacing
from visualizer.recording.trace import Trace

FORMAT = "phasescope-notes"
VERSION = 1
STRUCTURE = "structure"
"""The key of what the user says of the structure."""
MOST_BYTES = 16 << 20
MOST_MARKS = 50_000
"""More than anybody writes, and few enough to be read in a blink."""
MOST_ENTRIES = 1_000
_DEEPEST = 8
"""Of what is said of the structure: more than anybody says, and deeper than an entry goes."""
_SAMPLED = 4096


class NotesError(ValueError):
    """Notes that cannot be read or written, or that are another recording's; the message names the file."""


def notes_path(recording: Path) -> Path:
    """Where the notes on a recording lie: beside it."""
    return recording.with_name(recording.name + ".notes.json")


def fingerprint(trace: Trace) -> str:
    """Tells recordings apart without reading millions of events: their number, when made, and a sample of them."""
    digest = hashlib.sha256(f"{trace.meta.program} {trace.meta.created} {len(trace)}".encode())
    rows = np.unique(np.linspace(0, max(len(trace) - 1, 0), min(_SAMPLED, len(trace))).astype(np.int64))
    digest.update(trace.events[rows].tobytes())
    return digest.hexdigest()


def load_notes(path: Path, trace: Trace) -> Notes:
    """The notes in the file; none if there is no file. Raises NotesError, which says what to do."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise NotesError(tr("{file} is too large for notes: it was left as it is.", file=path))
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Notes()
    except OSError as error:
        raise NotesError(tr("{file} cannot be read: {reason}.", file=path, reason=error.strerror or error)) from None
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from None
    try:
        notes, of = _decode(document)
    except _Wrong as wrong:
        raise _damaged(path, str(wrong)) from None
    if notes.is_empty:  # what is said of the structure fits every recording of the kernel
        return notes
    if of != fingerprint(trace) or beyond(notes, trace) is not None:
        raise NotesError(
            tr(
                "{file} holds notes on another recording of that name; they are not shown, and new notes are not saved."
                " Rename or delete that file, then open the recording again.",
                file=path,
            )
        )
    return notes


def save_notes(path: Path, notes: Notes, trace: Trace, base: Notes | None = None) -> Notes:
    """Write the notes, all or nothing, together with what another window wrote since they were `base`; without any, and
    no structure to keep, the file goes. What is in the file now. Raises NotesError, also for a file that is not to be
    written over.

    `base` None: the notes replace what is there.
    """
    with _alone(path):
        if base is not None:
            notes = merged(base, notes, load_notes(path, trace))
        structure = _structure_in(path)
        if notes.is_empty and not structure:
            _replace(path, None)
        else:
            _replace(path, _encode(notes, fingerprint(trace)) | ({STRUCTURE: structure} if structure else {}))
    return notes


def load_structure(path: Path) -> list[Any]:
    """What the user says of the structure (visualizer/structure/overrides.py), of whichever recording has that name:
    it is about the kernel. Raises NotesError where the file cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise NotesError(tr("{file} is too large for notes: it was left as it is.", file=path))
        top = _object(json.loads(path.read_text(encoding="utf-8")), tr("the file"))
        return _entries(top)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise NotesError(tr("{file} cannot be read: {reason}.", file=path, reason=error.strerror or error)) from None
    except (ValueError, RecursionError, _Wrong) as error:
        if isinstance(error, NotesError):
            raise
        raise _damaged(path, str(error)) from None


def save_structure(path: Path, structure: list[Any], trace: Trace, base: Sequence[Any]) -> list[Any]:
    """Write the entries into the file, together with what another window wrote there since they were `base`; the notes
    in it stay. What is in the file now. Raises NotesError, also for a file that is not to be written over."""
    with _alone(path):
        structure = merged_entries(base, structure, load_structure(path))
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            document = _encode(Notes(), fingerprint(trace))
        document.pop(STRUCTURE, None)
        if structure:
            document[STRUCTURE] = structure
        _replace(path, document if structure or document.get("marks") or document.get("breakpoints") else None)
    return structure


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """No other window of ours writes the file meanwhile."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with alone_in(path.parent):
            yield
    except TimeoutError:
        raise _unsaved(path, tr("another phasescope is writing there")) from None
    except OSError as error:
        raise _unsaved(path, error.strerror or str(error)) from None


def _structure_in(path: Path) -> list[Any]:
    """The entries to keep when notes are saved; none where they cannot be read."""
    try:
        return load_structure(path)
    except NotesError:
        return []


def _replace(path: Path, document: dict[str, Any] | None) -> None:
    """Write the file, all or nothing; None: it goes. Raises NotesError."""
    try:
        if document is None:
            path.unlink(missing_ok=True)
            return
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        with replacing(path) as file:
            file.write(text.encode("utf-8", "replace"))  # half a surrogate pair, which a paste may bring, is no text
    except OSError as error:
        raise _unsaved(path, error.strerror or str(error)) from None


def _unsaved(path: Path, reason: str) -> NotesError:
    return NotesError(tr("Notes cannot be saved in {file}: {reason}.", file=path, reason=reason))


def _encode(notes: Notes, of: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "recording": of,
        "marks": [
            {
                "step": mark.focus.step,
                "lane": mark.focus.lane,
                "last": mark.last,
                "bookmark": mark.bookmark,
                "text": mark.text,
            }
            for mark in notes.marks
        ],
        "breakpoints": [{"query": saved.query, "enabled": saved.enabled} for saved in notes.breakpoints],
    }


class _Wrong(Exception):
    """What in the document is not as it should be."""


def _decode(document: object) -> tuple[Notes, str]:
    """The notes, and the fingerprint of the recording they are on."""
    top = _object(document, tr("the file"))
    _entries(top)
    if set(top) == {STRUCTURE}:  # written by hand, as docs/structure.md says
        return Notes(), ""
    if top.get("format") != FORMAT:
        raise _Wrong(tr("it does not say {format}", format=f'"format": "{FORMAT}"'))
    if top.get("version") != VERSION:
        raise _Wrong(
            tr("its version is {version}, this phasescope reads {known}", version=top.get("version"), known=VERSION)
        )
    if len(_list(top, "marks")) > MOST_MARKS:
        raise _Wrong(tr("it has more than {most} marks", most=MOST_MARKS))
    marks = [
        _mark(_object(entry, f"marks[{number}]"), f"marks[{number}]")
        for number, entry in enumerate(_list(top, "marks"))
    ]
    numbers = [mark.bookmark for mark in marks if mark.bookmark is not None]
    if len(set(numbers)) != len(numbers):
        raise _Wrong(tr("two marks have one bookmark number"))
    saved = [
        _breakpoint(_object(entry, f"breakpoints[{number}]"), f"breakpoints[{number}]")
        for number, entry in enumerate(_list(top, "breakpoints"))
    ]
    return Notes.of(marks, saved), _text(top, tr("recording"), tr("the file"))


def _entries(top: dict[str, Any]) -> list[Any]:
    """What it says of the structure."""
    entries = _list(top, STRUCTURE) if STRUCTURE in top else []
    if len(entries) > MOST_ENTRIES:
        raise _Wrong(tr("it has more than {most} entries on the structure", most=MOST_ENTRIES))
    level: list[Any] = [entries]
    for _ in range(_DEEPEST):
        parts = [part for one in level for part in (one.values() if isinstance(one, dict) else one)]
        level = [part for part in parts if isinstance(part, dict | list)]
    if level:
        raise _Wrong(tr("an entry on the structure is nested too deep"))
    return entries


def _mark(entry: dict[str, Any], where: str) -> Mark:
    step, last, bookmark, lane = entry.get("step"), entry.get("last"), entry.get("bookmark"), entry.get("lane")
    if step is None or not _is_step(step):
        raise _Wrong(tr("{place} has no step, a number from 0", place=where))
    if last is not None and not (_is_step(last) and last >= step):
        raise _Wrong(tr("{place}: last must be a step not before step, or null", place=where))
    if bookmark is not None and (isinstance(bookmark, bool) or bookmark not in BOOKMARKS):
        raise _Wrong(tr("{place}: bookmark must be 1 to 9, or null", place=where))
    if lane is not None and not (isinstance(lane, str) and _is_text(lane)):
        raise _Wrong(tr("{place}: lane must be a name, or null", place=where))
    return Mark(Focus(int(step), lane), last, _text(entry, "text", where), bookmark)


def _breakpoint(entry: dict[str, Any], where: str) -> SavedBreakpoint:
    enabled = entry.get("enabled")
    if not isinstance(enabled, bool):
        raise _Wrong(tr("{place}: enabled must be true or false", place=where))
    return SavedBreakpoint(_text(entry, "query", where), enabled)


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(tr("{place} is not an object", place=where))
    return value


def _list(entry: dict[str, Any], key: str) -> list[Any]:
    value = entry.get(key)
    if not isinstance(value, list):
        raise _Wrong(tr("{key} is not a list", key=key))
    return value


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not _is_text(value):
        raise _Wrong(tr("{place}: {key} must be a text", place=where, key=key))
    return value


def _is_text(value: str) -> bool:
    """Whether it has no half of a surrogate pair."""
    return value.isascii() or value == value.encode("utf-8", "replace").decode("utf-8")


def _is_step(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _damaged(path: Path, what: str) -> NotesError:
    return NotesError(
        tr(
            "{file} cannot be read as notes: {what}. It was left as it is, and new notes are not saved;"
            " mend, rename or delete it, then open the recording again.",
            file=path,
            what=what,
        )
    )
