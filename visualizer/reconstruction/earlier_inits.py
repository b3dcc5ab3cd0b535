"""How a recording that begins in mid-run opens: with the barriers that were initialised before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier


def opened(events: NDArray[np.void], agents: Sequence[Agent], barriers: Sequence[Barrier]) -> NDArray[np.void]:
    """`events`, in time order from 0, with a derived INIT first for each barrier whose own was not recorded."""
    speaker = {agent.cta: row for row, agent in reversed(list(enumerate(agents)))}
    begun = np.setdiff1d(np.arange(len(barriers)), events["barrier"][events["kind"] == EventKind.INIT])
    if not len(events) or not len(begun):
        return events
    rows = np.zeros(len(begun), EVENT_DTYPE)
    rows["barrier"] = begun
    rows["agent"] = [speaker[barriers[row].cta] for row in begun]
    rows["amount"] = [barriers[row].init_count for row in begun]
    for column in ("tile", "site", "stage", "parity"):
        rows[column] = -1
    rows["kind"], rows["flags"] = EventKind.INIT, EventFlag.DERIVED
    return np.concatenate([rows, events])
