"""`phasescope attach`: run a program and record launches of its kernels, whatever they are."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from visualizer.cli.record import summary
from visualizer.cli.source_options import add_source_options, options_from
from visualizer.diagnosis.alike import folded
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report_text import report_text
from visualizer.diagnosis.trust.trust import trust_sentence
from visualizer.language import mark, tr, trn
from visualizer.playback.address import Address
from visualizer.replay.history import History
from visualizer.sources.attach.option_table import OPTIONS
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.outcome_text import outcome_lines
from visualizer.sources.attach.ptx_instrument import PtxInstrument
from visualizer.sources.attach.request import AttachRequest
from visualizer.sources.attach.session import Outcome, Recorded, Session
from visualizer.sources.progress import CancelCheck

EXIT_HUNG = 124
"""What `timeout` says of a program that it ended."""

_FINDINGS = 2
"""Of a hang that are told at once."""

EXAMPLES = mark("""examples:
  phasescope attach -- ./my_gemm --m 4096               the first launch of every kernel that uses mbarriers
  phasescope attach --list -- python train.py           which kernels there are, and how often each is launched
  phasescope attach --kernel fmha --launch 3 -o fmha.pscope -- python train.py
  phasescope attach --kernel gemm --ctas 0,1,131 --level waits -- ./my_gemm
  phasescope attach --stall 2 --on-hang leave -- ./stuck
  phasescope attach --kernel gemm --time 20 -- ./my_gemm    also measure what recording costs
  phasescope attach --kernel gemm --open -- ./my_gemm   and show what was recorded in the window
  phasescope attach --rank 0 -- torchrun --nproc-per-node 2 train.py

The program runs as ever but for the launches that are recorded. Its output and its exit status are its own.

exit status: the program's own, 128 + N if signal N ended it; 124 if a launch hung and the program was ended for it;
2 if it could not be watched
""")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "attach",
        help=tr("run any program and record its kernels"),
        description=tr(
            "Run a program, and record what the barriers of its kernels do in the launches you choose: CUTLASS, Triton,"
            " CuPy or your own, without changing or rebuilding it. Needs its PTX, which most builds keep."
        ),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--list", action="store_true", help=tr("count the kernels' launches and record none"))
    parser.add_argument(
        "-o", "--output", type=Path, metavar="TRACE", help=tr("the .pscope file to write (default: KERNEL.pscope)")
    )
    parser.add_argument(
        "--open", action="store_true", help=tr("open what was recorded in the window, once the program has ended")
    )
    add_source_options(parser, OPTIONS)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help=tr("the program to run"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    options = AttachOptions(**options_from(args, OPTIONS), output=args.output, list_only=args.list)
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    request = AttachRequest(tuple(command), options)
    request.check()
    listener = _Printer()
    session = Session(options, PtxInstrument(options), listener, command=shlex.join(["phasescope", *args.arguments]))
    with _ended_by_signals() as cancelled:
        if args.open:
            outcome = _beside_imports(lambda: session.run(command, cancelled=cancelled))
        else:
            outcome = session.run(command, cancelled=cancelled)
    for line in outcome_lines(outcome):
        listener.said(line)
    status = EXIT_HUNG if outcome.hung and options.on_hang == "end" else outcome.status
    if args.open and outcome.recorded:
        _show(outcome.recorded, args.lang)
    return status


def _beside_imports(watch: Callable[[], Outcome]) -> Outcome:
    """Watch the program in a thread of its own; meanwhile what the window needs is imported."""
    from visualizer.app.run import import_window

    with ThreadPoolExecutor(1, "attach") as threads:
        outcome = threads.submit(watch)
        import_window()
        return outcome.result()


def _show(recorded: Sequence[Recorded], language: str | None) -> None:
    """Open the first recording, with the others to change to."""
    from visualizer.app.run import run_app

    together = [one.path for one in recorded] if len(recorded) > 1 else []
    run_app(Address(recorded[0].path), together=together, trace=recorded[0].trace, language=language)


class _Printer:
    """Says on stderr what happens: standard output is the program's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def said(self, sentence: str) -> None:
        with self._lock:
            print(f"phasescope: {sentence}", file=sys.stderr, flush=True)

    def recorded(self, recorded: Recorded) -> None:
        self.said(f"{recorded.path}: {summary(recorded.trace)}")
        if recorded.trace.meta.cost:
            self.said(trust_sentence(recorded.trace.meta))

    def hung(self, recorded: Recorded) -> None:
        """The first causes: a grid of CTAs hangs in a thousand ways that are all the same."""
        report = diagnose(History(recorded.trace))
        told = report_text(replace(report, not_judged=()), _FINDINGS)
        with self._lock:
            print(told, file=sys.stderr, flush=True)
        if (more := len(folded(report)) - _FINDINGS) > 0:
            self.said(
                trn(
                    "{n} more cause: phasescope diagnose {path}",
                    "{n} more causes: phasescope diagnose {path}",
                    more,
                    path=recorded.path,
                )
            )


@contextmanager
def _ended_by_signals() -> Iterator[CancelCheck]:
    """Yield a check that turns true when the program is to be ended.

    Ctrl+C reaches the program too, which may have its own mind about it; the second one does not leave it the choice.
    """
    asked = 0

    def interrupted(signum: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked += 1 if signum == signal.SIGINT else 2

    previous = {number: signal.signal(number, interrupted) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield lambda: asked >= 2
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
