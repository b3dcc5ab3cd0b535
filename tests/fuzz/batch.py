"""Some cases of one kind in a process of their own, whose end, however it comes, costs one case."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from visualizer.children import child_command, child_environment

ROOT = Path(__file__).resolve().parent.parent.parent
_WORKER = "tests.fuzz.worker"
_SILENT_S = 300.0
"""So long a case may say nothing by the clock on the wall: it waits for something that never comes. Processor time, of
which a busy machine gives little, has a limit of its own."""
_STARTING_S = 300.0
"""So long until the first case begins."""
_TELLING_S = 3.0
"""So long it has then to say where each of its threads is."""


class Batch:
    """Cases `first` to `first + count`; one that ends the process is the last, and after `seconds` none begins but the
    first."""

    def __init__(self, kind: str, first: int, count: int, seconds: float = 1e9) -> None:
        self.kind, self.first, self.count, self._seconds = kind, first, count, seconds
        self._began = time.monotonic()
        self._ended: float | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()

    @property
    def clock_s(self) -> float:
        """Since it began, until it ended."""
        return (self._ended or time.monotonic()) - self._began

    def run(self, add: Callable[[int, dict[str, Any]], None]) -> None:
        """`add` is told what came of each case. RuntimeError if the process ended by itself before the first."""
        with tempfile.TemporaryFile() as errors:
            process = self._start(errors)
            if process is None:
                return
            current, any_begun = None, False
            with process:
                try:
                    for line in self._lines(process):
                        any_begun = True
                        current = line.get("begin")
                        if current is None:
                            add(line["end"], line)
                except BaseException:
                    self.stop()
                    raise
            self._ended = time.monotonic()
            if self._stopped:
                return
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace")
            if current is not None:
                add(current, {"fault": last_words(process.returncode, said), "traceback": said})
            elif not any_begun:
                raise RuntimeError(f"no case ran: {said}")

    def stop(self) -> None:
        """End it now; the case that it is at does not count."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                _signal(self._process, signal.SIGKILL)

    def _start(self, errors: IO[bytes]) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if not self._stopped:
                self._process = subprocess.Popen(
                    child_command(_WORKER, self.kind, str(self.first), str(self.count), str(self._seconds)),
                    cwd=ROOT, env=child_environment(QT_QPA_PLATFORM="offscreen", LC_ALL="C.UTF-8"),
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                    process_group=0,  # Ctrl-C is this process's to answer
                )  # fmt: skip
            return self._process

    def _lines(self, process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
        """What it says, until it ends; made to end when it is silent for too long."""
        assert process.stdout is not None
        pipe, rest, patience_s = process.stdout.fileno(), b"", _STARTING_S
        while select.select([pipe], [], [], patience_s)[0]:
            patience_s = _SILENT_S
            if not (read := os.read(pipe, 1 << 16)):
                return
            *lines, rest = (rest + read).split(b"\n")
            yield from map(json.loads, lines)
        _signal(process, signal.SIGUSR1)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_TELLING_S)
        _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[bytes], what: signal.Signals) -> None:
    """To it and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, what)


def last_words(code: int, said: str) -> str:
    """Why a process ended in the middle of a case: the signal, and where it was."""
    name = signal.Signals(-code).name if code < 0 else f"status {code}"
    what = {"SIGPROF": "took too long", "SIGKILL": "waited for ever"}.get(name, f"ended the process: {name}")
    place = re.search(r'File ".*/visualizer/([^"]+)", line (\d+) in (\S+)', said)
    return f"{what} at {place[1]}:{place[2]} {place[3]}" if place else what
