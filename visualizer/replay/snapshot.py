"""The state at one step as the JSON document that scripts rely on (`show TRACE --step N --json`)."""

from __future__ import annotations

from typing import Any

from visualizer.recording.schema import kind_name
from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History, StageState, State


def step_document(history: History, step: int) -> dict[str, Any]:
    """Event, barriers, agents and stages right after event `step`; None stands for "none". IndexError if no such step.

    Stages carry their CTA as well when there are several.
    """
    trace = history.trace
    state = history.state_at(step)
    return {
        "step": step,
        "steps": history.steps,
        "time_ps": int(trace.events["time"][step]),
        "event": event_document(trace, step),
        "barriers": _barriers(trace, state),
        "agents": _agents(trace, state),
        "stages": _stages(trace, state),
    }


def event_document(trace: Trace, step: int) -> dict[str, Any]:
    """One event, its ids replaced by names."""
    event = trace.events[step]
    barrier, site = int(event["barrier"]), int(event["site"])
    return {
        "kind": kind_name(int(event["kind"])),
        "agent": trace.agents[int(event["agent"])].name,
        "barrier": trace.barriers[barrier].name if barrier >= 0 else None,
        "stage": _or_none(event["stage"]),
        "tile": _or_none(event["tile"]),
        "parity": _or_none(event["parity"]),
        "amount": int(event["amount"]),
        "site": _site(trace, site),
    }


def _barriers(trace: Trace, state: State) -> dict[str, Any]:
    return {
        barrier.name: {
            "valid": bool(state.barrier_valid[row]),
            "phase": int(state.barrier_phase[row]),
            "parity": int(state.barrier_phase[row]) & 1,
            "pending": int(state.barrier_pending[row]),
            "expected": int(state.barrier_expected[row]),
            "tx": int(state.barrier_tx[row]),
        }
        for row, barrier in enumerate(trace.barriers)
    }


def _agents(trace: Trace, state: State) -> dict[str, Any]:
    return {
        agent.name: {
            "state": AgentActivity(int(state.agent_activity[row])).name.lower(),
            "op": trace.sites[site].op if (site := int(state.agent_site[row])) >= 0 else None,
            "barrier": trace.barriers[barrier].name if (barrier := int(state.agent_barrier[row])) >= 0 else None,
            "tile": _or_none(state.agent_tile[row]),
            "cursor": _cursor(state, row),
        }
        for row, agent in enumerate(trace.agents)
    }


def _stages(trace: Trace, state: State) -> list[dict[str, Any]]:
    stages = []
    for row in range(len(state.stage_state)):
        cta, stage = divmod(row, trace.stages)
        place = {"cta": cta, "stage": stage} if trace.ctas > 1 else {"stage": stage}
        held = {"state": StageState(int(state.stage_state[row])).name.lower(), "tile": _or_none(state.stage_tile[row])}
        stages.append({**place, **held})
    return stages


def _cursor(state: State, row: int) -> dict[str, int] | None:
    if state.cursor_index[row] < 0:
        return None
    return {
        "index": int(state.cursor_index[row]),
        "phase": int(state.cursor_phase[row]),
        "count": int(state.cursor_count[row]),
    }


def _site(trace: Trace, row: int) -> dict[str, Any] | None:
    if row < 0:
        return None
    site = trace.sites[row]
    return {"file": site.file, "line": site.line, "op": site.op}


def _or_none(value: Any) -> int | None:
    return int(value) if value >= 0 else None
