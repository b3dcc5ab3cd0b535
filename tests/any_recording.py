"""Arbitrary valid recordings, as a stranger may send them: any events, on barriers that fit the program or do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from visualizer.recording.schema import EVENT_DTYPE, EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.semantics.pipeline_state import PipelineState

AGENTS = (
    Agent("producer", "producer", 0, 0, PipelineState(2, phase=1)),
    Agent("consumer.w1", "consumer", 0, 1),
    Agent("tma", "copy_engine", 0, -1),
)
BARRIERS = (
    Barrier("full[0]", 0, "full", 0, 1, 0),
    Barrier("empty[0]", 0, "empty", 0, 32, 8),
    Barrier("elsewhere", 7, "full", 1, 1, 8),
    Barrier("loose", 0, "other", -1, 1, 8),
)
RINGED = (
    Barrier("K.full[0]", 0, "full", 0, 1, 0, ring="K"),
    Barrier("K.empty[0]", 0, "empty", 0, 32, 8, ring="K"),
    Barrier("V.full[0]", 0, "full", 0, 1, 16, ring="V"),
    Barrier("V.full[1]", 0, "full", 1, 0, 24, ring="V"),
)
UNTOLD = tuple(replace(barrier, kind="other", stage=-1, init_count=0, ring="") for barrier in RINGED)
TABLES = st.sampled_from([BARRIERS, BARRIERS[3:], (), RINGED, UNTOLD])
"""Barriers of one ring, of none, none at all, of two rings in one CTA, and such that nothing is told of."""
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from([int(kind) for kind in EventKind]),
            "agent": st.integers(0, 2),
            "barrier": st.integers(-1, 3),
            "stage": st.integers(-1, 0),
            "tile": st.integers(-1, 2),
            "parity": st.integers(-1, 1),
            "amount": st.integers(-2, 2**31 - 1) | st.integers(0, 3),
            "flags": st.integers(0, 31),
            "ring": st.integers(0, 1),
            "token": st.integers(0, 2**64 - 1),
        }
    ),
    max_size=25,
)


def recording(events: list[dict[str, int]], barriers: tuple[Barrier, ...]) -> Trace:
    rings = sorted({barrier.ring for barrier in barriers}) or [""]
    least = {"barrier": len(barriers) - 1, "ring": len(rings) - 1}
    rows = np.zeros(len(events), EVENT_DTYPE)
    rows["site"] = -1
    for step, (row, event) in enumerate(zip(rows, events, strict=True)):
        for name, value in event.items():
            row[name] = min(value, least.get(name, value))
        row["time"] = step // 2
    more = tuple((ring, PipelineState(2, index=1)) for ring in rings[1:])
    agents = [replace(agent, more_starts=more) if agent.start else agent for agent in AGENTS]
    return Trace(Meta("any", {}, {}, Ending("crash")), agents, barriers, [], rows, rings=rings)
