"""What an exploration found: how many schedules ended how, and a witness of each kind of bad ending."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from visualizer.language import tr, trn
from visualizer.programs.program import Program
from visualizer.sources.explorer.machine import Machine
from visualizer.sources.explorer.marks import RACES, Mark
from visualizer.sources.explorer.steps import Code, Compiled

RACE_NAMES = {
    Mark.WRITE_AFTER_READ: "write-after-read",
    Mark.READ_BEFORE_DATA: "read-before-data",
    Mark.OVERWRITE_UNREAD: "overwrite-unread",
    Mark.STALE: "stale",
    Mark.UNFENCED: "missing-fence",
}
Blocked = tuple[tuple[str, str, int], ...]
"""Who hangs on what: (agent, barrier, parity); barrier "" and parity AT_A_SYNC or FOR_REGISTERS where it is none."""
AT_A_SYNC, FOR_REGISTERS = -1, -2


@dataclass(frozen=True, slots=True)
class Witness:
    """A schedule that shows an outcome: `choices` replayed from the start lead to it with the last one."""

    outcome: str  # "deadlock", a name of RACE_NAMES, or the rule that an undefined operation broke
    choices: tuple[int, ...]
    seed: int | None = None  # of the random schedule it was cut from
    detail: str = ""


@dataclass
class Exploration:
    """Counts of schedules (random) or of distinct final states (exhaustive).

    A schedule may be both `deadlock` and `race`; `other` counts those in which something undefined happened, and of
    these no deadlock is counted, since what follows is anybody's guess.
    """

    program: Program
    exhaustive: bool
    schedules: int = 0
    clean: int = 0
    deadlock: int = 0
    race: int = 0
    other: int = 0
    races: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    blocked: Counter[Blocked] = field(default_factory=Counter)
    witnesses: dict[str, Witness] = field(default_factory=dict)
    seed: int | None = None
    states: int = 0
    is_complete: bool = False  # exhaustive, and nothing was left unexplored
    not_judged: tuple[str, ...] = ()  # what no schedule would show, a sentence each with the reason
    seconds: float = 0.0

    @property
    def is_clean(self) -> bool:
        """Nothing bad was seen; that none exists only follows if `is_complete`."""
        return not (self.deadlock or self.race or self.other or self.witnesses)

    @property
    def statement(self) -> str:
        """What the exploration shows, in one sentence."""
        if not self.is_clean:
            # A search that was not complete may know of a step that goes wrong, and of no schedule's end.
            shown, races = set(self.witnesses), set(RACE_NAMES.values())
            found = ["deadlock"] if self.deadlock or "deadlock" in shown else []
            found += ["race"] if self.race or shown & races else []
            found += [tr("undefined operation")] if self.other or shown - races - {"deadlock"} else []
            return tr("Some schedules of this program end in: {outcomes}.", outcomes=tr(", ").join(found))
        if self.is_complete:
            return tr("No schedule of this program deadlocks or races.")
        if self.exhaustive:
            return tr(
                "Nothing bad in the first {states} states, but not all were explored: no statement.", states=self.states
            )
        return tr(
            "No deadlock or race in {schedules} random schedules; only an exhaustive search proves there is none.",
            schedules=self.schedules,
        )

    def count_ending(self, machine: Machine) -> list[str]:
        """Count a schedule that has come to its end; the names of its bad outcomes."""
        self.schedules += 1
        outcomes = [name for mark, name in RACE_NAMES.items() if machine.marks & mark]
        self.races.update(outcomes)
        self.race += bool(machine.marks & RACES)
        if machine.marks & Mark.UNDEFINED:
            self.other += 1
            self.rules[machine.rule] += 1
            outcomes.append(machine.rule)
        elif machine.unfinished:
            self.deadlock += 1
            self.blocked[blocked_agents(machine)] += 1
            outcomes.append("deadlock")
        self.clean += not outcomes
        return outcomes

    def add_witnesses(self, witnesses: Iterable[Witness]) -> None:
        """Keep them, the shortest first."""
        for witness in sorted(witnesses, key=lambda witness: len(witness.choices)):
            self.witnesses[witness.outcome] = witness

    def as_json(self) -> dict[str, Any]:
        """The document of `phasescope explore --json`."""
        witness = next(iter(self.witnesses.values()), None)
        return {
            "program": self.program.name,
            "config": dict(self.program.config),
            "schedules": self.schedules,
            "exhaustive": self.exhaustive,
            "complete": self.is_complete,
            "states": self.states,
            "seed": self.seed,
            "clean": self.clean,
            "deadlock": self.deadlock,
            "race": self.race,
            "other": self.other,
            "races": dict(self.races.most_common()),
            "rules": dict(self.rules.most_common()),
            "blocked": [
                {
                    "schedules": count,
                    "agents": [{"agent": a, "barrier": b or None, "parity": p if b else None} for a, b, p in blocked],
                }
                for blocked, count in self.blocked.most_common(5)
            ],
            "statement": self.statement,
            "not_judged": list(self.not_judged),
            "seconds": round(self.seconds, 3),
            "witness": _witness_json(witness) if witness else None,
            "witnesses": [_witness_json(other) for other in self.witnesses.values()],
        }


def not_judged(compiled: Compiled) -> tuple[str, ...]:
    """What the explorer does not follow in this program."""
    if not compiled.unjudged:
        return ()
    return (
        trn(
            "The buffer of {n} stage: copies of several barriers go there, so it may be more than one.",
            "The buffers of {n} stages: copies of several barriers go there, so they may be more than one each.",
            len(compiled.unjudged),
        ),
    )


def blocked_agents(machine: Machine) -> Blocked:
    """Everyone who has not finished in a state in which nothing can happen, by name."""
    program = machine.compiled.program
    found = []
    for thread in machine.unfinished:
        if not program.agents[thread].threads:
            continue  # a tensor core waits for its warp
        step = machine.threads[thread][machine.pcs[thread]]
        barrier, parity = "", FOR_REGISTERS if step.code == Code.TAKE else AT_A_SYNC
        if step.code == Code.WAIT:
            barrier, parity = program.barriers[step.target].name, step.amount
        found.append((program.agents[thread].agent.name, barrier, parity))
    return tuple(found)


def _witness_json(witness: Witness) -> dict[str, Any]:
    return {
        "outcome": witness.outcome,
        "detail": witness.detail,
        "seed": witness.seed,
        "choices": list(witness.choices),
    }
