"""Whose tile a use of a stage is for: a read in the k-th use means what the k-th fill brought, and the two must agree.

Agents may number tiles each in their own way. So a difference is a finding only where the reader's numbers are those of
the fills: they agreed before, and it reads every fill, or they agree for the most part.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.columns import rows_of
from visualizer.diagnosis.barrier_facts import stage_and_ring
from visualizer.diagnosis.phases.passes import restarted
from visualizer.diagnosis.report import Advice, Finding
from visualizer.diagnosis.source_lines import line, site_at
from visualizer.diagnosis.turns.turn_advice import turn_on_stage
from visualizer.diagnosis.uses.accesses import NEVER, Fills, Reads
from visualizer.diagnosis.uses.buffers import Buffers
from visualizer.diagnosis.uses.intents import Intents
from visualizer.diagnosis.wording import sentences
from visualizer.language import tr
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps


def tile_findings(history: History, intents: Intents, buffers: Buffers) -> list[Finding]:
    """WRONG TILE: for each reader and ring the first read of a use whose fill is of another tile."""
    if not history.steps or not history.structure.places or not len(intents.waits):
        return []
    fills, reads = buffers.fills, buffers.reads
    latest = buffers.latest_fill(reads)
    other = (latest >= 0) & (np.append(fills.tile, -1)[latest] != reads.tile)
    if not other.any():
        return []
    use = buffers.uses_of(reads)
    fills = rows_of(fills, (fills.place >= 0) & (fills.phase != NEVER) & (fills.tile >= 0))
    reads, use = rows_of(reads, known := (use >= 0) & (reads.tile >= 0)), use[known]
    if not len(use) or not len(fills.issue):
        return []
    laps = int(max(use.max(), fills.phase.max())) + 1
    keys, first = np.unique(fills.place * laps + fills.phase, return_index=True)
    at = np.minimum(np.searchsorted(keys, reads.place * laps + use), len(keys) - 1)
    filled = keys[at] == reads.place * laps + use
    fill = first[at]
    own = history.trace.agent_cta[fills.agent[fill]] == history.trace.agent_cta[reads.agent]
    reads, use, fill = rows_of(reads, keep := filled & own), use[keep], fill[keep]
    tiles = np.unique((fills.place * laps + fills.phase) << 32 | fills.tile)
    agree = np.isin((reads.place * laps + use) << 32 | reads.tile, tiles)
    found = []
    ring_of = np.repeat(np.arange(len(history.structure.rings)), np.diff(history.structure.first_place))
    group = reads.agent * len(history.structure.rings) + ring_of[reads.place]
    for one in np.unique(group[~agree]):
        mine = np.flatnonzero(group == one)
        ring = int(one) % len(history.structure.rings)
        stage = reads.place[mine] - history.structure.first_place[ring]
        if _common_numbers(agree[mine], use[mine] * history.structure.rings[ring].stages + stage):
            wrong = mine[~agree[mine]][0]
            before = mine[agree[mine] & (mine < wrong)]
            last = int(reads.tile[before[-1]]) if len(before) else None
            finding = _finding(history, fills, reads, int(wrong), int(use[wrong]), int(fill[wrong]), last)
            again = _restarted(history, intents, int(reads.agent[wrong]))
            if not again and len(mine) and mine.tolist().index(wrong) > 0:
                again = _stays(history, reads, int(mine[mine.tolist().index(wrong) - 1]), int(wrong))
            advice = _elsewhere(history, fills, reads, int(wrong)) if again else None
            found.append(replace(finding, cause=sentences(finding.cause, again), advice=advice))
    return found


def _common_numbers(agree: NDArray[np.bool_], ordinal: Steps) -> bool:
    """Whether a reader numbers its tiles as the fills do, by the uses in which they agree."""
    uses = np.unique(ordinal)
    reads_all = len(uses) == int(uses[-1] - uses[0]) + 1
    return bool(agree.any()) if reads_all else 2 * int(agree.sum()) > len(agree)


def _stays(history: History, reads: Reads, before: int, read: int) -> str:
    """Whether the reader uses the stage of its tile before once more, as a sentence; "" if not."""
    same = reads.place[before] == reads.place[read] and reads.tile[before] != reads.tile[read]
    if not same or history.structure.at(int(reads.place[read]))[0].stages < 2:
        return ""
    return tr(
        "{agent} used that stage for tile {tile} right before: its cursor did not move on, or began anew.",
        agent=history.trace.agents[int(reads.agent[read])].name,
        tile=int(reads.tile[before]),
    )


def _elsewhere(history: History, fills: Fills, reads: Reads, read: int) -> Advice | None:
    """To do the turn of this read on the stage that its tile was copied to, in the same ring."""
    ring, stage = history.structure.at(int(reads.place[read]))
    first = history.structure.first_place[history.structure.rings.index(ring)]
    there = fills.tile == reads.tile[read]
    there &= (fills.place >= first) & (fills.place < first + ring.stages)
    if not there.any():
        return None
    due = int(fills.place[there][0]) - int(first)
    return turn_on_stage(history, int(reads.agent[read]), int(reads.begin[read]), ring.name, due - stage)


def _restarted(history: History, intents: Intents, agent: int) -> str:
    """Whether the reader's PipelineState begins anew at some time, as a sentence; "" if not."""
    waits = intents.waits
    own = np.flatnonzero(waits.agent == agent)
    return restarted(history, waits, int(own[waits.begin[own].argmax()])) if len(own) else ""


def _finding(
    history: History, fills: Fills, reads: Reads, read: int, use: int, fill: int, before: int | None
) -> Finding:
    trace = history.trace
    step, issue = int(reads.begin[read]), int(fills.issue[fill])
    stage, ring = stage_and_ring(history, int(reads.place[read]))
    agent = trace.agents[int(reads.agent[read])].name
    so_far = tr(", after both had tile {tile}", tile=before) if before is not None else ""
    return Finding(
        "WRONG TILE",
        "error",
        tr(
            "{agent} reads stage {stage} as tile {tile}{site} in its use {use}, but {writer} filled it with tile"
            " {other}{filled_at} for that use{so_far}: one of the two left a tile out, or did one twice.",
            agent=agent,
            stage=stage,
            tile=int(reads.tile[read]),
            site=line(site_at(trace, step)),
            use=use + 1,
            writer=trace.agents[int(fills.agent[fill])].name,
            other=int(fills.tile[fill]),
            filled_at=line(site_at(trace, issue)),
            so_far=so_far,
        ),
        agent=agent,
        barrier=trace.barriers[int(fills.barrier[fill])].name,
        stage=stage,
        ring=ring,
        tile=int(reads.tile[read]),
        first_divergence=step,
        site=site_at(trace, step),
        step=step,
    )
