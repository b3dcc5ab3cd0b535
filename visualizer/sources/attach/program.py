"""The watched program as a process: whether it can be watched at all, and how it and all it started are ended."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import struct
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from visualizer.language import tr
from visualizer.sources.attach.messages import ENVIRONMENT
from visualizer.sources.errors import SourceError

GRACE_S = 2.0
"""From asking a process to end to ending it."""
_INTERPRETER = 3  # PT_INTERP: the program is started by the dynamic linker, which reads LD_PRELOAD


def find_program(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> str:
    """The file that `command` starts. SourceError if there is none, or nothing can be preloaded into it."""
    if not command:
        raise SourceError(tr("attach needs the program to watch: a command such as ./my_gemm --m 4096"))
    name = command[0]
    path = str(folder / name) if os.path.dirname(name) else shutil.which(name, path=environment.get("PATH"))
    if path is None or not os.path.isfile(path):
        raise SourceError(tr("{command}: no such program; check the name", command=name))
    if not os.access(path, os.X_OK):
        raise SourceError(tr("{command}: it is not executable; check its permissions", command=name))
    if os.stat(path).st_mode & (stat.S_ISUID | stat.S_ISGID):
        raise SourceError(
            tr("{command} changes its user (setuid), so nothing can be preloaded into it: run a copy", command=name),
        )
    if _is_static(path):
        raise SourceError(
            tr(
                "{command} is linked statically, so nothing can be preloaded into it: link it dynamically (the CUDA"
                " runtime may stay static)",
                command=name,
            ),
        )
    return path


def _is_static(path: str) -> bool:
    """Whether an ELF file is started without the dynamic linker. Scripts and what cannot be read are not."""
    with open(path, "rb") as file:
        head = file.read(4096)
    if not head.startswith(b"\x7fELF\x02"):
        return False
    try:
        (table,) = struct.unpack_from("<Q", head, 0x20)
        size, count = struct.unpack_from("<HH", head, 0x36)
        kinds = [struct.unpack_from("<I", head, table + size * row)[0] for row in range(count)]
    except struct.error:
        return False
    return _INTERPRETER not in kinds


class Program:
    """A running program and whatever it starts that inherits its environment."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path, output: IO[bytes] | None = None
    ) -> None:
        """`output`: where it writes, both standard output and errors, and then it has nothing to read; None: as we."""
        executable = find_program(command, environment, folder)
        self._mark = f"{ENVIRONMENT}={environment[ENVIRONMENT]}".encode()
        try:
            self._process = subprocess.Popen(
                list(command),
                executable=executable,
                env=dict(environment),
                cwd=folder,
                stdin=None if output is None else subprocess.DEVNULL,
                stdout=output,
                stderr=None if output is None else subprocess.STDOUT,
            )
        except OSError as problem:
            raise SourceError(
                tr("{command} cannot be started: {problem}", command=command[0], problem=problem.strerror)
            ) from None

    def wait(self, seconds: float) -> int | None:
        """Its exit status as a shell has it, 128 + signal where one ended it; None if it still runs after `seconds`."""
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return status if status >= 0 else 128 - status

    def end(self) -> int:
        """End it and all it started, first by asking. Its exit status."""
        self._signal_all(signal.SIGTERM)
        deadline = time.monotonic() + GRACE_S
        while self._members() and time.monotonic() < deadline:
            self.wait(0.05)
        while self._members():
            self._signal_all(signal.SIGKILL)
            self.wait(0.05)
        status = self.wait(GRACE_S)
        return 128 + signal.SIGKILL if status is None else status

    def _signal_all(self, number: signal.Signals) -> None:
        for pid in self._members():
            try:
                os.kill(pid, number)
            except OSError:
                continue  # it ended meanwhile

    def _members(self) -> list[int]:
        """Every process that has this session's environment, except zombies, which only wait for their parents."""
        members = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if self._mark in (entry / "environ").read_bytes().split(b"\0"):
                    members.append(int(entry.name))
            except OSError:
                continue  # another user's, or it is gone
        return members
