"""A simulated run as a kernel's log would show it: agents' events alone, tokens, and clocks read early or late."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.assemble import assemble
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Meta
from visualizer.recording.trace import Trace
from visualizer.semantics.mbarrier import Mbarrier, Token
from visualizer.semantics.word import encode
from visualizer.sources.simulator.simulate import simulate

JITTER_PS = 50_000


def simulated(seed: int = 0, **config: Any) -> Trace:
    return simulate(lesson(LessonConfig(**config)), seed=seed)


def logged(trace: Trace, seed: int = 0, jitter: int = JITTER_PS, tokens: bool = True) -> NDArray[np.void]:
    """What the agents of `trace` would have logged, grouped by agent."""
    events = trace.events.copy()
    if tokens:
        _add_tokens(trace, events)
    engines = [row for row, agent in enumerate(trace.agents) if agent.role == "copy_engine"]
    events = events[~np.isin(events["agent"], engines) & (events["kind"] != EventKind.PHASE_COMPLETE)]
    events = events[np.argsort(events["agent"], kind="stable")]
    events = _whole_arrivals(events)
    random = np.random.default_rng(seed)
    events["time"] += random.integers(-jitter, jitter + 1, len(events))
    for agent in np.unique(events["agent"]):
        mine = events["agent"] == agent
        events["time"][mine] = np.maximum.accumulate(events["time"][mine])
    events["time"] -= events["time"].min()
    events["measured"] = events["time"]
    return events


def rebuilt(trace: Trace, events: NDArray[np.void], lost: NDArray[np.int64] | None = None) -> Trace:
    """The Trace that the logged events give."""
    lost = np.zeros(len(trace.agents), np.int64) if lost is None else lost
    meta: Meta = replace(trace.meta)
    return assemble(events, lost, trace.agents, trace.barriers, trace.sites, meta, trace.source_files)


def last(trace: Trace, events: NDArray[np.void], keep: int) -> Trace:
    """The Trace of the last `keep` events of each agent."""
    behind = np.searchsorted(events["agent"], events["agent"], side="right") - np.arange(len(events))
    made = np.bincount(events["agent"], minlength=len(trace.agents))
    headless = np.maximum(made - keep, 0)
    none = np.zeros(len(trace.agents), np.int64)
    kept = events[behind <= keep]
    meta = replace(trace.meta, records_lost=int(headless.sum()))
    tables = trace.agents, trace.barriers, trace.sites, meta, trace.source_files
    return assemble(kept, none, *tables, headless=headless)


def flips(trace: Trace, *, agents: bool = True) -> list[tuple[int, ...]]:
    """(barrier, phase, tile, agent) of every completion, by barrier."""
    rows = trace.events[trace.events["kind"] == EventKind.PHASE_COMPLETE]
    names = ("barrier", "amount", "parity", "stage", *(("tile", "agent", "site") if agents else ()))
    return sorted(tuple(int(row[name]) for name in names) for row in rows)


def sequences(trace: Trace) -> dict[int, list[tuple[int, ...]]]:
    """Per agent what it did, in order, times aside; a copy engine's COMPLETE_TX of one copy added up."""
    names = ("kind", "barrier", "tile", "site", "stage", "amount", "parity")
    found: dict[int, list[tuple[int, ...]]] = {}
    for event in trace.events:
        if event["kind"] in (EventKind.COMPLETE_TX, EventKind.PHASE_COMPLETE):
            continue
        found.setdefault(int(event["agent"]), []).append(tuple(int(event[name]) for name in names))
    return found


def _whole_arrivals(events: NDArray[np.void]) -> NDArray[np.void]:
    """A warp logs its arrive once, whether or not it spans phases."""
    same = np.zeros(len(events), bool)
    same[1:] = (
        (events["kind"][1:] == EventKind.ARRIVE)
        & (events["kind"][:-1] == EventKind.ARRIVE)
        & (events["agent"][1:] == events["agent"][:-1])
        & (events["barrier"][1:] == events["barrier"][:-1])
    )
    group = np.cumsum(~same) - 1
    whole = events[~same].copy()
    arrive = whole["kind"] == EventKind.ARRIVE
    total = np.zeros(len(whole), np.int64)
    np.add.at(total, group, events["amount"])
    whole["amount"][arrive] = total[arrive]
    return whole


def _add_tokens(trace: Trace, events: NDArray[np.void]) -> None:
    barriers = [Mbarrier() for _ in trace.barriers]
    for event in events:
        if event["barrier"] < 0:
            continue
        barrier, kind, amount = barriers[event["barrier"]], event["kind"], int(event["amount"])
        if kind in (EventKind.ARRIVE, EventKind.ARRIVE_EXPECT_TX):
            event["token"] = encode(Token(barrier.parity, barrier.pending, barrier.tx))
            event["flags"] |= EventFlag.HAS_TOKEN
        if kind == EventKind.INIT:
            barrier.init(amount)
        elif kind == EventKind.ARRIVE:
            barrier.arrive(amount)
        elif kind == EventKind.ARRIVE_EXPECT_TX:
            barrier.arrive_expect_tx(amount)
        elif kind == EventKind.COMPLETE_TX:
            barrier.complete_tx(amount)
