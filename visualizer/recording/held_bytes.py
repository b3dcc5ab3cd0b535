"""The bytes of a file that stay what they were, whoever writes into the file while they are in use.

Touching a mapping of a file that was cut short ends the process, and `cp` over a file cuts it short. So a small file is
read. A large one is mapped under a lease: Linux then keeps whoever would write into it waiting until the content has
been copied to where it was mapped. Where there is no lease to be had, a large file is read too.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
import threading
import weakref
from typing import IO

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.parallel import each

READ_UP_TO = 64 << 20
"""Bytes of a file that are read at once: in a fraction of a second."""
_ALIGNMENT = 64
_PIECE = 8 << 20  # bytes that one thread reads at a time
_LOOK_S = 0.1
"""How often a lease is looked at; a writer waits as long, and for the copy. Linux makes it wait 45 s at most."""

Bytes = NDArray[np.uint8]


def held_bytes(file: IO[bytes]) -> Bytes:
    """The content of an open file, read-only. OSError if it cannot be read."""
    size = os.fstat(file.fileno()).st_size
    lease = _lease(file.fileno()) if size > READ_UP_TO else None
    return np.frombuffer(_read(file, size) if lease is None else _mapped(lease, size), np.uint8)


def _read(file: IO[bytes], size: int) -> memoryview:
    room = np.empty(size + _ALIGNMENT, np.uint8)
    first = -room.ctypes.data % _ALIGNMENT
    content = room.data[first : first + size]
    if not hasattr(os, "preadv"):
        file.seek(0)
        return content[: file.readinto(content)].toreadonly()  # type: ignore[attr-defined]  # opened for reading
    # By all processors: memory that nobody wrote to before costs more than what is put into it.
    pieces = each(lambda begin: _fill(content[begin : begin + _PIECE], file.fileno(), begin), range(0, size, _PIECE))
    return content[: sum(pieces)].toreadonly()


def _fill(piece: memoryview, descriptor: int, begin: int) -> int:
    """Read what the file has from byte `begin` on into `piece`; how many bytes that are."""
    done = 0
    while done < len(piece) and (count := os.preadv(descriptor, [piece[done:]], begin + done)):
        done += count
    return done


def _lease(descriptor: int) -> int | None:
    """A descriptor of its own that holds a lease on the file; None if there is none to be had."""
    if sys.platform != "linux":
        return None
    import fcntl

    own = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        # The signal that tells of a writer: one that does nothing, as the lease is looked at from time to time.
        fcntl.fcntl(own, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(own, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError:
        os.close(own)
        return None
    return own


def _mapped(lease: int, size: int) -> mmap.mmap:
    """The file of a lease as a mapping, which a thread watches until nobody uses it any more."""
    mapping = mmap.mmap(lease, size, access=mmap.ACCESS_READ)
    address = np.frombuffer(mapping, np.uint8).ctypes.data
    over = threading.Event()
    threading.Thread(target=_watch, args=(lease, address, size, over), name="file-lease", daemon=True).start()
    weakref.finalize(mapping, over.set)
    return mapping


def _watch(lease: int, address: int, size: int, over: threading.Event) -> None:
    import fcntl

    while not over.wait(_LOOK_S):
        if fcntl.fcntl(lease, fcntl.F_GETLEASE) != fcntl.F_RDLCK:
            _keep(address, size)
            break
    fcntl.fcntl(lease, fcntl.F_SETLEASE, fcntl.F_UNLCK)  # closing would not do: the mapping holds the file open too
    os.close(lease)


def _keep(address: int, size: int) -> None:
    """Put a copy of the `size` bytes at `address` in their place, so that they no longer depend on the file."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    libc.mremap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)
    read_write, private_anonymous, may_move_fixed = 0x3, 0x22, 0x3
    copy = libc.mmap(None, size, read_write, private_anonymous, -1, 0)
    if copy in (None, ctypes.c_void_p(-1).value):
        return  # no memory for it: then the writer wins
    ctypes.memmove(copy, address, size)
    libc.mremap(copy, size, size, may_move_fixed, address)
