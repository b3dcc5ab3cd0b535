"""Which barrier a finding is about and where it stands, and how sentences call its stage and its like."""

from __future__ import annotations

from typing import TypedDict

from visualizer.language import tr
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


def family(history: History, row: int) -> str:
    """ "empty[*]": the barrier and its like; its own title where it is in no ring."""
    title = history.barrier_title(row)
    return f"{title.split('[')[0]}[*]" if "[" in title else title
