"""The Lanes menu: which lanes the timeline shows, in what order, and how dense."""

from __future__ import annotations

from collections.abc import Callable

from visualizer.app.commands.command import Command, On
from visualizer.app.window.commands.when import WITH_RECORDING
from visualizer.language import mark
from visualizer.views.timeline.timeline_widget import TimelineWidget


def _lanes(
    name: str, title: str, help_: str, run: Callable[[TimelineWidget], object], *keys: str, separated: bool = False
) -> Command:
    return Command(
        f"lanes.{name}", title, help_, "Lanes", On(TimelineWidget, run), keys, WITH_RECORDING, separated=separated
    )


def _select(name: str, title: str, help_: str, run: Callable[[TimelineWidget], object], key: str) -> Command:
    """Its key works in the timeline alone: everywhere else it moves in lists."""
    return Command(
        f"lanes.{name}", title, help_, "Lanes", On(TimelineWidget, run), (key,), WITH_RECORDING, scope="timeline"
    )


COMMANDS = (
    _select(
        "next",
        mark("Next lane"),
        mark("Select the lane below; the step stays."),
        lambda timeline: timeline.select_lane(1),
        "Down",
    ),
    _select(
        "previous",
        mark("Previous lane"),
        mark("Select the lane above; the step stays."),
        lambda timeline: timeline.select_lane(-1),
        "Up",
    ),
    _lanes(
        "filter",
        mark("Filter lanes…"),
        mark("Show only lanes with every word that you type in their name or kind."),
        TimelineWidget.find_lanes,
        "Ctrl+L",
    ),
    _lanes(
        "pin",
        mark("Pin or unpin the lane"),
        mark("Keep the selected lane at the top while the others scroll."),
        TimelineWidget.toggle_pin,
        "P",
    ),
    _lanes(
        "toggle_cta",
        mark("Fold or unfold lanes"),
        mark("Fold the warps, ring or CTA of the selected lane into one lane that sums them up, or unfold them."),
        TimelineWidget.toggle_fold,
        "C",
        separated=True,
    ),
    _lanes(
        "toggle_all",
        mark("Fold or unfold all lanes"),
        mark("Fold every CTA, or the warps and rings of a single one, into one lane; if all are folded, unfold them."),
        TimelineWidget.toggle_all_folds,
        "Shift+C",
    ),
    Command(
        "lanes.compact",
        mark("Compact lanes"),
        mark("Show twice as many lanes, without text in them."),
        "Lanes",
        On(TimelineWidget, TimelineWidget.toggle_compact),
        ("Shift+L",),
        WITH_RECORDING,
        checked=On(TimelineWidget, lambda timeline: timeline.scene is not None and timeline.scene.compact),
        separated=True,
    ),
    Command(
        "lanes.all_arrows",
        mark("All arrows"),
        mark("Show what released every wait in view, not only what the focused event is part of."),
        "Lanes",
        On(TimelineWidget, TimelineWidget.toggle_all_arrows),
        ("Shift+R",),
        WITH_RECORDING,
        checked=On(TimelineWidget, lambda timeline: timeline.scene is not None and timeline.scene.all_arrows),
    ),
    Command(
        "lanes.overview",
        mark("Overview"),
        mark("Show or hide the strip with the whole recording below the lanes."),
        "Lanes",
        On(TimelineWidget, TimelineWidget.toggle_overview),
        ("O",),
        checked=On(TimelineWidget, lambda timeline: not timeline.overview.isHidden()),
    ),
)
