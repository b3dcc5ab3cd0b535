"""Changes of the program that causes of several rules amount to: another count at an init, other bytes expected."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.report import Advice, Planned, SourceLine
from visualizer.diagnosis.source_lines import site_at
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace


def init_step(trace: Trace, barrier: int) -> int | None:
    """The step of the barrier's first INIT."""
    steps = np.flatnonzero((trace.events["kind"] == EventKind.INIT) & (trace.events["barrier"] == barrier))
    return int(steps[0]) if len(steps) else None


def init_line(trace: Trace, barrier: int) -> tuple[int | None, SourceLine | None]:
    """The step of the barrier's first INIT and where it was made; None twice: it is not in the recording."""
    step = init_step(trace, barrier)
    return (None, None) if step is None else (step, site_at(trace, step))


def init_advice(trace: Trace, barrier: int, count: int) -> Advice | None:
    """To initialise a barrier with another count; None: its init is not in the recording."""
    step = init_step(trace, barrier)
    if step is None:
        return None
    planned = Planned("init", trace.barriers[barrier].name, None, -1, -1, count)
    return Advice(trace.agents[int(trace.events["agent"][step])].name, (step,), (planned,), step)


def expecting(trace: Trace, step: int, bytes_: int) -> Advice:
    """To expect so many bytes with the arrival at `step`, whatever it expects now."""
    event = trace.events[step]
    kind = "expect_tx" if event["kind"] == EventKind.EXPECT_TX else "arrive_expect_tx"
    planned = Planned(kind, trace.barriers[int(event["barrier"])].name, None, -1, -1, bytes_, int(event["tile"]))
    return Advice(trace.agents[int(event["agent"])].name, (step,), (planned,), step)
