"""What findings have in common: the source lines of events, and where a barrier stands."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from visualizer.diagnosis.report import Advice, Place, Planned
from visualizer.language import tr
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import BarrierState, History


class BarrierFacts(TypedDict):
    """The fields of a Finding that say which barrier it is about and where that stands."""

    barrier: str
    stage: int | None
    ring: str | None
    phase_now: int
    pending: int
    expected: int
    tx: int


def barrier_facts(history: History, row: int, state: BarrierState) -> BarrierFacts:
    """Those fields for a barrier in `state`."""
    stage, ring = stage_and_ring(history, int(history.structure.place_of[row]))
    return BarrierFacts(
        barrier=history.trace.barriers[row].name,
        stage=stage,
        ring=ring,
        phase_now=state.phase,
        pending=state.pending,
        expected=state.needed,
        tx=state.tx,
    )


def stage_and_ring(history: History, place: int) -> tuple[int | None, str | None]:
    """The stage of a stage buffer (-1: none), and its ring where there are several."""
    if place < 0:
        return None, None
    ring, stage = history.structure.at(place)
    return stage, ring.name if len(history.structure.names) > 1 else None


def stage_words(history: History, place: int) -> str:
    """A stage buffer's stage as sentences have it after the word stage: "1", or "1 of ring K" among several."""
    stage, ring = stage_and_ring(history, place)
    if stage is None:
        return "?"
    return str(stage) if ring is None else tr("{stage} of ring {ring}", stage=stage, ring=ring)


def place(trace: Trace, site: int) -> Place | None:
    """The source line with this row of the sites table; None for -1."""
    if not 0 <= site < len(trace.sites):
        return None
    row = trace.sites[site]
    return Place(row.file, row.line, row.op)


def site_at(trace: Trace, step: int) -> Place | None:
    """Where the event at `step` was made."""
    return place(trace, int(trace.events["site"][step])) if step >= 0 else None


def line(spot: Place | None) -> str:
    """ " (kernels/async_pipeline.cu:52)", or nothing."""
    return f" ({spot.file}:{spot.line})" if spot is not None else ""


def init_step(trace: Trace, barrier: int) -> int | None:
    """The step of the barrier's first INIT."""
    steps = np.flatnonzero((trace.events["kind"] == EventKind.INIT) & (trace.events["barrier"] == barrier))
    return int(steps[0]) if len(steps) else None


def init_place(trace: Trace, barrier: int) -> tuple[int | None, Place | None]:
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


def family(history: History, row: int) -> str:
    """ "empty[*]": the barrier and its like; its own title where it is in no ring."""
    title = history.barrier_title(row)
    return f"{title.split('[')[0]}[*]" if "[" in title else title
