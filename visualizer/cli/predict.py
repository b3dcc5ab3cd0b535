"""`phasescope predict`: the time per tile that other stage counts would give, and what a run of them measures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, UserError
from visualizer.cli.show_text import aligned
from visualizer.diagnosis.predict.measured import PredictError
from visualizer.diagnosis.predict.predict import MOST_STAGES, Prediction, predict
from visualizer.diagnosis.predict.verify import Verification, verify
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.wording import duration
from visualizer.replay.history import History
from visualizer.trace.file import load

EXAMPLES = """examples:
  phasescope predict run.pscope                         1 to 8 stages, everything else as recorded
  phasescope predict run.pscope --consumer-delay 1500   with consumers that work 1500 ns on each tile
  phasescope predict run.pscope --copy-time 800         with copies that take 800 ns at the median
  phasescope predict run.pscope --stages 1..6 --verify  run them too: on the GPU if there is one, else simulated

docs/statistics.md says how the model works and how far its predictions were off.
"""

_LONGEST_NS = 1_000_000_000


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "predict",
        help="predict the time per tile for other stage counts",
        description="Predict the time per tile for other stage counts, consumer delays or copy times from the measured"
        " durations of one recording.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", type=Path, metavar="TRACE", help="a .pscope file")
    parser.add_argument("--stages", metavar="A..B", default=f"1..{MOST_STAGES}", help=f"default: 1..{MOST_STAGES}")
    parser.add_argument(
        "--consumer-delay", type=int, metavar="NS", help="consumers' work per tile (default: as recorded)"
    )
    parser.add_argument("--copy-time", type=float, metavar="NS", help="median time of a copy (default: as recorded)")
    parser.add_argument("--verify", action="store_true", help="run each stage count and show what it measures")
    parser.add_argument(
        "--source", choices=("gpu", "simulator"), help="where --verify runs (default: a GPU if there is one)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    counts = _stages(args.stages)
    _check_options(args)
    trace = load(args.trace)
    try:
        prediction = predict(
            find_facts(History(trace)), counts, consumer_delay_ns=args.consumer_delay, copy_time_ns=args.copy_time
        )
        verification = verify(trace.meta, prediction, args.source) if args.verify else None
    except PredictError as problem:
        raise UserError(f"{args.trace}: {problem}") from None
    if args.json:
        document = prediction.as_json()
        document["verified"] = None if verification is None else verification.as_json(prediction)
        print(json.dumps(document, indent=1))
    else:
        print(report(prediction, verification))
    return EXIT_CLEAN


def report(prediction: Prediction, verification: Verification | None = None) -> str:
    """The table, one row a stage count, and what it rests on."""
    head = ["stages", "predicted", "5%", "95%"]
    if verification is not None:
        head += ["measured", "error"]
    rows: list[tuple[object, ...]] = [(*head, "")]
    for point in prediction.points:
        row: list[object] = [point.stages, *(duration(round(ps)) for ps in (point.per_tile, point.p5, point.p95))]
        if verification is not None:
            measured = verification.per_tile.get(point.stages)
            row += (
                [None, None]
                if measured is None
                else [duration(round(measured)), f"{point.per_tile / measured - 1:+.1%}"]
            )
        remarks = ["knee"] if point.stages == prediction.knee else []
        remarks += ["recorded"] if point.stages == prediction.recorded_stages else []
        remarks += [] if point.fits else ["does not fit in shared memory"]
        rows.append((*row, ", ".join(remarks) or " "))
    recorded = prediction.recorded_per_tile
    parts = [
        "time per tile, predicted from one recording with"
        f" {prediction.recorded_stages} stages{'' if recorded is None else f' ({duration(round(recorded))} per tile)'}:"
        f" consumer delay {prediction.consumer_delay_ns} ns, copies {duration(round(prediction.copy_time))}",
        aligned(rows),
    ]
    if verification is not None:
        parts.append(
            f"measured: {verification.machine}, {verification.tiles} tiles, one run each, with logging as recorded"
        )
    notes = [*prediction.notes, *([verification.note] if verification is not None and verification.note else [])]
    return "\n\n".join([*parts, *(f"note: {note}" for note in notes)])


def _stages(text: str) -> range:
    begin, dots, end = text.partition("..")
    try:
        first = int(begin)
        last = int(end) if dots else first
    except ValueError:
        raise UserError(f"--stages {text}: give a number or a range, such as 1..{MOST_STAGES}") from None
    if not 1 <= first <= last <= MOST_STAGES:
        raise UserError(f"--stages {text}: it must lie within 1..{MOST_STAGES}")
    return range(first, last + 1)


def _check_options(args: argparse.Namespace) -> None:
    for name in ("consumer_delay", "copy_time"):
        value = getattr(args, name)
        if value is not None and not 0 <= value <= _LONGEST_NS:
            raise UserError(f"--{name.replace('_', '-')} is {value}; it must be 0..{_LONGEST_NS} ns")
    if args.source is not None and not args.verify:
        raise UserError("--source applies to --verify only")
