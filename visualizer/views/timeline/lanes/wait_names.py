"""What an agent waits for where it is no mbarrier, as lanes and tracks call it: the instruction's own word."""

from __future__ import annotations

from visualizer.recording.schema import EventKind

_WAITED_FOR = {
    EventKind.SYNC_BEGIN: "bar.sync",
    EventKind.CLUSTER_WAIT_BEGIN: "barrier.cluster",
    EventKind.WGMMA_WAIT_BEGIN: "wgmma",
    EventKind.STORE_WAIT_BEGIN: "bulk store",
    EventKind.SETMAXNREG_INC_BEGIN: "setmaxnreg",
}


def waited_for(kind: int) -> str:
    """By the kind of the event that begins the wait; "?": a barrier that the recording does not name."""
    return _WAITED_FOR.get(EventKind(kind), "?")
