"""The process in which a user's program file runs: it answers with the Program, or with the sentence of what is wrong.

Run by load.py: python -m visualizer.programs.load_worker FILE.py SECONDS BYTES STACK. One that takes longer, or ends
Python itself, leaves in the file STACK where it was.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from visualizer.language import preferred, use
from visualizer.programs.errors import ProgramError
from visualizer.programs.program import Program
from visualizer.programs.run_file import run_file


def main() -> None:
    use(preferred())
    # What the file prints goes where a person reads; the answer has stdout to itself, under a number nobody knows.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Not sys.stdin, which exit() closes.
    threading.Thread(target=_end_with_parent, args=(os.dup(0),), daemon=True).start()
    path, seconds, most, stack = sys.argv[1:]
    leave = _watched(float(seconds), os.open(stack, os.O_WRONLY))
    _limit_memory(int(most))
    pickle.dump(_answer(Path(path)), answer)
    answer.flush()
    leave(0)  # threads that the file started do not keep it


def _watched(seconds: float, stack: int) -> Callable[[int], NoReturn]:
    """Write where Python is to `stack` when the time is over or the file ends Python. How to leave without that.

    A signal's handler in C: no loop is too busy for it, and the thread that runs the file writes its own stack. Were it
    written by another thread it would change meanwhile, and often break off before it comes to the file.
    """
    leave, own = os._exit, os.getpid()
    faulthandler.enable(stack)
    if sys.platform == "win32":
        faulthandler.dump_traceback_later(seconds, exit=True, file=stack)
    else:
        faulthandler.register(signal.SIGALRM, stack, all_threads=False, chain=True)  # and then it ends the process
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def ended(status: int) -> NoReturn:
        if os.getpid() == own:
            faulthandler.dump_traceback(stack, all_threads=False)
        leave(status)

    os._exit = ended
    return leave


def _limit_memory(most: int) -> None:
    """So that a file without end gets a MemoryError, which has a line, before the machine has no memory left."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _answer(path: Path) -> Program | str:
    try:
        return run_file(path)
    except ProgramError as error:
        return str(error)


def _end_with_parent(stdin: int) -> None:
    """Whoever waits for the answer holds the other end of stdin."""
    while os.read(stdin, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
