"""Everything a story can get wrong with its recordings, found before the room is full."""

from __future__ import annotations

from visualizer.language import LANGUAGES, tr
from visualizer.playback.lane_steps import lane_steps
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Story, Text
from visualizer.playback.stories.numbers import placeholders
from visualizer.playback.stories.telling import Telling, Told, place_name

REQUIRED = ("title", "text", "question", "answer")


def check_story(story: Story) -> list[str]:
    """All problems of telling `story`, each naming chapter and step; empty if it can be told from end to end."""
    telling = Telling(story)
    problems: list[str] = []
    for chapter, step in story.places():
        try:
            told = telling.told(chapter, step)
        except StoryError as error:
            problems += error.problems
            continue
        where = place_name(story, told.chapter, step)
        problems += [f"{where}: {problem}" for problem in _problems(told)]
    return problems


def _problems(told: Told) -> list[str]:
    problems = []
    for lane in filter(None, (told.step.lane, *told.step.highlight)):
        if lane_steps(told.history, lane) is None:
            problems.append(tr("highlight: the recording has no lane {lane}", lane=repr(lane)))
    if told.until is not None and told.until <= told.focus.step:
        problems.append(tr("autoplay.until: lies before the focus"))
    for key, text in _texts(told):
        missing = [language for language in LANGUAGES if not text.spoken(language)]
        if missing and (text or key in REQUIRED):
            problems += [tr("{key}.{language}: is missing", key=key, language=language) for language in missing]
            continue
        if sorted(placeholders(text.en)) != sorted(placeholders(text.zh)):
            problems.append(tr("{key}: en and zh do not have the same placeholders", key=key))
        for language in LANGUAGES:
            try:
                told.text(text, language)
            except StoryError as error:
                problems += [f"{key}.{language}: {problem}" for problem in error.problems]
    return problems


def _texts(told: Told) -> list[tuple[str, Text]]:
    texts = [("title", told.chapter.title), ("text", told.step.text), ("notes", told.step.notes)]
    if told.step.question:
        texts += [("question", told.step.question.ask), ("answer", told.step.question.answer)]
    return texts
