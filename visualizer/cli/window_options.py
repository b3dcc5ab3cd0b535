"""The options that say which part of a run is recorded."""

from __future__ import annotations

import argparse
import re

from visualizer.language import tr
from visualizer.sources.lesson.window import ROLES, Window
from visualizer.sources.lesson.window_check import window_asked_for

_TILES = re.compile(r"(\d+):(\d*)")


def add_window_options(parser: argparse.ArgumentParser) -> None:
    """Add --window, --keep-last, --every-cta and --roles; `window_from` reads them back."""
    group = parser.add_argument_group(
        tr("window"), tr("record a part of the run; what is left out is counted and shown")
    )
    group.add_argument(
        "--window",
        type=_tiles,
        metavar="N:M",
        help=tr("tiles N to M of every role, both included; without M to the end"),
    )
    group.add_argument("--keep-last", type=_positive, metavar="N", help=tr("the last N tiles, however long the run is"))
    group.add_argument("--every-cta", type=_positive, metavar="K", help=tr("of every K CTAs one"))
    group.add_argument(
        "--roles",
        type=_roles,
        metavar="ROLE[,ROLE]",
        help=tr("the agents of these roles alone: {names} (default: all)", names=", ".join(ROLES)),
    )


def window_from(args: argparse.Namespace) -> Window:
    """The window that the options describe; SourceError if they tell its tiles in two ways."""
    return window_asked_for(args.window, args.keep_last, args.every_cta, args.roles)


def _tiles(text: str) -> tuple[int, int]:
    match = _TILES.fullmatch(text)
    if match is None or (match[2] and int(match[2]) < int(match[1])):
        raise argparse.ArgumentTypeError(
            tr("{text!r} is not N:M, two tile numbers with N <= M, such as 1000:1099", text=text)
        )
    return int(match[1]), int(match[2]) if match[2] else -1


def _positive(text: str) -> int:
    if not re.fullmatch(r"\d{1,15}", text) or not int(text):
        raise argparse.ArgumentTypeError(tr("{text!r} is not a whole number of at least 1", text=text))
    return int(text)


def _roles(text: str) -> tuple[str, ...]:
    named = text.split(",")
    if unknown := [role for role in named if role not in ROLES]:
        raise argparse.ArgumentTypeError(
            tr("{unknown!r} is no role; roles are {names}", unknown=unknown[0], names=", ".join(ROLES))
        )
    return tuple(role for role in ROLES if role in named)
