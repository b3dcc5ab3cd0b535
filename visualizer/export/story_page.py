"""A story to take home: one HTML file with its steps, questions and both languages, that needs no network.

A step shows the state after its event, so the document holds those events of each recording that the story is about,
each with the event before it: a question shows that one until it is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from visualizer.diagnosis.explanations.explain import explain
from visualizer.export.page import fill_template
from visualizer.export.page_model import WORDS, page_words, recording_document
from visualizer.export.selection import select
from visualizer.language import LANGUAGES, current, mark, speaking
from visualizer.playback.stories.model import Text
from visualizer.playback.stories.telling import Telling, Told
from visualizer.playback.stories.zoom import zoom_range
from visualizer.replay.history import History

STORY_WORDS = {
    **WORDS,
    "chapters": mark("Chapters"),
    "answer": mark("Show the answer"),
    "place": mark("chapter {chapter} of {chapters}, step {step} of {steps}"),
    "language": mark("Language"),
    "keys": mark("Right and Left step, a question's answer comes with the next Right; Home and End jump, L switches"),
}
"""What the page says beside the story's own texts."""

_SCRIPTS = ("states.js", "timeline.js", "tables.js", "story.js")
_STYLES = ("page.css", "story.css")


def render_story(document: dict[str, Any], theme: str) -> str:
    """The page that shows what `story_document` made; `theme` is the one it opens in."""
    title = document["title"][document["language"]]
    return fill_template("story.html", _STYLES, _SCRIPTS, document, title, theme)


def story_document(
    telling: Telling, chapters: Sequence[int], reached: Callable[[float], None] = lambda share: None
) -> dict[str, Any]:
    """The chapters (counted from 0) of a story. Every text is given in each language.

    Raises StoryError if it cannot be told, and whatever `reached` raises to stop.
    """
    story = telling.story
    told = [telling.told(chapter, step) for chapter, step in story.places() if chapter in set(chapters)]
    histories = list(dict.fromkeys(step.history for step in told))
    recordings = []
    for number, history in enumerate(histories):
        reached(number / len(histories))
        recordings.append(_recording(history, [step for step in told if step.history is history]))
    positions = [{step["step"]: at for at, step in enumerate(recording["steps"])} for recording in recordings]
    shown: list[dict[str, Any]] = []
    for chapter in chapters:
        content = story.chapters[chapter]
        own = [step for step in told if step.chapter is content]
        steps = [_step(step, histories.index(step.history), positions) for step in own]
        shown.append({"id": content.id, "title": _texts(own[0], content.title), "steps": steps})
    words = {}
    for language in LANGUAGES:
        with speaking(language):
            words[language] = page_words(STORY_WORDS)
    return {
        "language": current(),
        "languages": dict(LANGUAGES),
        "words": words,
        "title": {"en": story.title.en, "zh": story.title.zh},
        "recordings": recordings,
        "chapters": shown,
    }


def _recording(history: History, told: Sequence[Told]) -> dict[str, Any]:
    """The recording with the events these steps need; an event's explanation in each language."""
    wanted: set[int] = set()
    for step in told:
        focus, last = step.focus.step, step.until if step.until is not None else step.focus.step
        wanted |= {max(focus - 1, 0), *range(focus, last + 1)}
    events = np.array(sorted(wanted), np.int64)
    document = recording_document(select(history), events)
    texts = {}
    for language in LANGUAGES:
        with speaking(language):
            texts[language] = [explain(history, event) for event in events.tolist()]
    for number, step in enumerate(document["steps"]):
        step["text"] = {language: texts[language][number] for language in LANGUAGES}
    return document


def _step(told: Told, recording: int, positions: Sequence[dict[int, int]]) -> dict[str, Any]:
    """`at`, `before`, `until`: positions in the recording's steps; `zoom` in ps, null: as the step before left it."""
    at = positions[recording]
    focus, question = told.focus.step, told.step.question
    stretch = zoom_range(told)
    return {
        "recording": recording,
        "at": at[focus],
        "before": at[max(focus - 1, 0)],
        "until": at[told.until] if told.until is not None else None,
        "zoom": list(stretch) if stretch is not None else None,
        "highlight": list(told.step.highlight),
        "text": _texts(told, told.step.text),
        "question": _texts(told, question.ask) if question is not None else None,
        "answer": _texts(told, question.answer) if question is not None else None,
    }


def _texts(told: Told, text: Text) -> dict[str, str]:
    spoken = {}
    for language in LANGUAGES:
        with speaking(language):
            spoken[language] = told.text(text, language)
    return spoken
