"""Every step of every story can be read from the back row: text large enough, nothing cut off, nothing overlapping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from stage_texts import cut_columns, hearing, overlapping, widgets_below

from visualizer.app.lecture.stage import SMALLEST_TEXT
from visualizer.app.lecture.still import Still
from visualizer.language import speaking
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.playback.stories.presentation import Beat, beats_of
from visualizer.playback.stories.telling import Telling
from visualizer.views.look.theme import load_theme


@pytest.fixture(scope="module")
def tellings() -> list[Telling]:
    """Every story; of the course, which tells them all, the chapters that have longer titles there."""
    stories = [load_story(story_path(name)) for name in built_in_stories() if name != "course"]
    course = load_story(story_path("course"))
    own = {chapter.title for story in stories for chapter in story.chapters}
    longer = tuple(replace(one, steps=one.steps[:1]) for one in course.chapters if one.title not in own)
    assert len(longer) == len(stories)
    return [Telling(story) for story in (*stories, replace(course, chapters=longer))]


ROOMS = [(1280, 720, "dark", "en"), (1280, 720, "light", "zh"), (1920, 1080, "light", "en"), (1920, 1080, "dark", "zh")]


def beats(telling: Telling, still: Still) -> Iterator[tuple[str, Beat]]:
    """Put each beat on the stage, not painted yet; its name in error messages."""
    story = telling.story
    for beat in beats_of(story):
        still.stage.setUpdatesEnabled(False)
        still.show(telling.told(beat.chapter, beat.step), beat, len(story.chapters))
        still.stage.setUpdatesEnabled(True)
        asked = "" if beat.revealed else " asked"
        yield f"{story.chapters[beat.chapter].id} {beat.step + 1}{asked}", beat


@pytest.mark.parametrize(("width", "height", "theme", "language"), ROOMS)
def test_every_step_can_be_read(
    tellings: list[Telling],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    width: int,
    height: int,
    theme: str,
    language: str,
) -> None:
    problems = []
    still = Still(load_theme(theme), (width, height))
    with speaking(language):
        for telling in tellings:
            for place, _ in beats(telling, still):
                for name in still.stage.shown:
                    pane = still.stage.pane(name)
                    pane.set_theme(load_theme(theme))  # what it has painted before is not heard: paint anew
                    with hearing(monkeypatch) as heard:
                        pane.grab()
                    where = f"{place}, {name}: "
                    if name in ("timeline", "ring") and len(heard) < 3:
                        problems.append(f"{where}shows nothing")
                    small = {drawn.text for drawn in heard if drawn.pixels < SMALLEST_TEXT}
                    problems += [f"{where}{text!r} is too small" for text in sorted(small)]
                    problems += [f"{where}{what}" for what in widgets_below(pane, SMALLEST_TEXT)]
                    problems += [f"{where}{one!r} lies over {other!r}" for one, other in overlapping(heard)]
                    problems += [f"{where}{what} is cut" for what in cut_columns(pane)]
                    # Source scrolls: its last line may be half in view.
                    cut = [] if name == "code" else [drawn.text for drawn in heard if not drawn.inside]
                    problems += [f"{where}{text!r} is cut" for text in cut]
                problems += [f"{place}: {what}" for what in crowded(still)]
    still.close()
    assert not problems, "\n".join(problems)


def crowded(still: Still) -> list[str]:
    """What does not fit on the stage as a whole."""
    stage, found = still.stage, []
    if "timeline" in stage.shown:
        scene = stage.pane("timeline").scene
        if scene.layout.total > scene.frame.lanes.height() + 1:
            found.append("the lanes do not fit")
    for label in stage.headline.findChildren(QLabel) + stage.caption.findChildren(QLabel):
        if label.isVisible():
            if label.fontInfo().pixelSize() < SMALLEST_TEXT:
                found.append(f"{label.text()!r} is too small")
            if label.height() < label.heightForWidth(label.width()):
                found.append(f"{label.text()!r} is cut")
    return found
