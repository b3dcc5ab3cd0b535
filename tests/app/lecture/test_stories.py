"""The built-in stories: whole, in both languages, with every number from a recording, told there and back by remote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from visualizer import language
from visualizer.app.lecture.lecture import Lecture
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.playback.stories.model import Story, Text

NAMES = [name for name in built_in_stories() if name != "course"]  # whose chapters are theirs
_NOT_A_NUMBER = re.compile(r"\{[^{}]*\}|\b(?:full|empty|stage)\[\d\]|\bCTA\d\b")
"""Placeholders, and names that have a digit in them."""


@pytest.fixture(params=NAMES)
def story(request: pytest.FixtureRequest) -> Story:
    return load_story(story_path(request.param))


def texts(story: Story) -> list[Text]:
    found = [story.title]
    for chapter in story.chapters:
        found.append(chapter.title)
        for step in chapter.steps:
            found += [step.text, step.notes]
            if step.question:
                found += [step.question.ask, step.question.answer]
    return [text for text in found if text]


def test_the_lesson_is_there_and_long_enough() -> None:
    lesson = load_story(story_path("lesson"))
    steps = [step for chapter in lesson.chapters for step in chapter.steps]
    assert len(lesson.chapters) >= 12
    assert sum(step.question is not None for step in steps) >= 6
    assert sum(bool(chapter.source.fault) for chapter in lesson.chapters) >= 4


@pytest.mark.parametrize("name", ["multicast", "gemm", "pingpong", "attention"])
def test_a_kernel_s_story_asks_breaks_and_counts(name: str) -> None:
    story = load_story(story_path(name))
    assert 6 <= len(story.chapters) <= 10
    assert any(step.question for chapter in story.chapters for step in chapter.steps)
    (broken,) = (chapter for chapter in story.chapters if chapter.source.fault)
    assert broken.source.program == name
    assert any("{diagnosis.cause}" in step.text.en for step in broken.steps)
    assert story.chapters[0].source.recording == name
    assert any("{run." in step.text.en for step in story.chapters[-1].steps)
    assert story.chapters[-1].others, "a number is worth something beside another"


def test_it_can_be_told(story: Story) -> None:
    assert check_story(story) == []


def test_no_number_is_typed(story: Story) -> None:
    typed = [t for text in texts(story) for t in (text.en, text.zh) if re.search(r"\d", _NOT_A_NUMBER.sub("", t))]
    assert typed == []


def test_the_chinese_is_chinese_and_the_english_is_not(story: Story) -> None:
    for text in texts(story):
        assert re.search(r"[一-鿿]", text.zh), text
        assert not re.search(r"[一-鿿]", text.en), text


def seen(lecture: Lecture) -> tuple[object, ...]:
    """What the room sees: the beat, every word, and the state each pane stands at."""
    assert lecture.told is not None
    caption = lecture.stage.caption
    question = caption.question.text() if not caption.question.isHidden() else ""
    timeline = lecture.stage.pane("timeline")
    at = timeline.focused_step if "timeline" in lecture.stage.shown else -1
    for name in lecture.stage.shown:
        assert lecture.stage.pane(name).property("history") is lecture.told.history, name
    return lecture.presentation.beat, lecture.stage.headline.title.text(), question, caption.text.text(), at


@pytest.mark.parametrize("code", list(language.LANGUAGES))
@pytest.mark.parametrize("name", NAMES)
def test_a_remote_tells_it_there_and_back(window: MainWindow, qtbot: QtBot, name: str, code: str) -> None:
    before = language.current()
    language.use(code)
    try:
        window.lectures.present(story_path(name), full_screen=False)
        lecture = window.lectures.lecture
        assert lecture is not None
        with qtbot.waitExposed(lecture.stage):
            lecture.stage.resize(1280, 720)
        there = [seen(lecture)]
        while lecture.presentation.upcoming is not None:
            qtbot.keyClick(lecture.stage, Qt.Key.Key_PageDown)
            there.append(seen(lecture))
        lecture.stage.setUpdatesEnabled(False)  # painted on the way there
        back = [seen(lecture)]
        for _ in there[1:]:
            qtbot.keyClick(lecture.stage, Qt.Key.Key_PageUp)
            back.append(seen(lecture))
        assert back == there[::-1]
        assert len(there) == sum(
            1 + (s.question is not None) for c in lecture.presentation.story.chapters for s in c.steps
        )
        lecture.leave()
    finally:
        language.use(before)


def test_every_story_lies_where_it_is_looked_for() -> None:
    assert NAMES
    assert all(Path(story_path(name)).is_file() for name in NAMES)
