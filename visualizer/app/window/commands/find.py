"""The Find menu: events by words or by query, and views by their address."""

from __future__ import annotations

from visualizer.app.commands.command import Command, On
from visualizer.app.session.places import Places
from visualizer.app.window.commands.when import WITH_RECORDING
from visualizer.app.window.find_bar import FindBar
from visualizer.language import mark

COMMANDS = (
    Command(
        "find.find",
        mark("Find…"),
        mark("Find events by words or by a query."),
        "Find",
        On(FindBar, FindBar.open_bar),
        ("Ctrl+F", "/"),
        WITH_RECORDING,
    ),
    Command(
        "find.next",
        mark("Next match"),
        mark("Go to the next event that was found."),
        "Find",
        On(FindBar, FindBar.next),
        ("F3",),
        WITH_RECORDING,
    ),
    Command(
        "find.previous",
        mark("Previous match"),
        mark("Go back to the last event that was found."),
        "Find",
        On(FindBar, FindBar.previous),
        ("Shift+F3",),
        WITH_RECORDING,
    ),
    Command(
        "find.copy_address",
        mark("Copy the address"),
        mark("Copy where you are, as FILE#step=N, for others to open."),
        "Find",
        On(Places, Places.copy),
        ("Ctrl+Shift+C",),
        WITH_RECORDING,
        separated=True,
    ),
    Command(
        "find.go_to_address",
        mark("Go to an address…"),
        mark("Go to a step or to an address somebody sent you."),
        "Find",
        On(Places, Places.ask),
        ("Ctrl+G",),
    ),
)
