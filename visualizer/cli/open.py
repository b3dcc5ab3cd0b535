"""`phasescope [open] [TRACE]`: the window. The only command that needs PySide6, and it imports it only here."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from visualizer.cli.errors import UserError

EXAMPLES = """examples:
  phasescope                      the recorded H200 lesson
  phasescope my-run.pscope        a recording of your own; the word "open" may be left out
"""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "open",
        help="open a recording in the window (the default command)",
        description="Open a recording in the window; without one, the recorded H200 lesson.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", nargs="?", type=Path, metavar="TRACE", help="a .pscope file (default: the lesson)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.trace is not None and not args.trace.exists():
        raise UserError(f"{args.trace}: no such recording, and no command of that name; see `phasescope --help`")
    from visualizer.app.run import run_app

    return run_app(args.trace)
