"""A legal kernel that nobody described, recorded by addresses, is found to be sound or not judged: never at fault."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_programs import PIPELINES, nameless, pipeline, stranger_log
from measured import rebuilt

from visualizer.diagnosis.diagnose import diagnose
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
