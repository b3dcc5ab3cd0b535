"""`phasescope predict`: the time per tile that other stage counts would give, and what a run of them measures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, UserError
from visualizer.cli.opening import open_history
from visualizer.cli.ring_option import check_ring
from visualizer.cli.show_text import aligned
from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.predict import MOST_STAGES, Prediction, predict
from visualizer.diagnosis.predict.verify import Verification, verify
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.wording import commas, duration
from visualizer.language import mark, tr, trn

EXAMPLES = mark("""examples:
  phasescope predict run.pscope                         1 to 8 stages, everything else as recorded
  phasescope predict run.pscope --consumer-delay 1500   with consumers that work 1500 ns on each tile
  phasescope predict run.pscope --copy-time 800         with copies that take 800 ns at the median
  phasescope predict run.pscope --ring k                other stages for ring k alone
  phasescope predict run.pscope --stages 1..6 --verify  run them too: on the GPU if there is one, else simulated

docs/statistics.md says how the model works and how far its predictions were off.
""")

_LONGEST_NS = 1_000_000_000


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "predict",
        help=tr("predict the time per tile for other stage counts"),
        description=tr(
            "Predict the time per tile for other stage counts, consumer delays or copy times from the"
            " measured durations of one recording."
        ),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", type=Path, metavar="TRACE", help=tr("a .pscope file"))
    parser.add_argument(
        "--stages",
        metavar="A..B",
        default=f"1..{MOST_STAGES}",
        help=tr("default: 1..{most_stages}", most_stages=MOST_STAGES),
    )
    parser.add_argument("--ring", metavar="NAME", help=tr("which of several rings has other stage counts"))
    parser.add_argument(
        "--consumer-delay", type=int, metavar="NS", help=tr("consumers' work per tile (default: as recorded)")
    )
    parser.add_argument(
        "--copy-time", type=float, metavar="NS", help=tr("median time of a copy (default: as recorded)")
    )
    parser.add_argument("--verify", action="store_true", help=tr("run each stage count and show what it measures"))
    parser.add_argument(
        "--source", choices=("gpu", "simulator"), help=tr("where --verify runs (default: a GPU if there is one)")
    )
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    counts = _stages(args.stages)
    _check_options(args)
    history = open_history(args.trace)
    if args.ring is not None:
        check_ring(args.ring, history, args.trace)
    try:
        prediction = predict(
            find_facts(history),
            counts,
            consumer_delay_ns=args.consumer_delay,
            copy_time_ns=args.copy_time,
            ring=args.ring,
        )
        verification = verify(history.trace, prediction, args.source) if args.verify else None
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
    head = ["stages", tr("predicted"), "5%", "95%"]
    if verification is not None:
        head += [tr("simulated") if verification.source == "simulator" else tr("measured"), tr("error")]
    rows: list[tuple[object, ...]] = [(*head, "")]
    found = {} if verification is None else verification.per_tile
    longest = max([max(point.per_tile, point.p95) for point in prediction.points] + list(found.values()))
    for point in prediction.points:
        times = (point.per_tile, point.p5, point.p95)
        row: list[object] = [point.stages, *(duration(ps, longest) for ps in times)]
        if verification is not None:
            measured = found.get(point.stages)
            error = None if measured is None else f"{point.per_tile / measured - 1:+.1%}"
            row += [None if measured is None else duration(measured, longest), error]
        remarks = [tr("knee")] if point.stages == prediction.knee else []
        remarks += [tr("recorded")] if point.stages == prediction.recorded_stages else []
        remarks += [] if point.fits else [tr("does not fit in shared memory")]
        rows.append((*row, commas(remarks) or " "))
    recorded = prediction.recorded_per_tile
    per_tile = "" if recorded is None else tr(" ({duration} per tile)", duration=duration(recorded))
    parts = [tr("ring {name}", name=prediction.ring)] if prediction.ring else []
    parts += [
        tr(
            "time per tile, predicted from one recording with {stages}{per_tile}: consumer delay {delay} ns,"
            " copies {copy}",
            stages=trn("{n} stage", "{n} stages", prediction.recorded_stages),
            per_tile=per_tile,
            delay=prediction.consumer_delay_ns,
            copy=duration(prediction.copy_time),
        ),
        aligned(rows),
    ]
    if verification is not None:
        parts.append(
            tr("simulated: {tiles} tiles, one run each", tiles=verification.tiles)
            if verification.source == "simulator"
            else tr(
                "measured: {machine}, {tiles} tiles, one run each, with logging as recorded",
                machine=verification.machine,
                tiles=verification.tiles,
            )
        )
    notes = [*prediction.notes, *([verification.note] if verification is not None and verification.note else [])]
    return "\n\n".join([*parts, *(tr("note: {note}", note=note) for note in notes)])


def _stages(text: str) -> range:
    begin, dots, end = text.partition("..")
    try:
        first = int(begin)
        last = int(end) if dots else first
    except ValueError:
        raise UserError(
            tr(
                "--stages {text}: give a number or a range, such as 1..{most_stages}",
                text=text,
                most_stages=MOST_STAGES,
            )
        ) from None
    if not 1 <= first <= last <= MOST_STAGES:
        raise UserError(tr("--stages {text}: it must lie within 1..{most_stages}", text=text, most_stages=MOST_STAGES))
    return range(first, last + 1)


def _check_options(args: argparse.Namespace) -> None:
    for name in ("consumer_delay", "copy_time"):
        value = getattr(args, name)
        if value is not None and not 0 <= value <= _LONGEST_NS:
            raise UserError(
                tr(
                    "{option} is {value}; it must be 0..{longest_ns} ns",
                    option=f"--{name.replace('_', '-')}",
                    value=value,
                    longest_ns=_LONGEST_NS,
                )
            )
    if args.source is not None and not args.verify:
        raise UserError(tr("--source applies to --verify only"))
