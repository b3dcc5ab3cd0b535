"""What a diagnosis says: findings with every number of the verdict template, and their JSON for scripts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from visualizer.replay.barrier_columns import Counting

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""Worst first: a root cause or a fault; a fault that did no harm this time; what follows from another finding."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An agent's arrivals in the barrier's current phase."""

    agent: str
    arrivals: int
    step: int  # of its latest one


@dataclass(frozen=True, slots=True)
class Owed:
    """An agent that could arrive, where it is, and its next arriving operation: "none" if it has none left."""

    agent: str
    state: str  # "running", "exited", "blocked on full[0]"
    next: str  # "arrive at tile 2 (kernels/x.cu:60)", "none", "unknown"


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the source."""

    file: str
    line: int
    op: str


@dataclass(frozen=True, slots=True)
class Planned:
    """An operation to add, as events have it: `amount` bytes or arrivals; -1, None where one does not apply."""

    kind: str
    barrier: str | None
    ring: str | None
    stage: int
    parity: int
    amount: int
    tile: int = -1
    ctas: int = 1  # that a multicast copy goes to


@dataclass(frozen=True, slots=True)
class Advice:
    """The change of the program that a cause amounts to: what the agent is to leave out, and what to do instead."""

    agent: str
    # Steps of the operations' events; as many as there are steps, and n: the n-th of those that were to come, from 0.
    remove: tuple[int, ...]
    add: tuple[Planned, ...] = ()
    before: int | None = None  # the step of the agent's event that `add` comes before; None: at the end of its list
    also: tuple[Advice, ...] = ()  # what must be changed with it, by others or elsewhere; each has no more parts


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. Fields are named as in the JSON; None or () where a field does not apply.

    Phases are unbounded numbers, `phase_wanted` -1 the one before a barrier's first. `expected` counts arrivals per
    phase, `tx` bytes. `step` is the event to look at, `first_divergence` the first that departed from a sound run.
    """

    verdict: str
    severity: Severity
    cause: str
    agent: str | None = None
    barrier: str | None = None  # as the recording calls it
    title: str | None = None  # as people do: by what it is for, where the recording knows an address alone
    stage: int | None = None
    ring: str | None = None  # in which the stage counts, where there are several
    tile: int | None = None
    phase_wanted: int | None = None
    phase_now: int | None = None
    parity: int | None = None
    pending: int | None = None
    expected: int | None = None
    tx: int | None = None
    arrived: tuple[Arrived, ...] = ()
    owed: tuple[Owed, ...] = ()
    released_by: tuple[str, ...] = ()
    first_divergence: int | None = None
    site: SourceLine | None = None
    step: int | None = None
    blamed: str | None = None  # the agent whose doing it is, where that is known
    certain: bool = True  # the recording shows this very fault; else it is the likeliest of what would explain it
    advice: Advice | None = None  # None: there is no single operation to change
    rule: str = ""  # which mistake it is, one word in every language and recording; "": none that has a name
    counting: Counting = Counting.INIT  # what the numbers of phases count from
    effects: tuple[Finding, ...] = ()  # what came after it in the same CTAs, or follows from it


@dataclass(frozen=True, slots=True)
class Schedules:
    """How many schedules of a program were explored beside the run, and whether one of them ends badly."""

    explored: int
    all: bool  # up to the order of unrelated steps; `explored` counts their distinct ends then
    bad: bool


@dataclass(frozen=True, slots=True)
class Report:
    """A diagnosis: how the run ended, how many records are missing, and what is wrong, root causes first."""

    ended: str
    lost_events: int
    findings: tuple[Finding, ...]
    note: str = ""  # what a reader should know of the diagnosis itself
    not_judged: tuple[str, ...] = ()  # what the recording does not tell enough for, a sentence each with the reason
    schedules: Schedules | None = None  # None: a recording, of which there is only this one

    @property
    def clean(self) -> bool:
        """Nothing of what was judged is wrong."""
        return not self.findings

    @property
    def every(self) -> tuple[Finding, ...]:
        """The findings, each with its effects behind it."""
        return tuple(one for finding in self.findings for one in (finding, *finding.effects))


_KEYS = (
    "verdict", "severity", "agent", "barrier", "title", "stage", "ring", "tile", "phase_wanted", "phase_now", "parity",
    "pending", "expected", "tx", "arrived", "owed", "released_by", "first_divergence", "cause", "site", "step",
    "blamed", "certain", "advice", "counting",
)  # fmt: skip


def report_json(report: Report) -> dict[str, Any]:
    """The document of `diagnose --json`; every finding has all of its keys."""
    findings = [
        _finding_json(finding) | {"effects": list(map(_finding_json, finding.effects))} for finding in report.findings
    ]
    return {
        "ended": report.ended,
        "lost_events": report.lost_events,
        "findings": findings,
        "not_judged": list(report.not_judged),
        "schedules": asdict(report.schedules) if report.schedules is not None else None,
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    values = asdict(replace(finding, effects=())) | {"counting": finding.counting.name.lower()}
    return {key: list(values[key]) if isinstance(values[key], tuple) else values[key] for key in _KEYS}
