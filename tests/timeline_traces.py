"""Small recordings with chosen times, so that the timeline's pictures can be written down by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.semantics.pipeline_state import PipelineState

PRODUCER, CONSUMER, TMA = 0, 1, 2
FULL, EMPTY = 0, 1


def one_tile(ending: str = "completed", events: list[tuple[int, int, int, dict[str, Any]]] | None = None) -> Trace:
    """One stage, one tile: copied from 100 to 500 ns, read from 520 to 900 ns."""
    return make_trace(events if events is not None else ONE_TILE, ending)


def make_trace(events: list[tuple[int, int, int, dict[str, Any]]], ending: str = "completed") -> Trace:
    """Events are (ns, kind, agent, fields)."""
    rows = np.zeros(len(events), EVENT_DTYPE)
    for name in ("barrier", "tile", "site", "stage", "parity"):
        rows[name] = -1
    for row, (time, kind, agent, fields) in zip(rows, events, strict=True):
        row["time"] = row["measured"] = time * 1000
        row["kind"], row["agent"] = kind, agent
        for name, value in fields.items():
            row[name] = value
    return Trace(
        Meta("lesson", {}, {"kind": "test"}, Ending(ending)),  # type: ignore[arg-type]
        [
            Agent("producer", "producer", 0, 0, PipelineState(1, phase=1)),
            Agent("consumer.w1", "consumer", 0, 1, PipelineState(1)),
            Agent("tma", "copy_engine", 0, -1),
        ],
        [Barrier("full[0]", 0, "full", 0, 1, 0), Barrier("empty[0]", 0, "empty", 0, 32, 8)],
        [],
        rows,
    )


ONE_TILE: list[tuple[int, int, int, dict[str, Any]]] = [
    (0, EventKind.INIT, PRODUCER, {"barrier": FULL, "stage": 0, "amount": 1}),
    (0, EventKind.INIT, PRODUCER, {"barrier": EMPTY, "stage": 0, "amount": 32}),
    (50, EventKind.WAIT_BEGIN, CONSUMER, {"barrier": FULL, "stage": 0, "tile": 0, "parity": 0}),
    (100, EventKind.ARRIVE_EXPECT_TX, PRODUCER, {"barrier": FULL, "stage": 0, "tile": 0, "amount": 4096}),
    (100, EventKind.COPY_ISSUE, PRODUCER, {"barrier": FULL, "stage": 0, "tile": 0, "amount": 4096}),
    (300, EventKind.COMPLETE_TX, TMA, {"barrier": FULL, "stage": 0, "tile": 0, "amount": 2048}),
    (500, EventKind.COMPLETE_TX, TMA, {"barrier": FULL, "stage": 0, "tile": 0, "amount": 2048}),
    (500, EventKind.PHASE_COMPLETE, TMA, {"barrier": FULL, "stage": 0, "tile": 0, "amount": 0, "parity": 0}),
    (500, EventKind.COPY_DONE, TMA,
     {"barrier": FULL, "stage": 0, "tile": 0, "amount": 4096, "flags": EventFlag.ESTIMATED}),
    (520, EventKind.WAIT_END, CONSUMER, {"barrier": FULL, "stage": 0, "tile": 0, "parity": 0, "flags": 1}),
    (520, EventKind.READ_BEGIN, CONSUMER, {"stage": 0, "tile": 0}),
    (900, EventKind.READ_END, CONSUMER, {"stage": 0, "tile": 0}),
    (900, EventKind.ARRIVE, CONSUMER, {"barrier": EMPTY, "stage": 0, "tile": 0, "amount": 32}),
    (900, EventKind.PHASE_COMPLETE, CONSUMER, {"barrier": EMPTY, "stage": 0, "tile": 0, "amount": 0, "parity": 0}),
    (1000, EventKind.EXIT, CONSUMER, {}),
    (1000, EventKind.EXIT, PRODUCER, {}),
]  # fmt: skip
