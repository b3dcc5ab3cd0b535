"""Everything that the palette finds in a window: commands, panes, settings, faults, chapters, agents and barriers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.command import Parts
from visualizer.app.commands.keys import Keys
from visualizer.app.commands.palette import Entry
from visualizer.app.lecture.lectures import Lectures
from visualizer.app.record.running import Running
from visualizer.app.session.session import Session
from visualizer.app.window.findable_settings import findable_settings
from visualizer.app.window.layout import Docks
from visualizer.language import current, tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import lane_steps, lane_title
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.playback.stories.model import Story
from visualizer.programs.faults import FAULTS
from visualizer.replay.history import History

_MOST_LANES = 20_000
"""Agents and barriers; of a larger recording only so many are offered."""


def findable(parts: Parts) -> Iterator[Entry]:
    """In the order in which they are offered where letters do not decide."""
    actions, docks, session = parts[Actions], parts[Docks], parts[Session]
    actions.refresh()
    for command in parts[Keys].commands:
        action = actions[command.id]
        if action.isEnabled():
            yield Entry(tr(command.group), tr(command.title), action.trigger, command.keys, tr(command.help))
    for name in docks.names:
        title = docks[name].windowTitle()
        yield Entry(tr("Pane"), title, partial(docks.bring, name), help=tr("Bring the pane to the front."))
    yield from findable_settings(parts)
    for fault in FAULTS.values():
        if fault.fits_lesson:
            run = partial(parts[Running].break_it, fault.id)
            yield Entry(tr("Fault"), f"{fault.id} {tr(fault.title)}", run, help=tr("Run the lesson with this fault."))
    for path, story in _stories():
        for number, chapter in enumerate(story.chapters):
            title = chapter.title.spoken(current())
            tell = partial(parts[Lectures].present, path, chapter=number)
            yield Entry(tr("Chapter"), title, tell, help=story.title.spoken(current()))
    document, navigator = session.document, session.navigator
    if document is not None and document.read and navigator.focus is not None:
        yield from _lanes(document.history, navigator.focus, navigator.go_to)


def _lanes(history: History, focus: Focus, go_to: Callable[[Focus], Any]) -> Iterator[Entry]:
    """Agents and barriers. Each leads to what it does next, or did last."""
    trace = history.trace
    told = ((tr("Agent"), trace.agents), (tr("Barrier"), trace.barriers))
    for kind, rows in told:
        for row in rows[:_MOST_LANES]:
            yield Entry(kind, lane_title(history, row.name), partial(_go, history, row.name, focus, go_to))


def _go(history: History, lane: str, focus: Focus, go_to: Callable[[Focus], Any]) -> None:
    steps = lane_steps(history, lane)
    after = steps.after(focus.step - 1) if steps is not None else None
    step = after if after is not None or steps is None else steps.before(focus.step)
    go_to(Focus(focus.step if step is None else step, lane))


@cache
def _stories() -> tuple[tuple[Path, Story], ...]:
    """Those that come with phasescope and have chapters of their own; they do not change while it runs."""
    found = []
    for path in map(story_path, built_in_stories()):
        with suppress(StoryError):  # it tells other stories, whose chapters are found there
            found.append((path, load_story(path, part=True)))
    return tuple(found)
