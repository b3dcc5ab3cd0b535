"""A long recording for benchmarks, made in a second: a simulated run of many CTAs, repeated end to end.

Its barriers, cursors and tiles go on from one repetition to the next, so it is a valid run in every respect.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate

_TILES = 24  # a multiple of 6, after which the lesson's stages and phases are where they were


def long_trace(events: int, ctas: int = 132) -> Trace:
    """A lesson run of `ctas` CTAs with at least `events` events."""
    config = LessonConfig(ctas=ctas, tiles=_TILES)
    short = simulate(lesson(config))
    rows = short.events
    kind = rows["kind"]
    phases = _TILES // config.stages
    prologue = np.isin(kind, (EventKind.INIT, EventKind.FENCE))
    # The producer's tail waits and exits come once, at the very end.
    epilogue = (kind == EventKind.EXIT) | (
        (rows["tile"] < 0) & np.isin(kind, (EventKind.WAIT_BEGIN, EventKind.WAIT_END, EventKind.ADVANCE))
    )
    body = rows[~prologue & ~epilogue]
    head, tail = rows[prologue], rows[epilogue]
    repetitions = max(1, -(-(events - len(head) - len(tail)) // len(body)))
    pause = int(rows["time"][-1]) + 1
    parts = [head]
    for repetition in range(repetitions):
        part = body.copy()
        part["tile"][part["tile"] >= 0] += repetition * _TILES
        part["amount"][part["kind"] == EventKind.ADVANCE] += repetition * _TILES
        part["amount"][part["kind"] == EventKind.PHASE_COMPLETE] += repetition * phases
        part["time"] += repetition * pause
        parts.append(part)
    tail = tail.copy()
    tail["amount"][tail["kind"] == EventKind.ADVANCE] += (repetitions - 1) * _TILES
    tail["time"] += repetitions * pause
    parts.append(tail)
    whole = np.concatenate(parts)
    # The first agents begin to work while others still initialise: put their events back in order.
    whole = whole[np.argsort(whole["time"], kind="stable")]
    whole["measured"] = whole["time"]
    return Trace(
        replace(short.meta, config=config.changed(tiles=_TILES * repetitions).as_dict()),
        short.agents,
        short.barriers,
        short.sites,
        whole,
        short.source_files,
    )
