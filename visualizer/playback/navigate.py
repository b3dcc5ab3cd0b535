"""Where each key takes the focus. Pure: a focus in, the new focus out, None where there is nowhere to go.

`direction` is +1 for later, -1 for earlier. The lane stays selected unless a move leaves it for another agent's event.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.playback.focus import Focus
from visualizer.playback.lane_steps import home_focus, home_lane, lane_steps
from visualizer.replay.causality import Causality
from visualizer.replay.history import History


def event(history: History, focus: Focus, direction: int) -> Focus | None:
    """The next or previous event, whoever did it."""
    return _at(history, focus, focus.step + direction)


def first(history: History, focus: Focus) -> Focus | None:
    """The first event."""
    return _at(history, focus, 0)


def last(history: History, focus: Focus) -> Focus | None:
    """The last event."""
    return _at(history, focus, history.steps - 1)


def transition(history: History, focus: Focus, direction: int) -> Focus | None:
    """The next or previous transition of the selected lane; without one, of the lane the focused event is at."""
    found = lane_steps(history, _lane(history, focus))
    if found is None:
        return None
    step = found.after(focus.step) if direction > 0 else found.before(focus.step)
    return _at(history, focus, step)


def same_kind(history: History, focus: Focus, direction: int) -> Focus | None:
    """The next or previous transition of the lane of the same kind as its latest one: the next phase flip, say."""
    found = lane_steps(history, _lane(history, focus))
    if found is None:
        return None
    latest = found.before(focus.step + 1)
    if latest is None:
        return transition(history, focus, direction)
    kind = history.kinds[latest]
    step = found.nearest(focus.step, direction, lambda steps: history.kinds[steps] == kind)
    return _at(history, focus, step)


def tile(history: History, focus: Focus, direction: int) -> Focus | None:
    """The first event of the lane's next or previous tile."""
    found = lane_steps(history, _lane(history, focus))
    if found is None:
        return None
    tiles = history.trace.events["tile"]
    latest = found.before(focus.step + 1)
    current = int(tiles[latest]) if latest is not None else -1
    step = found.nearest(focus.step, direction, lambda steps: (tiles[steps] >= 0) & (tiles[steps] != current))
    if step is None or direction > 0:
        return _at(history, focus, step)
    # That is the last event of the previous tile: go on to its first.
    wanted = int(tiles[step])
    before = found.nearest(step, -1, lambda steps: tiles[steps] != wanted)
    return _at(history, focus, found.after(-1 if before is None else before))


def phase_completion(history: History, focus: Focus, direction: int) -> Focus | None:
    """The next or previous phase completion of any barrier."""
    steps = history.completion_steps
    if direction > 0:
        row = int(np.searchsorted(steps, focus.step, side="right"))
    else:
        row = int(np.searchsorted(steps, focus.step)) - 1
    return _at(history, focus, int(steps[row])) if 0 <= row < len(steps) else None


def cause(causality: Causality, focus: Focus) -> Focus | None:
    """The event that the focused one followed from, with its lane."""
    return _focus_on(causality.history, causality.previous_cause(focus.step))


def effect(causality: Causality, focus: Focus) -> Focus | None:
    """The event that followed from the focused one, with its lane."""
    return _focus_on(causality.history, causality.next_effect(focus.step))


def _lane(history: History, focus: Focus) -> str:
    return focus.lane if focus.lane is not None else home_lane(history.trace, focus.step)


def _at(history: History, focus: Focus, step: int | None) -> Focus | None:
    if step is None or not 0 <= step < history.steps or step == focus.step:
        return None
    return replace(focus, step=step)


def _focus_on(history: History, step: int | None) -> Focus | None:
    return None if step is None else home_focus(history.trace, step)
