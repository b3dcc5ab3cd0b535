"""The Find menu: events by words or by query, and views by their address."""

from __future__ import annotations

from visualizer.app.commands.command import Command, with_recording
from visualizer.language import mark

COMMANDS = (
    Command(
        "find.find",
        mark("Find…"),
        mark("Find events by words or by a query."),
        "Find",
        lambda w: w.find_bar.open_bar(),
        ("Ctrl+F", "/"),
        with_recording,
    ),
    Command(
        "find.next",
        mark("Next match"),
        mark("Go to the next event that was found."),
        "Find",
        lambda w: w.find_bar.next(),
        ("F3",),
        with_recording,
    ),
    Command(
        "find.previous",
        mark("Previous match"),
        mark("Go back to the last event that was found."),
        "Find",
        lambda w: w.find_bar.previous(),
        ("Shift+F3",),
        with_recording,
    ),
    Command(
        "find.copy_address",
        mark("Copy the address"),
        mark("Copy where you are, as FILE#step=N, for others to open."),
        "Find",
        lambda w: w.places.copy(),
        ("Ctrl+Shift+C",),
        with_recording,
        separated=True,
    ),
    Command(
        "find.go_to_address",
        mark("Go to an address…"),
        mark("Go to a step or to an address somebody sent you."),
        "Find",
        lambda w: w.places.ask(),
        ("Ctrl+G",),
    ),
)
