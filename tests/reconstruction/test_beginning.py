"""A recording of the last records of each agent has the phases of the whole one, or says that it does not know them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_programs import PIPELINES, nameless, pipeline, rows, stranger_log
from measured import last, rebuilt, simulated

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.report_text import finding_text
from visualizer.diagnosis.trust.trust import left_out_sentences
from visualizer.reconstruction.assemble import assemble
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

RING = {"stages": 2, "fill": "arrive_expect_tx", "waits": 1}


def of_kind(trace: Trace, kind: EventKind) -> set[int]:
    """The barriers that such events are on."""
    barriers: list[int] = trace.events["barrier"][trace.events["kind"] == kind].tolist()
    return set(barriers)


def completions(trace: Trace) -> dict[int, list[tuple[int, int]]]:
    """By barrier, the parity of each phase that completed and who completed it."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for event in trace.events[trace.events["kind"] == EventKind.PHASE_COMPLETE]:
        found[int(event["barrier"])].append((int(event["parity"]), int(event["agent"])))
    return found


def compare(trace: Trace, seed: int = 0, keep: int = 20) -> Trace:
    """The last events of each agent hold the last phases of the whole, with their parities, and no contradiction."""
    trace = nameless(trace)
    log = stranger_log(trace, seed)
    whole, cut = rebuilt(trace, log), last(trace, log, keep)
    assert not any(violations(cut).values()), violations(cut)
    assert cut.meta.reconcile["unresolved"] == 0
    counts = {int(event["barrier"]): int(event["amount"]) for event in whole.events if event["kind"] == EventKind.INIT}
    inits, dropped = (of_kind(cut, EventKind.INIT), of_kind(whole, EventKind.ARRIVE_DROP))
    for row, barrier in enumerate(cut.barriers):
        if row not in inits | dropped:
            assert barrier.init_count in (0, counts[row]), barrier
    before = completions(whole)
    engines = {row for row, agent in enumerate(cut.agents) if agent.role == "copy_engine"}
    for row, phases in completions(cut).items():
        for found_phase, true_phase in zip(phases, before[row][-len(phases) :], strict=True):
            assert found_phase[0] == true_phase[0], cut.barriers[row]
            # When a copy landed is an estimate: before or after the last arrival, and so who completed the phase.
            by = {found_phase[1], true_phase[1]}
            assert len(by) == 1 or by & engines, cut.barriers[row]
    found, known = ({finding.verdict for finding in diagnose(History(one)).findings} for one in (cut, whole))
    assert found <= known
    return cut


@settings(max_examples=40, deadline=None)
@given(config=PIPELINES, seed=st.integers(0, 1000), keep=st.integers(1, 60), tiles=st.integers(1, 30))
def test_the_end_of_a_legal_pipeline(config: dict[str, Any], seed: int, keep: int, tiles: int) -> None:
    compare(simulate(pipeline(**{**config, "tiles": tiles}), seed=seed), seed, keep)


@pytest.mark.parametrize("fill", ["arrive_expect_tx", "split", "copy_first", "plain", "cp_async_noinc"])
@pytest.mark.parametrize("ctas", [1, 2])
def test_all_barriers_of_a_ring_are_placed(fill: str, ctas: int) -> None:
    config = {"rings": [{**RING, "fill": fill}], "tiles": 40, "consumers": 2, "ctas": ctas, "work": 2000}
    for seed in range(4):
        cut = compare(simulate(pipeline(**config), seed=seed), seed, keep=50)
        assert [b.init_count for b in cut.barriers] == ([1, 1] * ctas + [2 * ctas] * 2 * ctas)[: len(cut.barriers)]
        assert len(completions(cut)) == len(cut.barriers)


def test_the_end_of_the_lesson() -> None:
    for seed in range(4):
        cut = compare(simulated(seed, tiles=40), seed, keep=60)
        assert len(completions(cut)) == len(cut.barriers)


def test_a_drop_among_the_events_that_are_left_out_lowers_the_count() -> None:
    rings = [{"stages": 1, "fill": "plain", "waits": 2}, {"stages": 2, "fill": "cp_async_noinc", "waits": 1}]
    config = {"rings": rings, "tiles": 7, "consumers": 2, "leaves_after": 2}
    cut = compare(simulate(pipeline(**config)), keep=46)
    # The second ring's first empty barrier, whose count of 2 a consumer that left made 1.
    assert cut.barriers[4].init_count == 1


BLOCKED = {"parity": 1, "agent": 1, "barrier": 0}


def by_hand(*events: dict[str, int]) -> Trace:
    """Of two warps that both lack their beginnings, warp 0 arrives and warp 1 waits."""
    agents = (Agent("warp0", "other", 0, 0), Agent("warp1", "other", 0, 1))
    barriers = (Barrier("0x400", 0, "other", -1, 0, 0x400, address=0x400),)
    meta = Meta("any", {}, {}, Ending("deadlock"))
    return assemble(rows(*events), np.zeros(2, np.int64), agents, barriers, (), meta, {}, headless=np.ones(2, np.int64))


def test_a_wait_that_hangs_on_a_barrier_of_which_nothing_else_is_recorded_keeps_its_parity() -> None:
    work = {"time": 0, "agent": 0, "barrier": -1, "kind": EventKind.READ_BEGIN}
    cut = by_hand(
        work,
        {"time": 0, "kind": EventKind.TEST_FAILED, **BLOCKED},
        {"time": 5, "kind": EventKind.WAIT_BEGIN, **BLOCKED},
    )
    assert (cut.barriers[0].init_count, cut.barriers[0].first_phase) == (0, 1)
    assert cut.meta.window == {"unplaced": 1}
    assert not any(violations(cut).values())
    history = History(cut)
    assert explain(history, history.steps - 1) == (
        "warp1 waits on 0x400 with parity 1. In which phase the barrier is, nothing in the recording tells. It does not"
        " pass in this recording."
    )
    (found,) = diagnose(history).findings
    assert (found.verdict, found.counting) == ("STARVED", Counting.NOTHING)
    assert "0x400 is in phase #?: arrived ?/?." in finding_text(1, found)


def test_what_is_no_count_in_a_log_that_was_written_over_tells_none() -> None:
    init = {"time": 0, "agent": 0, "barrier": 0, "kind": EventKind.INIT, "amount": -7}
    cut = by_hand(init, {"time": 5, "kind": EventKind.WAIT_BEGIN, **BLOCKED})
    assert (cut.barriers[0].init_count, cut.barriers[0].first_phase) == (0, 1)


def test_one_turn_of_parity_fits_too_many_counts() -> None:
    arrives = [{"time": 10 * n, "agent": 0, "barrier": 0, "kind": EventKind.ARRIVE, "amount": 1} for n in range(3)]
    waits = [
        {"time": 10 * n + place, "agent": 1, "barrier": 0, "kind": kind, "parity": n & 1}
        for n in range(2)
        for place, kind in ((2, EventKind.WAIT_BEGIN), (3, EventKind.WAIT_END))
    ]
    cut = by_hand(*arrives, *waits)
    assert cut.barriers[0].init_count == 0
    assert not completions(cut)
    assert left_out_sentences(cut.meta.window) == [
        "The recording begins in the middle of the run: its phases count from there, as #?+3.",
        "Of 1 barrier nothing tells its phase when it begins: what happens there is not judged.",
    ]
    assert not any(violations(cut).values())
