"""The Lecture menu: tell a story to a room, and come back to it."""

from __future__ import annotations

from visualizer.app.commands.command import Command, with_recording
from visualizer.language import mark

COMMANDS = (
    Command(
        "lecture.present",
        mark("Present a story…"),
        mark("Tell a story step by step, full screen."),
        "Lecture",
        lambda w: w.lectures.choose(),
        ("Ctrl+F5",),
    ),
    Command(
        "lecture.return",
        mark("Back to the lecture"),
        mark("Return to the step where you left the stage to explore."),
        "Lecture",
        lambda w: w.lectures.come_back(),
        (),
        lambda w: w.lectures.waits,
    ),
    Command(
        "lecture.leave",
        mark("End the lecture"),
        mark("Give up the lecture that waits."),
        "Lecture",
        lambda w: w.lectures.leave(),
        (),
        lambda w: w.lectures.waits,
    ),
    Command(
        "lecture.add_step",
        mark("Add this view as a step"),
        mark("Add what the window shows to the story in the editor; the first step begins one."),
        "Lecture",
        lambda w: w.lectures.add_step(),
        ("Ctrl+Shift+A",),
        with_recording,
        separated=True,
    ),
    Command(
        "lecture.edit",
        mark("Edit a story…"),
        mark("Change the texts and the order of a story's steps."),
        "Lecture",
        lambda w: w.lectures.edit(),
    ),
    Command(
        "lecture.export",
        mark("Export a story…"),
        mark("Write a story as a page to step through, a handout, an animation or a film."),
        "Lecture",
        lambda w: w.story_exports.ask(),
    ),
)
