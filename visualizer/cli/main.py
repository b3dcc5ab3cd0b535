"""The `phasescope` command: one module per subcommand, each with `add_parser(subparsers)` and `run(args) -> status`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from visualizer import language
from visualizer.cli.argparse_words import translate_argparse
from visualizer.cli.errors import run_reporting
from visualizer.cli.terminal import plain_output
from visualizer.cli.version import VersionAction
from visualizer.language import LANGUAGES, mark, tr

COMMANDS = (
    "open", "record", "attach", "import", "show", "stats", "predict", "diagnose", "decode", "explore", "compare",
    "export", "story", "doctor", "desktop",
)  # fmt: skip
"""In the order of the help. Each is a module here; the one that is asked for is imported, no other."""
_MODULES = {"import": "importing"}
"""Where a word of Python's own is in the way."""

EPILOG = mark("""examples:
  phasescope                                   open the recorded H200 lesson
  phasescope my-run.pscope                     open a recording
  phasescope record -o my-run.pscope           record the lesson in the exact simulator
  phasescope record --source gpu -o run.pscope record it on an SM90 GPU
  phasescope attach -- ./my_gemm               record the kernels of any program
  phasescope import synclog.txt -o run.pscope  make a recording of another tool's log
  phasescope show run.pscope --table           the lesson's per-tile table, as text
  phasescope stats run.pscope                  who waited for whom, and what bound the run
  phasescope predict run.pscope                the time per tile with other stage counts
  phasescope diagnose run.pscope               why it hangs, or what is wrong with it
  phasescope decode 0x7ffff00000000000         what an mbarrier's word in a debugger means
  phasescope explore --exhaustive              prove that no schedule of the lesson deadlocks or races
  phasescope compare a.pscope b.pscope         what differs between two recordings, tile by tile
  phasescope export run.pscope -o run.pftrace  for Perfetto; also VCD, CSV, pictures, a web page
  phasescope doctor                            what works on this computer, and what to install

`phasescope COMMAND --help` explains each command.
""")


def build_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of these commands in the current language: its help is translated when it is built."""
    parser = argparse.ArgumentParser(
        prog="phasescope",
        description=tr("Step through a Hopper (SM90) asynchronous pipeline: barrier phases, stages and cursors."),
        epilog=tr(EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=VersionAction)
    _add_language_option(parser)
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in commands:
        import_module(f"visualizer.cli.{_MODULES.get(name, name)}").add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (default: sys.argv) and return its exit status; argparse exits 2 on bad options."""
    chosen, arguments = _choose_language(list(sys.argv[1:] if argv is None else argv))
    if not arguments or (arguments[0] not in COMMANDS and not arguments[0].startswith("-")):
        arguments.insert(0, "open")
    asked = arguments[:1] if arguments[0] in COMMANDS else COMMANDS
    with plain_output():
        args = build_parser(asked).parse_args(arguments)
    args.lang = args.lang or chosen
    args.arguments = arguments
    return run_reporting(lambda: int(args.run(args)))


def _choose_language(arguments: list[str]) -> tuple[str | None, list[str]]:
    """Speak the language that --lang names, before or after the command, else the locale's. What --lang named, and
    the other arguments."""
    language.use(language.preferred())
    translate_argparse()
    first = argparse.ArgumentParser(prog="phasescope", add_help=False, allow_abbrev=False)
    _add_language_option(first)
    # After `story export` it is the language of the document.
    end = arguments.index("export") if arguments[:1] == ["story"] and "export" in arguments else len(arguments)
    chosen, others = first.parse_known_args(arguments[:end])
    if chosen.lang is not None:
        language.use(chosen.lang)
    return chosen.lang, others + arguments[end:]


def _add_language_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lang", choices=tuple(LANGUAGES), help=tr("the language to speak (default: the locale's, else English)")
    )
