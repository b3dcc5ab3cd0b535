"""The stretch of time a step shows, from what it is about rather than from pixels."""

from __future__ import annotations

import numpy as np

from visualizer.playback.stories.telling import Told

NEAR_EVENTS = 12
"""Events on either side of the focus that `near` shows."""
_MARGIN = 0.08


def zoom_range(told: Told) -> tuple[int, int] | None:
    """The first and last ps in view; None to leave the view as it is."""
    if told.step.zoom == "keep":
        return None
    events, step, until = told.history.trace.events, told.focus.step, told.until or told.focus.step
    tile = int(events["tile"][step])
    if told.step.zoom == "all" or (told.step.zoom == "tile" and tile < 0):
        begin, end = 0, told.history.trace.duration_ps
    elif told.step.zoom == "tile":
        cta = told.history.trace.agent_cta[events["agent"]]
        tiles = (events["tile"] >= tile) & (events["tile"] <= max(tile, int(events["tile"][until])))
        chosen = np.flatnonzero(tiles & (cta == cta[step]))
        begin, end = int(events["time"][chosen[0]]), int(events["time"][chosen[-1]])
    else:
        first, last = max(step - NEAR_EVENTS, 0), min(until + NEAR_EVENTS, told.history.steps - 1)
        begin, end = int(events["time"][first]), int(events["time"][last])
    margin = round((end - begin) * _MARGIN) + 1
    return begin - margin, end + margin
