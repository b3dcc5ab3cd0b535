"""What if: one small change to a program, and what it changes in how schedules end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from visualizer.language import mark, tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.fault_changes import releases_lag
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.mutations import producers, with_count, with_other_phase
from visualizer.programs.program import Program
from visualizer.programs.registry import check_program, parameters_of
from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.sources.explorer.outcome import Exploration
from visualizer.sources.explorer.random_schedules import explore
from visualizer.sources.progress import CancelCheck, Progress
from visualizer.sources.source import Request

SCHEDULES = 100
"""Enough to see a share, few enough to answer while one looks on."""
_MAX_TILES = 24
"""Three laps of the largest ring: a lesson's later laps repeat these."""
_STAGES = "stages"
_OPERATIONS = 60_000
"""About what can be explored in a second; a longer program is explored with fewer schedules."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """One change. Stages are a matter of the layout and so of the program's parameters; all else changes any finished
    program, its fault included, so that a change can also mend the fault."""

    name: str
    title: str
    more_stages: int = 0
    change_program: Callable[[Program], Program] | None = None

    def refusal(self, program: str, parameters: Mapping[str, Any]) -> str:
        """Why the program of this name and parameters cannot be changed so; "" if it can."""
        if not self.more_stages:
            return ""
        if _STAGES not in {parameter.name for parameter in parameters_of(program)}:
            return tr("this program has no parameter that counts the stages of its only ring")
        try:
            self.changed(program, parameters)
        except ProgramError as error:
            return str(error)
        return ""

    def changed(self, program: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The program's parameters with the change; ProgramError if they cannot be so."""
        changed = {**parameters, _STAGES: check_program(program, parameters)[_STAGES] + self.more_stages}
        check_program(program, changed)
        return changed


@dataclass(frozen=True, slots=True)
class Answer:
    """How schedules end as it is and with the change; `note` says what of the program was explored, if not all."""

    what_if: WhatIf
    before: Exploration
    after: Exploration | None  # None: the program is that already
    note: str = ""

    @property
    def sentence(self) -> str:
        now = tr("As it is: {shares}.", shares=share_text(self.before))
        change = tr(self.what_if.title)
        if self.after is None:
            then = tr("Nothing changes with {change}: it is so already.", change=change)
        else:
            then = tr("With {change}: {shares}.", change=change, shares=share_text(self.after))
        if self.note:
            then = tr("{first} {following}", first=then, following=self.note)
        return tr("{first} {following}", first=now, following=then)


def ask(
    what_if: WhatIf,
    program: str,
    parameters: Mapping[str, Any],
    fault: str | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    cancelled: CancelCheck | None = None,
) -> Answer:
    """Explore the program as it is and changed. ProgramError if there is no such program, Cancelled if cancelled."""
    parameters, note = _explored(program, parameters)
    before = Request(program, parameters, fault).lay_out(cancelled)
    if what_if.more_stages:
        refusal = what_if.refusal(program, parameters)
        if refusal:
            raise ProgramError(refusal)
        after = Request(program, what_if.changed(program, parameters), fault).lay_out(cancelled)
    else:
        assert what_if.change_program is not None
        after = what_if.change_program(before)
    found: list[Exploration | None] = []
    for number, one in enumerate((before, after)):
        if number and one == before:
            found.append(None)
            continue
        found.append(
            explore(
                one,
                schedules=schedules_for(one),
                seed=seed,
                progress=None if progress is None else _half(progress, number),
                cancelled=cancelled,
            )
        )
    assert found[0] is not None
    return Answer(what_if, found[0], found[1], note)


def schedules_for(program: Program) -> int:
    """How many schedules of the program take about as long as one likes to wait."""
    operations = sum(len(agent.operations) for agent in program.agents)
    return max(5, min(SCHEDULES, _OPERATIONS // max(1, operations)))


def share_text(exploration: Exploration) -> str:
    """ "100 of 100 schedules clean", "61 of 100 schedules with a deadlock, 39 with a race"; one may have both."""
    counts = {
        tr("clean"): exploration.clean,
        tr("with a deadlock"): exploration.deadlock,
        tr("with a race"): exploration.race,
        tr("with something undefined"): exploration.other,
    }
    first, *others = [(count, ending) for ending, count in counts.items() if count]
    head = tr("{n} of {all} schedules {ending}", n=first[0], all=exploration.schedules, ending=first[1])
    return tr(", ").join([head, *(tr("{n} {ending}", n=count, ending=ending) for count, ending in others)])


def _explored(program: str, parameters: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """What of the lesson is worth exploring: its CTAs do not know of each other, and its laps repeat."""
    if program != LESSON:
        return parameters, ""
    complete = check_program(program, parameters)
    if complete["ctas"] == 1 and complete["tiles"] <= _MAX_TILES:
        return parameters, ""
    tiles = min(complete["tiles"], _MAX_TILES)
    return {**parameters, "ctas": 1, "tiles": tiles}, tr("(Explored: one CTA, {tiles} tiles.)", tiles=tiles)


def _more_arrivals(program: Program) -> Program:
    def count(old: int) -> int:
        if old >= MAX_COUNT:
            raise ProgramError(tr("empty.init is {old} already, the most that an mbarrier counts", old=old))
        return old + 1

    return with_count(program, "empty", count)


def _half(progress: Progress, number: int) -> Progress:
    return lambda fraction, what: progress((number + fraction) / 2, what)


WHAT_IFS = (
    WhatIf("more-stages", mark("one more stage"), more_stages=1),
    WhatIf("fewer-stages", mark("one stage fewer"), more_stages=-1),
    WhatIf("empty-init", mark("empty.init + 1"), change_program=_more_arrivals),
    WhatIf("full-init", mark("full.init 1"), change_program=lambda p: with_count(p, "full", lambda old: 1)),
    WhatIf(
        "producer-phase",
        mark("the producer's start phase flipped"),
        change_program=lambda p: with_other_phase(p, producers(p)),
    ),
    WhatIf("release-later", mark("each stage released one tile later"), change_program=lambda p: releases_lag(p, 1)),
)
