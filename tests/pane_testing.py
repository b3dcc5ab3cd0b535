"""A small recording written by hand, so that what a pane must show is known to the last digit, and tests' helpers.

Two stages, one producer, consumer warps w1 and w2, one copy engine; 38 events of the first three tiles.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from visualizer.playback.focus import Focus
from visualizer.programs.lesson import agents_of, barriers_of
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind
from visualizer.recording.tables import Ending, Meta, Site
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.views.look.pane import Pane

K = EventKind
KERNEL = "kernels/async_pipeline.cu"
SOURCE = """\
// A stand-in for the kernel: what matters here is which line is which.
__global__ void async_pipeline(int tiles) {
    init_barriers(3);
    pipeline.producer_acquire(pipe_write);
    tma_load(tile);
    pipeline.consumer_wait(pipe_read);
    read_tile(tile);
    pipeline.consumer_release(pipe_read);
}
"""
SITES = (
    Site(KERNEL, 3, "init"),
    Site(KERNEL, 4, "producer_acquire"),
    Site(KERNEL, 5, "copy"),
    Site(KERNEL, 6, "consumer_wait"),
    Site(KERNEL, 7, "read"),
    Site(KERNEL, 8, "consumer_release"),
)
INIT, ACQUIRE, COPY, WAIT, READ, RELEASE = range(6)
P, W1, W2, TMA = range(4)
FULL0, FULL1, EMPTY0, EMPTY1 = range(4)
BYTES = 16384
CONFIG = LessonConfig(stages=2, tiles=3, consumer_warps=2)

BLOCKED, ESTIMATED = EventFlag.BLOCKED, EventFlag.ESTIMATED | EventFlag.DERIVED

# kind, agent, then what else it has; one line per step
_EVENTS: list[tuple[EventKind, int, dict[str, int]]] = [
    (K.INIT, P, {"barrier": FULL0, "amount": 1, "site": INIT}),  # 0
    (K.INIT, P, {"barrier": FULL1, "amount": 1, "site": INIT}),
    (K.INIT, P, {"barrier": EMPTY0, "amount": 64, "site": INIT}),
    (K.INIT, P, {"barrier": EMPTY1, "amount": 64, "site": INIT}),
    (K.FENCE, P, {}),
    (K.WAIT_BEGIN, P, {"barrier": EMPTY0, "stage": 0, "tile": 0, "parity": 1, "site": ACQUIRE}),  # 5
    (K.WAIT_END, P, {"barrier": EMPTY0, "stage": 0, "tile": 0, "parity": 1, "site": ACQUIRE}),
    (K.WAIT_BEGIN, W1, {"barrier": FULL0, "stage": 0, "tile": 0, "parity": 0, "site": WAIT}),
    (K.WAIT_BEGIN, W2, {"barrier": FULL0, "stage": 0, "tile": 0, "parity": 0, "site": WAIT}),
    (K.ARRIVE_EXPECT_TX, P, {"barrier": FULL0, "stage": 0, "tile": 0, "amount": BYTES, "site": ACQUIRE}),
    (K.COPY_ISSUE, P, {"barrier": FULL0, "stage": 0, "tile": 0, "amount": BYTES, "site": COPY}),  # 10
    (K.ADVANCE, P, {"stage": 1, "tile": 0, "parity": 1, "amount": 1}),
    (K.WAIT_BEGIN, P, {"barrier": EMPTY1, "stage": 1, "tile": 1, "parity": 1, "site": ACQUIRE}),
    (K.WAIT_END, P, {"barrier": EMPTY1, "stage": 1, "tile": 1, "parity": 1, "site": ACQUIRE}),
    (K.ARRIVE_EXPECT_TX, P, {"barrier": FULL1, "stage": 1, "tile": 1, "amount": BYTES, "site": ACQUIRE}),
    (K.COPY_ISSUE, P, {"barrier": FULL1, "stage": 1, "tile": 1, "amount": BYTES, "site": COPY}),  # 15
    (K.ADVANCE, P, {"stage": 0, "tile": 1, "parity": 0, "amount": 2}),
    (K.WAIT_BEGIN, P, {"barrier": EMPTY0, "stage": 0, "tile": 2, "parity": 0, "site": ACQUIRE}),
    (K.COMPLETE_TX, TMA, {"barrier": FULL0, "stage": 0, "tile": 0, "amount": 4096}),
    (K.COMPLETE_TX, TMA, {"barrier": FULL0, "stage": 0, "tile": 0, "amount": BYTES - 4096}),
    (K.PHASE_COMPLETE, TMA, {"barrier": FULL0, "stage": 0, "tile": 0, "parity": 0, "amount": 0}),  # 20
    (K.COPY_DONE, TMA, {"barrier": FULL0, "stage": 0, "tile": 0, "amount": BYTES}),
    (K.WAIT_END, W1, {"barrier": FULL0, "stage": 0, "tile": 0, "parity": 0, "site": WAIT, "flags": BLOCKED}),
    (K.WAIT_END, W2, {"barrier": FULL0, "stage": 0, "tile": 0, "parity": 0, "site": WAIT, "flags": BLOCKED}),
    (K.READ_BEGIN, W1, {"stage": 0, "tile": 0, "site": READ}),
    (K.READ_BEGIN, W2, {"stage": 0, "tile": 0, "site": READ}),  # 25
    (K.READ_END, W1, {"stage": 0, "tile": 0, "site": READ}),
    (K.ARRIVE, W1, {"barrier": EMPTY0, "stage": 0, "tile": 0, "amount": 32, "site": RELEASE}),
    (K.ADVANCE, W1, {"stage": 1, "tile": 0, "parity": 0, "amount": 1}),
    (K.WAIT_BEGIN, W1, {"barrier": FULL1, "stage": 1, "tile": 1, "parity": 0, "site": WAIT}),
    (K.READ_END, W2, {"stage": 0, "tile": 0, "site": READ}),  # 30
    (K.ARRIVE, W2, {"barrier": EMPTY0, "stage": 0, "tile": 0, "amount": 32, "site": RELEASE}),
    (K.PHASE_COMPLETE, W2, {"barrier": EMPTY0, "stage": 0, "tile": 0, "parity": 0, "amount": 0}),
    (K.ADVANCE, W2, {"stage": 1, "tile": 0, "parity": 0, "amount": 1}),
    (K.WAIT_END, P, {"barrier": EMPTY0, "stage": 0, "tile": 2, "parity": 0, "site": ACQUIRE, "flags": BLOCKED}),
    (K.COMPLETE_TX, TMA, {"barrier": FULL1, "stage": 1, "tile": 1, "amount": BYTES, "flags": ESTIMATED}),  # 35
    (K.PHASE_COMPLETE, TMA, {"barrier": FULL1, "stage": 1, "tile": 1, "parity": 0, "amount": 0}),
    (K.COPY_DONE, TMA, {"barrier": FULL1, "stage": 1, "tile": 1, "amount": BYTES}),
]
STEP_PS = 10_000
LAST = len(_EVENTS) - 1


def hand_trace(**meta: Any) -> Trace:
    """The recording; `meta` changes fields of its Meta."""
    events = np.zeros(len(_EVENTS), EVENT_DTYPE)
    for column in ("tile", "barrier", "site", "stage", "parity"):
        events[column] = -1
    for step, (kind, agent, values) in enumerate(_EVENTS):
        row = events[step]
        row["kind"], row["agent"] = kind, agent
        row["time"] = row["measured"] = step * STEP_PS
        for column, value in values.items():
            row[column] = value
    about = Meta("lesson", CONFIG.as_dict(), {"kind": "simulator"}, Ending("completed"))
    return Trace(
        meta=replace(about, **meta),
        agents=agents_of(CONFIG),
        barriers=barriers_of(CONFIG),
        sites=SITES,
        events=events,
        source_files={KERNEL: SOURCE},
    )


def hand_history(**meta: Any) -> History:
    return History(hand_trace(**meta))


def two_cta_history() -> History:
    """The same recording made by each of two CTAs, one after the other."""
    config = CONFIG.changed(ctas=2)
    one = hand_trace().events
    two = one.copy()
    two["time"] += len(one) * STEP_PS
    two["measured"] = two["time"]
    two["agent"] += len(agents_of(CONFIG))
    two["barrier"][two["barrier"] >= 0] += len(barriers_of(CONFIG))
    about = Meta("lesson", config.as_dict(), {"kind": "simulator"}, Ending("completed"))
    return History(
        Trace(about, agents_of(config), barriers_of(config), SITES, np.concatenate((one, two)), {KERNEL: SOURCE})
    )


def requested(pane: Pane) -> list[Focus]:
    """A list that collects every focus the pane asks for."""
    wishes: list[Focus] = []
    pane.focus_requested.connect(wishes.append)
    return wishes
