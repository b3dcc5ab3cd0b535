"""What legal kernels do that the lesson does not comes back with its true phases and without contradictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from legal_programs import PIPELINES, met_phases, nameless, pipeline, stranger_log
from measured import flips, rebuilt

from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventKind
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
    landed = [(trace.events["kind"] == EventKind.COPY_DONE).sum() for trace in (trace, result)]
    assert landed[0] == landed[1]
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
