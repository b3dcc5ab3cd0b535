"""The options that say which part of a run of the lesson is recorded, by whatever source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visualizer.language import mark, tr
from visualizer.programs.parameters import PARAMETERS
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.window import EVERYTHING, ROLES, Window
from visualizer.sources.option import Field, Group, Option, Roles, Tiles, Whole

_GROUP = Group(mark("window"), mark("record a part of the run; what is left out is counted and shown"))
_MOST = {parameter.name: parameter.high for parameter in PARAMETERS}

WINDOW_OPTIONS = (
    Option(
        "window",
        "--window",
        Tiles(_MOST["tiles"] - 1),
        mark("tiles N to M of every role, both included; without M to the end"),
        _GROUP,
        metavar="N:M",
        default=(EVERYTHING.first, EVERYTHING.last),
        title=mark("Window"),
        fields=(
            Field(
                mark("the first tile that is recorded, of every role (--window)"),
                title=mark("Window from"),
                name="first",
            ),
            Field(
                mark("the last tile that is recorded, of every role (--window)"),
                title=mark("Window to"),
                name="last",
                usual=mark("end"),
            ),
        ),
    ),
    Option(
        "keep_last",
        "--keep-last",
        Whole(1, _MOST["tiles"]),
        mark("the last N tiles, however long the run is"),
        _GROUP,
        metavar="N",
        default=EVERYTHING.keep_last,
        title=mark("Keep last tiles"),
        fields=(
            Field(
                mark("record so many tiles at the end alone, however long the run is (--keep-last)"), usual=mark("off")
            ),
        ),
    ),
    Option(
        "every_cta",
        "--every-cta",
        Whole(1, _MOST["ctas"]),
        mark("of every K CTAs one"),
        _GROUP,
        metavar="K",
        default=EVERYTHING.every_cta,
        title=mark("Every k-th CTA"),
        fields=(Field(mark("record the first of every k CTAs (--every-cta)"), usual=mark("all")),),
    ),
    Option(
        "roles",
        "--roles",
        Roles(ROLES),
        mark("the agents of these roles alone: {names} (default: all)"),
        _GROUP,
        metavar="ROLE[,ROLE]",
        default=EVERYTHING.roles,
        title=mark("Roles"),
        fields=(Field(mark("record the agents of one role alone (--roles)"), usual=mark("all")),),
    ),
)


def window_of(options: Mapping[str, Any]) -> Window:
    """The window that these options of a request ask for. SourceError if its tiles are told in two ways."""
    if "window" in options and "keep_last" in options:
        raise SourceError(tr("--window and --keep-last exclude each other: say which tiles, or how many from the end"))
    tiles, *others = WINDOW_OPTIONS
    first, last = options.get(tiles.name, tiles.default)
    return Window(first, last, **{option.name: options[option.name] for option in others if option.name in options})
