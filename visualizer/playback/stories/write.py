"""Writes a story back to TOML. Comments of a hand-written file are not kept: docs/stories.md says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomli_w

from visualizer.language import tr
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import DEFAULT_PANES, Chapter, FocusRule, Source, Step, Story, Text
from visualizer.recording.replacing import replacing


def save_story(story: Story, path: Path) -> None:
    """Write `story` to `path`, all of it or nothing. StoryError, naming the file, if that fails."""
    try:
        with replacing(path) as file:
            file.write(story_toml(story).encode("utf-8", "replace"))
    except OSError as error:
        raise StoryError(
            tr("{path} cannot be saved: {reason}; choose another place", path=path, reason=error.strerror or error)
        ) from None


def story_toml(story: Story) -> str:
    """The TOML text that load reads the same story from."""
    document = {"title": _text(story.title), "chapter": [_chapter(chapter) for chapter in story.chapters]}
    return tomli_w.dumps(document, multiline_strings=True)


def _chapter(chapter: Chapter) -> dict[str, Any]:
    table: dict[str, Any] = {"id": chapter.id, "title": _text(chapter.title), **_source(chapter.source)}
    if chapter.others:
        table["others"] = {name: _source(source) for name, source in chapter.others.items()}
    table["step"] = [_step(step) for step in chapter.steps]
    return table


def _source(source: Source) -> dict[str, Any]:
    table = {"recording": source.recording, "program": source.program, "fault": source.fault}
    table = {key: value for key, value in table.items() if value}
    return {**table, "parameters": dict(source.parameters)} if source.parameters else table


def _step(step: Step) -> dict[str, Any]:
    table: dict[str, Any] = {"focus": _focus(step.focus)}
    if step.lane:
        table["lane"] = step.lane
    if step.panes != DEFAULT_PANES:
        table["panes"] = list(step.panes)
    if step.highlight:
        table["highlight"] = list(step.highlight)
    if step.zoom != "tile":
        table["zoom"] = step.zoom
    table["text"] = _text(step.text)
    if step.notes:
        table["notes"] = _text(step.notes)
    if step.question:
        table["question"] = _text(step.question.ask)
        table["answer"] = _text(step.question.answer)
    if step.autoplay:
        table["autoplay"] = {"until": _focus(step.autoplay.until), "loop": step.autoplay.loop}
    return table


def _focus(rule: FocusRule) -> int | dict[str, Any]:
    if not rule.find and not rule.offset:
        return rule.step or 0
    table: dict[str, Any] = {"find": rule.find} if rule.find else {"step": rule.step}
    if rule.nth != 1:
        table["nth"] = rule.nth
    if rule.offset:
        table["offset"] = rule.offset
    return table


def _text(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}
