"""The Debug menu: breakpoints, and running from hit to hit."""

from __future__ import annotations

from visualizer.app.commands.command import Command, On
from visualizer.app.session.breakpoint_control import BreakpointControl
from visualizer.app.window.commands.when import WITH_RECORDING
from visualizer.language import mark

COMMANDS = (
    Command(
        "debug.next_hit",
        mark("Run to the next hit"),
        mark("Go to where an enabled breakpoint is hit next."),
        "Debug",
        On(BreakpointControl, BreakpointControl.next_hit),
        ("F5",),
        On(BreakpointControl, lambda breakpoints: breakpoints.can_run),
    ),
    Command(
        "debug.previous_hit",
        mark("Run back to the last hit"),
        mark("Go back to where an enabled breakpoint was hit last."),
        "Debug",
        On(BreakpointControl, BreakpointControl.previous_hit),
        ("Shift+F5",),
        On(BreakpointControl, lambda breakpoints: breakpoints.can_run),
    ),
    Command(
        "debug.toggle",
        mark("Toggle a breakpoint here"),
        mark("Break at events like this one: of its kind, on its barrier or at its line; or no longer."),
        "Debug",
        On(BreakpointControl, BreakpointControl.toggle_here),
        ("F9",),
        WITH_RECORDING,
        separated=True,
    ),
    Command(
        "debug.new",
        mark("New breakpoint…"),
        mark("Write a query to break at, in the Breakpoints pane."),
        "Debug",
        On(BreakpointControl, BreakpointControl.write),
        ("Ctrl+B",),
        WITH_RECORDING,
    ),
    Command(
        "debug.toggle_all",
        mark("Disable or enable all"),
        mark("Disable every breakpoint, or enable all if none is enabled."),
        "Debug",
        On(BreakpointControl, BreakpointControl.toggle_all),
        ("Ctrl+F9",),
        On(BreakpointControl, lambda breakpoints: len(breakpoints.all) > 0),
    ),
    Command(
        "debug.remove_all",
        mark("Remove all breakpoints"),
        mark("Remove every breakpoint, the disabled ones too."),
        "Debug",
        On(BreakpointControl, BreakpointControl.remove_all),
        ("Ctrl+Shift+F9",),
        On(BreakpointControl, lambda breakpoints: len(breakpoints.all) > 0),
    ),
)
