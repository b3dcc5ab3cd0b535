"""The change that a finding advises, made to the program, and what becomes of it: the measure of a diagnosis.

Run: PYTHONPATH=.:tests python tests/diagnosis/advised.py [-v] [--without-program] [NAME ...], for figures of every
single-operation change of the programs below.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

from single_changes import SingleChange, single_changes

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.program_steps import first_event, operations_to_come, steps_of_operations
from visualizer.diagnosis.report import Advice, Finding, Planned, Report
from visualizer.programs.accesses import ProxyFence, RetireReads, StoreWait, WaitStores, WgmmaWait
from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.lesson import lesson
from visualizer.programs.operations import Arrive, ArriveExpectTx, Init, Operation, Sync, Wait
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind, kind_name
from visualizer.replay.history import History
from visualizer.sources.explorer import explore, witness_trace
from visualizer.sources.simulator.simulate import simulate

SEEDS = range(4)
SCHEDULES = 40

Run = tuple[History, Report]


def programs() -> Mapping[str, Program]:
    """Those whose single-operation changes are diagnosed; each is sound."""
    from two_rings import TwoRings

    return {
        "lesson": lesson(LessonConfig(stages=2, tiles=4, consumer_warps=2, arrive_per_warp=True, tile_rows=64)),
        "two rings": TwoRings().program(),
        "ordered": baseline(BaselineConfig(turns=True)),
        "cluster": baseline(BaselineConfig(ctas=2, consumers=1)),
    }


def bad_run(program: Program, *, told: bool = True) -> Run | None:
    """The first run or schedule of the program in which something is wrong; None: in none. `told`: with the program."""
    # A recording that says which built-in program it is of would be taken for that of the sound one.
    program = program if told else replace(program, name="mine")
    for seed in SEEDS:
        history = History(simulate(program, seed=seed))
        report = diagnose(history, program if told else None)
        if report.findings:
            return history, report
    found = explore(program, schedules=SCHEDULES)
    for witness in found.witnesses.values():
        history = History(witness_trace(found, witness))
        return history, diagnose(history, program if told else None)
    return None


def applied(program: Program, history: History, advice: Advice) -> Program:
    """The program with the change, all of its parts."""
    agents = list(program.agents)
    for place, agent in enumerate(program.agents):
        parts = [part for part in (replace(advice, also=()), *advice.also) if part.agent == agent.agent.name]
        if not parts:
            continue
        removed: set[int] = set()
        added: defaultdict[int, list[Operation]] = defaultdict(list)
        for part in parts:
            without, at, operations = _part(program, history, part, place)
            removed |= without
            added[at] += operations
        new: list[Operation] = []
        for number, own in enumerate(agent.operations):
            new += [*added[number], *(() if number in removed else (own,))]
        agents[place] = replace(agent, operations=tuple(new))
    # It is the program that its config tells no more.
    config = {key: value for key, value in program.config.items() if key != "fault"}
    return replace(program, agents=tuple(agents), config=config)


def _part(program: Program, history: History, advice: Advice, place: int) -> tuple[set[int], int, list[Operation]]:
    """Which operations of the agent in this place are left out, and which are added before which."""
    agent = program.agents[place]
    row = history.trace.agent_index[advice.agent]
    by_step = {step: number for number, step in steps_of_operations(history, program, row).items()}
    by_step |= {history.steps + n: number for n, number in enumerate(operations_to_come(history, program, row))}
    # The end of a read is its begin's operation.
    ends = {step for step in advice.remove if step < history.steps and history.kinds[step] == EventKind.READ_END}
    removed = {by_step[step] for step in advice.remove if step in by_step or step not in ends}
    at = len(agent.operations) - 1
    if advice.before is not None:
        at = min((n for step, n in by_step.items() if step >= advice.before), default=at)
    # Of a thread's own read the end is part of it.
    retiring = any(isinstance(o, _RETIRING) for o in agent.operations)
    planned = [one for one in advice.add if one.kind != "read_end" or retiring]
    return removed, at, [_operation(program, agent.operations, one) for one in planned]


_RETIRING = (RetireReads, WaitStores, WgmmaWait, StoreWait)
"""Operations that wait for the end of asynchronous reads."""


_SIMPLE = (ArriveExpectTx(0, 1), Arrive(0), Wait(0, 0), Sync(), Init(0, 1), ProxyFence())
"""Models of operations that a program has none of."""


def _operation(program: Program, own: tuple[Operation, ...], planned: Planned) -> Operation:
    """An operation like those of its kind that the agent, or else another, has."""
    if planned.kind == "read_end":
        return next(replace(o, keep=0) for o in own if isinstance(o, _RETIRING))
    everyone = (*(o for agent in program.agents for o in agent.operations), *_SIMPLE)
    barriers = {barrier.name: row for row, barrier in enumerate(program.barriers)}
    alike = [
        o
        for o in (*own, *everyone)
        if planned.kind == _kind(o) or planned.kind.replace("_", "") == type(o).__name__.lower()
    ]
    model = max(alike, key=lambda o: len(getattr(o, "destinations", ())) == planned.ctas - (planned.ctas == 1))
    values: dict[str, object] = {
        "barrier": barriers[planned.barrier] if planned.barrier is not None else -1,
        "stage": planned.stage,
        "parity": planned.parity,
        "tile": planned.tile,
        "ring": program.rings.index(planned.ring) if planned.ring in program.rings else 0,
    }
    if planned.amount >= 0:
        values |= {"count": planned.amount, "bytes": planned.amount}
    if getattr(model, "destinations", ()):
        values["destinations"] = _everywhere(program, model, planned)
    return replace(model, **{f.name: values[f.name] for f in fields(model) if f.name in values})  # type: ignore[arg-type]


def _everywhere(program: Program, model: Operation, planned: Planned) -> tuple[tuple[int, int], ...]:
    """The full barriers of the planned copy's stage in the CTAs that the model goes to."""
    barriers = program.barriers
    there = []
    for row, cta in model.destinations:  # type: ignore[union-attr]
        wanted = (barriers[row].kind, barriers[row].ring, cta, planned.stage)
        there.append(([(b.kind, b.ring, b.cta, b.stage) for b in barriers].index(wanted), cta))
    return tuple(there)


