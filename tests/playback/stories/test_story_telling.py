"""Telling: the event a rule means, texts with the recording's numbers, and what a check finds."""

from __future__ import annotations

import dataclasses

import pytest

from visualizer.language import speaking
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.find import find_focus
from visualizer.playback.stories.load import parse_story
from visualizer.playback.stories.model import FocusRule, Story, Text
from visualizer.playback.stories.numbers import fill
from visualizer.playback.stories.telling import Telling
from visualizer.playback.stories.zoom import zoom_range
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History

STORY = """
title = { en = "t", zh = "t" }
[[chapter]]
id = "a"
title = { en = "a", zh = "a" }
program = "lesson"
others.two = { program = "lesson", parameters = { stages = 2 } }
[[chapter.step]]
focus = { find = 'barrier == "full[0]" and kind == "arrive_expect_tx"' }
text = { en = "x", zh = "x" }
"""


def story(**changes: object) -> Story:
    """The story above with its one step changed."""
    parsed = parse_story(STORY)
    chapter = parsed.chapters[0]
    step = dataclasses.replace(chapter.steps[0], **changes)  # type: ignore[arg-type]
    return dataclasses.replace(parsed, chapters=(dataclasses.replace(chapter, steps=(step,)),))


def saying(text: str) -> str:
    told = Telling(story()).told(0, 0)
    return fill(text, told.scene)


def test_rules_count_from_both_ends_and_go_on(lesson_history: History) -> None:
    flips = [
        step
        for step in range(lesson_history.steps)
        if lesson_history.kinds[step] == EventKind.PHASE_COMPLETE
        and lesson_history.trace.barriers[lesson_history.trace.events["barrier"][step]].name == "full[0]"
    ]
    query = 'barrier == "full[0]" and kind == "phase_complete"'
    assert find_focus(lesson_history, FocusRule(find=query)) == flips[0]
    assert find_focus(lesson_history, FocusRule(find=query, nth=2, offset=-1)) == flips[1] - 1
    assert find_focus(lesson_history, FocusRule(find=query, nth=-1)) == flips[-1]
    with pytest.raises(StoryError, match=f"finds {len(flips)} events, so there is no number 9"):
        find_focus(lesson_history, FocusRule(find=query, nth=9))
    with pytest.raises(StoryError, match="outside the recording's 0"):
        find_focus(lesson_history, FocusRule(step=lesson_history.steps))
    with pytest.raises(StoryError, match=r"focus\.find"):
        find_focus(lesson_history, FocusRule(find="bariér == 1"))


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{was full[0].pending} -> {full[0].pending}", "1 -> 0"),
        ("{was full[0].tx} -> {full[0].tx}", "0 -> 16384"),
        ("{full[0].arrived} of {full[0].expected}", "1 of 1"),
        ("{empty[0].expected}", "96"),
        ("{producer.index}{producer.phase}{producer.count}", "010"),
        ("{producer.activity}", "running"),
        ("{stage[0].state}", "empty"),
        ("{event.kind} on {event.barrier}: {event.amount}", "arrive_expect_tx on full[0]: 16384"),
        ("{config.stages} {config.consumers} {config.shared_bytes}", "3 96 49280"),
        ("{run.tiles} {run.ended}", "8 completed"),
        ("{two: config.stages} {two: run.stages}", "2 2"),
        ("{diagnosis.findings}", "0"),
        ("no placeholder", "no placeholder"),
    ],
)
def test_placeholders(text: str, filled: str) -> None:
    assert saying(text) == filled


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{full[9].tx}", "nothing named 'full\\[9\\]'"),
        ("{full[0].colour}", "there are valid, phase"),
        ("{x}", "NAME.FIELD"),
        ("{three: run.tiles}", "there is no 'three'"),
        ("{config.size}", "there are stages"),
        ("{run.__class__}", "there are events"),
    ],
)
def test_a_placeholder_that_means_nothing_is_named(text: str, why: str) -> None:
    with pytest.raises(StoryError, match=why):
        saying(text)


def test_a_sound_story_has_no_problems() -> None:
    assert check_story(story()) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"highlight": ("full[7]",)}, "no lane 'full[7]'"),
        ({"text": Text("{full[0].tx}", "x")}, "text: en and zh do not have the same placeholders"),
        ({"text": Text("{full[0].xx}", "{full[0].xx}")}, "text.en: the placeholder {full[0].xx} means nothing"),
        ({"focus": FocusRule(step=100_000)}, "chapter 'a': step 1: focus: step 100000 is outside"),
    ],
)
def test_check_finds_what_is_wrong(changes: dict[str, object], problem: str) -> None:
    assert any(problem in found for found in check_story(story(**changes)))


def test_changed_parameters_are_another_run_until_they_are_restored() -> None:
    telling = Telling(story())
    before = telling.told(0, 0)
    telling.change_parameters(0, {"stages": 2})
    assert telling.told(0, 0).history.trace.stages == 2
    telling.restore(0)
    after = telling.told(0, 0)
    assert after.history is before.history
    assert after.focus == before.focus


def test_a_step_that_never_happens_with_changed_parameters_shows_how_it_ended() -> None:
    telling = Telling(story(focus=FocusRule(find='barrier == "full[2]" and kind == "phase_complete"')))
    telling.change_parameters(0, {"producer_phase": 0})
    told = telling.told(0, 0)
    assert told.history.trace.meta.ending.kind == "deadlock"
    assert told.focus.step == told.history.steps - 1


@pytest.mark.parametrize("zoom", ["all", "tile", "near"])
def test_the_zoom_shows_the_focus(zoom: str) -> None:
    told = Telling(story(zoom=zoom)).told(0, 0)
    stretch = zoom_range(told)
    assert stretch is not None
    begin, end = stretch
    assert begin < told.history.trace.events["time"][told.focus.step] < end
    assert (end - begin >= told.history.trace.duration_ps) == (zoom == "all")


def test_keep_leaves_the_view_alone() -> None:
    assert zoom_range(Telling(story(zoom="keep")).told(0, 0)) is None


def test_what_is_wrong_is_said_in_the_language_of_the_window_whichever_text_it_is_in() -> None:
    with speaking("zh"):
        (outside,) = check_story(story(focus=FocusRule(step=100_000)))
        (first, second) = check_story(story(text=Text("{nothing.here}", "{nothing.here}")))
    assert "章 'a': 第 1 步: focus" in outside
    for problem, key in ((first, "text.en"), (second, "text.zh")):
        assert key in problem
        assert "占位符" in problem
