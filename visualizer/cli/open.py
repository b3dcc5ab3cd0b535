"""`phasescope [open] [TRACE]`: the window. The only command that needs PySide6, and it imports it only here."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from visualizer.cli.errors import UserError
from visualizer.language import mark, tr
from visualizer.playback.address import Address, AddressError, parse_address
from visualizer.resources import recording_path

EXAMPLES = mark("""examples:
  phasescope                      the recorded H200 lesson
  phasescope gemm                 another that comes with phasescope, by its name: docs/attach.md lists them
  phasescope my-run.pscope        a recording of your own; the word "open" may be left out
  phasescope open job/            the recordings of a job's processes: one is shown, the others can be chosen
  phasescope 'my-run.pscope#step=120&lane=full[1]'
                                  where somebody pointed at: the window's "Copy address" makes these
""")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "open",
        help=tr("open a recording in the window (the default command)"),
        description=tr("Open a recording in the window; without one, the recorded H200 lesson."),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "trace",
        nargs="*",
        metavar="TRACE",
        help=tr(
            "a .pscope file, or an address in one: FILE#step=N (default: the lesson); of several, or of a folder, one"
            " is shown and the others are offered"
        ),
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    addresses = [address for trace in args.trace for address in _addresses(trace)] or [Address(None)]
    from visualizer.app.run import run_app

    together = [address.path for address in addresses if address.path is not None]
    return run_app(addresses[0], together=together if len(together) > 1 else (), language=args.lang)


def _addresses(text: str) -> list[Address]:
    """What is meant: an address, or the recordings of a folder."""
    folder = Path(text)
    if not folder.is_dir():
        return [_address(text)]
    found = sorted(folder.glob("*.pscope"))
    if not found:
        raise UserError(tr("{path}: no recording (*.pscope) is in this folder; name a file", path=folder))
    return [Address(path) for path in found]


def _address(text: str) -> Address:
    try:
        address = parse_address(text)
    except AddressError as error:
        raise UserError(str(error)) from None
    if address.path is not None:
        address = replace(address, path=recording_path(address.path))
    if address.path is None or not address.path.exists():
        raise UserError(
            tr(
                "{path}: no such recording, and no command of that name; see `phasescope --help`",
                path=address.path or text,
            )
        )
    return address
