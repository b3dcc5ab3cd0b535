"""Lecture mode with the keys a remote sends: forward, back, questions, black screen, exploring, live parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextBrowser
from pytestqt.qtbot import QtBot

from visualizer import language
from visualizer.app.lecture.commands import LECTURE_COMMANDS
from visualizer.app.lecture.lecture import Lecture
from visualizer.app.lecture.story_chooser import StoryChooser
from visualizer.app.window.about import about_text
from visualizer.app.window.main_window import MainWindow
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.playback.stories.presentation import Beat

STORY = """
title = { en = "t", zh = "t" }
[[chapter]]
id = "one"
title = { en = "First", zh = "第一" }
program = "lesson"
[[chapter.step]]
focus = { find = 'barrier == "full[0]" and kind == "arrive_expect_tx"' }
highlight = ["full[0]"]
text = { en = "{full[0].tx} bytes are owed", zh = "还欠 {full[0].tx} 字节" }
notes = { en = "say it slowly", zh = "慢慢说" }
[[chapter.step]]
focus = { find = 'barrier == "full[0]" and kind == "phase_complete"' }
panes = ["timeline", "ring", "barriers"]
question = { en = "What now?", zh = "接下来？" }
answer = { en = "A flip.", zh = "翻转。" }
text = { en = "Phase {full[0].phase}.", zh = "phase {full[0].phase}。" }
[[chapter]]
id = "two"
title = { en = "Second", zh = "第二" }
program = "lesson"
parameters = { stages = 2 }
[[chapter.step]]
focus = 20
text = { en = "stages: {config.stages}", zh = "stages：{config.stages}" }
autoplay = { until = 23 }
"""


@pytest.fixture
def lecture(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> Lecture:
    path = tmp_path / "story.toml"
    path.write_text(STORY, encoding="utf-8")
    window.lectures.present(path, full_screen=False)
    lecture = window.lectures.lecture
    assert lecture is not None
    with qtbot.waitExposed(lecture.stage):
        lecture.stage.resize(1280, 720)
    return lecture


@pytest.fixture
def press(lecture: Lecture, qtbot: QtBot) -> Callable[[Qt.Key], None]:
    return lambda key: qtbot.keyClick(lecture.stage, key)


def looked_at(lecture: Lecture) -> tuple[Beat, str, str, int]:
    """What the room sees, as far as words and focus go."""
    timeline = lecture.stage.pane("timeline")
    caption = lecture.stage.caption
    question = caption.question.text() if not caption.question.isHidden() else ""
    return lecture.presentation.beat, question, caption.text.text(), timeline.focused_step


def test_remote_keys_go_forward_and_back_through_the_same_states(
    lecture: Lecture, press: Callable[[Qt.Key], None]
) -> None:
    forward = [looked_at(lecture)]
    for _ in range(3):
        press(Qt.Key.Key_PageDown)
        forward.append(looked_at(lecture))
    assert [state[0] for state in forward] == [Beat(0, 0), Beat(0, 1, revealed=False), Beat(0, 1), Beat(1, 0)]
    assert forward[0][2] == "16384 bytes are owed"
    back = [looked_at(lecture)]
    for _ in range(3):
        press(Qt.Key.Key_PageUp)
        back.append(looked_at(lecture))
    assert back[1:] == forward[-2::-1]


def test_a_question_hides_the_answer_and_the_next_state(lecture: Lecture, press: Callable[[Qt.Key], None]) -> None:
    press(Qt.Key.Key_Space)
    asked = looked_at(lecture)
    timeline = lecture.stage.pane("timeline")
    assert asked[1].endswith("What now?")
    assert "flip" not in asked[2]
    assert timeline.lecture.veiled_after == asked[3]
    press(Qt.Key.Key_Right)
    revealed = looked_at(lecture)
    assert revealed[2] == "A flip. Phase 1."
    assert revealed[3] == asked[3] + 1
    assert timeline.lecture.veiled_after is None


@pytest.mark.parametrize("key", [Qt.Key.Key_B, Qt.Key.Key_Period])
def test_black_screen_and_back(lecture: Lecture, press: Callable[[Qt.Key], None], key: Qt.Key) -> None:
    press(key)
    assert lecture.stage.is_black
    press(key)
    assert not lecture.stage.is_black


def test_chapters_by_number_home_and_end(lecture: Lecture, press: Callable[[Qt.Key], None]) -> None:
    press(Qt.Key.Key_2)
    assert lecture.presentation.beat == Beat(1, 0)
    press(Qt.Key.Key_F5)
    assert lecture.presentation.beat == Beat(0, 0)
    press(Qt.Key.Key_End)
    assert lecture.presentation.beat == Beat(1, 0)
    press(Qt.Key.Key_Home)
    assert lecture.presentation.beat == Beat(0, 0)


def test_every_chapter_of_a_long_story_is_reached_by_its_key(window: MainWindow, qtbot: QtBot) -> None:
    window.lectures.present(story_path("lesson"), full_screen=False, chapter=8)
    lecture = window.lectures.lecture
    assert lecture is not None
    with qtbot.waitActive(lecture.stage):
        lecture.stage.activateWindow()
    chapters = len(lecture.presentation.story.chapters)
    assert chapters > 10
    reached = []
    for _ in range(9, chapters):
        qtbot.keyClick(lecture.stage, Qt.Key.Key_BracketRight)
        reached.append((lecture.presentation.beat.chapter, lecture.presentation.beat.step))
    assert reached == [(number, 0) for number in range(9, chapters)]
    qtbot.keyClick(lecture.stage, Qt.Key.Key_BracketRight)
    assert lecture.presentation.beat.chapter == chapters - 1
    qtbot.keyClick(lecture.stage, Qt.Key.Key_BracketLeft)
    assert lecture.presentation.beat.chapter == chapters - 2
    window.lectures.leave()


def test_returning_from_exploring_shows_the_steps_line(window: MainWindow, qtbot: QtBot) -> None:
    story = load_story(story_path("lesson"))
    chapter, step = next(place for place in story.places() if "code" in story.chapters[place[0]].steps[place[1]].panes)
    window.lectures.present(story_path("lesson"), full_screen=False)
    lecture = window.lectures.lecture
    assert lecture is not None
    with qtbot.waitActive(lecture.stage):
        lecture.stage.activateWindow()
    lecture.presentation.go_to(chapter, step)
    code = lecture.stage.pane("code").view
    line = code.marks.focused_line
    assert line > 0
    qtbot.keyClick(lecture.stage, Qt.Key.Key_E)
    for _ in range(40):
        window.navigator.next_event()
    assert window.panes["code"].view.marks.focused_line != line
    qtbot.keyClick(window, Qt.Key.Key_F5)
    code = lecture.stage.pane("code").view
    assert code.marks.focused_line == line
    place = code.cursorRect(QTextCursor(code.document().findBlockByNumber(line - 1)))
    assert code.viewport().rect().contains(place.center())
    window.lectures.leave()


def test_a_start_phase_set_on_stage_really_breaks_the_run(lecture: Lecture, press: Callable[[Qt.Key], None]) -> None:
    press(Qt.Key.Key_P)
    lecture.parameters.boxes["producer_phase"].setValue(0)
    lecture.parameters.run.click()
    assert lecture.told is not None
    assert lecture.told.history.trace.meta.ending.kind == "deadlock"
    assert lecture.told.scene.report().findings[0].rule == "wrong-start-phase"
    press(Qt.Key.Key_U)
    assert lecture.told.history.trace.meta.ending.kind == "completed"


def test_exploring_lends_the_window_the_step_and_f5_returns(
    lecture: Lecture, press: Callable[[Qt.Key], None], window: MainWindow, qtbot: QtBot
) -> None:
    press(Qt.Key.Key_PageDown)
    before, document = looked_at(lecture), window.document
    press(Qt.Key.Key_E)
    assert lecture.stage.isHidden()
    assert window.document is not document
    assert lecture.told is not None
    assert window.navigator.focus == lecture.told.focus
    assert window.status.text("file") == ""  # there is nothing to save
    assert "not saved" not in about_text(window.document)
    window.navigator.next_event()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert lecture.stage.isVisible()
    assert looked_at(lecture) == before
    assert window.document is document


def test_a_parameter_changed_on_stage_runs_at_once(lecture: Lecture, press: Callable[[Qt.Key], None]) -> None:
    press(Qt.Key.Key_2)
    press(Qt.Key.Key_P)
    assert lecture.parameters.isVisible()
    lecture.parameters.boxes["stages"].setValue(4)
    lecture.parameters.run.click()
    assert not lecture.parameters.isVisible()
    assert lecture.stage.caption.text.text() == "stages: 4"
    press(Qt.Key.Key_U)
    assert lecture.stage.caption.text.text() == "stages: 2"


def test_a_parameter_that_does_not_fit_is_refused_on_stage(lecture: Lecture) -> None:
    lecture.change_parameters({"stages": 99})
    assert "it must be 1..8" in lecture.stage.caption.text.text()
    assert lecture.told is not None
    assert lecture.told.history.trace.stages == 3


def test_the_language_changes_on_stage(lecture: Lecture, press: Callable[[Qt.Key], None]) -> None:
    before = language.current()
    try:
        press(Qt.Key.Key_L)
        assert lecture.stage.caption.text.text() == "还欠 16384 字节"
        press(Qt.Key.Key_L)
        assert lecture.stage.caption.text.text() == "16384 bytes are owed"
    finally:
        language.use(before)


def test_the_presenter_sees_notes_and_what_comes(
    lecture: Lecture, press: Callable[[Qt.Key], None], qtbot: QtBot
) -> None:
    press(Qt.Key.Key_N)
    presenter = lecture.presenter
    assert presenter.isVisible()
    assert presenter.notes.text() == "say it slowly"
    assert presenter.following.text() == "What now?"
    qtbot.keyClick(presenter, Qt.Key.Key_PageDown)
    assert lecture.presentation.beat == Beat(0, 1, revealed=False)
    press(Qt.Key.Key_N)
    assert not presenter.isVisible()


def test_a_passage_plays_to_its_end(lecture: Lecture, press: Callable[[Qt.Key], None], qtbot: QtBot) -> None:
    press(Qt.Key.Key_End)
    begin = looked_at(lecture)[3]
    qtbot.waitUntil(lambda: looked_at(lecture)[3] > begin)  # by itself
    while looked_at(lecture)[3] < 23:
        lecture.advance(0.1)
    press(Qt.Key.Key_R)
    assert looked_at(lecture)[3] == begin < 23
    while looked_at(lecture)[3] < 23:
        lecture.advance(0.1)


def test_the_keys_are_shown_and_escape_ends_the_lecture(
    lecture: Lecture, press: Callable[[Qt.Key], None], window: MainWindow, qtbot: QtBot
) -> None:
    press(Qt.Key.Key_F1)
    sheet = lecture.stage.findChild(QTextBrowser)
    assert sheet is not None
    assert "Show the room nothing" in sheet.toPlainText()
    theme = window.appearance.theme.name
    press(Qt.Key.Key_T)
    assert window.appearance.theme.name != theme
    stage = lecture.stage
    with qtbot.waitSignal(stage.destroyed):
        press(Qt.Key.Key_Escape)
    assert window.lectures.lecture is None


def test_a_story_with_problems_is_not_started(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(STORY.replace("focus = 20", "focus = 100000"), encoding="utf-8")
    window.lectures.present(path, full_screen=False)
    assert window.lectures.lecture is None
    assert "chapter 'two': step 1: focus: step 100000" in window.messages.text


def test_no_two_stage_commands_share_a_key() -> None:
    keys = [key for command in LECTURE_COMMANDS for key in command.keys]
    assert len(keys) == len(set(keys))


def test_the_window_offers_stories_and_returns_to_a_waiting_lecture(
    lecture: Lecture, press: Callable[[Qt.Key], None], window: MainWindow
) -> None:
    actions = window.actions_by_id
    assert not actions["lecture.return"].isEnabled()
    press(Qt.Key.Key_E)
    actions["lecture.return"].trigger()
    assert lecture.stage.isVisible()
    press(Qt.Key.Key_E)
    actions["lecture.leave"].trigger()
    assert window.lectures.lecture is None
    actions["lecture.present"].trigger()
    chooser = window.findChild(StoryChooser)
    assert chooser is not None
    assert chooser.stories.count() == len(built_in_stories())
    chooser.reject()
