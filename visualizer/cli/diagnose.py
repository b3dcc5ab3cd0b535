"""`phasescope diagnose`: why a run hangs or reads wrong data, for a recording or a program run in the simulator."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_PARTIAL, UserError
from visualizer.cli.opening import open_history
from visualizer.cli.program_options import add_program_options, parameters_from, program_from
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.diagnosis.schedules import with_other_schedules
from visualizer.diagnosis.snapshot.judge import judge
from visualizer.diagnosis.snapshot.model import SnapshotError, load_snapshot
from visualizer.diagnosis.snapshot.text import judged_text, snapshot_json
from visualizer.language import mark, tr
from visualizer.programs.load import is_file_name
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

EXAMPLES = mark("""examples:
  phasescope diagnose run.pscope                          a recording
  phasescope diagnose run.pscope --json                   the same for scripts
  phasescope diagnose --program baseline --fault F06      a known mistake, run in the simulator
  phasescope diagnose --program my_pipeline.py --seed 3   your own program
  phasescope diagnose run.pscope --program my_pipeline.py a recording of your own program
  phasescope diagnose snapshot.toml                       one moment that a debugger saw (docs/snapshot.md)
  phasescope diagnose run.pscope --partial                exit status 0 if what could be judged is clean

exit status: 0 clean; 1 findings; 2 bad input; 3 no findings, but something that applies was not judged
""")
SNAPSHOT_SUFFIX = ".toml"


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "diagnose",
        help=tr("say why a run hangs, or what is wrong with it"),
        description=tr(
            "Judge every wait, count and buffer access of a run: who is blocked, on what, who owes"
            " the arrival, the likely cause and its line; and races that did no harm this time."
        ),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "trace", nargs="?", type=Path, metavar="TRACE", help=tr("a .pscope file or a snapshot.toml; or use --program")
    )
    add_program_options(parser)
    parser.add_argument("--seed", type=int, metavar="N", help=tr("seed of the simulator's timing (default: 0)"))
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    parser.add_argument("--partial", action="store_true", help=tr("accept that not everything could be judged"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.trace is not None and args.trace.suffix == SNAPSHOT_SUFFIX:
        return _diagnose_snapshot(args)
    history, program = _what(args)
    report = diagnose(history, program)
    if args.trace is None and program is not None:
        report = with_other_schedules(report, program)
    print(json.dumps(report_json(report), indent=1) if args.json else report_text(report))
    if not report.clean:
        return EXIT_FINDINGS
    tried = report.schedules
    if tried is not None and tried.bad:
        return EXIT_FINDINGS
    # What no rule could judge, a look at all schedules has.
    judged = not report.not_judged or (tried is not None and tried.all)
    return EXIT_CLEAN if judged or args.partial else EXIT_PARTIAL


def _diagnose_snapshot(args: argparse.Namespace) -> int:
    """What one moment, which a debugger saw, shows."""
    if args.program is not None or args.fault is not None or args.seed is not None or parameters_from(args):
        raise UserError(tr("{trace} is a snapshot, which no program runs: give it alone", trace=args.trace))
    try:
        snapshot = load_snapshot(args.trace)
    except SnapshotError as error:
        raise UserError(str(error)) from None
    found = judge(snapshot)
    print(json.dumps(snapshot_json(snapshot), indent=1) if args.json else judged_text(snapshot))
    if any(finding.severity != "note" for finding in found):
        return EXIT_FINDINGS
    return EXIT_CLEAN if args.partial else EXIT_PARTIAL


def _what(args: argparse.Namespace) -> tuple[History, Program | None]:
    given = args.program is not None or args.fault is not None or bool(parameters_from(args))
    if args.trace is not None:
        own = args.program is not None and is_file_name(args.program)
        if own and args.seed is None and args.fault is None and not parameters_from(args):
            history, program = open_history(args.trace), program_from(args)
            _check_same(args.trace, history, program)
            return history, program
        if given or args.seed is not None:
            raise UserError(
                tr(
                    "{trace} is a recording; --program, --fault, --seed and a program's parameters are for a"
                    " run in the simulator: give one or the other (--program FILE.py may be given with its recording)",
                    trace=args.trace,
                )
            )
        return open_history(args.trace), None
    if not given:
        raise UserError(tr("diagnose needs a recording, or --program NAME or FILE.py"))
    if args.seed is not None and args.seed < 0:
        raise UserError(tr("--seed is {seed}; it must be 0 or more", seed=args.seed))
    program = program_from(args)
    return History(simulate(program, seed=args.seed or 0)), program


def _check_same(path: Path, history: History, program: Program) -> None:
    """UserError if the recording is not one of the program: its barriers or agents would be other ones."""
    trace = history.trace
    same = tuple(barrier.name for barrier in program.barriers) == tuple(trace.barrier_index)
    if not same or not {agent.agent.name for agent in program.agents} <= set(trace.agent_index):
        raise UserError(
            tr(
                "{trace} has other barriers or agents than the program {name!r}; give the program that it is a"
                " recording of",
                trace=path,
                name=program.name,
            )
        )
