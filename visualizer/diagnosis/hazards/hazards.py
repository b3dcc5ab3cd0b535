"""Buffer hazards: accesses of a stage that no barrier orders, in runs that completed as well.

Two steps, so that millions of clean events cost passes over columns and no Python loop. First every access gets the
short proof of order that a sound pipeline has: the reader waited on the stage's full barrier for the phase that the
copy completed; the writer waited on its empty barrier for a phase the reader arrived in afterwards, or, where no read
is recorded, somebody who had waited for the copy. Only CTAs where some access lacks it go through vector clocks, which
know every other way to be ordered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.columns import rows_of
from visualizer.arrays.ordering import order_by, search
from visualizer.diagnosis.hazards.meetings import Meetings, find_meetings
from visualizer.diagnosis.hazards.proofs import Proofs
from visualizer.diagnosis.hazards.races import races
from visualizer.diagnosis.hazards.written import asynchronous_reads, own_writes, suspect_writes
from visualizer.diagnosis.joined_ctas import joined_ctas
from visualizer.diagnosis.uses.accesses import NEVER, Fills, Reads, shared_places
from visualizer.diagnosis.uses.buffers import Buffers
from visualizer.diagnosis.uses.intents import Intents
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps

HazardKind = Literal["WRITE AFTER READ", "READ BEFORE DATA", "OVERWRITE UNREAD", "STALE DATA", "MISSING FENCE"]

HAZARDS: tuple[HazardKind, ...] = get_args(HazardKind)

MOST_EVENTS = 400_000
"""Events that vector clocks look at, all CTAs together: about five seconds."""

MOST_RACES = 200
"""About so many races are found among CTAs that share barriers; more of them would say nothing new."""


@dataclass(frozen=True, slots=True)
class Hazard:
    """An unordered pair of accesses; `times` counts pairs of the same agents and kind in the CTA, or, if there may be
    `more`, those that were met before there were too many to look on."""

    kind: HazardKind
    place: int
    step: int
    other: int  # -1: none
    times: int
    happened: bool  # they did overlap or change places in this run; else it is clean by luck
    more: bool = False


@dataclass(frozen=True, slots=True)
class Hazards:
    """What was found, and of how many events it was not found out how they are ordered, as there are too many."""

    found: list[Hazard]
    left_out: int = 0


def find_hazards(
    history: History, intents: Intents, program: Program | None = None, buffers: Buffers | None = None
) -> Hazards:
    """All hazards, the first of every kind and pair of agents, in order of step. The program tells of the syncs that
    leave no event."""
    trace = history.trace
    if not history.steps or not trace.barriers or not history.structure.places:
        return Hazards([])
    buffers = buffers or Buffers(history, intents)
    copies, reads = buffers.fills, buffers.reads
    several = shared_places(history, copies.place, copies.barrier)
    copies = rows_of(copies, (copies.place >= 0) & ~np.isin(copies.place, several))
    reads = rows_of(reads, ~np.isin(reads.place, several))
    writes = own_writes(history)
    writes = writes[~np.isin(history.event_places.of(writes), several)]
    if not len(copies.issue) and not len(writes):
        return Hazards([])
    waits, relied = intents.waits, relied_on(intents)
    suspects = _suspects(Proofs(history, intents, relied), copies, reads)
    touched = history.event_places.of(writes)
    # A write shows to be wrong where somebody reads, which may be as late as the recording goes.
    wrong = touched[suspect_writes(history, writes, reads)]
    suspects = np.concatenate((suspects, np.stack((wrong, np.full(len(wrong), history.steps - 1)))), axis=1)
    found = _stale_data(history, copies, reads, buffers)
    left_out = 0
    if suspects.size:
        by_end = {int(waits.end[w]): int(relied[w]) for w in np.flatnonzero(waits.end >= 0)}
        meetings = find_meetings(history, program)
        raced, left_out = _exact(history, suspects, by_end, copies, reads, writes, meetings)
        found += raced
    return Hazards(_first_of_each(history, found), left_out)


def _suspects(proof: Proofs, copies: Fills, reads: Reads) -> NDArray[np.int64]:
    """Places, and the steps until which to look, of accesses without the short proof of order: shape (2, suspects)."""
    if not len(copies.issue):
        return np.zeros((2, 0), np.int64)
    suspect_reads, collision = proof.unordered_reads(copies, reads)
    return np.concatenate(
        (
            np.stack((reads.place, collision))[:, suspect_reads],
            np.stack((copies.place, copies.issue))[:, proof.unordered_copies(copies, reads)],
        ),
        axis=1,
    )


def relied_on(intents: Intents) -> NDArray[np.int64]:
    """How many phases have completed as far as each wait can know: luck with the timing gives it no more."""
    waits, wanted = intents.waits, intents.wanted
    lucky = intents.strict & (waits.parity == intents.due) & (waits.met > wanted + 1)
    return np.where(lucky, wanted + 1, waits.met)


def early_arrivals(history: History, intents: Intents) -> list[int]:
    """Steps at which a producer re-arms a full barrier without knowing that the stage was released: of each agent the
    first. Producers that never wait on that empty barrier are not judged: another agent may wait for them."""
    trace, arrivals = history.trace, history.arrivals
    if not history.steps or not trace.barriers or not history.structure.places:
        return []
    proof = Proofs(history, intents, relied_on(intents))
    place = history.structure.place_of
    full = (np.array(history.structure.kinds) == "full") & (place >= 0)
    producer = np.array(history.structure.roles) == "producer"
    keep = full[arrivals.barrier] & producer[arrivals.agent]
    keep &= trace.agent_cta[arrivals.agent] == trace.barrier_cta[arrivals.barrier]
    kept = np.flatnonzero(keep)
    kept = kept[np.argsort(arrivals.step[kept])]
    steps, barrier, agent = arrivals.step[kept], arrivals.barrier[kept], arrivals.agent[kept]
    waited = np.zeros(len(kept), bool)
    knows = np.zeros(len(kept), np.int64)
    # Where a stage has several empty barriers, rings may have been told as one: any of them may be this barrier's.
    for rows, empty in proof.empties_waited_on(agent, place[barrier]):
        waited[rows] = True
        knows[rows] = np.maximum(knows[rows], proof.relied_by(agent[rows], empty, steps[rows]))
    early = np.flatnonzero(waited & (knows < arrivals.phase[kept]))
    _, first = np.unique(agent[early], return_index=True)
    return sorted(steps[early[first]].tolist())


def _exact(
    history: History,
    suspects: NDArray[np.int64],
    relied: dict[int, int],
    copies: Fills,
    reads: Reads,
    writes: Steps,
    meetings: Meetings,
) -> tuple[list[Hazard], int]:
    """Vector clocks over the CTAs of the suspects, up to the last suspect, while the budget of events lasts; and how
    many events it did not last for."""
    trace = history.trace
    events = trace.events
    agent_cta = trace.agent_cta[events["agent"]]
    together = joined_ctas(history)
    cta = together[agent_cta]
    cta_of_place = np.repeat([ring.cta for ring in history.structure.rings], np.diff(history.structure.first_place))
    suspect_cta = together[cta_of_place[suspects[0]]]
    landed = dict(zip(copies.issue.tolist(), copies.landed.tolist(), strict=True))
    landed |= zip(writes.tolist(), writes.tolist(), strict=True)
    ended = dict(zip(reads.begin.tolist(), reads.end.tolist(), strict=True))
    buffers = np.unique(np.concatenate((copies.place, history.event_places.of(writes))))
    asynchronous = set(asynchronous_reads(history).tolist()) if len(writes) else set()
    found: list[Hazard] = []
    budget, left_out = MOST_EVENTS, 0
    for group in np.unique(suspect_cta):
        last = int(suspects[1][suspect_cta == group].max())
        steps = np.flatnonzero(cta[: last + 1] == group)
        unseen = max(len(steps) - budget, 0)
        left_out += unseen
        steps = steps[:budget]
        budget -= len(steps)
        met = races(history, steps, relied, buffers, meetings, asynchronous, MOST_RACES)
        more = unseen > 0 or len(met) >= MOST_RACES
        for race in met:
            if race.kind == "READ BEFORE DATA":
                happened = race.other < 0 or landed.get(race.other, NEVER) > race.step
            elif race.kind == "WRITE AFTER READ":
                # `other` is the read's end, or its begin while it goes on.
                happened = race.other in ended and ended[race.other] > race.step
            elif race.kind == "MISSING FENCE":
                happened = False  # what the reader saw is in no recording
            else:
                happened = True
            found.append(Hazard(race.kind, race.place, race.step, race.other, 1, happened, more))
    return found, left_out


def _stale_data(history: History, copies: Fills, reads: Reads, buffers: Buffers) -> list[Hazard]:
    """Reads of a tile that the stage does not hold: overwritten before, or not written yet; the first by each pair of
    agents, with how many there are. In a use whose own fill is
    there, another tile is another matter (tile_findings.py)."""
    if not len(copies.issue):
        return []
    before = search(copies.keys, reads.place * history.steps + reads.begin) - 1
    at = np.maximum(before, 0)
    written = (before >= 0) & (copies.place[at] == reads.place)
    wrong = written & (reads.tile >= 0) & (copies.tile[at] >= 0) & (copies.tile[at] != reads.tile)
    if not wrong.any():
        return []
    uses = buffers.uses_of(reads)
    wrong &= (uses < 0) | (copies.phase[at] != uses)
    written_first = _first_of_tile(copies, reads)
    # Where nothing was ever written of a tile it was skipped: nothing else was to be read here.
    rows = np.flatnonzero(wrong & (written_first != NEVER))
    early = written_first[rows] >= reads.begin[rows]
    other = copies.issue[at[rows]]
    cta = np.array([ring.cta for ring in history.structure.rings], np.int64)
    cta = np.repeat(cta, np.diff(history.structure.first_place))[reads.place[rows]]
    pairs = np.stack((early, cta, reads.agent[rows], history.trace.events["agent"][other]))
    _, first, times = np.unique(pairs, axis=1, return_index=True, return_counts=True)
    return [
        Hazard(
            "READ BEFORE DATA" if early[row] else "STALE DATA",
            int(reads.place[rows[row]]),
            int(reads.begin[rows[row]]),
            int(other[row]),
            often,
            True,
        )
        for row, often in zip(first.tolist(), times.tolist(), strict=True)
    ]


def _first_of_tile(copies: Fills, reads: Reads) -> Steps:
    """The first copy of each read's tile into its stage, (reads,); NEVER: there is none."""
    tiles = np.append(copies.tile, reads.tile)
    span = int(tiles.max()) + 2
    told = copies.tile >= 0
    keys = copies.place[told] * span + copies.tile[told]
    order = order_by(keys, copies.issue[told])
    keys, issue = keys[order], copies.issue[told][order]
    wanted = reads.place * span + reads.tile
    at = search(keys, wanted)
    found: Steps = np.where(np.append(keys, -1)[at] == wanted, np.append(issue, NEVER)[at], NEVER)
    return np.where(reads.tile >= 0, found, NEVER)


def _first_of_each(history: History, found: list[Hazard]) -> list[Hazard]:
    agent = history.trace.events["agent"]
    first: dict[tuple[str, int, int, int], Hazard] = {}
    for hazard in sorted(found, key=lambda h: h.step):
        other = int(agent[hazard.other]) if hazard.other >= 0 else -1
        key = (hazard.kind, history.structure.at(hazard.place)[0].cta, int(agent[hazard.step]), other)
        if (known := first.get(key)) is None:
            first[key] = hazard
            continue
        best = hazard if hazard.happened and not known.happened else known
        first[key] = replace(best, times=known.times + hazard.times, more=known.more or hazard.more)
    return sorted(first.values(), key=lambda h: h.step)
