"""Random legal pipelines of kinds that are not the lesson's, and what a log of them would show that knows no program.

Two rings in a CTA (told apart by name, or told as one), arrivals that are dropped, split expect_tx and arrive, copies
issued before they are expected, second waits, multicast, cp.async whose hardware arrives, and releases to the barriers
of other CTAs, none of which leaves before the others are done with its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.program import Program
from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind
from visualizer.recording.tables import Barrier
from visualizer.recording.trace import ONE_RING, Trace

FILLS = ("arrive_expect_tx", "split", "copy_first", "plain", "cp_async", "cp_async_noinc")
RINGS = st.lists(
    st.fixed_dictionaries(
        {
            "stages": st.integers(1, 3),
            "fill": st.sampled_from(FILLS),
            "waits": st.integers(1, 2),  # how often a consumer waits on one phase
        }
    ),
    min_size=1,
    max_size=2,
)
PIPELINES = st.fixed_dictionaries(
    {
        "rings": RINGS,
        "tiles": st.integers(1, 9),
        "consumers": st.integers(1, 3),
        "ctas": st.sampled_from((1, 1, 2)),
        "leaves_after": st.integers(0, 9),  # the last consumer leaves after so many tiles, by arrive_drop
        "work": st.sampled_from((0, 300, 2000)),
        "named": st.booleans(),  # whether rings are told apart by name
    }
)


@dataclass(frozen=True, slots=True)
class _Ring:
    full: dict[int, list[BarrierHandle]]  # by CTA
    empty: dict[int, list[BarrierHandle]]


def pipeline(
    rings: list[dict[str, Any]],
    tiles: int,
    consumers: int,
    ctas: int = 1,
    leaves_after: int = 0,
    work: int = 0,
    named: bool = False,
) -> Program:
    """The program. With two CTAs each copies half of every tile to both, and consumers release both."""
    builder = Builder("legal", ctas=ctas)
    made: list[_Ring] = []
    for number, ring in enumerate(rings):
        stages, name = ring["stages"], f"r{number}" if named else ""
        full = {c: builder.barriers(f"f{number}", stages, count=1, cta=c, kind="full", ring=name) for c in range(ctas)}
        empty = {
            c: builder.barriers(f"e{number}", stages, count=consumers * ctas, cta=c, kind="empty", ring=name)
            for c in range(ctas)
        }
        made.append(_Ring(full, empty))
    longest = max(ring["stages"] for ring in rings)
    stays = consumers - 1 if longest <= leaves_after < tiles and consumers > 1 else consumers
    for cta in range(ctas):
        producer = builder.agent("producer", role="producer", cta=cta)
        producer.init_all()
        _sync(producer, ctas)
        for tile in producer.tiles(tiles):
            for ring, options in zip(made, rings, strict=True):
                _fill(producer, ring, options, tile, cta, ctas)
        _leave(producer, ctas)
        for index in range(consumers):
            agent = builder.agent(f"consumer{index}", role="consumer", cta=cta)
            _sync(agent, ctas)
            mine = tiles if index < stays else leaves_after
            for tile in agent.tiles(mine):
                for ring, options in zip(made, rings, strict=True):
                    last = mine < tiles and tile + options["stages"] >= mine
                    _drain(agent, ring, options, tile, cta, ctas, work, last=last)
            _leave(agent, ctas)
    return builder.build()


def _sync(agent: AgentBuilder, ctas: int) -> None:
    if ctas > 1:
        agent.cluster_sync()
    else:
        agent.sync()


def _leave(agent: AgentBuilder, ctas: int) -> None:
    """Peers arrive on the barriers of a CTA until they are done with its last tiles."""
    if ctas > 1:
        agent.cluster_sync()


def _fill(agent: AgentBuilder, ring: _Ring, options: dict[str, Any], tile: int, cta: int, ctas: int) -> None:
    lap, stage = divmod(tile, options["stages"])
    full, size = ring.full[cta][stage], 2048
    agent.wait(ring.empty[cta][stage], (lap + 1) & 1)
    targets = [ring.full[other][stage] for other in range(ctas)] if ctas > 1 else []
    if options["fill"] == "plain":
        agent.arrive(full)
    elif options["fill"] == "cp_async_noinc":
        agent.cp_async_arrive(full, stage, size)
    elif options["fill"] == "cp_async":
        agent.cp_async_arrive(full, stage, size, 32, no_inc=False)
        agent.arrive(full)
    elif options["fill"] == "arrive_expect_tx" or ctas > 1:
        agent.arrive_expect_tx(full, size * ctas)
        agent.copy(full, stage, size, multicast=targets)
    elif options["fill"] == "split":
        agent.expect_tx(full, 2 * size)
        agent.copy(full, stage, size)
        agent.copy(full, stage, size)
        agent.arrive(full)
    else:
        agent.copy(full, stage, size)
        agent.arrive_expect_tx(full, size)


def _drain(
    agent: AgentBuilder, ring: _Ring, options: dict[str, Any], tile: int, cta: int, ctas: int, work: int, *, last: bool
) -> None:
    lap, stage = divmod(tile, options["stages"])
    for _ in range(options["waits"]):
        agent.wait(ring.full[cta][stage], lap & 1)
        agent.delay(work)
    for other in range(ctas):
        if last:
            agent.arrive_drop(ring.empty[other][stage])
        else:
            agent.arrive(ring.empty[other][stage])


def nameless(trace: Trace) -> Trace:
    """The trace with barriers known by address alone and counts not known beforehand."""
    barriers = [
        Barrier(f"CTA{b.cta}.{0x400 + 8 * row:#x}", b.cta, "other", -1, 0, -1, address=b.cta << 24 | 0x400 + 8 * row)
        for row, b in enumerate(trace.barriers)
    ]
    events = trace.events.copy()
    events["stage"], events["tile"], events["ring"] = -1, -1, 0
    return replace(trace, barriers=barriers, events=events, rings=ONE_RING)


def stranger_log(trace: Trace, seed: int = 0, late_ps: int = 20_000, skew_ps: int = 0) -> NDArray[np.void]:
    """What attaching would record of `trace`: what agents did but cp.async, grouped by agent, without tokens.

    Clocks are read up to `late_ps` before an operation takes effect and after a wait has passed; those of CTAs differ
    by up to `skew_ps`.
    """
    random = np.random.default_rng(seed)
    events = trace.events.copy()
    engines = [row for row, agent in enumerate(trace.agents) if agent.role in ("copy_engine", "tensor_core")]
    events = events[~np.isin(events["agent"], engines) & (events["kind"] != EventKind.PHASE_COMPLETE)]
    events = events[(events["flags"] & EventFlag.BY_ARRIVAL) == 0]
    events = events[np.argsort(events["agent"], kind="stable")]
    late = random.integers(0, late_ps + 1, len(events))
    events["time"] += np.where(events["kind"] == EventKind.WAIT_END, late, -late)
    events["time"] += random.integers(-skew_ps, skew_ps + 1, trace.ctas)[trace.agent_cta[events["agent"]]]
    for agent in np.unique(events["agent"]):
        mine = events["agent"] == agent
        events["time"][mine] = np.maximum.accumulate(events["time"][mine])
    events = _with_failed_tests(events, Random(seed))
    events["time"] -= events["time"].min()
    events["measured"] = events["time"]
    return events


def _with_failed_tests(events: NDArray[np.void], random: Random) -> NDArray[np.void]:
    """Before some of the waits that blocked, a test that failed, as by CUTLASS's consumer_try_wait."""
    ends = np.flatnonzero((events["flags"] & EventFlag.BLOCKED) != 0)
    begins = np.array([row - 1 for row in ends.tolist() if random.random() < 0.5], np.int64)
    tests = events[begins].copy()
    tests["kind"] = EventKind.TEST_FAILED
    return np.insert(events, begins, tests) if len(begins) else events


def met_phases(trace: Trace) -> dict[int, list[tuple[int, int, int]]]:
    """By agent, its waits that passed in order: (barrier, parity, phase the barrier was in)."""
    found: dict[int, list[tuple[int, int, int]]] = {}
    phase = np.zeros(len(trace.barriers), np.int64)
    for event in trace.events:
        barrier, kind = int(event["barrier"]), int(event["kind"])
        if kind == EventKind.PHASE_COMPLETE:
            phase[barrier] = int(event["amount"]) + 1
        elif kind == EventKind.WAIT_END and barrier >= 0:
            found.setdefault(int(event["agent"]), []).append((barrier, int(event["parity"]), int(phase[barrier])))
    return found


def rows(*events: dict[str, int]) -> NDArray[np.void]:
    """Hand-built events of agents, grouped by agent; times as given, in ns."""
    made = np.zeros(len(events), EVENT_DTYPE)
    for name in ("tile", "barrier", "site", "stage", "parity"):
        made[name] = -1
    for row, event in zip(made, events, strict=True):
        for name, value in event.items():
            row[name] = value * 1000 if name == "time" else value
    made["measured"] = made["time"]
    return made
