"""Schedules are judged as runs are: rule, agent, barrier, line; nothing where the mistake is mended; within budget."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from ring_programs import only_read, ring, use

from visualizer.diagnosis import schedules
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Finding, Report
from visualizer.diagnosis.schedules import judged, with_other_schedules
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.builder import Builder
from visualizer.programs.faults import FAULTS
from visualizer.programs.program import Program
from visualizer.programs.registry import PROGRAMS, find_program
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, explore_exhaustively
from visualizer.sources.simulator.simulate import simulate

SEEDS = range(4)
Told = tuple[str, str, str, int | None]
EMPTY = Report("completed", 0, ())


def told(findings: Iterable[Finding]) -> set[Told]:
    """Rule, agent, barrier, line; of whichever CTA and stage, since that is the schedule's choice."""
    names = [
        (f, re.sub(r"CTA\d+\.", "", f.agent or ""), re.sub(r"CTA\d+\.|\[.*", "", f.barrier or "")) for f in findings
    ]
    return {(f.verdict, agent, barrier, f.site.line if f.site is not None else None) for f, agent, barrier in names}


def runs(program: Program) -> list[Report]:
    return [diagnose(History(simulate(program, seed=seed)), program) for seed in SEEDS]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_mistake_is_told_alike_of_runs_and_of_schedules(fault: str) -> None:
    program = find_program(fault=fault)
    of_runs, of_schedules = runs(program), list(judged(explore(program, schedules=60)).values())
    assert all(report.findings for report in of_schedules)
    first = told(report.findings[0] for report in of_runs)
    found = told(finding for report in of_schedules for finding in report.every)
    if fault == "F49":  # which of a phase's two copies comes when it has completed is the schedule's choice
        first, found = ({one[:3] for one in some} for some in (first, found))  # type: ignore[assignment]
    assert first & found


@pytest.mark.parametrize("fault", ["F40", "F50", "F53", "F54"])
def test_what_is_undefined_is_told_with_its_barrier_and_its_line(fault: str) -> None:
    program = find_program(fault=fault)
    reports = judged(explore(program, schedules=60))
    assert reports
    for report in reports.values():
        assert report.ended == "crash"
        assert report.findings[0].verdict in ("OVER-ARRIVAL", "UNDEFINED")
        assert report.findings[0].barrier is not None
        assert report.findings[0].site is not None
    assert told(r.findings[0] for r in reports.values()) & told(r.findings[0] for r in runs(program) if r.findings)


@pytest.mark.parametrize("fault", FAULTS)
def test_without_the_mistake_there_is_nothing(fault: str) -> None:
    mended = baseline(BaselineConfig(**FAULTS[fault].setting))
    assert [report.findings for report in runs(mended)] == [()] * len(SEEDS)
    found = explore(mended, schedules=30)
    assert found.clean == 30
    assert [report.findings for report in judged(found).values()] == [()]


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"cp-async"}))
def test_nothing_is_found_in_the_built_in_programs(name: str) -> None:
    found = explore(find_program(name), schedules=5)
    assert found.clean == 5
    assert found.not_judged == ()
    assert judged(found)["clean"].findings == ()


def test_a_schedule_that_ends_well_is_judged_too() -> None:
    """One reader leaves a tile out from the middle on: nobody hangs and nothing races, and the tiles are wrong."""

    def one_less(c: AgentBuilder, tile: int, full: list[BarrierHandle], empty: list[BarrierHandle]) -> None:
        c.tile = tile + 1
        use(c, tile, full, empty)

    program = ring(1, tiles=8, change={("C0", tile): one_less for tile in range(4, 8)})
    found = explore(program, schedules=20)
    assert found.is_clean
    (report,) = judged(found).values()
    assert told(report.findings) == told(runs(program)[0].findings)
    assert report.findings[0].verdict == "WRONG TILE"


