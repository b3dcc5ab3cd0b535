"""A legal kernel is found to be sound or not judged, never at fault: recorded by addresses alone, which nobody
described, or told by its tables, with the program and without."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_programs import PIPELINES, nameless, pipeline, stranger_log
from measured import rebuilt

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.builder import Builder
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

RING = {"stages": 2, "fill": "arrive_expect_tx", "waits": 1}


def history_of(config: dict[str, Any], seed: int) -> History:
    trace = nameless(simulate(pipeline(**config), seed=seed))
    return History(rebuilt(trace, stranger_log(trace, seed)))


@settings(max_examples=40, deadline=None)
@given(config=PIPELINES, seed=st.integers(0, 1000))
def test_a_legal_pipeline_has_no_finding(config: dict[str, Any], seed: int) -> None:
    report = diagnose(history_of(config, seed))
    assert report.findings == ()
    assert report.not_judged


@settings(max_examples=40, deadline=None)
@given(config=PIPELINES, seed=st.integers(0, 1000))
def test_told_by_its_tables_it_has_none_either(config: dict[str, Any], seed: int) -> None:
    program = pipeline(**config)
    trace = simulate(program, seed=seed)
    assert trace.meta.ending.kind == "completed"
    assert diagnose(History(trace), program).findings == ()
    assert diagnose(History(trace)).findings == ()


@pytest.mark.parametrize("ring", ["", "second"])
def test_rings_told_as_one_are_said_not_to_be_judged_apart(ring: str) -> None:
    b = Builder("two")
    full, empty = b.barriers("full", 2, count=1), b.barriers("empty", 2, count=1)
    more_full = b.barriers("more_full", 2, count=1, kind="full", ring=ring)
    more_empty = b.barriers("more_empty", 2, count=1, kind="empty", ring=ring)
    p, c = b.agent("P", role="producer"), b.agent("C", role="consumer")
    p.init_all()
    p.sync()
    c.sync()
    for tile in p.tiles(6):
        for own_full, own_empty in ((full, empty), (more_full, more_empty)):
            p.wait(own_empty[tile % 2], tile // 2 + 1 & 1)
            p.arrive(own_full[tile % 2])
    for tile in c.tiles(6):
        for own_full, own_empty in ((full, empty), (more_full, more_empty)):
            c.wait(own_full[tile % 2], tile // 2 & 1)
            c.arrive(own_empty[tile % 2])
    report = diagnose(History(simulate(b.build(), seed=1)))
    assert report.findings == ()
    assert any("which of their full barriers it guards" in said for said in report.not_judged) == (not ring)


@pytest.mark.parametrize(
    ("config", "rings"),
    [
        ({"rings": [RING, {**RING, "stages": 3}], "consumers": 2}, [2, 3]),
        ({"rings": [{**RING, "waits": 2}], "consumers": 2}, [2]),
        ({"rings": [{**RING, "fill": "split"}], "consumers": 1}, [2]),
        ({"rings": [RING], "consumers": 2, "ctas": 2}, [2, 2]),
        ({"rings": [RING], "consumers": 3, "leaves_after": 4}, [2]),
    ],
)
def test_its_rings_are_found(config: dict[str, Any], rings: list[int]) -> None:
    structure = history_of({"tiles": 9, "work": 500, **config}, seed=1).structure
    assert [ring.stages for ring in structure.rings] == rings
    assert all(0.5 <= ring.confidence < 1 for ring in structure.rings)
