"""What no phase waited for: bytes that came late, and bytes and arrivals left over at the end."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.advice import init_advice, init_line
from visualizer.diagnosis.arrived import number_of
from visualizer.diagnosis.barrier_facts import barrier_facts
from visualizer.diagnosis.phases.unexpected_bytes import never_expected, too_few_expected
from visualizer.diagnosis.report import Finding
from visualizer.diagnosis.source_lines import line, site_at
from visualizer.diagnosis.uses.deviations import Deviation
from visualizer.diagnosis.wording import listed
from visualizer.language import tr
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History


def leftover_findings(history: History, deviations: list[Deviation]) -> list[Finding]:
    """The first copy of every CTA whose phase completed without it; bytes and arrivals left over in a completed run."""
    # Bytes of a phase that nobody armed are no fault of the copy's: who waits for that phase is told of the arrival.
    unarmed = {d.barrier for d in deviations if d.arrivals < d.usual}
    return [
        *never_expected(history),
        *_bytes_left(history, unarmed),
        *_arrivals_left(history),
        *_not_awaited(history),
    ]


def _bytes_left(history: History, unarmed: set[int]) -> list[Finding]:
    """Bytes expected and never delivered, or delivered and never expected: in a completed run the first barrier with
    either; in a run that hangs the first where bytes came with no expectation, but arrivals are still pending."""
    ended = history.trace.meta.ending.kind
    if ended not in ("completed", "deadlock", "timeout"):
        return []
    rows = []
    for row in range(len(history.trace.barriers)):
        state = history.last_barriers[row]
        if not state.valid or not state.tx or (ended != "completed" and (state.tx > 0 or not state.pending)):
            continue
        if ended == "completed" or row not in unarmed:
            rows.append(row)
    if ended == "completed":
        armed = [found for row in rows if (found := too_few_expected(history, row)) is not None]
        if armed:
            return [min(armed, key=lambda finding: finding.step or 0)]
    for row in rows:
        state = history.last_barriers[row]
        if state.tx > 0:
            cause = tr(
                "The run ended with {barrier} open in phase #{phase}: {bytes} bytes were expected and never delivered.",
                barrier=history.barrier_title(row),
                phase=number_of(state),
                bytes=state.tx,
            )
        else:
            cause = tr(
                "The run ended with {barrier} open in phase #{phase}: {bytes} bytes came that nobody had expected, so"
                " an earlier phase did not wait for them.",
                barrier=history.barrier_title(row),
                phase=number_of(state),
                bytes=-state.tx,
            )
        issue = _first_of_open_phase(history, row) if state.tx < 0 else None
        waiting = _still_here(history, row) if ended != "completed" else []
        if waiting:
            cause = tr(
                "{bytes} bytes came to {barrier} for phase #{phase}, which nobody has armed yet: {agents} had not come"
                " to it when the run ended.",
                bytes=-state.tx,
                barrier=history.barrier_title(row),
                phase=number_of(state),
                agents=listed(waiting),
            )
        return [
            Finding(
                "BYTES LEFT OVER" if ended == "completed" else "BYTES NEVER EXPECTED",
                "warning" if ended == "completed" else "note" if waiting else "error",
                cause,
                **barrier_facts(history, row, state),
                first_divergence=issue,
                site=site_at(history.trace, issue) if issue is not None else None,
                step=history.steps - 1,
                certain=ended == "completed",
            )
        ]
    return []


def _still_here(history: History, row: int) -> list[str]:
    """Who arrives on the barrier and has not left."""
    arrivals, trace = history.arrivals, history.trace
    arrivers = set(arrivals.agent[arrivals.barrier == row].tolist())
    return [trace.agents[agent].name for agent in sorted(arrivers - history.left.keys())]


def _first_of_open_phase(history: History, row: int) -> int | None:
    """The first copy to a barrier whose bytes came in the phase that is still open, or its last copy."""
    completed = history.completion_steps
    own = completed[history.trace.events["barrier"][completed] == row]
    landed = history.copies.landed[history.copies.barrier == row]
    issued = history.copies.issued[history.copies.barrier == row]
    if not len(issued):
        return None
    late = issued[landed > (own[-1] if len(own) else -1)]
    return int(late[0] if len(late) else issued[-1])


def _not_awaited(history: History) -> list[Finding]:
    """The first copy in a completed run whose phase nobody waits for: its CTA may leave while it is in flight."""
    trace, copies, waits = history.trace, history.copies, history.waits
    if trace.meta.ending.kind != "completed" or trace.meta.window or not len(copies.issued):
        return []
    if not (history.kinds == EventKind.EXIT).any():
        return []
    known = np.zeros(len(trace.barriers) + 1, np.int64)
    passed = waits.end >= 0
    np.maximum.at(known, waits.barrier[passed], waits.met[passed])
    phase = history.copy_phases
    loose = np.flatnonzero((copies.barrier >= 0) & (phase >= 0) & (known[copies.barrier] <= phase))
    # Where nobody ever waits on a barrier in the recording, who does may not be recorded.
    loose = loose[np.isin(copies.barrier[loose], waits.barrier[passed])]
    if not len(loose):
        return []
    copy = int(loose[copies.issued[loose].argmin()])
    step, row = int(copies.issued[copy]), int(copies.barrier[copy])
    agent, tile = trace.agents[int(copies.agent[copy])].name, int(copies.tile[copy])
    return [
        Finding(
            "COPY NOT AWAITED",
            "warning",
            tr(
                "Nobody waits for phase #{phase} of {barrier}, which {agent}'s copy{site} completes: nobody reads what"
                " it brings, and the CTA may leave while the copy is in flight. Wait for it, or leave it out.",
                phase=int(phase[copy]),
                barrier=history.barrier_title(row),
                agent=agent,
                site=line(site_at(trace, step)),
            ),
            agent=agent,
            **barrier_facts(history, row, history.barrier_at(row, history.steps - 1)),
            tile=tile if tile >= 0 else None,
            first_divergence=step,
            site=site_at(trace, step),
            step=step,
            blamed=agent,
        )
    ]


def _arrivals_left(history: History) -> list[Finding]:
    """A stage's barrier that a completed run leaves with part of a phase's arrivals: roles disagree on how many."""
    if history.trace.meta.ending.kind != "completed":
        return []
    for row in range(len(history.trace.barriers)):
        state = history.last_barriers[row]
        if history.structure.kinds[row] == "other" or not state.valid or not 0 < state.pending < state.needed:
            continue
        step = history.barriers.index.before(row, history.steps)
        if (usual := _usual_count(history, row)) is not None:
            return [_odd_init(history, row, usual)]
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
                    phase=number_of(state),
                    barrier=history.barrier_title(row),
                ),
                **barrier_facts(history, row, state),
                site=site_at(history.trace, step) if step is not None else None,
                step=step,
            )
        ]
    return []


def _usual_count(history: History, row: int) -> int | None:
    """What all other barriers of the kind and ring, of which there are several, are initialised for; None: they are not
    alike, or this one is as they are."""
    structure, last = history.structure, history.steps - 1
    names = [structure.rings[ring].name if ring >= 0 else None for ring in structure.ring_of.tolist()]
    alike = [
        other
        for other, kind in enumerate(structure.kinds)
        if other != row and kind == structure.kinds[row] and names[other] == names[row]
    ]
    counts = {history.barrier_at(other, last).needed for other in alike}
    known = len(alike) >= 2 and len(counts) == 1 and counts != {history.barrier_at(row, last).needed}
    return counts.pop() if known else None


def _odd_init(history: History, row: int, usual: int) -> Finding:
    trace, state = history.trace, history.barrier_at(row, history.steps - 1)
    init, site = init_line(trace, row)
    return Finding(
        "ARRIVALS LEFT OVER",
        "warning",
        tr(
            "The run ended with {arrived} of {needed} arrivals in phase #{phase} of {barrier}, which is initialised for"
            " {needed} where its like are for {usual}{site}.",
            arrived=state.arrived,
            needed=state.needed,
            phase=number_of(state),
            barrier=trace.barriers[row].name,
            usual=usual,
            site=line(site),
        ),
        **barrier_facts(history, row, state),
        first_divergence=init,
        site=site,
        step=init,
        advice=init_advice(trace, row, usual),
    )
