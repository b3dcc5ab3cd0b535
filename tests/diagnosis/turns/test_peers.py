"""A turn that all CTAs do alike is no cause of what went wrong, though it is unlike the agent's other turns."""

from __future__ import annotations

import pytest
from alike_ctas import CTAS, Then, gemm

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.turns.habits import find_odd
from visualizer.replay.history import History


@pytest.mark.parametrize("multicast", [False, True])
@pytest.mark.parametrize("then", ["arrives", "consumes"])
def test_the_init_is_the_root_where_all_ctas_do_a_turn_otherwise(then: Then, multicast: bool) -> None:
    """As CUTLASS's producer after its last tile, and CuTe DSL's first warp as it begins to accumulate."""
    report = diagnose(History(gemm(too_many=1, then=then, multicast=multicast)))
    assert {found.rule for found in report.findings} == {"init-too-large"}
    assert {found.site.op for found in report.findings if found.site is not None} == {"init"}
    assert all(found.certain for found in report.findings)
    assert "IRREGULAR" not in {found.verdict for found in report.every}


def test_the_cta_that_leaves_out_a_release_is_named() -> None:
    (found,) = diagnose(History(gemm(skips=(1, 5)))).findings
    assert (found.verdict, found.rule, found.blamed) == ("STARVED", "missed-use", "CTA1.C0")


@pytest.mark.parametrize("then", ["arrives", "consumes"])
def test_what_one_cta_alone_does_is_odd(then: Then) -> None:
    history = History(gemm(too_many=1, then=then, only=1))
    assert [history.trace.agents[odd.agent].name for odd in find_odd(history, None, range(CTAS), 0)] == ["CTA1.P"]
    # Also where the others are not concerned: they are asked all the same.
    assert [odd.number for odd in find_odd(history, None, [1], 0)] == [3]


@pytest.mark.parametrize("then", ["arrives", "consumes"])
def test_ctas_that_are_not_concerned_tell_what_is_usual_too(then: Then) -> None:
    history = History(gemm(too_many=1, then=then))
    assert find_odd(history, None, [1], 0) == []


def test_what_all_agents_do_once_is_no_habit() -> None:
    """The first two tiles of a pipelined loop, where everybody hangs at the second: neither is usual."""
    history = History(gemm(too_many=1, then=""))
    assert find_odd(history, None, range(CTAS), 0) == []
