"""What each warp of a recording did, in order: how a recording and a simulation are compared."""

from __future__ import annotations

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace

COLUMNS = ["kind", "barrier", "stage", "tile", "parity", "amount", "site"]


def events_by_agent(trace: Trace) -> dict[str, list[tuple[int, ...]]]:
    """Every warp's events without times. Which warp completes a phase is a matter of luck, so that is left out."""
    done = trace.events[trace.events["kind"] != EventKind.PHASE_COMPLETE]
    return {
        agent.name: done[COLUMNS][done["agent"] == row].tolist()
        for row, agent in enumerate(trace.agents)
        if agent.warp >= 0
    }


def bytes_by_copy(trace: Trace) -> dict[tuple[int, int, int], int]:
    """Bytes the copy engines landed, by (engine, stage, tile): hardware may land them in several steps."""
    landed: dict[tuple[int, int, int], int] = {}
    for event in trace.events[trace.events["kind"] == EventKind.COMPLETE_TX]:
        key = (int(event["agent"]), int(event["stage"]), int(event["tile"]))
        landed[key] = landed.get(key, 0) + int(event["amount"])
    return landed
