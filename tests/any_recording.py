"""Arbitrary valid recordings, as a stranger may send them: any events, on barriers that fit the program or do not."""

from __future__ import annotations

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
            "flags": st.integers(0, 15),
            "token": st.integers(0, 2**64 - 1),
        }
    ),
    max_size=25,
)


def recording(events: list[dict[str, int]], barriers: tuple[Barrier, ...]) -> Trace:
    rows = np.zeros(len(events), EVENT_DTYPE)
    rows["site"] = -1
    for step, (row, event) in enumerate(zip(rows, events, strict=True)):
        for name, value in event.items():
            row[name] = min(value, len(barriers) - 1) if name == "barrier" else value
        row["time"] = step // 2
    return Trace(Meta("any", {}, {}, Ending("crash")), AGENTS, barriers, [], rows)
