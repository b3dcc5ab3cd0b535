"""Changes to a story: each takes a story and gives a new one. Places are (chapter, step), counted from 0."""

from __future__ import annotations

from dataclasses import replace

from visualizer.language import tr
from visualizer.playback.focus import Focus
from visualizer.playback.query.evaluate import matching_steps
from visualizer.playback.query.events import Events
from visualizer.playback.query.parse import parse
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Chapter, FocusRule, Source, Step, Story, Text
from visualizer.recording.schema import kind_name
from visualizer.replay.history import History

Place = tuple[int, int]


def new_story(title: Text, chapter: Chapter) -> Story:
    """A story of one chapter."""
    return Story(title, (chapter,))


def rule_of(history: History, step: int) -> FocusRule:
    """A query that finds event `step`, so that the story survives another recording of the same program."""
    event = history.trace.events[step]
    agent = history.agent_titles[int(event["agent"])]
    conditions = [f"kind == {kind_name(int(event['kind']))}", f'agent == "{agent}"']
    if event["barrier"] >= 0:
        conditions.append(f'barrier == "{history.barrier_title(int(event["barrier"]))}"')
    if event["tile"] >= 0:
        conditions.append(f"tile == {int(event['tile'])}")
    query = " and ".join(conditions)
    found = matching_steps(parse(query), Events(history)).tolist()
    return FocusRule(find=query, nth=found.index(step) + 1)


def step_from_view(history: History, focus: Focus, panes: tuple[str, ...], text: Text) -> Step:
    """A step that shows what the window shows now."""
    return Step(rule_of(history, focus.step), text, lane=focus.lane or "", panes=panes)


def insert_step(story: Story, place: Place, step: Step, source: Source, title: Text) -> tuple[Story, Place]:
    """Put `step` after `place`, in a new chapter if the chapter there looks at another source; and where it now is."""
    chapter, after = place
    content = story.chapters[chapter]
    if content.source.key == source.key:
        steps = (*content.steps[: after + 1], step, *content.steps[after + 1 :])
        return _with_chapter(story, chapter, replace(content, steps=steps)), (chapter, after + 1)
    made = Chapter(_free_id(story), title, source, (step,))
    chapters = (*story.chapters[: chapter + 1], made, *story.chapters[chapter + 1 :])
    return replace(story, chapters=chapters), (chapter + 1, 0)


def replace_step(story: Story, place: Place, step: Step) -> Story:
    chapter, at = place
    content = story.chapters[chapter]
    steps = (*content.steps[:at], step, *content.steps[at + 1 :])
    return _with_chapter(story, chapter, replace(content, steps=steps))


def remove_step(story: Story, place: Place) -> Story:
    """Without the step; its chapter goes with its last step. StoryError for the last step of all."""
    chapter, at = place
    content = story.chapters[chapter]
    steps = (*content.steps[:at], *content.steps[at + 1 :])
    if steps:
        return _with_chapter(story, chapter, replace(content, steps=steps))
    if len(story.chapters) == 1:
        raise StoryError(tr("a story needs at least one step"))
    return replace(story, chapters=(*story.chapters[:chapter], *story.chapters[chapter + 1 :]))


def move_step(story: Story, place: Place, direction: int) -> tuple[Story, Place]:
    """One place up (-1) or down (+1) within its chapter; beyond the chapter's end, the whole chapter moves."""
    chapter, at = place
    content = story.chapters[chapter]
    to = at + direction
    if 0 <= to < len(content.steps):
        steps = list(content.steps)
        steps[at], steps[to] = steps[to], steps[at]
        return _with_chapter(story, chapter, replace(content, steps=tuple(steps))), (chapter, to)
    other = chapter + direction
    if not 0 <= other < len(story.chapters):
        return story, place
    chapters = list(story.chapters)
    chapters[chapter], chapters[other] = chapters[other], chapters[chapter]
    return replace(story, chapters=tuple(chapters)), (other, at)


def _with_chapter(story: Story, chapter: int, content: Chapter) -> Story:
    return replace(story, chapters=(*story.chapters[:chapter], content, *story.chapters[chapter + 1 :]))


def _free_id(story: Story) -> str:
    taken = {chapter.id for chapter in story.chapters}
    number = len(taken) + 1
    while f"chapter-{number}" in taken:
        number += 1
    return f"chapter-{number}"
