"""What no phase waited for: bytes that came late, and bytes and arrivals left over at the end."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.places import barrier_facts, line, site_at, stage_and_ring
from visualizer.diagnosis.report import Finding
from visualizer.diagnosis.uses import Deviation
from visualizer.language import tr
from visualizer.replay.history import History


def leftover_findings(history: History, deviations: list[Deviation]) -> list[Finding]:
    """The first copy of every CTA whose phase completed without it; bytes and arrivals left over in a completed run."""
    # Bytes of a phase that nobody armed are no fault of the copy's: who waits for that phase is told of the arrival.
    unarmed = {d.barrier for d in deviations if d.arrivals < d.usual}
    return [*_never_expected(history), *_bytes_left(history, unarmed), *_arrivals_left(history)]


def _never_expected(history: History) -> list[Finding]:
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
            )
        )
    return found


def _bytes_left(history: History, unarmed: set[int]) -> list[Finding]:
    """Bytes expected and never delivered, or delivered and never expected: in a completed run the first barrier with
    either; in a run that hangs the first where bytes came with no expectation, but arrivals are still pending."""
    ended = history.trace.meta.ending.kind
    if ended not in ("completed", "deadlock", "timeout"):
        return []
    for row in range(len(history.trace.barriers)):
        state = history.last_barriers[row]
        if not state.valid or not state.tx or (ended != "completed" and (state.tx > 0 or not state.pending)):
            continue
        if ended != "completed" and row in unarmed:
            continue
        if state.tx > 0:
            cause = tr(
                "The run ended with {barrier} open in phase #{phase}: {bytes} bytes were expected and never delivered.",
                barrier=history.barrier_title(row),
                phase=state.phase,
                bytes=state.tx,
            )
        else:
            cause = tr(
                "The run ended with {barrier} open in phase #{phase}: {bytes} bytes came that nobody had expected, so"
                " an earlier phase did not wait for them.",
                barrier=history.barrier_title(row),
                phase=state.phase,
                bytes=-state.tx,
            )
        issues = history.copies.issues.steps(row)
        issue = int(issues[0]) if state.tx < 0 and len(issues) else None
        return [
            Finding(
                "BYTES LEFT OVER" if ended == "completed" else "BYTES NEVER EXPECTED",
                "warning" if ended == "completed" else "error",
                cause,
                **barrier_facts(history, row, state),
                first_divergence=issue,
                site=site_at(history.trace, issue) if issue is not None else None,
                step=history.steps - 1,
            )
        ]
    return []


def _arrivals_left(history: History) -> list[Finding]:
    """A stage's barrier that a completed run leaves with part of a phase's arrivals: roles disagree on how many."""
    if history.trace.meta.ending.kind != "completed":
        return []
    for row in range(len(history.trace.barriers)):
        state = history.last_barriers[row]
        if history.structure.kinds[row] == "other" or not state.valid or not 0 < state.pending < state.needed:
            continue
        step = history.barriers.index.before(row, history.steps)
        return [
            Finding(
                "ARRIVALS LEFT OVER",
                "warning",
                tr(
                    "The run ended with {arrived} of {needed} arrivals in phase #{phase} of {barrier}: one agent"
                    " arrives more often than another, so under other timing a phase completes with the wrong"
                    " arrivals.",
                    arrived=state.arrived,
                    needed=state.needed,
                    phase=state.phase,
                    barrier=history.barrier_title(row),
                ),
                **barrier_facts(history, row, state),
                site=site_at(history.trace, step) if step is not None else None,
                step=step,
            )
        ]
    return []
