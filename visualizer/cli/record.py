"""`phasescope record`: have a source run the program, and save what every barrier did."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INTERRUPTED, check_output
from visualizer.cli.program_options import add_program_options, parameters_from
from visualizer.cli.source_options import add_source_options, options_from
from visualizer.cli.terminal import rewrite_line
from visualizer.diagnosis.trust.trust import left_out_sentences, trust_sentence
from visualizer.diagnosis.wording import ending_word
from visualizer.language import mark, recorded, tr
from visualizer.recording.file import save
from visualizer.recording.trace import Trace
from visualizer.sources.errors import Cancelled
from visualizer.sources.output_place import check_place
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.registry import DEFAULT, SOURCES, all_options, record
from visualizer.sources.source import Request

EXAMPLES = mark("""examples:
  phasescope record -o lesson.pscope                        the lesson in the simulator
  phasescope record --source gpu -o h200.pscope             the same kernel on the GPU
  phasescope record --source gpu --program gemm -o gemm.pscope   a kernel of the course
  phasescope record --consumer-delay 2000 -o slow.pscope    slow consumers: the producer blocks
  phasescope record --stages 1 -o one.pscope                one stage: no overlap
  phasescope record --fault F06 -o stuck.pscope             a known mistake, see docs/programs.md
  phasescope record --source gpu --probe words -o seen.pscope   with live barrier words (experimental)
  phasescope record --program mine.py -o mine.pscope        a pipeline described in mine.py
  phasescope record --source gpu --ctas 132 --tiles 1024 --check checksum -o full.pscope
  phasescope record --tiles 1000 --window 500:519 -o middle.pscope
                                                            tiles 500 to 519 of every role
  phasescope record --source gpu --ctas 132 --tiles 1000000 --check off --keep-last 200 -o end.pscope
  phasescope record --source gpu --ctas 132 --tiles 1024 --ab 20 -o run.pscope
                                                            also measure what recording costs

exit status: 0 completed without errors; 1 ended otherwise or found errors (the recording is saved all the same);
2 bad input or no usable GPU; 130 cancelled with Ctrl+C (nothing is saved)
""")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "record",
        help=tr("record a run in the simulator or on the GPU"),
        description=tr("Record every barrier operation of one run, in the exact simulator or on an SM90 GPU."),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="TRACE", help=tr("the .pscope file to write")
    )
    parser.add_argument(
        "--source", choices=tuple(SOURCES), default=DEFAULT, help=tr("default: {source}", source=DEFAULT)
    )
    add_program_options(parser)
    add_source_options(parser, all_options())
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    check_place(args.output)
    check_output(args.output, Path(args.program or ""))
    request = Request(args.program, parameters_from(args), args.fault, options_from(args, all_options()))
    try:
        with _cancelled_by_interrupt() as cancelled, _progress_line() as progress:
            trace = record(args.source, request, progress, cancelled)
    except Cancelled:
        print(tr("phasescope: cancelled; nothing was saved"), file=sys.stderr)
        return EXIT_INTERRUPTED
    command = shlex.join(["phasescope", *args.arguments])
    trace = trace.with_meta(replace(trace.meta, command=command))
    save(trace, args.output)
    print(f"{args.output}: {summary(trace)}")
    for sentence in left_out_sentences(trace.meta.window):
        print(sentence)
    if not SOURCES[args.source].is_exact:
        print(trust_sentence(trace.meta))
    return EXIT_CLEAN if _is_clean(trace) else EXIT_FINDINGS


def summary(trace: Trace) -> str:
    """One line: events, ending, errors, lost, duration."""
    meta = trace.meta
    ending = ending_word(meta.ending.kind)
    if meta.ending.detail:
        ending = f"{ending} ({recorded(meta.ending.detail)})"
    errors = tr("not checked")
    if meta.check.get("checked"):
        errors = tr("{errors} errors", errors=meta.check.get("errors", 0))
    return tr(
        "{events} events, {ending}, {errors}, {lost} events lost, {us:.3f} µs",
        events=len(trace),
        ending=ending,
        errors=errors,
        lost=meta.events_lost,
        us=trace.duration_ps / 1e6,
    )


def _is_clean(trace: Trace) -> bool:
    return trace.meta.ending.kind == "completed" and not trace.meta.check.get("errors", 0)


@contextmanager
def _cancelled_by_interrupt() -> Iterator[CancelCheck]:
    """Yield a check that turns true at Ctrl+C, so that the source can end its worker and its GPU work in order."""
    interrupted = False

    def remember(signum: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True

    previous = signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: interrupted
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def _progress_line() -> Iterator[Progress | None]:
    """Yield a progress function that rewrites one line of stderr, or None when nobody watches it."""
    if not sys.stderr.isatty():
        yield None
        return
    shown = ""

    def show(fraction: float, what: str) -> None:
        nonlocal shown
        line = f"{fraction:4.0%} {what}"
        if line != shown:
            shown = line
            rewrite_line(line)

    try:
        yield show
    finally:
        rewrite_line("")
