"""`phasescope import`: a recording out of another tool's file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, UserError, check_output
from visualizer.cli.exporting import clear_progress, progress
from visualizer.language import mark, tr
from visualizer.recording.file import save
from visualizer.sources.imports.registry import READERS, import_trace

EXAMPLES = mark("""examples:
  phasescope import synclog.txt -o run.pscope             what CUTLASS prints with CUTLASS_ENABLE_SYNCLOG
  phasescope import synclog.txt --launch 2 -o run.pscope  the third launch of several in it
  phasescope import my-log.csv -o run.pscope              events that your own logger wrote (docs/import.md)
  phasescope import proton.json -o run.pscope             ranges of Proton or IKET as activity lanes

formats, recognised by what is in FILE:
""")


def add_parser(subparsers: Any) -> None:
    formats = "\n".join(f"  {reader.name:11} {tr(reader.title)}" for reader in READERS)
    parser = subparsers.add_parser(
        "import",
        help=tr("make a recording of another tool's log or trace"),
        description=tr(
            "Make a recording of another tool's log or trace: what agents did is read, what hardware did is derived"
            " as for every recording, and what the file does not tell stays unknown."
        ),
        epilog=tr(EXAMPLES) + formats,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help=tr("the log or trace"))
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="TRACE", help=tr("the .pscope file to write")
    )
    parser.add_argument(
        "--launch", type=int, default=0, metavar="N", help=tr("of several launches in a synclog, from 0 (default: 0)")
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if args.launch < 0:
        raise UserError(tr("--launch is {launch}; it must be 0 or more", launch=args.launch))
    check_output(args.output, args.file)
    trace = import_trace(args.file, args.launch, progress())
    clear_progress()
    save(trace, args.output)
    print(
        tr(
            "{path}: {events:,} events of {agents} agents on {barriers} barriers",
            path=args.output,
            events=len(trace),
            agents=len(trace.agents),
            barriers=len(trace.barriers),
        )
    )
    for note in trace.meta.source.get("notes", ()):
        print(f"  {note}")
    return EXIT_CLEAN
