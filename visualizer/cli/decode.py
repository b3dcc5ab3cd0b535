"""`phasescope decode`: an mbarrier's word that somebody saw in a debugger, in plain words; several are a snapshot."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import tomli_w

from visualizer.cli.errors import EXIT_CLEAN, UserError, check_output
from visualizer.diagnosis.snapshot.model import (
    SeenAgent,
    SeenBarrier,
    Snapshot,
    SnapshotError,
    check,
    encode_snapshot,
    load_snapshot,
    word_from,
)
from visualizer.diagnosis.snapshot.text import judged_text, snapshot_json, snapshot_text
from visualizer.diagnosis.snapshot.words import MOST_COUNT
from visualizer.language import mark, tr

EXAMPLES = mark("""examples:
  phasescope decode 0x7ffff00000000000                   a word of which nothing else is known
  phasescope decode 0x7ffff00000000000 --count 4         with the count that the barrier was initialised with
  phasescope decode 0x400=0x7ffff00000000000 0x408=0xfffff80000000000 --wait warp4:0x400:0 --wait warp0:0x408:1
                                                         words with addresses, and who waits there with which parity
  phasescope decode 0x400=0x7ffff00000000000 -o snapshot.toml
                                                         the same as a file, to add to and to diagnose
  phasescope decode snapshot.toml                        what a cuda-gdb session wrote (docs/snapshot.md)
""")
SUFFIX = ".toml"


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "decode",
        help=tr("say what an mbarrier's word means; with several, who waits where"),
        description=tr(
            "Say in plain words what the 64 bits of an mbarrier on SM90 mean, as measured on an H200; of several with"
            " addresses, and of those who wait, what one moment shows."
        ),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "words", nargs="+", metavar="WORD", help=tr("a word, ADDRESS=WORD or NAME=WORD, or a snapshot.toml")
    )
    parser.add_argument(
        "--count", type=int, metavar="N", help=tr("arrivals that a phase of these barriers takes: their init count")
    )
    parser.add_argument(
        "--wait",
        action="append",
        default=[],
        metavar="AGENT:BARRIER:PARITY",
        help=tr("an agent that waits on one of them; may be given several times"),
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=tr("write a snapshot.toml, for `phasescope diagnose`")
    )
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        snapshot = _snapshot(args)
    except SnapshotError as error:
        raise UserError(str(error)) from None
    if args.output is not None:
        check_output(args.output, *(Path(word) for word in args.words))
        args.output.write_text(tomli_w.dumps(encode_snapshot(snapshot)), encoding="utf-8")
    if args.json:
        print(json.dumps(snapshot_json(snapshot), indent=1))
        return EXIT_CLEAN
    print(snapshot_text(snapshot))
    if snapshot.agents:
        print(judged_text(snapshot))
    return EXIT_CLEAN


def _snapshot(args: argparse.Namespace) -> Snapshot:
    if len(args.words) == 1 and args.words[0].endswith(SUFFIX):
        if args.count is not None or args.wait:
            raise UserError(tr("{file} has counts and waits itself: write them there", file=args.words[0]))
        return load_snapshot(Path(args.words[0]))
    if args.count is not None and not 1 <= args.count <= MOST_COUNT:
        raise UserError(tr("--count is {count}; it must be 1 to {most}", count=args.count, most=MOST_COUNT))
    barriers = []
    for number, text in enumerate(args.words):
        name, _, word = text.rpartition("=")
        barriers.append(SeenBarrier(_key(name) if name else f"word{number}", word_from(word), args.count))
    snapshot = Snapshot(tuple(barriers), tuple(_wait(text) for text in args.wait))
    check(snapshot)
    return snapshot


def _wait(text: str) -> SeenAgent:
    agent, _, rest = text.partition(":")
    barrier, _, parity = rest.rpartition(":")
    if not agent or not barrier or parity not in ("0", "1"):
        raise UserError(
            tr("--wait {text} is not AGENT:BARRIER:PARITY, such as warp4:0x400:0 with parity 0 or 1", text=text)
        )
    return SeenAgent(agent, waits=_key(barrier), parity=int(parity))


def _key(name: str) -> str:
    """An address in the way in which all are written; another name as it is."""
    try:
        return f"{int(name, 16):#x}" if name[:2].lower() == "0x" else name
    except ValueError:
        return name
