"""The lecture's own keys: what presenter remotes send, and what a lecturer's hand finds in the dark.

They live beside the window's commands and not among them: Right and Home mean something else on stage.
"""

from __future__ import annotations

from typing import Any

from visualizer.app.commands.command import Command, On, Registry
from visualizer.app.lecture.keys_sheet import keys_sheet
from visualizer.app.lecture.lecture import Lecture
from visualizer.app.lecture.stage import StageWindow
from visualizer.language import mark
from visualizer.playback.stories.presentation import Presentation


def _stage(name: str, title: str, help_: str, run: On[Any, object], *keys: str) -> Command:
    return Command(f"stage.{name}", title, help_, "Stage", run, keys)


def _chapter(number: int) -> Command:
    return _stage(
        f"chapter_{number}",
        mark("Chapter by number"),
        mark("Jump to the chapter of this number."),
        On(Presentation, lambda presentation: presentation.go_to_chapter(number - 1)),
        str(number),
    )


def _show_keys(stage: StageWindow) -> None:
    keys_sheet(stage, LECTURE_COMMANDS).show()


LECTURE_COMMANDS = Registry(
    (
        _stage(
            "next",
            mark("Next"),
            mark("Go on: the next step, or the answer to the question on stage."),
            On(Presentation, Presentation.next),
            "PgDown",
            "Right",
            "Space",
            "Down",
        ),
        _stage(
            "previous",
            mark("Previous"),
            mark("Go back the way you came."),
            On(Presentation, Presentation.previous),
            "PgUp",
            "Left",
            "Up",
        ),
        _stage(
            "first",
            mark("First step"),
            mark("Go to the start."),
            On(Presentation, Presentation.first),
            "Home",
            "F5",
        ),
        _stage("last", mark("Last step"), mark("Go to the end."), On(Presentation, Presentation.last), "End"),
        _stage(
            "black",
            mark("Black screen"),
            mark("Show the room nothing, or the stage again."),
            On(Presentation, Presentation.toggle_black),
            "B",
            ".",
        ),
        _stage("play", mark("Play again"), mark("Play the step's passage again."), On(Lecture, Lecture.autoplay), "R"),
        _stage(
            "explore",
            mark("Explore"),
            mark("Leave the stage at this step, to look around freely in the window; F5 comes back."),
            On(Lecture, Lecture.explore),
            "E",
        ),
        _stage(
            "parameters",
            mark("Change a parameter"),
            mark("Run this chapter's program with other parameters, on stage."),
            On(Lecture, Lecture.ask_parameters),
            "P",
        ),
        _stage(
            "restore",
            mark("Undo changed parameters"),
            mark("Show this chapter's own recording again."),
            On(Lecture, Lecture.restore_parameters),
            "U",
        ),
        _stage(
            "presenter",
            mark("Presenter view"),
            mark("Show or hide the window with notes, the next step and the clock."),
            On(Lecture, Lecture.toggle_presenter),
            "N",
        ),
        _stage(
            "language",
            mark("Other language"),
            mark("Speak the other language."),
            On(Lecture, Lecture.toggle_language),
            "L",
        ),
        _stage(
            "theme",
            mark("Dark or light"),
            mark("Switch between the dark and the light theme."),
            On(Lecture, Lecture.toggle_theme),
            "T",
        ),
        _stage("help", mark("Keys"), mark("Show these keys."), On(StageWindow, _show_keys), "?", "F1"),
        _stage("leave", mark("Leave"), mark("End the lecture."), On(Lecture, Lecture.leave), "Esc"),
        *(_chapter(number) for number in range(1, 10)),
        _stage(
            "next_chapter",
            mark("Next chapter"),
            mark("Jump to the start of the next chapter."),
            On(Presentation, lambda presentation: presentation.go_to_chapter(presentation.beat.chapter + 1)),
            "]",
        ),
        _stage(
            "previous_chapter",
            mark("Previous chapter"),
            mark("Jump to the start of the chapter before."),
            On(Presentation, lambda presentation: presentation.go_to_chapter(presentation.beat.chapter - 1)),
            "[",
        ),
    )
)
"""Every command of lecture mode, by the keys that fire it."""