def test_the_cause_of_a_stage_that_is_freed_unfilled_is_not_its_init() -> None:
    """Its consumer's first waits pass at once: as many arrivals come as the init counts, only too early."""
    reports = judged(explore(find_program(fault="F07"), schedules=60)).values()
    assert told(finding for report in reports for finding in report.every)
    for report in reports:
        assert report.findings[0].agent == "C0"
        assert "initialised for" not in report.findings[0].cause


def test_too_few_arrivals_in_the_init_stay_the_cause() -> None:
    program = ring(2, empty_count=1, change={("C1", tile): only_read for tile in range(1)})
    causes = {
        finding.cause for report in runs(program) for finding in report.every if finding.verdict == "COUNT MISMATCH"
    }
    assert any("because it is initialised for 1 arrival" in cause for cause in causes)


class Clock:
    """Time that goes on by one each time somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(schedules, "perf_counter", made)
    return made


def test_the_budget_is_kept_to_within_a_step_and_said(clock: Clock) -> None:
    program = find_program("multicast")
    report = with_other_schedules(EMPTY, program, budget=400.0)
    assert clock.now < 400 + 50, "who works looks at the clock all the time"
    assert report.schedules is not None
    assert not report.schedules.all
    assert report.not_judged == (
        f"Other schedules than the {report.schedules.explored} that were explored in 400 s: there are too many to try"
        " all.",
    )


def test_a_budget_in_which_nothing_is_done_is_said(clock: Clock) -> None:
    report = with_other_schedules(EMPTY, find_program("multicast"), budget=6.0)
    assert report.schedules is None
    assert report.not_judged == ("Other schedules: none was done in 6 s.",)


def test_a_program_too_large_to_begin_with_is_said_to_be() -> None:
    program = find_program("lesson", {"tiles": 4000})
    operations = sum(len(agent.operations) for agent in program.agents)
    report = with_other_schedules(EMPTY, program, budget=1.0)
    assert report.schedules is None
    assert report.not_judged == (
        f"Other schedules: the program has {operations} operations, too many to explore in 1 s; phasescope explore"
        " takes its time.",
    )


def test_a_schedule_that_goes_wrong_is_found_within_the_budget(clock: Clock) -> None:
    """What is cut down of its witness is what time was left for."""
    report = with_other_schedules(EMPTY, find_program(fault="F02"), budget=3000.0)
    assert clock.now < 3000 + 50
    assert report.schedules is not None
    assert report.schedules.bad
    assert report.findings


def test_several_barriers_that_fill_one_stage_are_not_judged_and_that_is_said() -> None:
    """Two rings told as one: the stage's number does not tell which buffer is meant."""
    b = Builder("as one")
    full = [b.barriers(f"full{n}", 1, count=1, kind="full")[0] for n in range(2)]
    empty = [b.barriers(f"empty{n}", 1, count=1, kind="empty")[0] for n in range(2)]
    p, c = b.agent("P"), b.agent("C")
    p.init_all()
    p.sync()
    c.sync()
    for tile in p.tiles(3):
        for n in range(2):
            p.wait(empty[n], 1 ^ tile & 1)
            p.arrive_expect_tx(full[n], 64)
            p.copy(full[n], 0, 64)
    for tile in c.tiles(3):
        for n in range(2):
            c.wait(full[n], tile & 1)
            c.read(0, 64)
            c.arrive(empty[n])
    found = explore(b.build(), schedules=30)
    assert found.is_clean
    assert found.not_judged == (
        "The buffer of 1 stage: copies of several barriers go there, so it may be more than one.",
    )


def test_a_race_is_known_before_its_schedule_has_ended() -> None:
    """A search that stops early does not call itself clean when it has one."""
    found = explore_exhaustively(find_program(fault="F23"), limit_states=60)
    assert not found.is_complete
    assert (found.race > 0) or "write-after-read" in found.witnesses
    assert not found.is_clean
    assert found.statement == "Some schedules of this program end in: race."
