"""Facts: every wait, copy and finished tile of a recording as columns, each with what released it.

Found once per recording, in passes over columns; the statistics of any range of time and the prediction are sums over
slices of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.replay.history import History
from visualizer.replay.step_index import kind_mask, stable_order
from visualizer.trace.schema import EventFlag, EventKind

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PRODUCER, CONSUMER, COPY_ENGINE, OTHER = range(4)
ROLE_NAMES = ("producer", "consumer", "copy_engine", "other")
"""The roles of agents, at the codes above."""

_OBSERVED = kind_mask(EventKind.PHASE_COMPLETE, EventKind.WORD_SAMPLE)


@dataclass(frozen=True, eq=False)
class Waits:
    """Every wait, by agent and within one in order; all shape (waits,). Times in ps, steps -1 where there is none."""

    agent: Ints
    cta: Ints
    role: Ints  # code of the agent's role
    barrier: Ints  # -1: not on a known barrier
    on_full: Bools
    on_empty: Bools
    tile: Ints
    begin_step: Ints
    end_step: Ints  # -1: it did not pass within the recording
    begin: Ints
    end: Ints  # of a wait that did not pass: when it gave up, or the recording's end
    flip_step: Ints  # the phase completion it waited for; -1: none is known (a fresh barrier, or it did not pass)
    due: Ints  # when that phase completed, no earlier than `begin` and no later than `end`; of an open wait its end

    def __len__(self) -> int:
        return len(self.agent)

    @property
    def blocked(self) -> Bools:
        """Whether the phase was still open when the wait began: the wait has a cause outside itself."""
        return self.due > self.begin


@dataclass(frozen=True, eq=False)
class CopyTimes:
    """Every copy that landed, by time of landing; all shape (copies,). Times in ps, amount in bytes."""

    issue_step: Ints
    done_step: Ints
    issued: Ints
    landed: Ints
    amount: Ints
    cta: Ints
    barrier: Ints
    tile: Ints
    estimated: Bools  # the landing is an estimate between two observations


@dataclass(frozen=True, eq=False)
class Tiles:
    """Every tile that was done with, by CTA and within one by time; all shape (tiles,)."""

    cta: Ints
    tile: Ints
    step: Ints  # the event that ended it
    time: Ints  # ps
    gap: Ints  # ps since the tile before it in the same CTA; -1: it is the first
    ends_with: str  # what ends a tile here: "empty" (its stage is free again), "read", "full", or "" (no tile is known)


@dataclass(frozen=True, eq=False)
class Lives:
    """When each agent began and left (ps), at its row; begin > end: it did nothing. Shape (agents,)."""

    begin: Ints
    end: Ints
    role: Ints
    cta: Ints


@dataclass(frozen=True, eq=False)
class Facts:
    """All of them, of one recording."""

    history: History
    waits: Waits
    copies: CopyTimes
    tiles: Tiles
    lives: Lives


def find_facts(history: History) -> Facts:
    """The facts of a recording. Some passes over all events: off the window's thread for long ones."""
    return Facts(history, _waits(history), _copies(history), _tiles(history), _lives(history))


def role_codes(history: History) -> Ints:
    """The code of every agent's role, shape (agents,)."""
    return np.array([ROLE_NAMES.index(agent.role) for agent in history.trace.agents], np.int64)


def _waits(history: History) -> Waits:
    trace, kinds = history.trace, history.kinds
    events, time = trace.events, trace.events["time"]
    acts = np.flatnonzero(~_OBSERVED[kinds])
    agent = events["agent"][acts].astype(np.int64)
    order = stable_order(agent, max(len(trace.agents), 1))
    steps, agent = acts[order], agent[order]
    begins = np.flatnonzero(kinds[steps] == EventKind.WAIT_BEGIN)
    following = np.minimum(begins + 1, max(len(steps) - 1, 0))
    same = (following > begins) & (agent[following] == agent[begins])
    passed = same & (kinds[steps[following]] == EventKind.WAIT_END)
    gave_up = same & (kinds[steps[following]] == EventKind.TIMEOUT)

    begin_step, rows = steps[begins], events[steps[begins]]
    end_step = np.where(passed, steps[following], -1)
    begin = rows["time"].astype(np.int64)
    end = np.where(passed | gave_up, time[steps[following]], trace.duration_ps).astype(np.int64)
    barrier = rows["barrier"].astype(np.int64)
    flip = _flips(history, barrier, end_step, rows["parity"].astype(np.int64))
    due = np.where(flip >= 0, time[np.maximum(flip, 0)], begin) if len(flip) else begin
    kind_of_barrier = np.array([b.kind for b in trace.barriers] + ["other"])
    return Waits(
        agent=agent[begins],
        cta=trace.agent_cta[agent[begins]].astype(np.int64),
        role=role_codes(history)[agent[begins]],
        barrier=barrier,
        on_full=(kind_of_barrier == "full")[barrier],
        on_empty=(kind_of_barrier == "empty")[barrier],
        tile=rows["tile"].astype(np.int64),
        begin_step=begin_step,
        end_step=end_step,
        begin=begin,
        end=end,
        flip_step=flip,
        due=np.where(passed, np.clip(due, begin, end), end),
    )


