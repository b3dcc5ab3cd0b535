"""The state at one step as the JSON document that scripts rely on (`show TRACE --step N --json`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import kind_name
from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History, StageState, State


def step_document(history: History, step: int) -> dict[str, Any]:
    """Event, barriers, agents and stages right after event `step`; None stands for "none". IndexError if no such step.

    Stages carry their CTA as well when there are several, and their ring when the CTA has several.
    """
    trace = history.trace
    state = history.state_at(step)
    return {
        "step": step,
        "steps": history.steps,
        "time_ps": int(trace.events["time"][step]),
        "event": event_document(history, step),
        "barriers": _barriers(history, state),
        "agents": _agents(history, state),
        "stages": _stages(history, state),
    }


def event_document(history: History, step: int) -> dict[str, Any]:
    """One event, its ids replaced by names, and what people call its barrier; with the ring of its stage where there
    are several."""
    trace = history.trace
    event = trace.events[step]
    barrier, site = int(event["barrier"]), int(event["site"])
    ring = {"ring": trace.rings[event["ring"]] if event["stage"] >= 0 else None} if len(trace.rings) > 1 else {}
    return {
        "kind": kind_name(int(event["kind"])),
        "agent": trace.agents[int(event["agent"])].name,
        "barrier": trace.barriers[barrier].name if barrier >= 0 else None,
        "barrier_title": history.barrier_title(barrier) if barrier >= 0 else None,
        "stage": _or_none(event["stage"]),
        **ring,
        "tile": _or_none(event["tile"]),
        "parity": _or_none(event["parity"]),
        "amount": int(event["amount"]),
        "site": _site(trace, site),
    }


def _barriers(history: History, state: State) -> dict[str, Any]:
    """By name; with what people call those that the recording knows by address alone."""
    return {
        barrier.name: {
            "valid": bool(state.barrier_valid[row]),
            "phase": int(state.barrier_phase[row]),
            "parity": int(state.barrier_phase[row]) & 1,
            "counting": history.barriers.counts_from(row).name.lower(),
            "pending": int(state.barrier_pending[row]),
            "expected": int(state.barrier_expected[row]),
            "tx": int(state.barrier_tx[row]),
            **({"title": title} if (title := history.barrier_title(row)) != barrier.name else {}),
        }
        for row, barrier in enumerate(history.trace.barriers)
    }


def _agents(history: History, state: State) -> dict[str, Any]:
    trace = history.trace
    # A further ring's cursors stand beside that of the first, by its name.
    further = {ring: history.cursors_at(state.step, ring) for ring in trace.rings[1:]}
    cursors = np.stack((state.cursor_index, state.cursor_phase, state.cursor_count), axis=1)
    return {
        agent.name: {
            "state": AgentActivity(int(state.agent_activity[row])).name.lower(),
            "op": trace.sites[site].op if (site := int(state.agent_site[row])) >= 0 else None,
            "barrier": trace.barriers[barrier].name if (barrier := int(state.agent_barrier[row])) >= 0 else None,
            "tile": _or_none(state.agent_tile[row]),
            "cursor": _cursor(cursors[row]),
            **({"more_cursors": {ring: _cursor(found[row]) for ring, found in further.items()}} if further else {}),
        }
        for row, agent in enumerate(trace.agents)
    }


def _stages(history: History, state: State) -> list[dict[str, Any]]:
    structure = history.structure
    stages = []
    for place in range(structure.places):
        ring, stage = structure.at(place)
        where: dict[str, Any] = {"cta": ring.cta} if history.trace.ctas > 1 else {}
        where |= {"ring": ring.name} if len(structure.names) > 1 else {}
        held = StageState(int(state.stage_state[place])).name.lower()
        stages.append({**where, "stage": stage, "state": held, "tile": _or_none(state.stage_tile[place])})
    return stages


def _cursor(cursor: NDArray[np.int32]) -> dict[str, int] | None:
    """Of index, phase and count."""
    index, phase, count = cursor.tolist()
    return {"index": index, "phase": phase, "count": count} if index >= 0 else None


def _site(trace: Trace, row: int) -> dict[str, Any] | None:
    if row < 0:
        return None
    site = trace.sites[row]
    return {"file": site.file, "line": site.line, "op": site.op}


def _or_none(value: Any) -> int | None:
    return int(value) if value >= 0 else None
