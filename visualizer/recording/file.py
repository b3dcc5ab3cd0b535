"""Recordings as files: one `.pscope` holds a Trace, opens at once whatever its length, and is safe from strangers.

A ZIP whose members are stored as they are, so a size cannot lie and the events can be used where they lie. Nothing
in it is ever executed or unpickled. docs/trace-format.md is the reference.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from visualizer.language import mark, tr
from visualizer.recording.file_tables import decode_tables, encode_tables
from visualizer.recording.held import Bytes, held_bytes
from visualizer.recording.replacing import replacing
from visualizer.recording.schema import EARLIER_EVENT_DTYPE, EVENT_DTYPE, NO_SAMPLES, SAMPLE_DTYPE
from visualizer.recording.trace import Trace, TraceError

META_MEMBER = "meta.json"
EVENTS_MEMBER = "events.npy"
SAMPLES_MEMBER = "samples.npy"
MAX_META_BYTES = 64 << 20

_ROW_OF = {EVENTS_MEMBER: mark("an event"), SAMPLES_MEMBER: mark("a sample")}
_CHUNK_BYTES = 48 << 18
"""Bytes written at a time; a whole number of rows."""
_ALIGNMENT = 64
"""Rows start at a multiple of this in the file: columns of a mapping are read faster when aligned."""
_ALIGNMENT_FIELD = 0xD935  # the ZIP extra field that Android's zipalign introduced for padding
_EARLIEST_DATE = (1980, 1, 1, 0, 0, 0)  # ZIP's own; the time of a recording is in its meta
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, ..., length of the name, length of the extra field
_ZIP64_FIELD_BYTES = 20
_ZIP64_FROM = 2**31 - 1
_ENCRYPTED = 0x1
_COPY_AGAIN = mark("copy or record it again")


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
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            what = tr("a directory") if stat.S_ISDIR(mode) else tr("not a regular file")
            raise TraceError(tr("it is {what}; name a .pscope file", what=what))
        with open(path, "rb") as file:
            return _read(file)
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
                copy_again=tr(_COPY_AGAIN),
            )
        ) from error
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from None
    except ValueError:  # a NUL, or half of a surrogate pair
        raise TraceError(tr("{path!r} cannot be the name of a file", path=str(path))) from None


def _write(file: IO[bytes], trace: Trace, meta: bytes) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        _write_rows(archive, file.tell(), EVENTS_MEMBER, trace.events)
        if len(trace.samples):
            _write_rows(archive, file.tell(), SAMPLES_MEMBER, trace.samples)
        archive.writestr(zipfile.ZipInfo(META_MEMBER, _EARLIEST_DATE), meta)


def _write_rows(archive: zipfile.ZipFile, offset: int, name: str, rows: NDArray[np.void]) -> None:
    """A member that holds `rows` as an npy array, its header at byte `offset` of the file."""
    header = io.BytesIO()
    npy.write_array_header_1_0(
        header, {"descr": npy.dtype_to_descr(rows.dtype), "fortran_order": False, "shape": (len(rows),)}
    )
    large = len(header.getbuffer()) + rows.nbytes >= _ZIP64_FROM
    member = zipfile.ZipInfo(name, _EARLIEST_DATE)
    start = offset + _LOCAL_HEADER.size + len(name) + (_ZIP64_FIELD_BYTES if large else 0) + len(header.getbuffer())
    padding = -(start + 6) % _ALIGNMENT
    member.extra = struct.pack("<HHH", _ALIGNMENT_FIELD, 2 + padding, _ALIGNMENT) + bytes(padding)
    with archive.open(member, "w", force_zip64=large) as output:
        output.write(header.getbuffer())
        chunk = _CHUNK_BYTES // rows.dtype.itemsize
        for first in range(0, len(rows), chunk):
            output.write(np.ascontiguousarray(rows[first : first + chunk]).view(np.uint8).data)


def _read(file: IO[bytes]) -> Trace:
    members = _members(file)
    held = held_bytes(file)
    meta = _content(held, members, META_MEMBER)
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
                copy_again=tr(_COPY_AGAIN),
            )
        )
    events = _rows(EVENTS_MEMBER, _content(held, members, EVENTS_MEMBER), EVENT_DTYPE)
    samples = NO_SAMPLES
    if SAMPLES_MEMBER in members:
        samples = _rows(SAMPLES_MEMBER, _content(held, members, SAMPLES_MEMBER), SAMPLE_DTYPE)
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


def _members(file: IO[bytes]) -> dict[str, zipfile.ZipInfo]:
    """The directory at the end of the ZIP. Only the directory: contents are read by `_content`."""
    signature = file.read(4)
    if signature not in (b"PK\x03\x04", b"PK\x05\x06"):
        raise TraceError(tr("it is not a phasescope recording (not a ZIP file); choose a .pscope file"))
    try:
        with zipfile.ZipFile(file) as archive:
            listed = archive.infolist()
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, OverflowError, EOFError) as error:
        raise TraceError(
            tr("it is truncated or damaged ({error}); {copy_again}", error=error, copy_again=tr(_COPY_AGAIN))
        ) from None
    members: dict[str, zipfile.ZipInfo] = {}
    for member in listed:
        if member.filename in members:
            raise TraceError(
                tr(
                    "it has the member {filename!r} twice; {copy_again}",
                    filename=member.filename,
                    copy_again=tr(_COPY_AGAIN),
                )
            )
        members[member.filename] = member
    return members


def _content(held: Bytes, members: dict[str, zipfile.ZipInfo], name: str) -> Bytes:
    """The bytes of a member where they lie in the file, their CRC checked."""
    member = members.get(name)
    if member is None:
        raise TraceError(tr("it has no {name}, so it is not a phasescope recording; choose another file", name=name))
    if member.flag_bits & _ENCRYPTED:
        raise TraceError(
            tr("{name} is encrypted, which recordings never are; {copy_again}", name=name, copy_again=tr(_COPY_AGAIN))
        )
    if member.compress_type != zipfile.ZIP_STORED:
        raise TraceError(
            tr("{name} is compressed; recordings are stored as they are: pack it again without compression", name=name)
        )
    if member.compress_size != member.file_size:
        raise TraceError(tr("{name} has two different sizes; {copy_again}", name=name, copy_again=tr(_COPY_AGAIN)))
    # Before the start (a damaged directory) would count from the end.
    offset = max(member.header_offset, 0)
    header = held[offset : offset + _LOCAL_HEADER.size].tobytes()
    if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
        raise TraceError(
            tr("{name} is not where the directory says; {copy_again}", name=name, copy_again=tr(_COPY_AGAIN))
        )
    _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
    start = offset + _LOCAL_HEADER.size + name_length + extra_length
    if start + member.file_size > len(held):
        raise TraceError(
            tr(
                "{name} is said to have {file_size} bytes, more than the file holds; {copy_again}",
                name=name,
                file_size=member.file_size,
                copy_again=tr(_COPY_AGAIN),
            )
        )
    content = held[start : start + member.file_size]
    crc = zlib.crc32(content.data)
    if crc != member.CRC:
        raise TraceError(
            tr(
                "{name} is damaged (CRC {crc:08x} instead of {crc2:08x}); {copy_again}",
                name=name,
                crc=crc,
                crc2=member.CRC,
                copy_again=tr(_COPY_AGAIN),
            )
        )
    return content


def _rows(name: str, content: Bytes, expected: np.dtype[np.void]) -> NDArray[np.void]:
    """The array in the member `name`, without copying it."""
    shape, fortran_order, dtype, start = _array_header(name, content)
    if dtype != expected and (name, dtype) != (EVENTS_MEMBER, EARLIER_EVENT_DTYPE):
        raise TraceError(
            tr(
                "{name} has the columns {dtype}, not those of {row_of}; {copy_again}",
                name=name,
                dtype=dtype,
                row_of=tr(_ROW_OF[name]),
                copy_again=tr(_COPY_AGAIN),
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


def _array_header(name: str, content: Bytes) -> tuple[tuple[int, ...], bool, Any, int]:
    """Shape, Fortran order, dtype and where the data start. numpy parses the header as literals, nothing more."""
    stream = io.BytesIO(content[: 1 << 17].tobytes())
    try:
        version = npy.read_magic(stream)
        if version != (1, 0):
            raise TraceError(
                tr(
                    "{name} has npy version {major}.{minor}; it must be 1.0",
                    name=name,
                    major=version[0],
                    minor=version[1],
                )
            )
        shape, fortran_order, dtype = npy.read_array_header_1_0(stream)
    except TraceError:
        raise
    except (LookupError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError, tokenize.TokenError) as error:
        raise TraceError(
            tr(
                "{name} has no valid npy header ({error}); {copy_again}",
                name=name,
                error=error,
                copy_again=tr(_COPY_AGAIN),
            )
        ) from None
    return shape, fortran_order, dtype, stream.tell()
