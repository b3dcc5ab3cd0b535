"""Where agents met: everything they did before is ordered before everything they do after, and nothing else is.

A bar.sync and a cluster's barrier leave events. A `__syncthreads` leaves none, so that only the program tells of it:
then it lies between the last event that an agent has before it and the first it has after it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from visualizer.diagnosis.program_steps import steps_of_operations
from visualizer.programs.meetings import Sync
from visualizer.programs.operations import Init
from visualizer.programs.program import Program, ProgramAgent
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History


@dataclass(frozen=True, slots=True)
class Meeting:
    """Who met: `agents` waited for all; those of `arrived` (steps of bar.arrive) only said that they came."""

    agents: tuple[int, ...]
    arrived: tuple[int, ...] = ()


Meetings = dict[int, list[Meeting]]
"""Step -> the meetings that are over when the event at that step happens."""


def find_meetings(history: History, program: Program | None) -> Meetings:
    """Every meeting that the events show, and with the program those that leave none."""
    found: defaultdict[int, list[Meeting]] = defaultdict(list)
    _named(history, found)
    if program is not None:
        _unseen(history, program, found)
    return dict(found)


def _named(history: History, found: defaultdict[int, list[Meeting]]) -> None:
    """Whoever is at a barrier when the first is let go was met there; who comes later is of the next meeting."""
    trace = history.trace
    begins = (EventKind.SYNC_BEGIN, EventKind.CLUSTER_WAIT_BEGIN)
    ends = (EventKind.SYNC_END, EventKind.CLUSTER_WAIT_END)
    steps = np.flatnonzero(np.isin(history.kinds, [*begins, *ends, EventKind.SYNC_ARRIVE]))
    cluster_size = _cluster_size(trace)
    here: defaultdict[object, list[int]] = defaultdict(list)
    arrived: defaultdict[object, list[int]] = defaultdict(list)
    met: defaultdict[object, set[int]] = defaultdict(set)
    kinds, rows = history.kinds[steps].tolist(), trace.events["agent"][steps].tolist()
    for step, kind, agent, token in zip(
        steps.tolist(), kinds, rows, trace.events["token"][steps].tolist(), strict=True
    ):
        cluster = kind in (EventKind.CLUSTER_WAIT_BEGIN, EventKind.CLUSTER_WAIT_END)
        cta = trace.agents[agent].cta
        place = ("cluster", cta // cluster_size) if cluster else (cta, token)
        if kind in begins:
            here[place].append(agent)
        elif kind == EventKind.SYNC_ARRIVE:
            arrived[place].append(step)
        elif agent in met[place]:
            met[place].discard(agent)
        else:
            found[step].append(Meeting(tuple(here.pop(place, ())), tuple(arrived.pop(place, ()))))
            met[place] |= set(found[step][-1].agents) - {agent}


def _cluster_size(trace: Trace) -> int:
    """CTAs of a cluster, which are numbered in turn; all that there are where nobody told of smaller ones."""
    launched, told = trace.meta.source.get("cluster"), trace.meta.config.get("cluster", 0)
    if launched:
        return math.prod(launched) or 1
    return told if isinstance(told, int) and told > 0 else trace.ctas + 1


def _unseen(history: History, program: Program, found: defaultdict[int, list[Meeting]]) -> None:
    """The n-th `__syncthreads` of each agent of a CTA is one meeting; it took place if somebody did something after."""
    if not any(has_unseen_sync(agent) for agent in program.agents):
        return
    trace = history.trace
    rounds: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for agent in program.agents:
        row = trace.agent_index.get(agent.agent.name, -1)
        if row < 0:
            continue
        performed = steps_of_operations(history, program, row)
        syncs = [n for n, o in enumerate(agent.operations) if isinstance(o, Sync) and not o.cluster]
        later, steps = list(performed), list(performed.values())
        for turn, number in enumerate(syncs):
            at = int(np.searchsorted(later, number))
            rounds[agent.agent.cta, turn].append((row, steps[at] if at < len(steps) else history.steps))
    for members in rounds.values():
        if (step := min(step for _, step in members)) < history.steps:
            found[step].append(Meeting(tuple(row for row, _ in members)))


def has_unseen_sync(agent: ProgramAgent) -> bool:
    """Whether the agent has a `__syncthreads` after its first barrier operation: an order that events do not show."""
    used = False
    for operation in agent.operations:
        if isinstance(operation, Sync) and not operation.cluster and used:
            return True
        used |= hasattr(operation, "barrier") and not isinstance(operation, Init)
    return False
