"""A recording of the last records of each agent has the phases of the whole one, or says that it does not know them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_programs import PIPELINES, nameless, pipeline, rows, stranger_log
from measured import rebuilt, simulated
from numpy.typing import NDArray

from visualizer.diagnosis.diagnose import diagnose
from visualizer.reconstruction.assemble import assemble
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Agent, Barrier, Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

RING = {"stages": 2, "fill": "arrive_expect_tx", "waits": 1}


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
    for row, phases in completions(cut).items():
        assert phases == before[row][-len(phases) :], cut.barriers[row]
    found, known = ({finding.verdict for finding in diagnose(History(one)).findings} for one in (cut, whole))
    assert found <= known
    return cut


@settings(max_examples=80, deadline=None)
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
