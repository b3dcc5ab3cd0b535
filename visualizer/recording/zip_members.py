"""The members of a recording's ZIP: stored as they are, so that a size cannot lie and rows are used where they lie.

Whatever a damaged or a stranger's file says of itself is held against what is there, and refused in one sentence.
"""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from visualizer.language import mark, tr
from visualizer.recording.checksum import crc32
from visualizer.recording.held_bytes import Bytes
from visualizer.recording.trace import TraceError

COPY_AGAIN = mark("copy or record it again")
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


def write_content(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """A member that holds `content`."""
    archive.writestr(zipfile.ZipInfo(name, _EARLIEST_DATE), content)


def write_rows(archive: zipfile.ZipFile, offset: int, name: str, rows: NDArray[np.void]) -> None:
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


def find_members(file: IO[bytes]) -> dict[str, zipfile.ZipInfo]:
    """The directory at the end of the ZIP `file`, by name; contents are read by `content_of`.

    Raises TraceError where there is none, or where a name stands in it twice.
    """
    signature = file.read(4)
    if signature not in (b"PK\x03\x04", b"PK\x05\x06"):
        raise TraceError(tr("it is not a phasescope recording (not a ZIP file); choose a .pscope file"))
    try:
        with zipfile.ZipFile(file) as archive:
            listed = archive.infolist()
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, OverflowError, EOFError) as error:
        raise TraceError(
            tr("it is truncated or damaged ({error}); {copy_again}", error=error, copy_again=tr(COPY_AGAIN))
        ) from None
    members: dict[str, zipfile.ZipInfo] = {}
    for member in listed:
        if member.filename in members:
            raise TraceError(
                tr(
                    "it has the member {filename!r} twice; {copy_again}",
                    filename=member.filename,
                    copy_again=tr(COPY_AGAIN),
                )
            )
        members[member.filename] = member
    return members


def content_of(held: Bytes, members: dict[str, zipfile.ZipInfo], name: str) -> Bytes:
    """The bytes of a member where they lie in the file, their CRC checked.

    Raises TraceError where it is missing, encrypted, compressed, not where the directory says, or damaged.
    """
    member = members.get(name)
    if member is None:
        raise TraceError(tr("it has no {name}, so it is not a phasescope recording; choose another file", name=name))
    if member.flag_bits & _ENCRYPTED:
        raise TraceError(
            tr("{name} is encrypted, which recordings never are; {copy_again}", name=name, copy_again=tr(COPY_AGAIN))
        )
    if member.compress_type != zipfile.ZIP_STORED:
        raise TraceError(
            tr("{name} is compressed; recordings are stored as they are: pack it again without compression", name=name)
        )
    if member.compress_size != member.file_size:
        raise TraceError(tr("{name} has two different sizes; {copy_again}", name=name, copy_again=tr(COPY_AGAIN)))
    # Before the start (a damaged directory) would count from the end.
    offset = max(member.header_offset, 0)
    header = held[offset : offset + _LOCAL_HEADER.size].tobytes()
    if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
        raise TraceError(
            tr("{name} is not where the directory says; {copy_again}", name=name, copy_again=tr(COPY_AGAIN))
        )
    _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
    start = offset + _LOCAL_HEADER.size + name_length + extra_length
    if start + member.file_size > len(held):
        raise TraceError(
            tr(
                "{name} is said to have {file_size} bytes, more than the file holds; {copy_again}",
                name=name,
                file_size=member.file_size,
                copy_again=tr(COPY_AGAIN),
            )
        )
    content = held[start : start + member.file_size]
    crc = crc32(content)
    if crc != member.CRC:
        raise TraceError(
            tr(
                "{name} is damaged (CRC {crc:08x} instead of {told:08x}); {copy_again}",
                name=name,
                crc=crc,
                told=member.CRC,
                copy_again=tr(COPY_AGAIN),
            )
        )
    return content


def array_header(name: str, content: Bytes) -> tuple[tuple[int, ...], bool, Any, int]:
    """Shape, Fortran order, dtype and where the data start. numpy parses the header as literals, nothing more.

    Raises TraceError where the member `name` has no valid header.
    """
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
                copy_again=tr(COPY_AGAIN),
            )
        ) from None
    return shape, fortran_order, dtype, stream.tell()
