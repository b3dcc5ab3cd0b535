"""`phasescope export`: a recording, or a part of it, as a file that other tools open."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, UserError, check_output
from visualizer.cli.exporting import clear_progress, progress, start_qt
from visualizer.cli.opening import open_history
from visualizer.export.formats import FORMATS, expected_bytes, export, format_of, size_text
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.language import mark, tr
from visualizer.views.look.theme import theme_names

EXAMPLES = mark("""examples:
  phasescope export run.pscope -o run.pftrace                  for ui.perfetto.dev
  phasescope export run.pscope -o run.vcd                      for GTKWave or Surfer
  phasescope export run.pscope -o run.csv --range 0:9999       a table of the first 10 000 events
  phasescope export run.pscope -o wait.svg --range 2us:4.5us --lanes producer "full[*]"
  phasescope export run.pscope -o step.png --step 60           with the state after event 60
  phasescope export run.pscope -o lesson.html                  a page to step through in any browser

formats, by the ending of FILE:
""")


def add_parser(subparsers: Any) -> None:
    formats = "\n".join(f"  {format_.suffix:9} {tr(format_.title)}" for format_ in FORMATS.values())
    parser = subparsers.add_parser(
        "export",
        help=tr("write a recording for other tools: Perfetto, VCD, CSV, pictures, a web page"),
        description=tr("Write a recording, or a stretch of it, in another tool's format, or as a picture or a page."),
        epilog=tr(EXAMPLES) + formats,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", type=Path, metavar="TRACE", help=tr("a .pscope file"))
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help=tr("its ending says the format")
    )
    parser.add_argument(
        "--range",
        default="",
        metavar="A:B",
        help=tr("steps such as 100:200, or times such as 2us:3.5us (default: all)"),
    )
    parser.add_argument(
        "--lanes", nargs="+", default=[], metavar="NAME", help=tr('such as producer or "full[*]"; * is any text')
    )
    parser.add_argument(
        "--theme", choices=theme_names(), default="light", help=tr("of pictures and pages (default: light)")
    )
    parser.add_argument(
        "--step", type=int, metavar="N", help=tr("mark event N and show the state after it; png, svg, pdf")
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    format_ = format_of(args.output)
    check_output(args.output, args.trace)
    if args.step is not None and format_.suffix not in (".png", ".svg", ".pdf"):
        raise UserError(
            tr("--step is for pictures (png, svg, pdf); a {suffix} file has no place for it", suffix=format_.suffix)
        )
    history = open_history(args.trace)
    selection = select(history, args.range, args.lanes)
    if args.step is not None and not 0 <= args.step < history.steps:
        raise UserError(
            tr(
                "--step {step} is outside 0..{last}, the steps of this recording",
                step=args.step,
                last=history.steps - 1,
            )
        )
    size = expected_bytes(format_, selection)
    if size > _LARGE:
        print(tr("about {size}", size=size_text(size)), file=sys.stderr)
    if format_.is_picture:
        start_qt()
    written = export(selection, args.output, Look(args.theme, args.step), progress())
    clear_progress()
    print(tr("{path}: {size:,} bytes", path=args.output, size=written))
    return EXIT_CLEAN


_LARGE = 50_000_000
