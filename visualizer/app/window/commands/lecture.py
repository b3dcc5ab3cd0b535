"""The Lecture menu: tell a story to a room, and come back to it."""

from __future__ import annotations

from visualizer.app.commands.command import Command, On
from visualizer.app.lecture.lectures import Lectures
from visualizer.app.lecture.story_exports import StoryExports
from visualizer.app.window.commands.when import WITH_RECORDING
from visualizer.language import mark

COMMANDS = (
    Command(
        "lecture.present",
        mark("Present a story…"),
        mark("Tell a story step by step, full screen."),
        "Lecture",
        On(Lectures, Lectures.choose),
        ("Ctrl+F5",),
    ),
    Command(
        "lecture.return",
        mark("Back to the lecture"),
        mark("Return to the step where you left the stage to explore."),
        "Lecture",
        On(Lectures, Lectures.come_back),
        (),
        On(Lectures, lambda lectures: lectures.waits),
    ),
    Command(
        "lecture.leave",
        mark("End the lecture"),
        mark("Give up the lecture that waits."),
        "Lecture",
        On(Lectures, Lectures.leave),
        (),
        On(Lectures, lambda lectures: lectures.waits),
    ),
    Command(
        "lecture.add_step",
        mark("Add this view as a step"),
        mark("Add what the window shows to the story in the editor; the first step begins one."),
        "Lecture",
        On(Lectures, Lectures.add_step),
        ("Ctrl+Shift+A",),
        WITH_RECORDING,
        separated=True,
    ),
    Command(
        "lecture.edit",
        mark("Edit a story…"),
        mark("Change the texts and the order of a story's steps."),
        "Lecture",
        On(Lectures, Lectures.edit),
    ),
    Command(
        "lecture.export",
        mark("Export a story…"),
        mark("Write a story as a page to step through, a handout, an animation or a film."),
        "Lecture",
        On(StoryExports, StoryExports.ask),
    ),
)
