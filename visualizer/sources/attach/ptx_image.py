"""PTX out of what a program loads: PTX itself, a fat binary, or a cubin whose debug information holds it.

A fat binary is a header and entries, PTX or cubin, each for one architecture and perhaps compressed. Nothing of the
format is documented by NVIDIA; what is here was read off files that nvcc 13.0 made in all its compression modes.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from visualizer.language import tr
from visualizer.sources.attach.decompress import decompressed

FAT_MAGIC = b"\x50\xed\x55\xba"
ELF_MAGIC = b"\x7fELF"
PTX_SECTION = b".nv_debug_ptx_txt"

_FAT_HEADER = struct.Struct("<IHHQ")  # magic, version, bytes of this, bytes behind it
_ENTRY = struct.Struct("<HHIQIIHHI8xQ8xQ")
"""Kind, version, bytes of this, bytes behind it, compressed bytes, place of options, minor, major, architecture, flags,
bytes when not compressed."""
_KIND_PTX, _KIND_CUBIN = 1, 2
_LZ4, _ZSTD = 0x2000, 0x8000
_LINE = re.compile(r"^[ \t]*\.loc\s+\d", re.MULTILINE)
_NEXT = re.compile(r"^[ \t]*(?:\.visible\s+|\.weak\s+)?\.entry\s", re.MULTILINE)
_NOT_CODE = re.compile(
    r"//[^\n]*|^[ \t]*\.(?:loc|file)\s[^\n]*|^[ \t]*\.section\s+\.debug_\w+\s*\{[^}]*\}", re.MULTILINE
)
_TARGET = re.compile(r"^[ \t]*\.target\s+(sm_(\d{2,4})([af]?))\b", re.MULTILINE)


class NoPtx(Exception):
    """An image has no PTX for a kernel; the message says why, in words that fit behind "KERNEL: "."""


@dataclass(frozen=True, slots=True)
class Ptx:
    """The text of one PTX module."""

    text: str
    target: str  # "sm_90a"
    architecture: int  # 90

    @property
    def has_lines(self) -> bool:
        return _LINE.search(self.text) is not None

    @property
    def bare(self) -> str:
        """The text without comments, blanks and what debuggers read: the same within a cubin and outside."""
        return "".join(_NOT_CODE.sub("", self.text).split())

    def entry(self, name: str) -> str:
        """The text of one kernel, and of what follows it up to the next one."""
        begin = _definition(name).search(self.text)
        if begin is None:
            return ""
        end = _NEXT.search(self.text, begin.end())
        return self.text[begin.start() : end.start() if end else None]

    def runs_on(self, sm: int) -> bool:
        """Whether what is assembled for its target runs on a GPU of compute capability `sm` (90: 9.0)."""
        suffix = self.target[-1]
        if suffix == "a":
            return self.architecture == sm
        if suffix == "f":
            return self.architecture // 10 == sm // 10 and self.architecture <= sm
        return self.architecture <= sm


def module_of(modules: Iterable[Ptx], entry: str, sm: int) -> Ptx:
    """The module that defines the kernel `entry` and is best for compute capability `sm`.

    NoPtx if there is none. Of several the one for the latest architecture, and of those one with line numbers.
    """
    found = [ptx for ptx in modules if ptx.runs_on(sm) and _definition(entry).search(ptx.text)]
    if found:
        return max(found, key=lambda ptx: (ptx.architecture, len(ptx.target), ptx.has_lines))
    raise NoPtx(
        tr(
            "its image holds machine code only, no PTX for this GPU: build it with nvcc -arch=sm_{sm}a, or with"
            " -lineinfo",
            sm=sm,
        )
    )


def _definition(entry: str) -> re.Pattern[str]:
    return re.compile(rf"\.entry\s+{re.escape(entry)}(?![\w$.])")


def modules(image: bytes) -> Iterator[Ptx]:
    """Every PTX module of an image."""
    if image.startswith(FAT_MAGIC):
        for kind, content in _entries(image):
            if kind == _KIND_PTX:
                yield from _module(content)
            elif kind == _KIND_CUBIN:
                yield from modules(content)
    elif image.startswith(ELF_MAGIC):
        # Lines end with NUL there, and those that told line numbers are empty.
        yield from _module(_section(image, PTX_SECTION).strip(b"\0").replace(b"\0", b"\n"))
    else:
        yield from _module(image.split(b"\0", 1)[0])


def holds(image: bytes, cubin: bytes) -> bool:
    """Whether an image is this cubin, or a fat binary of which an entry is, which may end with zeros."""
    if not image.startswith(FAT_MAGIC):
        return image == cubin
    return any(
        kind == _KIND_CUBIN and content[: len(cubin)] == cubin and not content[len(cubin) :].strip(b"\0")
        for kind, content in _entries(image)
    )


def _module(content: bytes) -> Iterator[Ptx]:
    text = content.rstrip(b"\0").decode(errors="replace")
    if (target := _TARGET.search(text)) is not None:
        yield Ptx(text, target[1], int(target[2]))


def _entries(image: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and content of each entry. An image that ends early ends the entries."""
    try:
        _, _, begin, size = _FAT_HEADER.unpack_from(image)
        at, end = begin, min(begin + size, len(image))
        while at + _ENTRY.size <= end:
            kind, _, header, padded, compressed, _, _, _, _, flags, whole = _ENTRY.unpack_from(image, at)
            if header < _ENTRY.size:
                return
            content = image[at + header : at + header + padded]
            if kind in (_KIND_PTX, _KIND_CUBIN):
                method = "zstd" if flags & _ZSTD else "lz4" if flags & _LZ4 else ""
                yield kind, decompressed(content[:compressed], method, whole) if method else content
            at += header + padded
    except struct.error:
        return


def _section(elf: bytes, name: bytes) -> bytes:
    """The content of a section of a 64-bit little-endian ELF file; b"" if it has none of this name."""
    try:
        (table,) = struct.unpack_from("<Q", elf, 0x28)
        size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
        headers = [struct.unpack_from("<IIQQQQ", elf, table + size * row) for row in range(count)]
        begin = headers[names][4] if names < count else 0
        for header in headers:
            place = begin + header[0]
            if elf[place : place + len(name) + 1] == name + b"\0":
                return elf[header[4] : header[4] + header[5]]
    except (struct.error, OverflowError):  # a place outside the file, or outside any
        pass
    return b""
