"""`phasescope compare`: two recordings, aligned by tile: is the order of events the same, and what took longer?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS, UserError
from visualizer.cli.exporting import start_qt
from visualizer.cli.opening import open_history
from visualizer.cli.ring_option import check_ring
from visualizer.cli.show_text import aligned
from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Anchor, Overlay, OverlayError, first_anchor, lay_over
from visualizer.diagnosis.comparison.compare_report import comparison_json, comparison_text, state_differences
from visualizer.diagnosis.comparison.overlay_text import overlay_json, overlay_text
from visualizer.diagnosis.wording import duration, ending_word
from visualizer.language import mark, tr
from visualizer.replay.history import History
from visualizer.views.look.theme import theme_names

EXAMPLES = mark("""examples:
  phasescope compare a.pscope b.pscope             what differs, in order and in time
  phasescope compare a.pscope b.pscope --tile 3    and the states when tile 3 has arrived
  phasescope compare a.pscope b.pscope --json      the same for scripts, with every tile
  phasescope compare a.pscope b.pscope --overlay both.svg --use 4
                                                   a picture: b over a, aligned at use 4 of a ring

exit status: 0 the same order of events; 1 it differs; 2 bad input
""")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "compare",
        help=tr("hold two recordings against each other, aligned by tile"),
        description=tr(
            "Compare two recordings: each agent's first event that differs, the time of every tile in"
            " both, and the states at the same tile."
        ),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("a", type=Path, metavar="A", help=tr("a .pscope file"))
    parser.add_argument("b", type=Path, metavar="B", help=tr("another"))
    parser.add_argument("--tile", type=int, metavar="N", help=tr("also the states when this tile's data are in"))
    parser.add_argument("--cta", type=int, metavar="N", help=tr("of which CTA (default: 0); with --tile or --use only"))
    parser.add_argument(
        "--ring",
        metavar="NAME",
        help=tr("of which of several rings (default: the first to be in); with --tile or --use only"),
    )
    parser.add_argument(
        "--overlay",
        type=Path,
        metavar="FILE",
        help=tr(
            "also a picture of b over a on one axis, FILE.svg or FILE.png, aligned at the tile or use (default: the"
            " first that both have)"
        ),
    )
    parser.add_argument(
        "--use",
        type=int,
        metavar="N",
        help=tr("align the picture at this use of a ring, counted from 0; with --overlay only"),
    )
    parser.add_argument("--theme", choices=theme_names(), default="light", help=tr("of the picture (default: light)"))
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    _refuse_what_does_not_go_together(args)
    histories = [open_history(path) for path in (args.a, args.b)]
    comparison = Comparison(*histories)
    if not comparison.agents:
        raise UserError(
            tr("{a} and {b} have no agent in common; compare recordings of one program", a=args.a, b=args.b)
        )
    steps = None if args.tile is None else _steps(args, comparison)
    overlay = None if args.overlay is None else _draw_overlay(args, comparison)
    if args.json:
        document = comparison_json(comparison)
        if steps is not None:
            differing = state_differences(comparison, *steps)
            document["states"] = {
                "tile": args.tile,
                "step_a": steps[0],
                "step_b": steps[1],
                "differ": [{"name": name, "a": a, "b": b} for name, a, b in differing],
            }
        if overlay is not None:
            document["overlay"] = {"file": str(args.overlay), **overlay_json(overlay)}
        print(json.dumps(document, indent=1))
    else:
        print("\n".join([*_heads(args, histories), *comparison_text(comparison)]))
        if steps is not None:
            print(_states(args, comparison, steps))
        if overlay is not None:
            head, *lanes = overlay_text(overlay)
            print(tr("overlay: {file}, {how}", file=args.overlay, how=head), *lanes, sep="\n  ")
    return EXIT_CLEAN if comparison.same_order else EXIT_FINDINGS


def _refuse_what_does_not_go_together(args: argparse.Namespace) -> None:
    if args.cta is not None and args.tile is None and args.use is None:
        raise UserError(tr("--cta applies to --tile and --use only"))
    if args.ring is not None and args.tile is None and args.use is None:
        raise UserError(tr("--ring applies to --tile and --use only"))
    if args.use is not None and args.overlay is None:
        raise UserError(tr("--use applies to --overlay only"))
    if args.use is not None and args.tile is not None:
        raise UserError(tr("--tile and --use: an overlay is aligned at one of them; leave one out"))
    if args.overlay is not None and args.overlay.suffix.lower() not in (".svg", ".png"):
        raise UserError(tr("--overlay {path}: the picture is an SVG or a PNG; give it that ending", path=args.overlay))


def _draw_overlay(args: argparse.Namespace, comparison: Comparison) -> Overlay:
    """Write the picture; what it shows."""
    if args.use is not None:
        anchor = Anchor(args.use, True, args.cta or 0, args.ring)
    elif args.tile is not None:
        anchor = Anchor(args.tile, False, args.cta or 0, args.ring)
    else:
        anchor = first_anchor(comparison)
    try:
        overlay = lay_over(comparison, anchor)
    except OverlayError as error:
        raise UserError(tr("--overlay: {error}; a is {a}, b is {b}", error=error, a=args.a, b=args.b)) from None
    start_qt()
    from visualizer.export.overlay_picture_widget import write_overlay

    write_overlay(comparison, overlay, (args.a.name, args.b.name), args.overlay, args.theme)
    return overlay


def _heads(args: argparse.Namespace, histories: list[History]) -> list[str]:
    return [
        tr(
            "{letter}: {path}, {program}, {events} events in {duration}, {ended}",
            letter=letter,
            path=path,
            program=history.trace.meta.program,
            events=history.steps,
            duration=duration(history.trace.duration_ps),
            ended=ending_word(history.trace.meta.ending.kind),
        )
        for letter, path, history in zip("ab", (args.a, args.b), histories, strict=True)
    ]


def _steps(args: argparse.Namespace, comparison: Comparison) -> tuple[int, int]:
    cta = args.cta or 0
    found = []
    for path, history in ((args.a, comparison.a), (args.b, comparison.b)):
        if args.ring is not None:
            check_ring(args.ring, history, path)
        step = comparison.tile_step(history, cta, args.tile, args.ring)
        if step is None:
            raise UserError(tr("{path} has no tile {tile} in CTA {cta}", path=path, tile=args.tile, cta=cta))
        found.append(step)
    return found[0], found[1]


def _states(args: argparse.Namespace, comparison: Comparison, steps: tuple[int, int]) -> str:
    rows = state_differences(comparison, *steps)
    heading = tr(
        "states when tile {tile} is in, step {a} of a and step {b} of b:", tile=args.tile, a=steps[0], b=steps[1]
    )
    return heading + "\n" + (aligned([("", "a", "b"), *rows]) if rows else tr("  the same everywhere"))
