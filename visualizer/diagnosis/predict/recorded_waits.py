"""What a recording's agents did to barriers, as durations that can be played again: waits, arrivals and copies.

For pipelines whose agents wait for more than one ring of their own CTA: several rings, turns, clusters. Everything that
lets a wait pass is followed, whichever barrier it is on; what else an agent does, its other waits included, is work.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from visualizer.arrays.ordering import distinct_rows, order_by
from visualizer.diagnosis.predict.completions import NOTHING, Completions, find_bytes, find_pace
from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.measured import LEAST_TILES, NO_OVERLAPS, Floats, consumer_delay_of
from visualizer.diagnosis.statistics.facts import Bools, Facts, Ints
from visualizer.language import tr, trn
from visualizer.recording.schema import EventKind

WAIT, ARRIVAL, COPY = range(3)
"""What an item is."""
NEVER = -2
"""In place of a completion: the wait never passed, so that its agent comes no further."""
MOST_ITEMS = 60_000
"""Of whole clusters; of more, some evenly spread ones are played."""


@dataclass(frozen=True, eq=False)
class RecordedWaits:
    """Items by agent and within one in order, (items,); completions of phases, (completions,). Durations in ps."""

    kind: Ints  # WAIT, ARRIVAL or COPY
    first_of: Ints  # (agents + 1,): where each agent's items begin
    delta: Floats  # work since the item before it, or since the recording's start
    completion: Ints  # that the item waits for or adds to; NOTHING or NEVER
    passing: Floats  # of a wait that need not wait
    waking: Floats  # of a wait that must, after the completion
    fill: Floats  # of a copy, from issue to landing
    use: Ints  # of a wait on an empty barrier of the ring: the use of a stage that it is for; else -1
    after_full: Bools  # the first item after a wait on a full barrier: what a consumer does with a tile begins here
    place: Ints  # the agent's CTA, as a row of `released`
    needed: Ints  # (completions,): how many arrivals and copies make each
    lag: Floats  # (completions,): after the last of them
    fills: Ints  # (completions,): the CTA, as a row of `released`, whose stage of the ring is full by it; -1: none's
    pace: Floats  # (completions,): after the use before was full in its CTA, at the least; -inf: of no full stage
    released: Ints  # (CTAs, uses): the completion by which a use of a stage is released; NOTHING: none is recorded
    released_time: Floats  # the same: when, in the recording; NaN: it was not
    stages: int
    stage_bytes: int
    ring_bytes: int  # of all rings of a CTA
    consumer_delay_ns: int  # what the recording's configuration says, 0 if nothing
    notes: tuple[str, ...]

    @property
    def copy_time(self) -> float:
        """Median of `fill` of copies."""
        copies = self.fill[self.kind == COPY]
        return float(np.median(copies)) if len(copies) else 0.0

    def with_consumer_delay(self, delay_ns: int) -> RecordedWaits:
        """As if each consumer worked `delay_ns` on each tile instead of the recorded delay."""
        change = (delay_ns - self.consumer_delay_ns) * 1000.0
        delta = np.where(self.after_full, np.maximum(self.delta + change, 0), self.delta)
        return replace(self, delta=delta, consumer_delay_ns=delay_ns)

    def with_copy_time(self, copy_ns: float) -> RecordedWaits:
        """As if copies took `copy_ns` at the median: all in proportion."""
        factor = copy_ns * 1000.0 / max(self.copy_time, 1.0)
        return replace(self, fill=self.fill * factor, pace=self.pace * factor)


def record_waits(facts: Facts, ring: int) -> RecordedWaits:
    """The items of a recording, for other stages of the ring of this row of Structure.names. PredictError if what
    lets its waits pass is nothing that can be played."""
    history, times, waits = facts.history, facts.wait_times, facts.waits
    trace, copies, arrivals = history.trace, history.copies, history.arrivals
    time = trace.events["time"].astype(np.float64)
    completions = Completions(history)
    on_barriers = np.flatnonzero((waits.kind == EventKind.WAIT_BEGIN) & (waits.barrier >= 0))
    chosen = _chosen_ctas(facts, len(on_barriers) + len(arrivals) + len(copies))
    waited = on_barriers[chosen[times.cta[on_barriers]]]
    arrived = np.flatnonzero(chosen[trace.agent_cta[arrivals.agent]])
    copied = np.flatnonzero((copies.landed >= 0) & (copies.barrier >= 0) & chosen[trace.agent_cta[copies.agent]])

    step = np.concatenate([waits.begin[waited], arrivals.step[arrived], copies.issued[copied].astype(np.int64)])
    agent = np.concatenate([waits.agent[waited], arrivals.agent[arrived], copies.agent[copied]])
    kind = np.repeat([WAIT, ARRIVAL, COPY], [len(waited), len(arrived), len(copied)])
    row = np.concatenate([waited, arrived, copied])
    order = order_by(agent, step)
    step, agent, kind, row = step[order], agent[order], kind[order], row[order]
    is_wait, is_arrival, is_copy = (np.flatnonzero(kind == code) for code in (WAIT, ARRIVAL, COPY))
    of_waits, of_arrivals, of_copies = row[is_wait], row[is_arrival], row[is_copy]

    begun = time[step]
    ended = begun.copy()
    ended[is_wait] = times.end[of_waits]
    # Whether the item before is the same agent's, and when that was over.
    follows = np.append(False, agent[1:] == agent[:-1])[: len(agent)]
    delta = np.maximum(begun - np.where(follows, np.roll(ended, 1), 0), 0)
    on_full = np.zeros(len(step), bool)
    on_full[is_wait] = times.on_full[of_waits]

    fill = np.zeros(len(step))
    fill[is_copy] = time[copies.landed[of_copies]] - begun[is_copy]
    completion = np.full(len(step), NOTHING, np.int64)
    completion[is_wait] = completions.of_steps(waits.completion[of_waits])
    completion[is_wait[waits.end[of_waits] < 0]] = NEVER
    completion[is_arrival] = completions.of_phases(arrivals.barrier[of_arrivals], arrivals.phase[of_arrivals])
    completion[is_copy] = completions.of_phases(copies.barrier[of_copies], history.copy_phases[of_copies])
    needed, lag = _contributions(kind, completion, begun + fill, time[completions.steps])

    passing, waking = np.zeros((2, len(step)))
    passing[is_wait], waking[is_wait] = _costs(facts, of_waits)
    fills, pace = find_pace(facts, ring, completions, chosen)
    released, use = _uses(facts, ring, completions, chosen, of_waits, completion[is_wait])
    _refuse_few(released)
    _refuse_unknown(facts, arrived, completion[is_wait], needed)
    use_of = np.full(len(step), -1, np.int64)
    use_of[is_wait] = use
    stage_bytes, ring_bytes = find_bytes(facts, ring)
    place = np.cumsum(chosen) - 1
    at = np.append(time[completions.steps], np.nan)
    return RecordedWaits(
        kind=kind,
        first_of=np.searchsorted(agent, np.arange(len(trace.agents) + 1)),
        delta=delta,
        completion=completion,
        passing=passing,
        waking=waking,
        fill=fill,
        use=use_of,
        after_full=follows & np.roll(on_full, 1),
        place=place[trace.agent_cta[agent]],
        needed=needed,
        lag=lag,
        fills=fills,
        pace=pace,
        released=released,
        released_time=at[released],
        stages=facts.rings[ring].stages,
        stage_bytes=stage_bytes,
        ring_bytes=ring_bytes,
        consumer_delay_ns=consumer_delay_of(facts),
        notes=() if np.isfinite(pace).any() else (tr(NO_OVERLAPS),),
    )


def _contributions(kind: Ints, completion: Ints, made: Floats, completed: Floats) -> tuple[Ints, Floats]:
    """How many arrivals and copies make each completion, and how long after the last of them it is."""
    rows = np.flatnonzero((kind != WAIT) & (completion >= 0))
    needed = np.bincount(completion[rows], minlength=len(completed)).astype(np.int64)
    latest = np.full(len(completed), -np.inf)
    np.maximum.at(latest, completion[rows], made[rows])
    return needed, np.maximum(completed - np.where(needed > 0, latest, completed), 0)


def _costs(facts: Facts, rows: Ints) -> tuple[Floats, Floats]:
    """What a wait costs that need not wait, and how long waking up takes: its own where it was so, else the median of
    waits of its role on its kind of barrier; of a kind that never was so, nothing."""
    times = facts.wait_times
    group = (times.role[rows] * 2 + times.on_full[rows]) * 2 + times.on_empty[rows]
    blocked, cost = times.blocked[rows], (times.end - times.due)[rows].astype(np.float64)
    costs = []
    for wanted in (~blocked, blocked):
        own = cost.copy()
        for one in np.unique(group):
            like = wanted & (group == one)
            own[~wanted & (group == one)] = np.median(cost[like]) if like.any() else 0.0
        costs.append(own)
    return costs[0], costs[1]


def _uses(
    facts: Facts, ring: int, completions: Completions, chosen: Bools, rows: Ints, passed_by: Ints
) -> tuple[Ints, Ints]:
    """By (CTA, use of a stage) the completion that releases it; and for each wait the use that it is for, -1: none."""
    structure, waits = facts.history.structure, facts.waits
    name, stages = facts.rings[ring].name, facts.rings[ring].stages
    stage, cta = np.full((2, len(structure.kinds) + 1), -1, np.int64)
    for one in structure.rings:
        if one.name != name or not chosen[one.cta]:
            continue
        for number, barriers in enumerate(one.empty):
            if len(barriers) > 1:
                raise PredictError(
                    tr("ring {name}: a stage has several empty barriers, which a prediction does not know", name=name)
                )
            stage[list(barriers)], cta[list(barriers)] = number, one.cta
    freeing = np.flatnonzero(stage[completions.barrier] >= 0)
    barrier = completions.barrier[freeing]
    use = completions.rank[freeing] * stages + stage[barrier]
    place = np.cumsum(chosen) - 1
    released = np.full((int(chosen.sum()), int(use.max(initial=-1)) + 1), NOTHING, np.int64)
    released[place[cta[barrier]], use] = freeing
    on = waits.barrier[rows]
    rank = np.append(completions.rank, -1)[np.maximum(passed_by, NOTHING)]
    return released, np.where(stage[on] >= 0, (rank + 1) * stages + stage[on], -1)


def _chosen_ctas(facts: Facts, items: int) -> Bools:
    """Whole groups of CTAs whose agents act on each other's barriers: all that agents are recorded of, or as many as
    MOST_ITEMS items have room. A launch may be far larger than what was recorded of it."""
    trace, arrivals = facts.history.trace, facts.history.arrivals
    ctas = max(trace.ctas, 1)
    first = np.arange(ctas)  # the first CTA of each one's group
    links = distinct_rows(trace.agent_cta[arrivals.agent], trace.barrier_cta[arrivals.barrier])
    for _ in range(ctas):
        before = first.copy()
        np.minimum.at(first, links[0], first[links[1]])
        np.minimum.at(first, links[1], first[links[0]])
        if (before == first).all():
            break
        first = first[first]  # of a long row of CTAs each would come to know one more a time
    groups = np.unique(first[trace.agent_cta])
    count = max(1, min(len(groups), MOST_ITEMS * len(groups) // max(items, 1)))
    kept = groups[np.linspace(0, len(groups) - 1, count).astype(np.int64)]
    chosen: Bools = np.isin(first, kept)
    recorded = np.zeros(ctas, bool)
    recorded[trace.agent_cta] = True
    return chosen & recorded


def _refuse_unknown(facts: Facts, arrived: Ints, waited_for: Ints, needed: Ints) -> None:
    """Copy engines and tensor cores have no waits, so that nothing tells when else they would arrive; and of what
    completes a phase something must be known."""
    trace, arrivals = facts.history.trace, facts.history.arrivals
    by_engines = any(trace.agents[row].warp < 0 for row in np.unique(arrivals.agent[arrived]).tolist())
    if by_engines or (needed[waited_for[waited_for >= 0]] == 0).any():
        raise PredictError(
            tr(
                "some phases here are completed by what no warp did, such as a tensor core's commit: a prediction needs"
                " the arrivals of warps and copies that complete them"
            )
        )


def _refuse_few(released: Ints) -> None:
    count = int((released >= 0).sum(axis=1).max(initial=0))
    if count < LEAST_TILES:
        raise PredictError(
            trn(
                "only {n} use of a stage is recorded to its release; a prediction needs {least}: record more tiles",
                "only {n} uses of stages are recorded to their release; a prediction needs {least}: record more tiles",
                count,
                least=LEAST_TILES,
            )
        )
