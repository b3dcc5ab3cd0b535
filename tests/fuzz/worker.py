"""Runs cases one after another in a process of their own, so that a crash, a freeze or greed costs one case.

Prints a line of JSON before each case and one after it. Run: python -m tests.fuzz.worker KIND FIRST COUNT SECONDS,
after which no case begins but the first.
"""

from __future__ import annotations

import ctypes
import faulthandler
import importlib
import json
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from time import monotonic, process_time

LONGEST_S = 5.0
"""Processor time that a case may take."""
LONGEST_ALONE_S = 30.0
"""That one may take which opens a window and does dozens of things in it; `person` minds each of them."""
MOST_BYTES = 1 << 30
"""Memory that a case may take over what the process had."""
_OF_WINDOWS = ("tests.fuzz.person", "visualizer.views.charts.plot_widget", "visualizer.views.code.cuda_lexer")
"""Which every case that opens one would import, some of them late."""
_MEMORY_LIMIT = 6 << 30  # of addresses: greed ends in a MemoryError before it ends the machine


def main() -> None:
    kind, first, count, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    end = monotonic() + seconds
    warnings.simplefilter("error")
    faulthandler.enable()
    # In C, as a regular expression does not come back to Python; the default action then ends the process.
    faulthandler.register(signal.SIGPROF, chain=True)
    faulthandler.register(signal.SIGUSR1)  # asked where it waits, before it is ended for good
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_LIMIT, _MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from tests.fuzz import kinds, seeds

    seeds.recordings()
    if alone := kind in kinds.ALONE:
        for name in _OF_WINDOWS:  # once for all; no window is made here
            importlib.import_module(name)
    elif kind == "recording":
        kinds.warm_up()
    if kind in kinds.PREPARED:
        make, take = kinds.PREPARED[kind]
        take(_forked(make))
    for seed in range(first, first + count):
        if seed > first and monotonic() > end:
            break
        _say({"begin": seed})
        answer = _forked(partial(_case, kind, seed, LONGEST_ALONE_S)) if alone else _case(kind, seed, LONGEST_S)
        _say({"end": seed, **answer})


def _forked(act: Callable[[], dict[str, object]]) -> dict[str, object]:
    """What `act` answers in a process of its own, whose end, if it is a bad one, is also this one's."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: not to outlive this one
        with open(theirs, "w") as file:
            json.dump(act(), file)
        os._exit(0)  # the way of a process without a window is tested in tests/app/window/test_start.py
    os.close(theirs)
    with open(ours) as file:
        said = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        faulthandler.disable()
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    if status:
        sys.exit(os.waitstatus_to_exitcode(status))
    answer: dict[str, object] = json.loads(said)
    return answer


def _case(kind: str, seed: int, longest_s: float) -> dict[str, object]:
    from tests.fuzz import kinds
    from tests.fuzz.outcome import Outcome

    _forget_peak()
    before, began, of_children = _memory("VmRSS"), process_time(), _children_s()
    signal.setitimer(signal.ITIMER_PROF, longest_s)
    answer: dict[str, object] = {}
    outcome = Outcome()
    try:
        kinds.run(kind, seed, outcome)
    except BaseException as error:  # whatever it is, the report names it
        if isinstance(error, KeyboardInterrupt):
            raise
        answer = {"fault": _where(error), "traceback": traceback.format_exc()}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    answer |= {"ways": outcome.ways, "reached": outcome.reached, "refused": outcome.refused, "held": outcome.held}
    answer["seconds"] = seconds = process_time() - began
    answer["cpu_s"] = seconds + _children_s() - of_children
    taken = _memory("VmHWM") - before
    answer["bytes"] = taken
    if taken > MOST_BYTES and "fault" not in answer:
        answer["fault"] = f"took {taken / 2**30:.1f} GiB"
    return answer


def _where(error: BaseException) -> str:
    """What it is, and the innermost place in phasescope that raised it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/visualizer/" in frame.filename]
    notes = " ".join(note for note in getattr(error, "__notes__", ()) if "\n" not in note)
    if not frames:
        return f"{type(error).__name__}: {error} {notes}"
    last = frames[-1]
    file = last.filename.rpartition("/visualizer/")[2]
    return f"{type(error).__name__} at {file}:{last.lineno} {last.name} {notes}"


def _children_s() -> float:
    """Processor time of what this process started, as far as it has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory(key: str) -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key))


def _forget_peak() -> None:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def _say(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
