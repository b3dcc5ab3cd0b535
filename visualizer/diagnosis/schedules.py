"""Other schedules of a diagnosed program, of which one run says nothing: some, or all, are explored within a budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report, Schedules
from visualizer.language import mark, tr, trn
from visualizer.programs.errors import ProgramError
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.sources.explorer import (
    Exploration,
    Witness,
    explore,
    explore_exhaustively,
    some_schedule,
    witness_trace,
)

BUDGET_S = 2.0
"""How long `diagnose` explores a program, about."""
_OPERATIONS_PER_S = 50_000
"""Of programs that are worth beginning with: their steps and tables take a third of the time then."""
_MOST = 10_000  # random schedules

OTHER_SCHEDULE = mark("this run went well; the findings are of another schedule of the same program")


@dataclass(frozen=True, slots=True)
class _Explored:
    tried: int
    all: bool
    bad: Exploration | None


def judged(found: Exploration) -> dict[str, Report]:
    """What is said of a schedule of each outcome, as of a run: the shortest one's first. Of a program of which none
    ends badly it is one that ends well, "clean": there is more that can be wrong than how schedules end."""
    witnesses = found.witnesses or {"clean": some_schedule(found.program)}
    return {name: _judge(found, witness) for name, witness in witnesses.items()}


def with_other_schedules(report: Report, program: Program, budget: float = BUDGET_S) -> Report:
    """The report of a run of `program`, and how many of its schedules were explored in about `budget` seconds. If the
    run has no findings and another schedule ends badly, that one's findings are reported."""
    operations = sum(len(agent.operations) for agent in program.agents)
    if operations > budget * _OPERATIONS_PER_S:
        why = trn(
            "the program has {n} operation, too many to explore in {seconds} s; phasescope explore takes its time.",
            "the program has {n} operations, too many to explore in {seconds} s; phasescope explore takes its time.",
            operations,
            seconds=f"{budget:g}",
        )
        return _left_out(report, why)
    try:
        explored = _explore(program, budget)
    except ProgramError as error:
        return _left_out(report, str(error))
    bad = explored.bad
    if not explored.tried:
        return _left_out(report, tr("none was done in {seconds} s.", seconds=f"{budget:g}"))
    if bad is None and not explored.all:
        unexplored = tr(
            "Other schedules than the {n} that were explored in {seconds} s: there are too many to try all.",
            n=explored.tried,
            seconds=f"{budget:g}",
        )
        report = replace(report, not_judged=(*report.not_judged, unexplored))
    schedules = Schedules(explored.tried, explored.all, bad is not None)
    if bad is None or report.findings:
        return replace(report, schedules=schedules)
    witness = next(iter(bad.witnesses.values()))
    found = _judge(bad, witness)
    left_out = found.not_judged
    if not found.findings:
        left_out = (
            *left_out,
            tr("A schedule of this program ends in {outcome}: why is not known.", outcome=witness.outcome),
        )
    return replace(found, schedules=schedules, note=tr(OTHER_SCHEDULE), not_judged=left_out)


def _left_out(report: Report, why: str) -> Report:
    return replace(report, not_judged=(*report.not_judged, tr("Other schedules: {why}", why=why)))


def _judge(found: Exploration, witness: Witness) -> Report:
    return diagnose(History(witness_trace(found, witness)), found.program)


def _explore(program: Program, budget: float) -> _Explored:
    """All schedules if half of the budget does; else random ones until it is spent or one ends badly."""
    end = perf_counter() + budget
    half = perf_counter() + budget / 2
    found = explore_exhaustively(program, enough=lambda: perf_counter() > half)
    if not found.is_complete and found.is_clean:
        found = explore(program, schedules=_MOST, enough=lambda: perf_counter() > end)
    tried = max(found.schedules, len(found.witnesses))  # a race is known before its schedule has ended
    return _Explored(tried, found.is_complete, None if found.is_clean else found)
