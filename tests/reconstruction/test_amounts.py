"""Logs that something wrote over: what counts for less than nothing is refused, with the barrier's name."""

from __future__ import annotations

import numpy as np
import pytest
from legal_programs import rows

from visualizer.reconstruction.assemble import assemble
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta
from visualizer.recording.trace import TraceError


@pytest.mark.parametrize("from_the_start", [True, False])
@pytest.mark.parametrize(
    ("kind", "amount", "told"),
    [
        (EventKind.ARRIVE, -4560, "an arrival on 0x400 counts for -4560"),
        (EventKind.ARRIVE_DROP, -1, "an arrival on 0x400 counts for -1"),
        (EventKind.COPY_ISSUE, -90248449, "a copy to 0x400 brings -90248449 bytes"),
    ],
)
def test_less_than_nothing_is_refused(kind: EventKind, amount: int, told: str, from_the_start: bool) -> None:
    agents = (Agent("warp0", "other", 0, 0),)
    barriers = (Barrier("0x400", 0, "other", -1, 0, 0x400, address=0x400),)
    events = rows(
        {"time": 0, "agent": 0, "barrier": 0, "kind": EventKind.INIT, "amount": 1},
        {"time": 1, "agent": 0, "barrier": 0, "kind": EventKind.ARRIVE, "amount": 1},
        {"time": 2, "agent": 0, "barrier": 0, "kind": kind, "amount": amount},
    )
    headless = None if from_the_start else np.ones(1, np.int64)
    with pytest.raises(TraceError, match=f"^{told}, which none can$"):
        assemble(
            events,
            np.zeros(1, np.int64),
            agents,
            barriers,
            (),
            Meta("any", {}, {}, Ending("completed")),
            {},
            headless=headless,
        )
