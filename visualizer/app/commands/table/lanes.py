"""The Lanes menu: which lanes the timeline shows, in what order, and how dense."""

from __future__ import annotations

from visualizer.app.commands.command import Command, Run, with_recording
from visualizer.language import mark


def _lanes(name: str, title: str, help_: str, run: Run, *keys: str, separated: bool = False) -> Command:
    return Command(f"lanes.{name}", title, help_, "Lanes", run, keys, with_recording, separated=separated)


def _select(name: str, title: str, help_: str, run: Run, key: str) -> Command:
    """Its key works in the timeline alone: everywhere else it moves in lists."""
    return Command(f"lanes.{name}", title, help_, "Lanes", run, (key,), with_recording, scope="timeline")


COMMANDS = (
    _select(
        "next",
        mark("Next lane"),
        mark("Select the lane below; the step stays."),
        lambda w: w.timeline.select_lane(1),
        "Down",
    ),
    _select(
        "previous",
        mark("Previous lane"),
        mark("Select the lane above; the step stays."),
        lambda w: w.timeline.select_lane(-1),
        "Up",
    ),
    _lanes(
        "filter",
        mark("Filter lanes…"),
        mark("Show only lanes with every word that you type in their name or kind."),
        lambda w: w.timeline.find_lanes(),
        "Ctrl+L",
    ),
    _lanes(
        "pin",
        mark("Pin or unpin the lane"),
        mark("Keep the selected lane at the top while the others scroll."),
        lambda w: w.timeline.toggle_pin(),
        "P",
    ),
    _lanes(
        "toggle_cta",
        mark("Fold or unfold lanes"),
        mark("Fold the warps, ring or CTA of the selected lane into one lane that sums them up, or unfold them."),
        lambda w: w.timeline.toggle_fold(),
        "C",
        separated=True,
    ),
    _lanes(
        "toggle_all",
        mark("Fold or unfold all lanes"),
        mark("Fold every CTA, or the warps and rings of a single one, into one lane; if all are folded, unfold them."),
        lambda w: w.timeline.toggle_all_folds(),
        "Shift+C",
    ),
    Command(
        "lanes.compact",
        mark("Compact lanes"),
        mark("Show twice as many lanes, without text in them."),
        "Lanes",
        lambda w: w.timeline.toggle_compact(),
        ("Shift+L",),
        with_recording,
        checked=lambda w: w.timeline.scene is not None and w.timeline.scene.compact,
        separated=True,
    ),
    Command(
        "lanes.all_arrows",
        mark("All arrows"),
        mark("Show what released every wait in view, not only what the focused event is part of."),
        "Lanes",
        lambda w: w.timeline.toggle_all_arrows(),
        ("Shift+R",),
        with_recording,
        checked=lambda w: w.timeline.scene is not None and w.timeline.scene.all_arrows,
    ),
    Command(
        "lanes.overview",
        mark("Overview"),
        mark("Show or hide the strip with the whole recording below the lanes."),
        "Lanes",
        lambda w: w.timeline.toggle_overview(),
        ("O",),
        checked=lambda w: not w.timeline.overview.isHidden(),
    ),
)
