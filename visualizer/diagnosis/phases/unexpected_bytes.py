"""Bytes that no phase waited for: copies that are never expected, or tiles of which too few bytes are."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.advice import expecting
from visualizer.diagnosis.barrier_facts import barrier_facts, stage_and_ring
from visualizer.diagnosis.report import Advice, Finding
from visualizer.diagnosis.source_lines import line, site_at
from visualizer.language import tr
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History


def never_expected(history: History) -> list[Finding]:
    """A copy counts in the phase that is open when it is issued; that phase completed, and the bytes came later."""
    copies, filled = history.copies, history.copy_phases
    known = np.flatnonzero(filled >= 0)
    issued = history.barriers.phase_at(copies.barrier[known], copies.issued[known])
    late = filled[known] > issued
    first: dict[int, tuple[int, int]] = {}
    for copy, phase in zip(known[late].tolist(), issued[late].tolist(), strict=True):
        first.setdefault(history.trace.barriers[int(copies.barrier[copy])].cta, (copy, phase))
    found = []
    for copy, phase in first.values():
        step, row, tile = int(copies.issued[copy]), int(copies.barrier[copy]), int(copies.tile[copy])
        barrier, amount = history.trace.barriers[row], int(copies.amount[copy])
        site = site_at(history.trace, step)
        agent = history.trace.agents[int(copies.agent[copy])].name
        stage, ring = stage_and_ring(history, int(history.structure.place_of[row]))
        found.append(
            Finding(
                "BYTES NEVER EXPECTED",
                "error",
                tr(
                    "{agent} issues {bytes} bytes to {barrier} in phase #{phase}, which completed without them: nobody"
                    " expected them, so readers were let in early and the bytes spoil phase #{spoiled}. Arrive with"
                    " expect_tx of all the bytes that come{site}.",
                    agent=agent,
                    bytes=amount,
                    barrier=history.barrier_title(row),
                    phase=phase,
                    spoiled=int(filled[copy]),
                    site=line(site),
                ),
                agent=agent,
                barrier=barrier.name,
                stage=stage,
                ring=ring,
                tile=tile if tile >= 0 else None,
                first_divergence=step,
                site=site,
                step=step,
                advice=_expect_all(history, row, phase),
            )
        )
    return found


def _expect_all(history: History, row: int, phase: int) -> Advice | None:
    """To expect, with the one arrival that armed the phase, all bytes that were issued to it; None: several did."""
    barriers, copies, arrivals = history.barriers, history.copies, history.arrivals
    mine = np.flatnonzero(copies.barrier == row)
    mine = mine[barriers.phase_at(copies.barrier[mine], copies.issued[mine]) == phase]
    steps = arrivals.step[arrivals.barrier == row]
    # An arrival counts for the phase that it finds.
    steps = steps[barriers.phase_at(np.full(len(steps), row), steps - 1) == phase]
    arming = np.isin(history.kinds[steps], (EventKind.ARRIVE, EventKind.ARRIVE_EXPECT_TX))
    return expecting(history.trace, int(steps[0]), int(copies.amount[mine].sum())) if arming.sum() == 1 else None


def too_few_expected(history: History, row: int) -> Finding | None:
    """The first tile of which more bytes are copied to the barrier than are expected; None: there is none, or some
    tiles are not noted."""
    trace, events, copies = history.trace, history.trace.events, history.copies
    kinds = (EventKind.ARRIVE_EXPECT_TX, EventKind.EXPECT_TX)
    steps = np.flatnonzero((events["barrier"] == row) & np.isin(history.kinds, kinds))
    mine = copies.barrier == row
    tiles, tile = copies.tile[mine], events["tile"][steps]
    if not len(steps) or tiles.min(initial=0) < 0 or tile.min() < 0:
        return None
    known, place = np.unique(np.concatenate([tile, tiles]), return_inverse=True)  # of any number: some leave gaps
    expects, issues = place[: len(tile)], place[len(tile) :]
    expected = np.bincount(expects, events["amount"][steps], len(known)).astype(np.int64)
    issued = np.bincount(issues, copies.amount[mine], len(known)).astype(np.int64)
    wrong = np.flatnonzero(expected[expects] < issued[expects])
    if not len(wrong):
        return None
    step, of = int(steps[wrong[0]]), int(expects[wrong[0]])
    agent, site = trace.agents[int(events["agent"][step])].name, site_at(trace, step)
    rest = int(issued[of] - expected[of])
    return Finding(
        "BYTES NEVER EXPECTED",
        "error",
        tr(
            "{agent} expects {expected} bytes of tile {tile} on {barrier}{site}, but {issued} are copied there: its"
            " phase completes before all are in, and those that come late spoil the next.",
            agent=agent,
            expected=int(expected[of]),
            tile=int(known[of]),
            barrier=history.barrier_title(row),
            site=line(site),
            issued=int(issued[of]),
        ),
        agent=agent,
        **barrier_facts(history, row, history.barrier_at(row, step)),
        tile=int(known[of]),
        first_divergence=step,
        site=site,
        step=step,
        blamed=agent,
        advice=expecting(trace, step, int(events["amount"][step]) + rest),
    )