def _flips(history: History, barrier: Ints, end_step: Ints, parity: Ints) -> Ints:
    """For each wait that passed the latest completion before its end of a phase of its parity; -1: none."""
    events, length = history.trace.events, max(history.steps, 1)
    flips = history.completion_steps
    flip_barrier = events["barrier"][flips].astype(np.int64)
    keys = flip_barrier * length + flips
    order = np.argsort(keys, kind="stable")
    keys, flips, flip_barrier = keys[order], flips[order], flip_barrier[order]
    found = np.full(len(barrier), -1, np.int64)
    if not len(flips):
        return found
    flip_parity = events["parity"][flips]
    row = np.searchsorted(keys, barrier * length + end_step) - 1
    # Parities alternate: it is the latest completion or the one before.
    for back in (0, 1):
        at = np.maximum(row - back, 0)
        fits = (row - back >= 0) & (flip_barrier[at] == barrier) & (flip_parity[at] == parity) & (end_step >= 0)
        found = np.where((found < 0) & fits, flips[at], found)
    return found


def _copies(history: History) -> CopyTimes:
    events, copies = history.trace.events, history.copies
    issue_step, done_step = copies.done_issue.astype(np.int64), copies.done_steps.astype(np.int64)
    issue, done = events[issue_step], events[done_step]
    return CopyTimes(
        issue_step=issue_step,
        done_step=done_step,
        issued=issue["time"].astype(np.int64),
        landed=done["time"].astype(np.int64),
        amount=issue["amount"].astype(np.int64),
        cta=history.trace.agent_cta[issue["agent"]].astype(np.int64),
        barrier=issue["barrier"].astype(np.int64),
        tile=issue["tile"].astype(np.int64),
        estimated=(done["flags"] & EventFlag.ESTIMATED) != 0,
    )


def _tiles(history: History) -> Tiles:
    """A tile is done with when its stage is free again; without empty barriers, when its last reader is; else when it
    is full: as a pipeline that only fills has it."""
    trace, events = history.trace, history.trace.events
    flips = history.completion_steps
    kind_of_barrier = np.array([b.kind for b in trace.barriers] + ["other"])[events["barrier"][flips]]
    reads = np.flatnonzero(history.kinds == EventKind.READ_END)
    choices = (
        ("empty", flips[kind_of_barrier == "empty"]),
        ("read", reads),
        ("full", flips[kind_of_barrier == "full"]),
    )
    for name, steps in choices:
        steps = steps[events["tile"][steps] >= 0]
        if len(steps):
            return _tiles_ending(history, steps, name)
    return _tiles_ending(history, np.empty(0, np.int64), "")


def _tiles_ending(history: History, steps: Ints, name: str) -> Tiles:
    rows = history.trace.events[steps]
    cta = history.trace.agent_cta[rows["agent"]].astype(np.int64)
    tile = rows["tile"].astype(np.int64)
    # The last of a tile's events ends it: steps ascend, so it is the first one met from behind.
    _, last = np.unique(((cta << 32) + tile)[::-1], return_index=True)
    keep = np.sort(len(steps) - 1 - last)
    keep = keep[np.argsort(cta[keep], kind="stable")]
    cta, tile, steps, time = cta[keep], tile[keep], steps[keep], rows["time"][keep].astype(np.int64)
    gap = np.full(len(keep), -1, np.int64)
    same = cta[1:] == cta[:-1]
    gap[1:][same] = (time[1:] - time[:-1])[same]
    return Tiles(cta, tile, steps, time, gap, name)


def _lives(history: History) -> Lives:
    """Of a warp from its first event to its last act; one that never left is taken to be there to the end."""
    trace = history.trace
    agents = len(trace.agents)
    begin = np.full(agents, np.iinfo(np.int64).max)
    end = np.full(agents, -1, np.int64)
    agent, time = trace.events["agent"], trace.events["time"].astype(np.int64)
    # The last value assigned stays: from behind, an agent's first event.
    begin[agent[::-1]] = time[::-1]
    end[begin <= trace.duration_ps] = trace.duration_ps
    exits = np.flatnonzero(history.kinds == EventKind.EXIT)
    end[agent[exits]] = time[exits]
    return Lives(begin, end, role_codes(history), trace.agent_cta.astype(np.int64))
