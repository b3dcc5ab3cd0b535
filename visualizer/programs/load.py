"""Loads a user's FILE.py in a process of its own, so that one that never ends can be ended, and what it does to its
Python stays there."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from visualizer.children import child_command, child_environment
from visualizer.language import ENVIRONMENT, current, tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.program import Program

_WORKER = "visualizer.programs.load_worker"
_LOOK_S = 0.02
_START_S = 10.0  # until the file begins to run
_LAST_S = 1.0  # between its answer and its end
LONGEST_S = 300.0
"""How long a file may run: the longest program takes a third of that."""
MOST_BYTES = 8 << 30
"""Address space that it may use, Python's own included: the longest program takes a quarter of that."""
_PARTS = (
    "visualizer.programs.accesses",
    "visualizer.programs.meetings",
    "visualizer.programs.operations",
    "visualizer.programs.program",
    "visualizer.programs.tensor",
    "visualizer.recording.tables",
    "visualizer.semantics.pipeline_state",
)
"""The modules whose classes a Program is made of, besides what Python itself has."""


class LoadCancelled(Exception):
    """The user asked to stop before the file had come to its end."""


def is_file_name(name: str) -> bool:
    """Whether `--program NAME` means a file rather than a built-in program."""
    return name.endswith(".py")


def load_program(
    path: Path, cancelled: Callable[[], bool] = lambda: False, *, longest_s: float = LONGEST_S, most: int = MOST_BYTES
) -> Program:
    """The Program that the file's `program()` returns. ProgramError "FILE:LINE: ..." if there is none, or none within
    `longest_s` seconds and `most` bytes; LoadCancelled soon after `cancelled()` is true."""
    with tempfile.NamedTemporaryFile(prefix="phasescope-stack-") as stack:
        process = subprocess.Popen(
            child_command(_WORKER, str(path), str(longest_s), str(most), stack.name),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=child_environment(**{ENVIRONMENT: current()}),
            start_new_session=True,  # Ctrl+C is for us: we end it
        )
        content = _read(process, cancelled, longest_s)
        return _answer(path, content, process.returncode, Path(stack.name), longest_s)


def _read(process: subprocess.Popen[bytes], cancelled: Callable[[], bool], longest_s: float) -> bytes:
    """What the process answers until its end, which comes here at the latest."""
    answer, ours = process.stdout, process.stdin
    assert answer is not None
    assert ours is not None
    content: list[bytes] = []
    reader = threading.Thread(target=lambda: content.append(answer.read()), daemon=True)
    reader.start()
    ends = time.monotonic() + longest_s + _START_S
    try:
        while reader.is_alive() and time.monotonic() < ends and process.poll() is None:
            if cancelled():
                raise LoadCancelled
            reader.join(_LOOK_S)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LAST_S)
    finally:
        _end(process)
        reader.join()
        ours.close()
        answer.close()
    return content[0]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it with whatever it has started, which would keep its answer open."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _answer(path: Path, content: bytes, status: int, stack: Path, longest_s: float) -> Program:
    try:
        answer = _Unpickler(io.BytesIO(content)).load()
    except (EOFError, pickle.UnpicklingError) as error:
        if content and not isinstance(error, EOFError):
            raise _holds(path, error) from None
        text = stack.read_text(encoding="utf-8", errors="replace")
        # The innermost frame first.
        lines = re.findall(rf'File "{re.escape(str(path))}", line (\d+)', text)
        where = f"{path}:{lines[0]}" if lines else f"{path}"
        if _is_over_time(status, text):
            raise ProgramError(
                tr(
                    "{where}: it still ran after {seconds:g} s; a program is described in a loop that ends",
                    where=where,
                    seconds=longest_s,
                )
            ) from None
        raise ProgramError(
            tr("{path}: Python ended while it ran the file (status {status})", path=where, status=status)
        ) from None
    except (AttributeError, ImportError, IndexError, TypeError, ValueError) as error:
        raise _holds(path, error) from None
    if isinstance(answer, Program):
        return answer
    raise ProgramError(str(answer))


def _is_over_time(status: int, stack: str) -> bool:
    """Whether the clock that the worker has set ended it."""
    return stack.startswith("Timeout") if sys.platform == "win32" else status == -signal.SIGALRM


def _holds(path: Path, error: Exception) -> ProgramError:
    return ProgramError(tr("{path}: what it returns holds what no program does: {error}", path=path, error=error))


class _Unpickler(pickle.Unpickler):
    """Makes nothing but the parts of a Program: an answer is data and runs no code here."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _PARTS:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")
