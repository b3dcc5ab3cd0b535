"""What legal kernels do that the lesson does not comes back with its true phases and without contradictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_programs import PIPELINES, met_phases, nameless, pipeline, rows, stranger_log
from measured import flips, rebuilt

from visualizer.reconstruction.assemble import assemble
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate


def check(trace: Trace, seed: int = 0, **log: int) -> Trace:
    """A simulated trace of a legal program comes back from what a log that knows no program would show."""
    assert trace.meta.ending.kind == "completed", trace.meta.ending
    trace = nameless(trace)
    result = rebuilt(trace, stranger_log(trace, seed, **log))
    assert not any(violations(result).values()), violations(result)
    assert result.meta.reconcile["unresolved"] == 0
    assert met_phases(result) == met_phases(trace)
    assert flips(result, agents=False) == flips(trace, agents=False)
    landed, again = (t.events[t.events["kind"] == EventKind.COPY_DONE] for t in (trace, result))
    assert (landed["flags"] & EventFlag.BY_ARRIVAL == 0).sum() == len(again)
    return result


@settings(max_examples=60, deadline=None)
@given(config=PIPELINES, seed=st.integers(0, 1000))
def test_a_legal_pipeline_comes_back(config: dict[str, Any], seed: int) -> None:
    check(simulate(pipeline(**config), seed=seed), seed)


RING = {"stages": 2, "fill": "arrive_expect_tx", "waits": 1}


@pytest.mark.parametrize(
    "config",
    [
        pytest.param({"rings": [{**RING, "waits": 2}]}, id="second waits"),
        pytest.param({"rings": [{**RING, "fill": "split"}]}, id="expect_tx, then a plain arrive"),
        pytest.param({"rings": [{**RING, "fill": "copy_first"}]}, id="copy before expect"),
        pytest.param({"rings": [{**RING, "fill": "plain"}]}, id="no bytes"),
        pytest.param({"rings": [{**RING, "fill": "cp_async"}]}, id="cp.async.mbarrier.arrive, then a plain arrive"),
        pytest.param({"rings": [{**RING, "fill": "cp_async_noinc"}]}, id="cp.async.mbarrier.arrive.noinc"),
        pytest.param({"rings": [RING], "consumers": 3, "leaves_after": 4}, id="arrive_drop"),
        pytest.param({"rings": [RING, {**RING, "stages": 3}]}, id="two rings"),
        pytest.param({"rings": [RING], "ctas": 2}, id="multicast and remote arrivals"),
        pytest.param({"rings": [{**RING, "stages": 1}]}, id="one stage"),
    ],
)
def test_what_legal_kernels_do(config: dict[str, Any]) -> None:
    for seed in range(5):
        for work in (0, 2000):
            check(simulate(pipeline(**{"tiles": 9, "consumers": 2, "work": work, **config}), seed=seed), seed)


def test_clocks_of_ctas_that_differ() -> None:
    config = {"rings": [RING, {**RING, "stages": 3}], "ctas": 2, "tiles": 9, "consumers": 2, "work": 700}
    for seed in range(20):
        check(simulate(pipeline(**config), seed=seed), seed, skew_ps=100_000)


def test_a_failed_test_moves_nothing_and_is_no_wait() -> None:
    trace = nameless(simulate(pipeline([RING], tiles=6, consumers=2, work=900)))
    events = stranger_log(trace, late_ps=0)
    assert (events["kind"] == EventKind.TEST_FAILED).any()
    result = rebuilt(trace, events)
    assert result.meta.reconcile["max_ns"] <= 0.002  # the test and the wait after it were given one time
    assert not any(violations(result).values())
    assert (np.diff(result.events["time"]) >= 0).all()


def test_arrivals_of_the_tensor_core_come_after_their_commit_and_before_the_wait_they_release() -> None:
    agents = (Agent("warp0", "other", 0, 0), Agent("warp1", "other", 0, 1), Agent("core", "tensor_core", 0, -1))
    barriers = (Barrier("0x400", 0, "other", -1, 0, -1, address=0x400),)
    events = rows(
        {"time": 0, "agent": 0, "kind": EventKind.INIT, "barrier": 0, "amount": 1},
        *(
            {"time": 100 + 100 * n, "agent": 0, "kind": EventKind.TENSOR_COMMIT, "barrier": 0, "amount": 1}
            for n in (0, 2)
        ),
        {"time": 90, "agent": 1, "kind": EventKind.WAIT_BEGIN, "barrier": 0, "parity": 0},
        {"time": 180, "agent": 1, "kind": EventKind.WAIT_END, "barrier": 0, "parity": 0, "flags": EventFlag.BLOCKED},
        {"time": 310, "agent": 1, "kind": EventKind.WAIT_BEGIN, "barrier": 0, "parity": 1},
        {"time": 390, "agent": 1, "kind": EventKind.WAIT_END, "barrier": 0, "parity": 1, "flags": EventFlag.BLOCKED},
    )
    meta = Meta("any", {}, {}, Ending("completed"))
    result = assemble(events, np.zeros(3, np.int64), agents, barriers, (), meta, {})
    assert not any(violations(result).values()), violations(result)
    arrived = result.events[(result.events["kind"] == EventKind.ARRIVE)]
    assert arrived["agent"].tolist() == [2, 2]
    assert (arrived["flags"] & EventFlag.ESTIMATED).all()
    commits = result.events["time"][result.events["kind"] == EventKind.TENSOR_COMMIT]
    ends = result.events["time"][result.events["kind"] == EventKind.WAIT_END]
    assert (commits < arrived["time"]).all()
    assert (arrived["time"] < ends).all()
    assert arrived["time"][1] > 310_000  # the second wait was still refused then


def test_a_second_init_begins_a_new_life() -> None:
    """cuda::barrier in a pool: used, invalidated, and initialised with another count."""
    agents = (Agent("warp0", "other", 0, 0),)
    barriers = (Barrier("0x400", 0, "other", -1, 0, -1, address=0x400),)
    one = {"agent": 0, "barrier": 0}
    events = rows(
        {"time": 0, "kind": EventKind.INIT, "amount": 1, **one},
        {"time": 10, "kind": EventKind.ARRIVE, "amount": 1, **one},
        {"time": 20, "kind": EventKind.WAIT_BEGIN, "parity": 0, **one},
        {"time": 30, "kind": EventKind.WAIT_END, "parity": 0, **one},
        {"time": 40, "kind": EventKind.INVAL, **one},
        {"time": 50, "kind": EventKind.INIT, "amount": 2, **one},
        {"time": 60, "kind": EventKind.ARRIVE, "amount": 2, **one},
        {"time": 70, "kind": EventKind.WAIT_BEGIN, "parity": 0, **one},
        {"time": 80, "kind": EventKind.WAIT_END, "parity": 0, **one},
    )
    result = assemble(events, np.zeros(1, np.int64), agents, barriers, (), Meta("any", {}, {}, Ending("completed")), {})
    assert not any(violations(result).values()), violations(result)
    assert result.events["amount"][result.events["kind"] == EventKind.PHASE_COMPLETE].tolist() == [0, 0]


def test_a_test_that_failed_is_of_a_phase_that_has_begun() -> None:
    """Nobody recorded a wait on the phase before, of which a copy brings the bytes."""
    agents = (*(Agent(f"warp{n}", "other", 0, n) for n in range(2)), Agent("tma", "copy_engine", 0, -1))
    barriers = (Barrier("0x400", 0, "other", -1, 0, -1, address=0x400),)
    fill = [
        {"time": at + place, "agent": 0, "kind": kind, "barrier": 0, "amount": 64}
        for at in (10, 500)
        for place, kind in enumerate((EventKind.ARRIVE_EXPECT_TX, EventKind.COPY_ISSUE))
    ]
    events = rows(
        {"time": 0, "agent": 0, "kind": EventKind.INIT, "barrier": 0, "amount": 1},
        *fill,
        {"time": 20, "agent": 1, "kind": EventKind.TEST_FAILED, "barrier": 0, "parity": 1},
        {"time": 30, "agent": 1, "kind": EventKind.WAIT_BEGIN, "barrier": 0, "parity": 1},
        {"time": 990, "agent": 1, "kind": EventKind.WAIT_END, "barrier": 0, "parity": 1, "flags": EventFlag.BLOCKED},
    )
    meta = Meta("any", {}, {}, Ending("completed"))
    result = assemble(events, np.zeros(3, np.int64), agents, barriers, (), meta, {})
    assert not any(violations(result).values()), violations(result)
    flips = result.events["time"][result.events["kind"] == EventKind.PHASE_COMPLETE].tolist()
    assert flips[0] < 20_000 < flips[1]


def test_bytes_that_an_agent_completes_itself() -> None:
    agents = (Agent("warp0", "other", 0, 0), Agent("warp1", "other", 0, 1))
    barriers = (Barrier("0x400", 0, "other", -1, 0, -1, address=0x400),)
    events = rows(
        {"time": 0, "agent": 0, "kind": EventKind.INIT, "barrier": 0, "amount": 1},
        {"time": 10, "agent": 0, "kind": EventKind.ARRIVE_EXPECT_TX, "barrier": 0, "amount": 64},
        {"time": 40, "agent": 0, "kind": EventKind.COMPLETE_TX, "barrier": 0, "amount": 64},
        {"time": 20, "agent": 1, "kind": EventKind.WAIT_BEGIN, "barrier": 0, "parity": 0},
        {"time": 50, "agent": 1, "kind": EventKind.WAIT_END, "barrier": 0, "parity": 0, "flags": EventFlag.BLOCKED},
    )
    meta = Meta("any", {}, {}, Ending("completed"))
    result = assemble(events, np.zeros(2, np.int64), agents, barriers, (), meta, {})
    assert not any(violations(result).values()), violations(result)
    flip = result.events[result.events["kind"] == EventKind.PHASE_COMPLETE]
    assert (flip["agent"].tolist(), flip["time"].tolist()) == ([0], [40_000])


def test_a_barrier_that_nobody_initialised_in_the_recording_completes_nothing() -> None:
    agents = (Agent("warp0", "other", 0, 0),)
    barriers = (Barrier("0x400", 0, "other", -1, 0, -1, address=0x400),)
    events = rows({"time": 0, "agent": 0, "kind": EventKind.ARRIVE, "barrier": 0, "amount": 1})
    meta = Meta("any", {}, {}, Ending("completed"))
    result = assemble(events, np.zeros(1, np.int64), agents, barriers, (), meta, {})
    assert not any(violations(result).values()), violations(result)
    assert result.events["kind"].tolist() == [EventKind.ARRIVE]
