"""A finding's chapter: the one that breaks a program in the same way, by its fault or by what the diagnosis finds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding
from visualizer.language import use
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.playback.stories.teaching import lesson_on
from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def _found(program: str, fault: str, *, named: bool = True) -> tuple[Trace, Finding]:
    """What is found first in a run of a program with a fault; `named`: its recording says which."""
    trace = simulate(find_program(program, None, fault))
    if not named:
        config = {key: value for key, value in trace.meta.config.items() if key != "fault"}
        trace = replace(trace, meta=replace(trace.meta, config=config, program="a stranger's"))
    return trace, diagnose(History(trace)).findings[0]


def _taught(trace: Trace, finding: Finding) -> tuple[str, str] | None:
    """Story and chapter."""
    lesson = lesson_on(trace, finding)
    return lesson and (lesson.path.stem, load_story(lesson.path).chapters[lesson.chapter].id)


@pytest.mark.parametrize("story", sorted(set(built_in_stories()) - {"course"}))
def test_every_chapter_with_a_fault_teaches_it(story: str) -> None:
    for chapter in load_story(story_path(story)).chapters:
        if chapter.source.fault:
            trace, finding = _found(chapter.source.program, chapter.source.fault)
            assert _taught(trace, finding) == (story, chapter.id)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_strangers_recording_is_taught_by_the_same_mistake(language: str) -> None:
    use(language)
    assert _taught(*_found("baseline", "F06", named=False)) == ("lesson", "start-phase-broken")
    assert _taught(*_found("baseline", "F03", named=False)) == ("lesson", "parameters-broken")


def test_a_mistake_that_no_chapter_shows_is_taught_by_none() -> None:
    trace, finding = _found("baseline", "F17", named=False)
    assert finding.rule == "expect-without-arrive"
    assert _taught(trace, finding) is None
    assert _taught(trace, replace(finding, rule="")) is None
