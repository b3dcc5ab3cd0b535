"""`phasescope explore`: how the schedules of a program end, a shortest witness, and a proof where one is possible."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS, UserError, check_output
from visualizer.cli.program_options import add_program_options, program_from
from visualizer.cli.show_text import aligned
from visualizer.diagnosis.report import Report, report_json
from visualizer.diagnosis.report_text import finding_text
from visualizer.diagnosis.schedules import judged
from visualizer.diagnosis.wording import commas
from visualizer.language import mark, recorded, tr, trn
from visualizer.recording.file import save
from visualizer.sources.explorer import Exploration, Witness, explore, explore_exhaustively, witness_trace
from visualizer.sources.explorer.exhaustive import DEFAULT_LIMIT
from visualizer.sources.explorer.random_schedules import DEFAULT_SCHEDULES

EXAMPLES = mark("""examples:
  phasescope explore                                        500 random schedules of the lesson
  phasescope explore --exhaustive                           all of them: proves that none deadlocks or races
  phasescope explore --consumer-phase 1                     consumers that start one phase ahead
  phasescope explore --program baseline --fault F02 --witness race.pscope --outcome stale
  phasescope explore --program mine.py --exhaustive --json  for scripts

exit status: 0 nothing bad found; 1 a schedule deadlocks, races or does something undefined, or has findings as a run
has (phasescope diagnose); 2 bad input, or an exhaustive search that reached --limit-states before it found anything
""")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "explore",
        help=tr("try many schedules of a program, or all of them"),
        description=tr("Run a program without times under many schedules, or all, and say which deadlock or race."),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--schedules",
        type=int,
        metavar="N",
        help=tr("random schedules (default: {default_schedules})", default_schedules=DEFAULT_SCHEDULES),
    )
    how.add_argument("--exhaustive", action="store_true", help=tr("every schedule, up to the order of unrelated steps"))
    parser.add_argument("--seed", type=int, metavar="N", help=tr("seed of the first random schedule (default: 0)"))
    parser.add_argument(
        "--limit-states",
        type=int,
        metavar="N",
        help=tr("give up after N states (default: {default_limit})", default_limit=DEFAULT_LIMIT),
    )
    parser.add_argument(
        "--witness", type=Path, metavar="FILE.pscope", help=tr("save a schedule that shows a bad outcome")
    )
    parser.add_argument(
        "--outcome",
        metavar="NAME",
        help=tr("which outcome --witness shows (default: the one shown in the fewest steps)"),
    )
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    add_program_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    _check_options(args)
    if args.witness is not None:
        check_output(args.witness, Path(args.program or ""))
    program = program_from(args)
    if args.exhaustive:
        found = explore_exhaustively(program, limit_states=_or(args.limit_states, DEFAULT_LIMIT))
    else:
        found = explore(program, schedules=_or(args.schedules, DEFAULT_SCHEDULES), seed=_or(args.seed, 0))
    saved = _save_witness(args, found)
    reports = judged(found)
    print(json.dumps(_document(found, reports), indent=1) if args.json else report(found, reports, saved))
    if args.exhaustive and found.is_clean and not found.is_complete:
        raise UserError(
            tr(
                "--limit-states: {states} states were explored and nothing bad found, but that is not all"
                " of them; raise the limit or use fewer tiles",
                states=found.states,
            )
        )
    return EXIT_CLEAN if found.is_clean and all(one.clean for one in reports.values()) else EXIT_FINDINGS


def report(found: Exploration, reports: Mapping[str, Report], saved: tuple[Path, Witness] | None = None) -> str:
    """The statement, a table of outcomes, who hangs where, and the witnesses with their diagnoses, as text."""
    what = tr("final states") if found.exhaustive else tr("schedules")
    size = [trn("{n} distinct state", "{n} distinct states", found.states)] if found.exhaustive else []
    size += [
        trn("{n} final state", "{n} final states", found.schedules)
        if found.exhaustive
        else trn("{n} schedule", "{n} schedules", found.schedules)
    ]
    rows: list[tuple[object, ...]] = [(tr("outcome"), what, tr("share"), tr("witness"))]
    for name, count in _counts(found).items():
        witness = found.witnesses.get(name)
        share = None if found.exhaustive else f"{count / max(found.schedules, 1):.1%}"
        rows.append((name, count, share, _steps(witness) if witness else None))
    parts = [f"{found.statement}\n{commas([*size, f'{found.seconds:.2f} s'])}", aligned(rows)]
    if found.blocked:
        lines = [(tr("blocked for ever"), what)]
        for blocked, count in found.blocked.most_common(5):
            waits = [
                f"{agent}: {barrier} parity {parity}" if barrier else f"{agent}: sync"
                for agent, barrier, parity in blocked
            ]
            lines.append((commas(waits), str(count)))
        parts.append(aligned(lines))
    parts += [tr("Not judged: {what}", what=what) for what in found.not_judged]
    for outcome, diagnosed in reports.items():
        shown = found.witnesses.get(outcome)
        said = [f"{outcome}: {recorded(shown.detail)}"] if shown is not None else []
        if diagnosed.findings and shown is None:
            said = [tr("A schedule that ends well shows that something is wrong all the same:")]
        said += [finding_text(1, replace(finding, effects=())) for finding in diagnosed.findings[:1]]
        parts += ["\n".join(said)] if said else []
    if saved is not None:
        path, saved_one = saved
        parts.append(
            tr(
                "{path}: the schedule that shows {outcome}, in {steps}",
                path=path,
                outcome=saved_one.outcome,
                steps=_steps(saved_one),
            )
        )
    return "\n\n".join(parts)


def _document(found: Exploration, reports: Mapping[str, Report]) -> dict[str, Any]:
    """The JSON, with what is said of each witness, and of a schedule that ends well where there is none."""
    document = found.as_json()
    said = {outcome: report_json(one)["findings"] for outcome, one in reports.items()}
    for witness in filter(None, (document["witness"], *document["witnesses"])):
        witness["findings"] = said[witness["outcome"]]
    return document | {"findings": said.get("clean", [])}


def _steps(witness: Witness) -> str:
    return trn("{n} step", "{n} steps", len(witness.choices))


def _counts(found: Exploration) -> dict[str, int]:
    """Every outcome with its count, kinds of races after race and rules after other; they may overlap."""
    counts = {"clean": found.clean, "deadlock": found.deadlock, "race": found.race}
    return {**counts, **dict(found.races.most_common()), "other": found.other, **dict(found.rules.most_common())}


def _save_witness(args: argparse.Namespace, found: Exploration) -> tuple[Path, Witness] | None:
    if args.witness is None or not found.witnesses:
        return None
    if args.outcome is not None and args.outcome not in found.witnesses:
        known = ", ".join(found.witnesses)
        raise UserError(
            tr(
                "--outcome: no schedule with {outcome!r} was found; found were {known}",
                outcome=args.outcome,
                known=known,
            )
        )
    witness = found.witnesses[args.outcome] if args.outcome else next(iter(found.witnesses.values()))
    trace = witness_trace(found, witness)
    command = shlex.join(["phasescope", *args.arguments])
    save(trace.with_meta(replace(trace.meta, command=command)), args.witness)
    return args.witness, witness


def _check_options(args: argparse.Namespace) -> None:
    for name, least in (("schedules", 1), ("seed", 0), ("limit_states", 1)):
        value = getattr(args, name)
        if value is not None and value < least:
            raise UserError(
                tr(
                    "{option} is {value}; it must be at least {least}",
                    option=f"--{name.replace('_', '-')}",
                    value=value,
                    least=least,
                )
            )
    if args.exhaustive and args.seed is not None:
        raise UserError(tr("--seed applies to random schedules only; --exhaustive tries all"))
    if args.limit_states is not None and not args.exhaustive:
        raise UserError(tr("--limit-states applies to --exhaustive only"))
    if args.outcome is not None and args.witness is None:
        raise UserError(tr("--outcome applies to --witness only"))
    if args.witness is not None and not args.witness.parent.is_dir():
        raise UserError(
            tr(
                "--witness {witness}: the directory {parent} does not exist; make it first",
                witness=args.witness,
                parent=args.witness.parent,
            )
        )


def _or(value: int | None, default: int) -> int:
    return default if value is None else value
