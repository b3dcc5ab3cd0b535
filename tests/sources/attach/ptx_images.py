"""Images that hold PTX, as compilers make them: fat binaries, compressed or not, and cubins."""

from __future__ import annotations

import struct


def entry(kind: int, content: bytes, method: str = "") -> bytes:
    """An entry of a fat binary, as nvcc 13.0 writes it."""
    flags, packed = 0x11, content
    if method == "zstd":
        import zstandard

        flags, packed = flags | 0x8000, zstandard.compress(content)
    elif method == "lz4":
        import lz4.block

        flags, packed = flags | 0x2000, lz4.block.compress(content, store_size=False)
    padded = packed + bytes(-len(packed) % 8)
    compressed, whole = (len(packed), len(content)) if method else (0, 0)
    header = struct.pack("<HHIQIIHHI8xQ8xQ", kind, 0x101, 72, len(padded), compressed, 0, 0, 9, 90, flags, whole)
    return header + bytes(72 - len(header)) + padded


def fat_binary(*entries: bytes) -> bytes:
    content = b"".join(entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(content)) + content


def cubin(ptx: str) -> bytes:
    """An ELF file whose section .nv_debug_ptx_txt holds the text as debug information does: NUL behind every line."""
    names = b"\0.shstrtab\0.nv_debug_ptx_txt\0"
    content = ptx.encode().replace(b"\n", b"\0")
    sections = [(0, 0, 0, 0), (1, 3, 64, len(names)), (11, 1, 64 + len(names), len(content))]
    table = 64 + len(names) + len(content)
    head = bytearray(64)
    head[:7] = b"\x7fELF\x02\x01\x01"
    struct.pack_into("<Q", head, 0x28, table)
    struct.pack_into("<HHH", head, 0x3A, 64, len(sections), 1)
    rows = b"".join(
        struct.pack("<IIQQQQ", name, kind, 0, 0, at, size).ljust(64, b"\0") for name, kind, at, size in sections
    )
    return bytes(head) + names + content + rows
