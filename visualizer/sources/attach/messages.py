"""What the preloaded library and the server say to each other: a word, and lines of a key and its value.

One message is one packet of the socket; files travel beside it. shim/channel.c is the other end.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field

PROTOCOL = 1
ENVIRONMENT = "PHASESCOPE_ATTACH"
"""Holds the path of the server's socket; a process without it is left alone."""
MESSAGE_BYTES = 65536
MOST_FDS = 3


@dataclass(frozen=True, slots=True)
class Message:
    """One message as it came. Files are this side's to close."""

    word: str
    lines: tuple[tuple[str, str], ...]
    fds: list[int] = field(default_factory=list)

    def text(self, key: str) -> str:
        """The value of the first line of this key; "" if there is none."""
        return next((value for name, value in self.lines if name == key), "")

    def texts(self, key: str) -> list[str]:
        return [value for name, value in self.lines if name == key]

    def number(self, key: str) -> int:
        """The first number of a line; 0 if there is none."""
        return (self.numbers(key) or [0])[0]

    def numbers(self, key: str) -> list[int]:
        return [int(word) for word in self.text(key).split() if word.lstrip("-").isdigit()]


def receive(connection: socket.socket) -> Message | None:
    """The next message; None once the process is gone."""
    try:
        packet, fds, _, _ = socket.recv_fds(connection, MESSAGE_BYTES, MOST_FDS, socket.MSG_CMSG_CLOEXEC)
    except OSError:
        return None
    if not packet:
        return None
    word, *lines = packet.decode(errors="replace").splitlines()
    pairs = (line.partition(" ") for line in lines)
    return Message(word, tuple((key, value) for key, _, value in pairs), list(fds))


def send(
    connection: socket.socket, word: str, lines: Sequence[tuple[str, object]] = (), fds: Sequence[int] = ()
) -> None:
    """Answer. A process that is gone meanwhile does not mind."""
    text = "\n".join([word, *(f"{key} {value}" for key, value in lines), ""])
    try:
        socket.send_fds(connection, [text.encode()], list(fds))
    except OSError:
        return


def read_file(fd: int) -> bytes:
    """The whole content of a file that came with a message."""
    with os.fdopen(os.dup(fd), "rb") as file:
        file.seek(0)
        return file.read()


def memory_file(content: bytes = b"", size: int = 0) -> int:
    """An anonymous file that holds `content`, and zeros up to `size`: nobody has to remove it."""
    fd = os.memfd_create("phasescope", os.MFD_CLOEXEC)
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
    if size > len(content):
        os.ftruncate(fd, size)
    return fd
