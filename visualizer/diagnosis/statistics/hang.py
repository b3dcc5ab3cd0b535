"""Who waits for ever in a run that hangs: shares of a time that has no end would say "busy"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visualizer.diagnosis.statistics.facts import Facts
from visualizer.diagnosis.wording import duration, listed
from visualizer.language import tr
from visualizer.recording.schema import SYNCWARP, EventKind

_HANGS = ("deadlock", "timeout")


@dataclass(frozen=True, slots=True)
class Stuck:
    """An agent that waits and was never let go; `since` in ps from the first event."""

    agent: str
    row: int
    waits_for: str  # a barrier, or the instruction that waits
    called: str  # the same as people call it, where a barrier's name is an address alone
    since: int
    tile: int
    step: int

    def as_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "waits_for": self.waits_for,
            "since_ns": self.since / 1000,
            "tile": self.tile if self.tile >= 0 else None,
            "step": self.step,
        }


def stuck_agents(facts: Facts, last: int) -> tuple[Stuck, ...]:
    """Those of a recording that hangs, if the range up to `last` (ps) reaches its end; who waits longest first."""
    history, waits = facts.history, facts.waits
    trace = history.trace
    if trace.meta.ending.kind not in _HANGS or last < trace.duration_ps:
        return ()
    rows = np.flatnonzero(waits.end < 0)
    rows = rows[np.argsort(waits.begin[rows], kind="stable")]
    found = []
    for row in rows.tolist():
        step, agent = int(waits.begin[row]), int(waits.agent[row])
        since, tile = int(trace.events["time"][step]), int(waits.tile[row])
        barrier, what = int(waits.barrier[row]), _waited_for(facts, row)
        called = history.barrier_title(barrier) if barrier >= 0 else what
        found.append(Stuck(trace.agents[agent].name, agent, what, called, since, tile, step))
    return tuple(found)


def hang_sentence(stuck: tuple[Stuck, ...]) -> str:
    each = [
        tr("{agent} waits for {what} since {since}", agent=one.agent, what=one.called, since=duration(one.since))
        for one in stuck
    ]
    return tr("the run hangs: {waits}; shares are of the time until its last event", waits=listed(each))


def _waited_for(facts: Facts, row: int) -> str:
    history, waits = facts.history, facts.waits
    barrier = int(waits.barrier[row])
    if barrier >= 0:
        return history.trace.barriers[barrier].name
    kind = EventKind(int(waits.kind[row]))
    token = int(history.trace.events["token"][int(waits.begin[row])])
    names = {
        EventKind.SYNC_BEGIN: "__syncwarp" if token >= SYNCWARP else f"bar.sync {token}",
        EventKind.CLUSTER_WAIT_BEGIN: "barrier.cluster",
        EventKind.WGMMA_WAIT_BEGIN: "wgmma.wait_group",
        EventKind.STORE_WAIT_BEGIN: "cp.async.bulk.wait_group",
        EventKind.SETMAXNREG_INC_BEGIN: "setmaxnreg.inc",
    }
    return names.get(kind, "cp.async.wait_group")
