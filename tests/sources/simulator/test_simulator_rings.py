"""Rings in the simulator: every event counts in its ring, and programs of one ring run as they always have."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import replay
from two_rings import TwoRings, two_rings

from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.cp_async import cp_async
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program
from visualizer.recording.file import load, save
from visualizer.recording.schema import EventKind
from visualizer.sources.simulator.simulate import simulate

K = EventKind


@settings(max_examples=60, deadline=None)
@given(kind=two_rings, seed=st.integers(0, 1000))
def test_a_pipeline_of_two_rings_completes_with_every_stage_in_its_ring(kind: TwoRings, seed: int) -> None:
    trace = simulate(kind.program(), seed=seed)
    assert trace.meta.ending.kind == "completed"
    assert trace.rings == ("k", "v")
    replay(trace)
    events = trace.events
    sizes = np.array([kind.k_stages, kind.v_stages])
    assert (events["stage"] < sizes[events["ring"]]).all()
    assert (events["ring"][events["stage"] < 0] == 0).all()
    on_barriers = events[events["barrier"] >= 0]
    rings = np.array([trace.rings.index(barrier.ring) for barrier in trace.barriers])
    assert (on_barriers["ring"] == rings[on_barriers["barrier"]]).all()
    for ring, stages in enumerate(sizes):
        for what in (K.COPY_ISSUE, K.WRITE, K.READ_BEGIN, K.READ_END, K.ADVANCE):
            of_it = events[(events["kind"] == what) & (events["ring"] == ring)]
            stage = of_it["stage"] if what != K.ADVANCE else (of_it["amount"] - 1) % stages
            assert (stage == of_it["tile"] % stages).all()
        tries = events[(events["kind"] == K.TEST_FAILED) & (events["ring"] == ring)]
        assert kind.tries or not len(tries)


def test_a_recording_of_rings_comes_back_from_its_file(tmp_path: Path) -> None:
    trace = simulate(TwoRings().program())
    save(trace, tmp_path / "rings.pscope")
    again = load(tmp_path / "rings.pscope")
    assert (again.rings, again.agents, again.barriers) == (trace.rings, trace.agents, trace.barriers)
    assert again.events.tobytes() == trace.events.tobytes()


@pytest.mark.parametrize(
    ("program", "digest"),
    [
        (lesson(LessonConfig()), "b7e9e5a52c4d"),
        (lesson(LessonConfig(ctas=2, stages=2, tiles=20)), "313286406393"),
        (cp_async(), "664580896114"),
        (baseline(), "164caae784d0"),
        (baseline(BaselineConfig(readers="wgmma")), "254ab1cdbf33"),
        (baseline(BaselineConfig(readers="store")), "6add639e7ae2"),
        (baseline(BaselineConfig(turns=True)), "1c5db59b5db8"),
        (baseline(BaselineConfig(cp_async=True)), "d9c8e8534c6c"),  # with an event for cp.async.mbarrier.arrive
    ],
)
def test_a_program_of_one_ring_gives_the_events_that_it_gave_before_there_were_rings(
    program: Program, digest: str
) -> None:
    trace = simulate(program, seed=5)
    assert trace.rings == ("",)
    assert sha256(trace.events.tobytes()).hexdigest().startswith(digest)
