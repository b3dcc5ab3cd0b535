"""The Debug menu: breakpoints, and running from hit to hit."""

from __future__ import annotations

from visualizer.app.commands.command import Command, with_recording
from visualizer.language import mark

COMMANDS = (
    Command(
        "debug.next_hit",
        mark("Run to the next hit"),
        mark("Go to where an enabled breakpoint is hit next."),
        "Debug",
        lambda w: w.breakpoints.next_hit(),
        ("F5",),
        lambda w: w.breakpoints.can_run,
    ),
    Command(
        "debug.previous_hit",
        mark("Run back to the last hit"),
        mark("Go back to where an enabled breakpoint was hit last."),
        "Debug",
        lambda w: w.breakpoints.previous_hit(),
        ("Shift+F5",),
        lambda w: w.breakpoints.can_run,
    ),
    Command(
        "debug.toggle",
        mark("Toggle a breakpoint here"),
        mark("Break at events like this one: of its kind, on its barrier or at its line; or no longer."),
        "Debug",
        lambda w: w.breakpoints.toggle_here(),
        ("F9",),
        with_recording,
        separated=True,
    ),
    Command(
        "debug.new",
        mark("New breakpoint…"),
        mark("Write a query to break at, in the Breakpoints pane."),
        "Debug",
        lambda w: w.breakpoints.write(),
        ("Ctrl+B",),
        with_recording,
    ),
    Command(
        "debug.toggle_all",
        mark("Disable or enable all"),
        mark("Disable every breakpoint, or enable all if none is enabled."),
        "Debug",
        lambda w: w.breakpoints.toggle_all(),
        ("Ctrl+F9",),
        lambda w: len(w.breakpoints.all) > 0,
    ),
    Command(
        "debug.remove_all",
        mark("Remove all breakpoints"),
        mark("Remove every breakpoint, the disabled ones too."),
        "Debug",
        lambda w: w.breakpoints.remove_all(),
        ("Ctrl+Shift+F9",),
        lambda w: len(w.breakpoints.all) > 0,
    ),
)
