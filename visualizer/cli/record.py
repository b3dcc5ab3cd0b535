"""`phasescope record`: run the program in the simulator or on the GPU and save what every barrier did."""

from __future__ import annotations

import argparse
import math
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INTERRUPTED, UserError
from visualizer.cli.program_options import add_program_options, config_from, program_from
from visualizer.cli.window_options import add_window_options, window_from
from visualizer.diagnosis.trust import left_out_sentences, trust_sentence
from visualizer.diagnosis.wording import ending_word
from visualizer.language import mark, recorded, tr
from visualizer.recording.file import save
from visualizer.recording.trace import Trace
from visualizer.sources.errors import Cancelled
from visualizer.sources.lesson.window import cut
from visualizer.sources.lesson.window_check import check_window
from visualizer.sources.progress import CancelCheck, Progress

EXAMPLES = mark("""examples:
  phasescope record -o lesson.pscope                        the lesson in the simulator
  phasescope record --source gpu -o h200.pscope             the same kernel on the GPU
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
    parser.add_argument("--source", choices=("simulator", "gpu"), default="simulator", help=tr("default: simulator"))
    add_program_options(parser)
    add_window_options(parser)
    simulator = parser.add_argument_group(tr("simulator"))
    simulator.add_argument("--seed", type=_natural, metavar="N", help=tr("seed of the timing jitter (default: 0)"))
    gpu = parser.add_argument_group(tr("gpu"))
    gpu.add_argument(
        "--check",
        choices=("exact", "checksum", "off"),
        help=tr("what consumers verify: every element, a sum (fast enough for long runs), nothing (default: exact)"),
    )
    gpu.add_argument(
        "--level",
        choices=("off", "phases", "standard", "full", "words"),
        help=tr(
            "how much to log: nothing, the times phases completed, the end of each wait, begin and"
            " end of each wait, every event with the barrier's word (default: full; words with"
            " --fault or --probe)"
        ),
    )
    gpu.add_argument(
        "--log-capacity",
        type=_natural,
        metavar="N",
        help=tr("records per warp: of tiles, or at --level words of events (default: as many as the program needs)"),
    )
    gpu.add_argument(
        "--watchdog-ms",
        type=_natural,
        metavar="N",
        help=tr(
            "a wait longer than this gives up; 0: none does, and a hang is ended from outside, see --hang"
            " (default: 0; 1000 at --level words)"
        ),
    )
    gpu.add_argument(
        "--log-memory",
        choices=("auto", "host", "device"),
        help=tr(
            "where the log lies while the kernel runs: host memory outlives a crash, device memory is"
            " faster and is copied while the kernel hangs (default: auto, host if the log is small)"
        ),
    )
    gpu.add_argument(
        "--hang",
        type=_seconds,
        metavar="S",
        help=tr("end a run with no event for S s; what was logged is kept (default: 5)"),
    )
    gpu.add_argument(
        "--probe",
        choices=("off", "words", "flips"),
        help=tr(
            "let a spare warp look at live barriers: their words (experimental: by arrivals of count"
            " 0, which PTX does not provide for), or their phase flips alone (by test_wait, which PTX"
            " does) (default: off)"
        ),
    )
    gpu.add_argument(
        "--probe-barriers",
        type=_names,
        metavar="NAMES",
        help=tr("where the probe looks, in every CTA, such as full[0],empty[0] (default: every barrier)"),
    )
    gpu.add_argument(
        "--time-limit", type=_seconds, metavar="S", help=tr("stop the GPU worker after S s (default: 120)")
    )
    gpu.add_argument(
        "--ab",
        type=_natural,
        metavar="N",
        help=tr("run it N times more with logging off and on in turn, and store how much logging slows it"),
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    _check_output(args.output)
    _check_source_options(args)
    try:
        with _cancelled_by_interrupt() as cancelled, _progress_line() as progress:
            trace = _record(args, progress, cancelled)
    except Cancelled:
        print(tr("phasescope: cancelled; nothing was saved"), file=sys.stderr)
        return EXIT_INTERRUPTED
    command = shlex.join(["phasescope", *args.arguments])
    trace = replace(trace, meta=replace(trace.meta, command=command))
    save(trace, args.output)
    print(f"{args.output}: {summary(trace)}")
    for sentence in left_out_sentences(trace.meta.window):
        print(sentence)
    if args.source == "gpu":
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
        "{events} events, {ending}, {errors}, {lost} records lost, {us:.3f} us",
        events=len(trace),
        ending=ending,
        errors=errors,
        lost=meta.records_lost,
        us=trace.duration_ps / 1e6,
    )


def _record(args: argparse.Namespace, progress: Progress | None, cancelled: CancelCheck) -> Trace:
    window = window_from(args)
    if not window.is_everything:
        check_window(window, args.program, config_from(args), args.fault)
    if args.source == "simulator":
        from visualizer.sources.simulator.simulate import simulate

        trace = simulate(program_from(args), seed=args.seed or 0, progress=progress, cancelled=cancelled)
        return trace if window.is_everything else cut(trace, window, args.tiles, args.ctas)
    from visualizer.sources.lesson.options import GpuOptions
    from visualizer.sources.on_gpu import record_program_gpu

    given = {
        "level": args.level,
        "log_capacity": args.log_capacity,
        "check": args.check,
        "watchdog_ms": args.watchdog_ms,
        "time_limit_s": args.time_limit,
        "log_memory": args.log_memory,
        "hang_s": args.hang,
        "ab_pairs": args.ab,
        "probe": args.probe,
        "probe_barriers": args.probe_barriers,
        "window": window,
    }
    options = GpuOptions(**{name: value for name, value in given.items() if value is not None})
    return record_program_gpu(
        args.program, config_from(args), args.fault, options, progress=progress, cancelled=cancelled
    )


def _is_clean(trace: Trace) -> bool:
    return trace.meta.ending.kind == "completed" and not trace.meta.check.get("errors", 0)


def _check_output(path: Path) -> None:
    """Refuse before a long run what could not be saved after it."""
    if path.is_dir():
        raise UserError(
            tr("-o {path} is a directory; name a file in it, such as {example}", path=path, example=path / "run.pscope")
        )
    if not path.parent.is_dir():
        raise UserError(
            tr("-o {path}: the directory {parent} does not exist; make it first", path=path, parent=path.parent)
        )


def _check_source_options(args: argparse.Namespace) -> None:
    """An option that the chosen source would ignore is a mistake, not a wish."""
    limits = ("watchdog_ms", "hang", "time_limit")
    of_gpu = ("check", "level", "log_capacity", "log_memory", *limits, "ab", "probe", "probe_barriers")
    other = of_gpu if args.source == "simulator" else ("seed",)
    for name in other:
        if getattr(args, name) is not None:
            option = "--" + name.replace("_", "-")
            wanted = "gpu" if args.source == "simulator" else "simulator"
            raise UserError(tr("{option} applies to --source {wanted} only", option=option, wanted=wanted))


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
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _natural(text: str) -> int:
    return int(_at_least(0, int, text))


def _seconds(text: str) -> float:
    return _at_least(1, float, text)


def _at_least(low: int, convert: Callable[[str], float], text: str) -> float:
    try:
        value = convert(text)
    except ValueError:
        value = math.nan
    if not low <= value < 2**53:
        raise argparse.ArgumentTypeError(tr("{text!r} is not a number of at least {low}", text=text, low=low))
    return value
