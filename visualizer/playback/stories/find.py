"""Which event a step means in a recording: a step number, or the nth event that a query finds."""

from __future__ import annotations

from visualizer.language import tr
from visualizer.playback.query.error import QueryError
from visualizer.playback.query.evaluate import matching_steps
from visualizer.playback.query.events import Events
from visualizer.playback.query.parse import parse
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import FocusRule
from visualizer.replay.history import History


def find_focus(history: History, rule: FocusRule) -> int:
    """The step that `rule` means. StoryError if the recording has no such event."""
    step = _found(history, rule) if rule.find else rule.step or 0
    step += rule.offset
    if not 0 <= step < history.steps:
        raise StoryError(
            tr("focus: step {step} is outside the recording's 0..{last}", step=step, last=history.steps - 1)
        )
    return step


def _found(history: History, rule: FocusRule) -> int:
    try:
        steps = matching_steps(parse(rule.find), Events(history))
    except QueryError as error:
        raise StoryError(tr("focus.find: {reason}", reason=error)) from None
    wanted = rule.nth - 1 if rule.nth > 0 else len(steps) + rule.nth
    if not 0 <= wanted < len(steps):
        raise StoryError(
            tr(
                "focus.find: {query} finds {count} events, so there is no number {nth}",
                query=rule.find,
                count=len(steps),
                nth=rule.nth,
            )
        )
    return int(steps[wanted])
