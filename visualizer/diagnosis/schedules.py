"""Other schedules of a diagnosed program, of which one run says nothing: some, or all, are explored within a budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report, Schedules
from visualizer.language import mark, tr
from visualizer.programs.program import Program, ProgramError
from visualizer.replay.history import History
from visualizer.sources.errors import Cancelled
from visualizer.sources.explorer import Exploration, explore, explore_exhaustively, witness_trace

BUDGET_S = 2.0
"""How long `diagnose` explores a program, about."""
_AT_ONCE = 20  # random schedules between two looks at the clock

OTHER_SCHEDULE = mark("this run went well; the findings are of another schedule of the same program")


@dataclass(frozen=True, slots=True)
class _Explored:
    tried: int
    all: bool
    bad: Exploration | None


def with_other_schedules(report: Report, program: Program, budget: float = BUDGET_S) -> Report:
    """The report of a run of `program`, and how many of its schedules were explored. If the run has no findings and
    another schedule ends badly, that one's findings are reported."""
    try:
        explored = _explore(program, budget)
    except ProgramError as error:
        return replace(report, not_judged=(*report.not_judged, tr("Other schedules: {why}", why=str(error))))
    bad = explored.bad
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
    found = diagnose(History(witness_trace(bad, witness)), program)
    left_out = found.not_judged
    if not found.findings:
        left_out = (
            *left_out,
            tr("A schedule of this program ends in {outcome}: why is not known.", outcome=witness.outcome),
        )
    return replace(found, schedules=schedules, note=tr(OTHER_SCHEDULE), not_judged=left_out)


def _explore(program: Program, budget: float) -> _Explored:
    """All schedules if half of the budget does; else random ones until it is spent or one ends badly."""
    end = perf_counter() + budget
    half = perf_counter() + budget / 2
    try:
        found = explore_exhaustively(program, cancelled=lambda: perf_counter() > half)
        if found.is_complete or not found.is_clean:
            return _Explored(found.schedules, found.is_complete, None if found.is_clean else found)
    except Cancelled:
        pass
    tried = 0
    while perf_counter() < end or not tried:
        found = explore(program, schedules=_AT_ONCE if tried else 1, seed=tried)
        tried += found.schedules
        if not found.is_clean:
            return _Explored(tried, False, found)
    return _Explored(tried, False, None)
