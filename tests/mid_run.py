"""The last events of a pipeline of two stages, whose full barriers are known and whose empty ones are not."""

from __future__ import annotations

from legal_programs import nameless, pipeline, stranger_log
from measured import last

from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

FULL, EMPTY = 0, 2
"""Rows of a full barrier, whose phases count from the recording's beginning, and of an empty one, which has none."""


def mid_run() -> History:
    """Of so few that the empty barriers' counts are not told."""
    ring = {"stages": 2, "fill": "arrive_expect_tx", "waits": 1}
    trace = nameless(simulate(pipeline(rings=[ring], tiles=40, consumers=2, work=2000)))
    return History(last(trace, stranger_log(trace), keep=20))
