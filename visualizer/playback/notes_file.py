"""The sidecar file of a recording, RECORDING.notes.json: what was noted, checked when read, replaced in one go.

It names the recording by a fingerprint, so that notes never turn up on another run that happens to have its name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from visualizer.language import tr
from visualizer.playback.notes import Notes
from visualizer.playback.notes_format import (
    STRUCTURE,
    Line,
    NotesOf,
    Wrong,
    encode,
    entries_in,
    json_text,
    lines_of,
    notes_in,
)
from visualizer.playback.notes_merge import merged, merged_entries
from visualizer.recording.regular_file import open_regular
from visualizer.recording.replacing import alone_in, replacing
from visualizer.recording.trace import Trace

MOST_BYTES = 16 << 20
_SAMPLED = 4096


class NotesError(ValueError):
    """Notes that cannot be read or written, or that are another recording's; the message names the file."""


def notes_path(recording: Path) -> Path:
    """Where the notes on a recording lie: beside it."""
    return recording.with_name(recording.name + ".notes.json")


def fingerprint(trace: Trace) -> str:
    """Tells recordings apart without reading millions of events: their number, when made, and a sample of them."""
    import hashlib

    digest = hashlib.sha256(f"{trace.meta.program} {trace.meta.created} {len(trace)}".encode())
    rows = np.unique(np.linspace(0, max(len(trace) - 1, 0), min(_SAMPLED, len(trace))).astype(np.int64))
    digest.update(trace.events[rows].tobytes())
    return digest.hexdigest()


def load_notes(path: Path, trace: Trace) -> Notes:
    """The notes in the file; none if there is no file. Raises NotesError, which says what to do."""
    found = _read(path).notes
    if isinstance(found, NotesError):
        raise found
    if found.notes.is_empty:  # what is said of the structure fits every recording of the kernel
        return found.notes
    if found.of != fingerprint(trace) or found.last >= len(trace):
        raise NotesError(
            tr(
                "{file} holds notes on another recording of that name; they are not shown, and new notes are not saved."
                " Rename or delete that file, then open the recording again.",
                file=path,
            )
        )
    return found.notes


def save_notes(path: Path, notes: Notes, trace: Trace, base: Notes | None = None) -> Notes:
    """Write the notes, all or nothing, together with what another window wrote since they were `base`; without any, and
    no structure to keep, the file goes. What is in the file now. Raises NotesError, also for a file that is not to be
    written over.

    `base` None: the notes replace what is there.
    """
    with _alone(path):
        if base is not None:
            notes = merged(base, notes, load_notes(path, trace))
        try:
            structure = load_structure(path)
        except NotesError:
            structure = []  # what replaces a file that cannot be read keeps nothing of it
        of = fingerprint(trace)
        before = _READ.get(path)  # which keeps the marks alive that its lines are of
        lines = lines_of(notes.marks, before.lines if before is not None else {})
        document = encode(notes, of, lines) | ({STRUCTURE: structure} if structure else {})
        _replace(path, document, NotesOf(notes, of, len(trace) - 1), structure, lines)
    return notes


def load_structure(path: Path) -> list[Any]:
    """What the user says of the structure (visualizer/structure/overrides.py), of whichever recording has that name:
    it is about the kernel. Raises NotesError where the file cannot be read."""
    found = _read(path).structure
    if isinstance(found, NotesError):
        raise found
    return list(found)


def save_structure(path: Path, structure: list[Any], trace: Trace, base: Sequence[Any]) -> list[Any]:
    """Write the entries into the file, together with what another window wrote there since they were `base`; the notes
    in it stay. What is in the file now. Raises NotesError, also for a file that is not to be written over."""
    with _alone(path):
        structure = merged_entries(base, structure, load_structure(path))
        notes = _read(path).notes
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            document = encode(Notes(), fingerprint(trace), {})
        document.pop(STRUCTURE, None)
        if structure:
            document[STRUCTURE] = structure
        _replace(path, document, notes, structure)
    return structure


@dataclass(frozen=True, slots=True)
class _Content:
    """A file as it was read or written: its parts, or why they cannot be read; and by what it is known again."""

    known_by: tuple[int, ...]
    notes: NotesOf | NotesError
    structure: list[Any] | NotesError
    lines: Mapping[int, Line] = field(default_factory=dict)  # of the notes' marks by `id`, as far as they are known


_NOTHING = _Content((), NotesOf(Notes(), "", -1), [])
_READ: dict[Path, _Content] = {}
"""The files read last. Every note that is written asks what is there, and tens of thousands take their time."""
_MOST_READ = 4


def _read(path: Path) -> _Content:
    """What is in the file; read again only if it is another than last time. Raises NotesError."""
    try:
        with open_regular(path) as file:
            known_by = _known_by(file)
            known = _READ.get(path)
            if known is not None and known.known_by == known_by:
                return known
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return _NOTHING
    except OSError as error:
        raise NotesError(tr("{file} cannot be read: {reason}.", file=path, reason=error.strerror or error)) from None
    if len(content) > MOST_BYTES:
        raise NotesError(tr("{file} is too large for notes: it was left as it is.", file=path))
    try:
        document = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from None
    parts: list[Any] = []
    for part in (notes_in, entries_in):
        try:
            parts.append(part(document))
        except Wrong as wrong:
            parts.append(_damaged(path, str(wrong)))
    return _remember(path, _Content(known_by, *parts))


def _remember(path: Path, content: _Content) -> _Content:
    _READ.pop(path, None)
    _READ[path] = content
    while len(_READ) > _MOST_READ:
        _READ.pop(next(iter(_READ)), None)
    return content


def _known_by(file: IO[bytes]) -> tuple[int, ...]:
    """Every writing of ours makes another file; that of others changes its time or size."""
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


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


def _replace(
    path: Path,
    document: dict[str, Any],
    notes: NotesOf | NotesError,
    structure: list[Any],
    lines: Mapping[int, Line] | None = None,
) -> None:
    """Write the file, all or nothing, with these notes and entries in it; with none, it goes. Raises NotesError."""
    try:
        if not structure and not document.get("marks") and not document.get("breakpoints"):
            path.unlink(missing_ok=True)
            return
        text = json_text(document)
        content = text.encode("utf-8", "replace")  # half a surrogate pair, which a paste may bring, is no text
        with replacing(path) as file:
            file.write(content)
            file.flush()
            known_by = _known_by(file)
        if len(content) <= MOST_BYTES and content.decode() == text:
            _remember(path, _Content(known_by, notes, structure, lines or {}))
    except OSError as error:
        raise _unsaved(path, error.strerror or str(error)) from None


def _unsaved(path: Path, reason: str) -> NotesError:
    return NotesError(tr("Notes cannot be saved in {file}: {reason}.", file=path, reason=reason))


def _damaged(path: Path, what: str) -> NotesError:
    return NotesError(
        tr(
            "{file} cannot be read as notes: {what}. It was left as it is, and new notes are not saved;"
            " mend, rename or delete it, then open the recording again.",
            file=path,
            what=what,
        )
    )
