"""`phasescope stats`: how fast a recording ran, who waited for whom, and what bound it."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, UserError
from visualizer.cli.opening import open_history
from visualizer.cli.ring_option import check_ring
from visualizer.cli.stats_text import ring_text, statistics_text
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.language import mark, tr

EXAMPLES = mark("""examples:
  phasescope stats run.pscope                      the whole recording
  phasescope stats run.pscope --range 10us:20us    what ends or lies in 10 us of it
  phasescope stats run.pscope --range :5000        the first 5000 ns
  phasescope stats run.pscope --ring k             one of several rings: its stages, tiles, copies and path
  phasescope stats run.pscope --json               for scripts

docs/statistics.md defines every number.
""")

_TIME = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)(ps|ns|us|ms|s)?")
_UNITS = {"ps": 1, "ns": 1_000, "us": 1_000_000, "ms": 1_000_000_000, "s": 1_000_000_000_000}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "stats",
        help=tr("say who waited for whom, and what bound the run"),
        description=tr(
            "Busy and waiting time with causes, stage occupancy, copies, time per tile, outliers and"
            " the critical path of a recording or a range of it."
        ),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", type=Path, metavar="TRACE", help=tr("a .pscope file"))
    parser.add_argument(
        "--range", metavar="A:B", help=tr("from time A to time B of the recording, in ns unless a unit is given")
    )
    parser.add_argument("--ring", metavar="NAME", help=tr("one of several rings alone"))
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    history = open_history(args.trace)
    trace = history.trace
    first, last = _range(args.range, trace.duration_ps)
    if args.ring is not None:
        check_ring(args.ring, history, args.trace)
    found = statistics(find_facts(history), first, last)
    if args.ring is None:
        print(json.dumps(found.as_json(), indent=1) if args.json else statistics_text(found, trace))
        return EXIT_CLEAN
    ring = next(ring for ring in found.rings if ring.name == args.ring)
    document = {"range_ns": found.as_json()["range_ns"], "ring": ring.name, **ring.as_json()}
    print(json.dumps(document, indent=1) if args.json else ring_text(ring, found))
    return EXIT_CLEAN


def _range(text: str | None, duration: int) -> tuple[int, int]:
    """The range in ps; a side left out is the recording's own."""
    if text is None:
        return 0, duration
    begin, colon, end = text.partition(":")
    if not colon:
        raise UserError(tr("--range {text}: give two times with a colon between them, such as 10us:20us", text=text))
    first = _time(begin, text) if begin else 0
    last = _time(end, text) if end else duration
    if first >= last:
        raise UserError(
            tr(
                "--range {text}: it must end after it begins; the recording lasts {duration:.0f} ns",
                text=text,
                duration=duration / 1000,
            )
        )
    if first >= duration:
        raise UserError(
            tr(
                "--range {text}: it begins after the recording ends, at {duration:.0f} ns",
                text=text,
                duration=duration / 1000,
            )
        )
    return first, min(last, duration)


def _time(text: str, whole: str) -> int:
    match = _TIME.fullmatch(text)
    if match is None:
        raise UserError(
            tr("--range {whole}: {text!r} is not a time, such as 1500, 1500ns or 1.5us", whole=whole, text=text)
        )
    return round(float(match[1]) * _UNITS[match[2] or "ns"])
