"""`phasescope show`: what a recording is, the state at a step, and the lesson's per-tile table, as text or JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, UserError
from visualizer.cli.find_text import found_events, found_text
from visualizer.cli.opening import open_history
from visualizer.cli.show_rings import rings_document, rings_text
from visualizer.cli.show_text import step_text, summary_text, table_text
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.trust.trust import left_out_sentences, trust_sentence
from visualizer.language import mark, tr
from visualizer.playback.address import AddressError, parse_address
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document
from visualizer.replay.tile_table import tile_table
from visualizer.structure.model import Structure

EXAMPLES = mark("""examples:
  phasescope show run.pscope                     what was recorded, and how it ended
  phasescope show run.pscope --step 12           the state after event 12, and why it happened
  phasescope show run.pscope --table             a row per tile: cursors, waits, phase flips
  phasescope show run.pscope --step 12 --json    the same for scripts
  phasescope show 'run.pscope#step=12'           the same by the address that the window copies
  phasescope show run.pscope --find 'wait > 500 ns and role == producer'
                                                 the events that a query means (docs/queries.md)
""")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "show",
        help=tr("print what a recording holds: a summary, one step, the per-tile table, or the events of a query"),
        description=tr(
            "Print facts from a recording: a summary, the state after one event, a row per tile, or"
            " the events that a query means."
        ),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", metavar="TRACE", help=tr("a .pscope file, or the address of a step: FILE#step=N"))
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--step", type=int, metavar="N", help=tr("the state after event N, counted from 0"))
    what.add_argument("--table", action="store_true", help=tr("the lesson's table: one row per tile"))
    what.add_argument(
        "--find", metavar="QUERY", help=tr("the events that a query means, or that hold all of some words")
    )
    parser.add_argument("--cta", type=int, metavar="N", help=tr("whose table (default: 0); with --table only"))
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.cta is not None and not args.table:
        raise UserError(tr("--cta applies to --table only"))
    path, step = _place(args)
    history = open_history(path)
    document: Any
    if step is not None:
        document = _step(history, step)
        text = step_text(document, history)
    elif args.find is not None:
        document = found_events(history, args.find)
        text = found_text(document)
    elif args.table:
        document = _table(history, args.cta or 0)
        text = table_text(document)
    else:
        structure = history.structure
        document = summary(history.trace, structure)
        text = "\n\n".join(part for part in (summary_text(document), rings_text(structure, document["rings"])) if part)
    print(json.dumps(document, indent=1) if args.json else text)
    return EXIT_CLEAN


def _place(args: argparse.Namespace) -> tuple[Path, int | None]:
    """The file to read and the step to show, by option or by address."""
    try:
        address = parse_address(args.trace)
    except AddressError as error:
        raise UserError(str(error)) from None
    if address.path is None:
        raise UserError(tr("{trace}: name the recording as well: FILE#step=N", trace=args.trace))
    if address.focus is None:
        return address.path, args.step
    if args.step is not None or args.table or args.find is not None:
        raise UserError(tr("{trace} names a step: leave out --step, --table and --find", trace=args.trace))
    return address.path, address.focus.step


def summary(trace: Trace, structure: Structure) -> dict[str, Any]:
    """What was recorded, from what, how it ended and how far it can be trusted."""
    meta = trace.meta
    return {
        "program": meta.program,
        "config": meta.config,
        "source": meta.source,
        "ended": meta.ending.kind,
        "detail": meta.ending.detail,
        "steps": len(trace),
        "duration_ps": trace.duration_ps,
        "ctas": trace.ctas,
        "agents": len(trace.agents),
        "barriers": len(trace.barriers),
        "stages": trace.stages,
        "rings": rings_document(trace, structure),
        "structure_problems": list(structure.problems.values()),
        "records_lost": meta.records_lost,
        "events_dropped": meta.events_dropped,
        "trust": trust_sentence(meta),
        "left_out": left_out_sentences(meta.window),
        "window": meta.window,
        "cost": meta.cost,
        "clock": meta.clock,
        "reconcile": meta.reconcile,
        "check": meta.check,
        "command": meta.command,
        "created": meta.created,
        "versions": meta.versions,
    }


def _step(history: History, step: int) -> dict[str, Any]:
    if not history.steps:
        raise UserError(tr("--step {step}: the recording holds no events", step=step))
    if not 0 <= step < history.steps:
        raise UserError(
            tr("--step {step} is outside 0..{steps}, the steps of this recording", step=step, steps=history.steps - 1)
        )
    return {**step_document(history, step), "explanation": explain(history, step)}


def _table(history: History, cta: int) -> list[dict[str, Any]]:
    if not 0 <= cta < history.trace.ctas:
        raise UserError(
            tr("--cta {cta} is outside 0..{ctas}, the CTAs of this recording", cta=cta, ctas=history.trace.ctas - 1)
        )
    return [row.as_json() for row in tile_table(history, cta)]
