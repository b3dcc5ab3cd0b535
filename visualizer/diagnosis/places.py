"""What findings have in common: the source lines of events, and where a barrier stands."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from visualizer.diagnosis.report import Place
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import Trace
from visualizer.replay.history import BarrierState


class BarrierFacts(TypedDict):
    """The fields of a Finding that say which barrier it is about and where that stands."""

    barrier: str
    stage: int | None
    phase_now: int
    pending: int
    expected: int
    tx: int


def barrier_facts(barrier: Barrier, state: BarrierState) -> BarrierFacts:
    """Those fields for `barrier` in `state`."""
    return BarrierFacts(
        barrier=barrier.name,
        stage=barrier.stage if barrier.stage >= 0 else None,
        phase_now=state.phase,
        pending=state.pending,
        expected=state.needed,
        tx=state.tx,
    )


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


def family(barrier: Barrier) -> str:
    """ "empty[*]": the barrier and its like."""
    return f"{barrier.name.split('[')[0]}[*]"
