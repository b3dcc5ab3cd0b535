"""The worker as a child process: start it, follow its lines, end it when it takes too long or is no longer wanted."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from visualizer.children import child_command, child_environment
from visualizer.language import ENVIRONMENT, current, tr
from visualizer.language.endings import TOO_LONG, WORKER_ENDED
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.runner.protocol import RUNNING

Watch = Callable[[], str]
"""Asked while a kernel runs; answers why it should be ended, or "" to go on."""
POLL_S = 0.05
"""How often cancelling and the time limit are looked at while the worker is silent."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a worker: its answer, or why there is none."""

    answer: dict[str, Any] | None
    running: dict[str, Any] | None  # what the worker said when it launched the kernel; None: it never did
    ended: bool  # by us: it took too long, or nothing happened any more
    why: str


class WorkerProcess:
    """One worker. `wait` must be called once; it leaves no process behind, whatever happens."""

    def __init__(self, module: str, job: str) -> None:
        """Run `module`, whose main function is protocol.serve, on `job`."""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by wait()
        self._process = subprocess.Popen(
            child_command(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=child_environment(**{ENVIRONMENT: current()}),
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, name="gpu-worker-reader", daemon=True)
        self._reader.start()
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died at once; wait() finds out why
            self._process.stdin.write(job.encode())
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def wait(
        self,
        time_limit_s: float,
        progress: Progress | None = None,
        cancelled: CancelCheck | None = None,
        watch: Watch | None = None,
    ) -> Report:
        """Follow the worker to its end. Raises Cancelled, or SourceError with the worker's own words.

        While the kernel runs, `watch` is asked between the worker's lines; a reason it gives ends the worker.
        """
        deadline = time.monotonic() + time_limit_s
        running: dict[str, Any] | None = None
        watching = False
        try:
            while True:
                if cancelled and cancelled():
                    raise Cancelled
                if time.monotonic() > deadline:
                    return Report(None, running, True, TOO_LONG.format(seconds=f"{time_limit_s:g}"))
                try:
                    line = self._lines.get(timeout=POLL_S)
                except queue.Empty:
                    reason = watch() if watch and watching else ""
                    if reason:
                        return Report(None, running, True, reason)
                    continue
                if line is None:
                    return Report(None, running, False, self._last_words())
                message = _parse(line)
                if message is None:
                    continue
                if "failed" in message:
                    raise SourceError(message["message"], message["failed"])
                if "done" in message:
                    return Report(message["done"], running, False, "")
                watching = message["message"] == RUNNING
                if watching:
                    running = message
                if progress:
                    progress(message["progress"], tr(message["message"]))
        finally:
            self._end()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _end(self) -> None:
        # Killed, not asked: a process that waits for a hung kernel does not answer.
        self._process.kill()
        self._process.wait()
        self._reader.join()
        if self._process.stdout:
            self._process.stdout.close()
        self._errors.close()

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        words = self._errors.read().decode(errors="replace").strip().splitlines()
        return WORKER_ENDED.format(code=code) + (f" ({words[-1].strip()})" if words else "")


def _parse(line: bytes) -> dict[str, Any] | None:
    """The message in a line, of those that protocol.py lists; None if it is something a library printed."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    known = ({"progress", "message"}, {"failed", "message"}, {"done"})
    return message if isinstance(message, dict) and any(keys <= message.keys() for keys in known) else None
