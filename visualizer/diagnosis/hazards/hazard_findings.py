"""Buffer hazards as findings: who collides with whom on which stage, and which release or wait is missing."""

from __future__ import annotations

from dataclasses import replace

from visualizer.diagnosis.barrier_facts import barrier_facts, stage_and_ring
from visualizer.diagnosis.hazards.hazard_sentences import SENTENCES, agent_of, released_early, releases
from visualizer.diagnosis.hazards.hazards import MOST_EVENTS, Hazard, early_arrivals, find_hazards
from visualizer.diagnosis.hazards.order_advice import (
    acquire_first,
    fence_behind,
    release_and_count,
    release_later,
    retire_first,
    wait_first,
)
from visualizer.diagnosis.report import Advice, Finding
from visualizer.diagnosis.source_lines import site_at
from visualizer.diagnosis.uses.buffers import Buffers
from visualizer.diagnosis.uses.intents import Intents
from visualizer.diagnosis.wording import sentences
from visualizer.language import tr, trn
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.waits import Waits


def hazard_findings(
    history: History, intents: Intents, buffers: Buffers, program: Program | None = None
) -> tuple[list[Finding], tuple[str, ...]]:
    """One finding for every kind of hazard and pair of agents: an error if they collided, a warning if by luck not.
    And what was not judged, a sentence."""
    hazards = find_hazards(history, intents, program, buffers)
    left_out: tuple[str, ...] = ()
    if hazards.left_out:
        left_out = (
            tr(
                "Whether accesses of buffers are ordered, of {n:,} events: the short proof does not hold there, and of"
                " more than {most:,} events together it is not looked at one by one.",
                n=hazards.left_out,
                most=MOST_EVENTS,
            ),
        )
    return [_finding(history, intents.waits, hazard) for hazard in hazards.found], left_out


def early_arrival_findings(history: History, intents: Intents) -> list[Finding]:
    """EARLY ARRIVAL: a producer that arrives on a full barrier before it has acquired the stage."""
    found = []
    for step in early_arrivals(history, intents):
        event = history.trace.events[step]
        row = int(event["barrier"])
        state = history.barrier_at(row, step - 1)
        agent, tile = agent_of(history, step), int(event["tile"])
        found.append(
            Finding(
                "EARLY ARRIVAL",
                "warning",
                tr(
                    "{agent} arrives on {barrier} for phase #{phase} before it has waited for the release of the stage:"
                    " under other timing the phase before is still open, and the arrival is one too many. Acquire"
                    " first.",
                    agent=agent,
                    barrier=history.barrier_title(row),
                    phase=state.phase,
                ),
                agent=agent,
                **barrier_facts(history, row, state),
                tile=tile if tile >= 0 else None,
                first_divergence=step,
                site=site_at(history.trace, step),
                step=step,
            )
        )
    return found


def _finding(history: History, waits: Waits, hazard: Hazard) -> Finding:
    trace = history.trace
    event = trace.events[hazard.step]
    stage, ring = stage_and_ring(history, hazard.place)
    tile = int(event["tile"])
    sentence = SENTENCES[hazard.kind](history, waits, hazard)
    luck, again = "", ""
    if not hazard.happened and hazard.kind != "MISSING FENCE":
        luck = tr("They did not collide in this run, but nothing orders them: it is clean by luck.")
    if hazard.times > 1 and hazard.more:
        again = tr("There are {n} such pairs or more: not all were looked for.", n=hazard.times)
    elif hazard.times > 1:
        again = trn("There is {n} such pair.", "There are {n} such pairs.", hazard.times)
    found = Finding(
        hazard.kind,
        "error" if hazard.happened else "warning",
        sentences(sentence, luck, again),
        agent=trace.agents[int(event["agent"])].name,
        barrier=trace.barriers[int(event["barrier"])].name if event["barrier"] >= 0 else None,
        stage=stage,
        ring=ring,
        tile=tile if tile >= 0 else None,
        first_divergence=hazard.other if hazard.other >= 0 else hazard.step,
        site=site_at(trace, hazard.step),
        step=hazard.step,
    )
    if hazard.kind != "MISSING FENCE":
        return replace(found, advice=_advice(history, hazard))
    writer = agent_of(history, hazard.other)
    return replace(
        found,
        agent=writer,
        site=site_at(trace, hazard.other),
        blamed=writer,
        advice=fence_behind(history, hazard.other),
    )


def _advice(history: History, hazard: Hazard) -> Advice | None:
    """The change that orders the two accesses, where one is established to be missing."""
    event = history.trace.events[hazard.step]
    if hazard.kind == "READ BEFORE DATA":
        return wait_first(history, hazard.step, hazard.place)
    if event["kind"] != EventKind.COPY_ISSUE or event["barrier"] < 0:
        return None
    row = int(event["barrier"])
    if history.structure.kinds[row] == "full" and (acquire := acquire_first(history, row)) is not None:
        return acquire
    if hazard.kind != "WRITE AFTER READ":
        return None
    if not releases(history, hazard):
        return release_and_count(history, int(history.trace.events["agent"][hazard.other]), hazard.place)
    early, end = released_early(history, hazard)
    if not early:
        return None
    later = release_later(history, early[-1], end) if end < history.steps else None
    return later or retire_first(history, early[-1], hazard.other)
