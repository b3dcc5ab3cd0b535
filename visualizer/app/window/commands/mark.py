"""The Mark menu: measuring, marks with notes, and the bookmarks 1 to 9."""

from __future__ import annotations

from collections.abc import Callable

from visualizer.app.commands.command import Command, On
from visualizer.app.session.noting import Noting
from visualizer.app.window.commands.when import WITH_RECORDING
from visualizer.language import mark
from visualizer.playback.notes import BOOKMARKS
from visualizer.views.timeline.timeline_widget import TimelineWidget

_SET_TITLES = (
    mark("Set bookmark 1"),
    mark("Set bookmark 2"),
    mark("Set bookmark 3"),
    mark("Set bookmark 4"),
    mark("Set bookmark 5"),
    mark("Set bookmark 6"),
    mark("Set bookmark 7"),
    mark("Set bookmark 8"),
    mark("Set bookmark 9"),
)
_GO_TITLES = (
    mark("Go to bookmark 1"),
    mark("Go to bookmark 2"),
    mark("Go to bookmark 3"),
    mark("Go to bookmark 4"),
    mark("Go to bookmark 5"),
    mark("Go to bookmark 6"),
    mark("Go to bookmark 7"),
    mark("Go to bookmark 8"),
    mark("Go to bookmark 9"),
)


def _mark(
    name: str, title: str, help_: str, run: Callable[[Noting], object], *keys: str, separated: bool = False
) -> Command:
    return Command(f"mark.{name}", title, help_, "Mark", On(Noting, run), keys, WITH_RECORDING, separated=separated)


def _set_bookmark(number: int) -> Command:
    return Command(
        f"mark.set_{number}",
        _SET_TITLES[number - 1],
        mark("Bookmark this event; once more takes the bookmark away."),
        "Mark",
        On(Noting, lambda noting: noting.set_bookmark(number)),
        (f"Ctrl+{number}",),
        WITH_RECORDING,
        submenu=mark("Set a bookmark"),
    )


def _go_to_bookmark(number: int) -> Command:
    return Command(
        f"mark.go_{number}",
        _GO_TITLES[number - 1],
        mark("Go to the event with this bookmark."),
        "Mark",
        On(Noting, lambda noting: noting.go_to_bookmark(number)),
        (str(number),),
        WITH_RECORDING,
        submenu=mark("Go to a bookmark"),
    )


COMMANDS = (
    _mark(
        "toggle",
        mark("Mark or unmark"),
        mark("Mark this event, or take its mark away."),
        Noting.toggle_mark,
        "M",
    ),
    _mark(
        "region",
        mark("Mark the measured stretch"),
        mark("Mark the stretch that was measured."),
        Noting.mark_region,
        "Shift+M",
    ),
    _mark(
        "note",
        mark("Write a note…"),
        mark("Write a note on this event, in the Notes pane."),
        Noting.write,
        "Ctrl+M",
    ),
    _mark(
        "next",
        mark("Next mark"),
        mark("Go to the next mark or bookmark."),
        Noting.next_mark,
        "Alt+Down",
        separated=True,
    ),
    _mark(
        "previous",
        mark("Previous mark"),
        mark("Go back to the last mark or bookmark."),
        Noting.previous_mark,
        "Alt+Up",
    ),
    *(_set_bookmark(number) for number in BOOKMARKS),
    *(_go_to_bookmark(number) for number in BOOKMARKS),
    Command(
        "mark.measure",
        mark("Measure from here"),
        mark("Measure from this event to wherever the focus goes; once more keeps the measurement."),
        "Mark",
        On(TimelineWidget, TimelineWidget.toggle_measure),
        ("R",),
        WITH_RECORDING,
        checked=On(TimelineWidget, lambda timeline: timeline.is_measuring),
        separated=True,
    ),
)
