"""`phasescope attach`: run a program and record launches of its kernels, whatever they are."""

from __future__ import annotations

import argparse
import re
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from visualizer.cli.errors import UserError
from visualizer.cli.record import check_place, summary
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report_text import report_text
from visualizer.language import mark, tr, trn
from visualizer.replay.history import History
from visualizer.sources.attach.options import LEVELS, LOG_MEMORY, ON_HANG, AttachOptions
from visualizer.sources.attach.ptx_instrument import PtxInstrument
from visualizer.sources.attach.session import Launches, Outcome, Recorded, Session
from visualizer.sources.option import Whole
from visualizer.sources.progress import CancelCheck

EXIT_HUNG = 124
"""What `timeout` says of a program that it ended."""

_TITLE_LENGTH = 160
"""Of a kernel's name: templates of CUTLASS have thousands of letters."""

_FINDINGS = 2
"""Of a hang that are told at once."""

EXAMPLES = mark("""examples:
  phasescope attach -- ./my_gemm --m 4096               the first launch of every kernel that uses mbarriers
  phasescope attach --list -- python train.py           which kernels there are, and how often each is launched
  phasescope attach --kernel fmha --launch 3 -o fmha.pscope -- python train.py
  phasescope attach --kernel gemm --ctas 0,1,131 --level waits -- ./my_gemm
  phasescope attach --stall 2 --on-hang leave -- ./stuck
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
        "--kernel", metavar="REGEX", default="", help=tr("kernels whose name it is found in (default: any)")
    )
    parser.add_argument(
        "--launch",
        type=_launches,
        default=(0, 0),
        metavar="N[:M]",
        help=tr("which launch of a kernel, counted from 0, or which ones (default: 0)"),
    )
    parser.add_argument("--ctas", type=_numbers, default=(), metavar="LIST", help=tr("CTAs to record, such as 0,1"))
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="barriers",
        help=tr(
            "waits alone; every operation on barriers and the copies (the default); or also bar.sync, cluster"
            " barriers, wgmma and store groups, and fences"
        ),
    )
    keep = parser.add_mutually_exclusive_group()
    keep.add_argument("--keep-first", type=_records, default=0, metavar="N", help=tr("keep a warp's first N records"))
    keep.add_argument("--keep-last", type=_records, default=0, metavar="N", help=tr("keep a warp's last N records"))
    parser.add_argument(
        "--stall",
        type=_seconds,
        default=5.0,
        metavar="SECONDS",
        help=tr("a launch without a record for so long hangs (default: 5; 0: never)"),
    )
    parser.add_argument(
        "--on-hang", choices=ON_HANG, default="end", help=tr("end the program when a launch hangs, or leave it")
    )
    parser.add_argument(
        "--log-memory",
        choices=LOG_MEMORY,
        default="auto",
        help=tr(
            "where the log is while the kernel runs: the host's memory outlives a crash, the GPU's is faster and is"
            " copied while the kernel hangs (default: auto, host if the log is small)"
        ),
    )
    parser.add_argument("--rank", type=_numbers, default=(), metavar="LIST", help=tr("ranks of a job to record"))
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND", help=tr("the program to run"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    command = args.command[1:] if args.command[:1] == ["--"] else args.command
    if args.output is not None:
        check_place(args.output)
    options = AttachOptions(
        kernel=_checked_pattern(args.kernel),
        launches=args.launch,
        ctas=args.ctas,
        level=args.level,
        keep_first=args.keep_first,
        keep_last=args.keep_last,
        stall_s=args.stall,
        on_hang=args.on_hang,
        log_memory=args.log_memory,
        ranks=args.rank,
        output=args.output,
        list_only=args.list,
    )
    listener = _Printer()
    session = Session(options, PtxInstrument(options), listener, command=shlex.join(["phasescope", *args.arguments]))
    with _ended_by_signals() as cancelled:
        outcome = session.run(command, cancelled=cancelled)
    listener.summarise(outcome)
    return EXIT_HUNG if outcome.hung and args.on_hang == "end" else outcome.status


class _Printer:
    """Says on stderr what happens: standard output is the program's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def said(self, sentence: str) -> None:
        with self._lock:
            print(f"phasescope: {sentence}", file=sys.stderr, flush=True)

    def recorded(self, recorded: Recorded) -> None:
        self.said(f"{recorded.path}: {summary(recorded.trace)}")

    def hung(self, recorded: Recorded) -> None:
        """The first causes: a grid of CTAs hangs in a thousand ways that are all the same."""
        report = diagnose(History(recorded.trace))
        told = report_text(replace(report, findings=report.findings[:_FINDINGS], not_judged=()))
        with self._lock:
            print(told, file=sys.stderr, flush=True)
        if len(report.findings) > _FINDINGS:
            self.said(
                tr(
                    "{more} more findings: phasescope diagnose {path}",
                    more=len(report.findings) - _FINDINGS,
                    path=recorded.path,
                )
            )

    def summarise(self, outcome: Outcome) -> None:
        """A line for each kernel that uses mbarriers, and one for all others."""
        used = [entry for entry in outcome.kernels if entry.kernel.uses_mbarriers and entry.launches + entry.captured]
        if not used:
            self.said(tr("no kernel that uses mbarriers was launched"))
        for entry in used:
            self.said(_line(entry))
        unseen = sum(entry.kernel.lacks_ptx and not entry.kernel.refusal for entry in outcome.kernels)
        if unseen:
            self.said(
                trn(
                    "{n} kernel without PTX was not looked into",
                    "{n} kernels without PTX were not looked into",
                    unseen,
                )
            )


def _line(entry: Launches) -> str:
    """A kernel, how often it was launched, and its name in full if that says more."""
    kernel = entry.kernel
    line = trn("{kernel}: {n} launch", "{kernel}: {n} launches", entry.launches, kernel=kernel.short)
    if entry.captured:
        line += ", " + tr("{n} more into CUDA graphs, which are not recorded", n=entry.captured)
    if kernel.title == kernel.short:
        return line
    return f"{line}  {kernel.title[:_TITLE_LENGTH]}{'...' if len(kernel.title) > _TITLE_LENGTH else ''}"


def _launches(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if match is None or (match[2] and int(match[2]) < int(match[1])):
        raise argparse.ArgumentTypeError(
            tr("{text!r} is not N or N:M, launches counted from 0 with N <= M, such as 3 or 3:5", text=text)
        )
    return int(match[1]), int(match[2] or match[1])


def _records(text: str) -> int:
    try:
        return Whole(1).parse(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,3})?", text):
        raise argparse.ArgumentTypeError(tr("{text!r} is not a number of seconds, such as 2 or 0.5", text=text))
    return float(text)


def _numbers(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d{1,9}(,\d{1,9})*", text):
        raise argparse.ArgumentTypeError(tr("{text!r} is not a list of numbers, such as 0,1,131", text=text))
    return tuple(sorted({int(number) for number in text.split(",")}))


def _checked_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as problem:
        raise UserError(
            tr("--kernel {text}: not a regular expression: {problem}", text=text, problem=problem)
        ) from None
    return text


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
