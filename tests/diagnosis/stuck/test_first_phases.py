"""A first phase that lacks arrivals nobody can bring: what the init and those that did not arrive are blamed for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from first_turn import EACH, LANES, OWN, first_turn

from visualizer.diagnosis.alike import folded
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding
from visualizer.diagnosis.report_text import report_text
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History

CAREFUL = "who was to bring the others is not known"


def of_the_release(trace: Trace) -> Finding:
    """What is said of the first wait for the release that all others wait for."""
    (found,) = [one for one in diagnose(History(trace)).every if one.verdict == "STARVED" and one.agent == "warp0"]
    return found


def test_the_init_is_named_where_nobody_can_bring_the_rest() -> None:
    found = of_the_release(first_turn())
    assert (found.rule, found.certain) == ("init-or-arrivals", False)
    assert f"is initialised for {EACH + 128} arrivals per phase, and {EACH} came" in found.cause
    assert "Nobody can bring the other 128" in found.cause
    assert f"Initialise it with {EACH} (" in found.cause
    assert f"called from {OWN.file}:{OWN.line}), or add the missing arrivals." in found.cause
    assert found.site is not None
    assert found.site.op == "init"
    assert found.advice is not None
    assert [one.amount for one in found.advice.add] == [EACH]
    assert found.released_by == ()


def test_of_many_ctas_it_is_told_once() -> None:
    report = diagnose(History(first_turn(ctas=64)))
    (root,) = folded(report)
    assert (len(report.findings), root.cause.ctas) == (64, 63)
    assert report_text(report).count("is initialised for") == 1


@pytest.mark.parametrize("left_out", [(7,), (4, 5, 6, 7)])
def test_who_did_as_the_others_and_did_not_arrive_is_named(left_out: tuple[int, ...]) -> None:
    found = of_the_release(first_turn(count=EACH, leave_out=left_out))
    assert (found.rule, found.certain, found.advice) == ("missing-arrival", False, None)
    who = [f"warp{warp}" for warp in left_out]
    assert all(name in found.cause.partition(";")[2].partition(" passed the same waits")[0] for name in who)
    assert found.blamed == (who[0] if len(who) == 1 else None)
    assert found.site is not None
    assert found.site.op == "arrive"
    assert len(found.arrived) == EACH // LANES - len(who)


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(first_turn(leave_out=(7,)), id="the count and a release"),
        pytest.param(first_turn(count=EACH, late=(7,)), id="blocked before its release"),
        pytest.param(first_turn(late=(7,)), id="blocked before its release, and the count"),
    ],
)
def test_neither_is_named_where_it_may_be_another_mistake(trace: Trace) -> None:
    """Another count would not be enough for who left out its arrivals, nor they for the count; and who is blocked
    before it comes to them has not left them out."""
    found = of_the_release(trace)
    assert CAREFUL in found.cause
    assert found.released_by == ()


def without(trace: Trace, kind: EventKind, agent: str) -> Trace:
    events = trace.events
    gone = (events["kind"] == kind) & (events["agent"] == trace.agent_index[agent])
    assert gone.any()
    return replace(trace, events=events[~gone])


def promised(trace: Trace) -> Trace:
    """An arrival that hardware is to make."""
    at = int(np.flatnonzero((trace.events["kind"] == EventKind.ARRIVE) & (trace.events["amount"] == LANES))[0])
    promise = trace.events[at : at + 1].copy()
    promise["kind"] = EventKind.CP_ASYNC_ARRIVE_NOINC
    return replace(trace, events=np.insert(trace.events, at, promise))


def told(**meta: Any) -> Trace:
    trace = first_turn()
    return replace(trace, meta=replace(trace.meta, **meta))


@pytest.mark.parametrize(
    "trace",
    [
        pytest.param(without(first_turn(), EventKind.EXIT, "warp3"), id="a warp still runs"),
        pytest.param(first_turn(lapped=True), id="a warp waits for ever by another mistake"),
        pytest.param(first_turn(waits_elsewhere=(9,)), id="a warp waits for something else"),
        pytest.param(first_turn(source={"block": [416, 1, 1]}), id="a warp is not recorded"),
        pytest.param(first_turn(source={"cluster": [2, 1, 1]}), id="CTAs of a cluster may arrive"),
        pytest.param(first_turn(source={"dropped": [{"op": "mbarrier.arrive"}]}), id="an arrival is not recorded"),
        pytest.param(told(records_lost=1), id="records are missing"),
        pytest.param(told(window={"cut_short": [1]}), id="a CTA went on"),
        pytest.param(promised(first_turn()), id="hardware may arrive"),
    ],
)
def test_nothing_is_claimed_where_somebody_could_arrive(trace: Trace) -> None:
    found = of_the_release(trace)
    assert CAREFUL in found.cause
    assert not found.certain
    assert found.released_by == ("arrivals of whom it is not known",)


def test_what_comes_from_another_cta_may_be_missing() -> None:
    report = diagnose(History(first_turn(ctas=2, remote=True)))
    assert any(CAREFUL in found.cause for found in report.every)
    assert not {found.rule for found in report.every} & {"init-or-arrivals", "missing-arrival"}
