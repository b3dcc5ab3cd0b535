"""Loads a user's FILE.py in a process of its own, so that one that never ends can be ended, and what it does to its
Python stays there."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from visualizer.children import child_command, child_environment
from visualizer.language import ENVIRONMENT, current, tr
from visualizer.programs.program import Program, ProgramError

_WORKER = "visualizer.programs.load_worker"
_LOOK_S = 0.02
_LAST_S = 1.0  # between its answer and its end
_PARTS = (
    "visualizer.programs.accesses",
    "visualizer.programs.operations",
    "visualizer.programs.program",
    "visualizer.recording.tables",
    "visualizer.semantics.pipeline_state",
)
"""The modules whose classes a Program is made of, besides what Python itself has."""


class LoadCancelled(Exception):
    """The user asked to stop before the file had come to its end."""


def is_file_name(name: str) -> bool:
    """Whether `--program NAME` means a file rather than a built-in program."""
    return name.endswith(".py")


def load_program(path: Path, cancelled: Callable[[], bool] = lambda: False) -> Program:
    """The Program that the file's `program()` returns. ProgramError "FILE:LINE: ..." if there is none; LoadCancelled
    soon after `cancelled()` is true."""
    process = subprocess.Popen(
        child_command(_WORKER, str(path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=child_environment(**{ENVIRONMENT: current()}),
        start_new_session=True,  # Ctrl+C is for us: we end it
    )
    answer, ours = process.stdout, process.stdin
    assert answer is not None
    assert ours is not None
    content: list[bytes] = []
    reader = threading.Thread(target=lambda: content.append(answer.read()), daemon=True)
    reader.start()
    try:
        while reader.is_alive():
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
    return _answer(path, content[0], process.returncode)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it with whatever it has started, which would keep its answer open."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _answer(path: Path, content: bytes, status: int) -> Program:
    try:
        answer = _Unpickler(io.BytesIO(content)).load()
    except EOFError:
        raise ProgramError(
            tr("{path}: Python ended while it ran the file (status {status})", path=path, status=status)
        ) from None
    except (pickle.UnpicklingError, AttributeError, ImportError, IndexError, TypeError, ValueError) as error:
        raise ProgramError(
            tr("{path}: what it returns holds what no program does: {error}", path=path, error=error)
        ) from None
    if isinstance(answer, Program):
        return answer
    raise ProgramError(str(answer))


class _Unpickler(pickle.Unpickler):
    """Makes nothing but the parts of a Program: an answer is data and runs no code here."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _PARTS:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name}")
