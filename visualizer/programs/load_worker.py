"""The process in which a user's program file runs: it answers with the Program, or with the sentence of what is wrong.

Run by load.py: python -m visualizer.programs.load_worker FILE.py
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from pathlib import Path

from visualizer.language import preferred, use
from visualizer.programs.program import Program, ProgramError
from visualizer.programs.run_file import run_file


def main() -> None:
    use(preferred())
    # What the file prints goes where a person reads; the answer has stdout to itself, under a number nobody knows.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Not sys.stdin, which exit() closes.
    threading.Thread(target=_end_with_parent, args=(os.dup(0),), daemon=True).start()
    pickle.dump(_answer(Path(sys.argv[1])), answer)
    answer.flush()
    os._exit(0)  # threads that the file started do not keep it


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
