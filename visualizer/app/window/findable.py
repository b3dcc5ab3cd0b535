"""Everything that the palette finds in a window: commands, panes, faults, chapters of stories, agents and barriers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visualizer.app.commands.palette import Entry
from visualizer.language import current, tr
from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import lane_steps, lane_title
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.playback.stories.model import Story
from visualizer.programs.faults import FAULTS
from visualizer.replay.history import History

if TYPE_CHECKING:
    from visualizer.app.window.main_window import MainWindow

_MOST_LANES = 20_000
"""Agents and barriers; of a larger recording only so many are offered."""


def findable(window: MainWindow) -> Iterator[Entry]:
    """In the order in which they are offered where letters do not decide."""
    window.actions_by_id.refresh()
    for command in window.keys.commands:
        action = window.actions_by_id[command.id]
        if action.isEnabled():
            yield Entry(tr(command.group), tr(command.title), action.trigger, command.keys, tr(command.help))
    for name in window.docks.names:
        title = window.docks[name].windowTitle()
        yield Entry(tr("Pane"), title, partial(window.show_pane, name), help=tr("Bring the pane to the front."))
    for fault in FAULTS.values():
        if fault.fits_lesson:
            run = partial(window.running.break_it, fault.id)
            yield Entry(tr("Fault"), f"{fault.id} {tr(fault.title)}", run, help=tr("Run the lesson with this fault."))
    for path, story in _stories():
        for number, chapter in enumerate(story.chapters):
            title = chapter.title.spoken(current())
            tell = partial(window.lectures.present, path, chapter=number)
            yield Entry(tr("Chapter"), title, tell, help=story.title.spoken(current()))
    document = window.document
    if document is not None and document.read and window.navigator.focus is not None:
        yield from _lanes(document.history, window.navigator.focus, window.navigator.go_to)


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
    """Those that come with phasescope; they do not change while it runs."""
    paths = [story_path(name) for name in built_in_stories()]
    return tuple((path, load_story(path)) for path in paths)