def _kind(operation: Operation) -> str:
    kind = first_event(operation)
    return kind_name(kind) if kind is not None else type(operation).__name__.lower()


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of one change: "harmless", "right", "behind", "unnamed" or "wrong"."""

    verdict: str
    change: SingleChange
    first: Finding | None


def judged(change: SingleChange, clean: Program, *, told: bool = True) -> Judged:
    """Whether the first finding is the change: what it advises makes the program sound or what is wrong later."""
    run = bad_run(change.program, told=told)
    if run is None:
        return Judged("harmless", change, None)
    history, report = run
    if not report.findings:
        return Judged("unnamed", change, None)
    first = report.findings[0]
    if first.advice is not None:
        try:
            repaired = applied(change.program, history, first.advice)
        except (KeyError, ValueError):
            return Judged("not to be applied", change, first)
        again = bad_run(repaired, told=told)
        return Judged("right" if again is None or is_later(run, again) else "wrong", change, first)
    site = clean.sites[s].line if (s := getattr(change.operation, "site", -1)) >= 0 else None
    named = [f for f in report.every if f.site is not None and f.site.line == site]
    return Judged("behind" if named else "unnamed", change, first)


def is_later(run: Run, again: Run) -> bool:
    """Whether the second run goes further before something is wrong."""
    return _since(again) > _since(run)


def _since(run: Run) -> int:
    first = run[1].findings[0] if run[1].findings else None
    step = first.first_divergence if first is not None and first.first_divergence is not None else run[0].steps - 1
    return int(run[0].trace.events["time"][step])


def survey(names: list[str], *, told: bool) -> Iterator[tuple[str, Judged]]:
    """All changes of the programs named, or of all."""
    for name, program in programs().items():
        if not names or name in names:
            for change in single_changes(program):
                yield name, judged(change, program, told=told)


def main() -> int:
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    counts: Counter[tuple[str, str]] = Counter()
    for name, one in survey(names, told="--without-program" not in sys.argv):
        counts[name, one.verdict] += 1
        if one.verdict not in ("right", "harmless") and "-v" in sys.argv:
            change, first = one.change, one.first
            print(f"{name}: {change.agent} {change.number} {change.operation} {change.what}: {one.verdict}")
            if first is not None:
                print(f"    {first.verdict} {first.agent} {first.barrier}: {first.cause}")
    for key, count in sorted(counts.items()):
        print(*key, count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
