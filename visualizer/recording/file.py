"""Recordings as files: one `.pscope` holds a Trace, opens at once whatever its length, and is safe from strangers.

A ZIP (`members`) of tables and rows of events. Nothing in it is ever executed or unpickled. docs/trace-format.md is
the reference.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from visualizer.language import mark, tr
from visualizer.recording.file_tables import decode_tables, encode_tables
from visualizer.recording.held_bytes import Bytes, held_bytes
from visualizer.recording.regular_file import NotRegularError, open_regular
from visualizer.recording.replacing import replacing
from visualizer.recording.schema import EARLIER_EVENT_DTYPE, EVENT_DTYPE, NO_SAMPLES, SAMPLE_DTYPE
from visualizer.recording.trace import Trace, TraceError
from visualizer.recording.zip_members import (
    COPY_AGAIN,
    array_header,
    content_of,
    find_members,
    write_content,
    write_rows,
)

META_MEMBER = "meta.json"
EVENTS_MEMBER = "events.npy"
SAMPLES_MEMBER = "samples.npy"
MAX_META_BYTES = 64 << 20

_ROW_OF = {EVENTS_MEMBER: mark("an event"), SAMPLES_MEMBER: mark("a sample")}


def save(trace: Trace, path: str | os.PathLike[str]) -> None:
    """Write `trace` to `path`, all of it or nothing: an older file there stays whole until the new one is.

    A Trace that was loaded from the older file stays valid. Raises TraceError, which names the file.
    """
    path = Path(path)
    try:
        meta = encode_tables(trace)
        if len(meta) > MAX_META_BYTES:
            raise TraceError(
                tr(
                    "its tables take {size} bytes; at most {most} fit in a recording",
                    size=len(meta),
                    most=MAX_META_BYTES,
                )
            )
    except TraceError as error:
        raise TraceError(tr("{path} cannot be saved: {error}", path=path, error=error)) from None
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            what = tr("a directory") if target.is_dir() else tr("not a regular file")
            raise TraceError(tr("{path} cannot be saved: it is {what}; choose another name", path=path, what=what))
        with replacing(target) as file:
            _write(file, trace, meta)
    except OSError as error:
        raise TraceError(
            tr(
                "{path} cannot be saved: {strerror}; check that {parent} exists, can be written and has"
                " room, or choose another name",
                path=path,
                strerror=error.strerror or error,
                parent=path.parent,
            )
        ) from error


def load(path: str | os.PathLike[str]) -> Trace:
    """The Trace in the file `path`; its events are read-only, and stay whatever becomes of the file.

    Raises TraceError, which names the file.
    """
    path = Path(path)
    try:
        with open_regular(path) as file:
            return _read(file)
    except NotRegularError as error:
        what = tr("it is {what}; name a .pscope file", what=error.strerror)
        raise TraceError(f"{path}: {what}") from None
    except FileNotFoundError:
        raise TraceError(tr("{path}: no such file; check the name", path=path)) from None
    except PermissionError:
        raise TraceError(tr("{path}: you may not read it; change its permissions or copy it", path=path)) from None
    except OSError as error:
        raise TraceError(
            tr(
                "{path}: it cannot be read: {strerror}; {copy_again}",
                path=path,
                strerror=error.strerror or error,
                copy_again=tr(COPY_AGAIN),
            )
        ) from error
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from None
    except ValueError:  # a NUL, or half of a surrogate pair
        raise TraceError(tr("{path!r} cannot be the name of a file", path=str(path))) from None


def _write(file: IO[bytes], trace: Trace, meta: bytes) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        write_rows(archive, file.tell(), EVENTS_MEMBER, trace.events)
        if len(trace.samples):
            write_rows(archive, file.tell(), SAMPLES_MEMBER, trace.samples)
        write_content(archive, META_MEMBER, meta)


def _read(file: IO[bytes]) -> Trace:
    members = find_members(file)
    held = held_bytes(file)
    meta = content_of(held, members, META_MEMBER)
    if len(meta) > MAX_META_BYTES:
        raise TraceError(
            tr(
                "meta.json has {size} bytes; at most {most} are allowed",
                size=len(meta),
                most=MAX_META_BYTES,
            )
        )
    tables = decode_tables(meta.tobytes())
    # Only now: a newer version may have members of its own, and it is the version that the user can do something about.
    unknown = sorted(set(members) - {META_MEMBER, EVENTS_MEMBER, SAMPLES_MEMBER})
    if unknown:
        raise TraceError(
            tr(
                "it has a member {unknown!r}, which no recording has; {copy_again}",
                unknown=unknown[0],
                copy_again=tr(COPY_AGAIN),
            )
        )
    events = _rows(EVENTS_MEMBER, content_of(held, members, EVENTS_MEMBER), EVENT_DTYPE)
    samples = NO_SAMPLES
    if SAMPLES_MEMBER in members:
        samples = _rows(SAMPLES_MEMBER, content_of(held, members, SAMPLES_MEMBER), SAMPLE_DTYPE)
    return Trace(
        tables.meta,
        tables.agents,
        tables.barriers,
        tables.sites,
        events,
        tables.source_files,
        samples,
        tables.rings,
    )


def _rows(name: str, content: Bytes, expected: np.dtype[np.void]) -> NDArray[np.void]:
    """The array in the member `name`, without copying it."""
    shape, fortran_order, dtype, start = array_header(name, content)
    if dtype != expected and (name, dtype) != (EVENTS_MEMBER, EARLIER_EVENT_DTYPE):
        raise TraceError(
            tr(
                "{name} has the columns {dtype}, not those of {row_of}; {copy_again}",
                name=name,
                dtype=dtype,
                row_of=tr(_ROW_OF[name]),
                copy_again=tr(COPY_AGAIN),
            )
        )
    if len(shape) != 1 or fortran_order:
        order = "Fortran" if fortran_order else "C"
        raise TraceError(
            tr(
                "{name} has shape {shape} in {order} order; it must be one-dimensional in C order",
                name=name,
                shape=shape,
                order=order,
            )
        )
    what = name.removesuffix(".npy")
    needed, present = shape[0] * expected.itemsize, len(content) - start
    if needed != present:
        raise TraceError(
            tr(
                "{name} has {present} bytes of {what}; its {shape} {what} take {needed}",
                name=name,
                present=present,
                what=what,
                shape=shape[0],
                needed=needed,
            )
        )
    return content[start:].view(expected)
