"""Statistics of runs that hang, and of any range of any run; what of a program's times is a guess."""

from __future__ import annotations

import json
from random import Random

import pytest
from hung_kernels import hung

from visualizer.cli.stats_text import ring_text, statistics_text
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import statistics
from visualizer.programs.builder import Builder
from visualizer.programs.faults import FAULTS
from visualizer.programs.registry import PROGRAMS, find_program
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget


@pytest.mark.parametrize("name", [*PROGRAMS, *FAULTS])
def test_any_range_of_any_run_has_statistics(name: str) -> None:
    """Hangs and crashes too, told and untold, as text and as JSON."""
    trace = simulate(find_program(name) if name in PROGRAMS else find_program("baseline", fault=name))
    random = Random(name)
    for told in (trace, forget(trace)):
        facts = find_facts(History(told))
        end = told.duration_ps
        for _ in range(12):
            first = random.randint(-10, end + 10)
            last = random.choice((None, first, first + 1, first + 1000, random.randint(-10, end + 10)))
            found = statistics(facts, first, last)
            assert statistics_text(found, told)
            assert json.dumps(found.as_json(), allow_nan=False)
            assert all(ring_text(ring, found) for ring in found.rings)


def test_a_hang_says_who_waits_since_when() -> None:
    trace = simulate(find_program("baseline", fault="F06"))
    facts = find_facts(History(trace))
    found = statistics(facts)
    began = {
        trace.agents[event["agent"]].name: int(event["time"])
        for event in trace.events[trace.events["kind"] == EventKind.WAIT_BEGIN]
    }
    assert {one.agent: (one.waits_for, one.since) for one in found.stuck} == {
        "P": ("empty[0]", began["P"]),
        "C0": ("full[0]", began["C0"]),
    }
    assert found.bound.kind == "hung"
    assert f"P waits for empty[0] since {began['P'] / 1000:.0f} ns" in found.bound.sentence
    assert [(role.role, role.agents, role.stuck) for role in found.roles] == [("producer", 1, 1), ("consumer", 1, 1)]
    assert "100.0%" not in statistics_text(found, trace).split("stage")[0]
    assert found.as_json()["roles"][0]["busy_share"] is None
    assert statistics(facts, 0, trace.duration_ps - 1).stuck == ()


def test_a_wait_at_a_named_barrier_is_a_wait() -> None:
    b = Builder("named")
    early, late = b.agent("early", role="consumer"), b.agent("late", role="producer")
    late.delay(5000)
    for agent in (early, late):
        agent.bar_sync(3, 64)
    found = statistics(find_facts(History(simulate(b.build()))))
    shares = {role.role: role for role in found.roles}
    assert shares["consumer"].share(shares["consumer"].other) > 0.99


def test_what_is_stuck_at_no_mbarrier_is_named_too() -> None:
    b = Builder("stuck", registers=168)
    b.agent("alone").bar_sync(3, 64)
    b.agent("asks").setmaxnreg_inc(232)
    found = statistics(find_facts(History(simulate(b.build()))))
    assert {one.agent: one.waits_for for one in found.stuck} == {"alone": "bar.sync 3", "asks": "setmaxnreg.inc"}


def test_a_read_s_time_is_the_user_s_or_said_to_be_a_guess() -> None:
    def notes(ns: int | None) -> str:
        b = Builder("reads")
        (full,) = b.barriers("full", 1, count=1)
        c = b.agent("c", role="consumer")
        c.init(full)
        c.read(0, 64, ns=ns)
        return " ".join(statistics(find_facts(History(simulate(b.build())))).unknown)

    assert "How long 1 read takes is a guess" in notes(None)
    assert "guess" not in notes(10)
    assert "guess" not in " ".join(statistics(find_facts(History(simulate(find_program("lesson"))))).unknown)


def test_a_barrier_known_by_address_is_called_by_what_it_is_for() -> None:
    found = statistics(find_facts(History(hung("gemm", "F03"))))
    assert found.bound.kind == "hung"
    assert "waits for CTA1.full[0]" in found.bound.sentence
    assert "0x" not in found.bound.sentence
    assert "0x" in found.stuck[0].waits_for


@pytest.mark.parametrize("name", ["multicast", "gemm", "pingpong", "attention"])
def test_a_warp_of_which_one_lane_waits_is_there_as_long_as_its_wait(name: str) -> None:
    """Its other lanes left, and the log has that as its exit."""
    found = statistics(find_facts(History(hung(name, "F01", as_logged=True))))
    assert all(0 <= role.waiting <= role.present for role in found.roles)
    assert all(ring.back_pressure <= 1 for ring in found.rings)
