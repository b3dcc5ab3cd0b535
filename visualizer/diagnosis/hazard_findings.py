"""Buffer hazards as findings: who collides with whom on which stage, and which release or wait is missing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.diagnosis.buffers import Buffers
from visualizer.diagnosis.hazards import MOST_EVENTS, Hazard, early_arrivals, find_hazards
from visualizer.diagnosis.intents import Intents
from visualizer.diagnosis.order_advice import (
    acquire_first,
    fence_behind,
    release_and_count,
    release_later,
    retire_first,
    wait_first,
)
from visualizer.diagnosis.places import barrier_facts, site_at, stage_and_ring, stage_words
from visualizer.diagnosis.report import Advice, Finding
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
        agent, tile = _agent(history, step), int(event["tile"])
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
    sentence = _SENTENCES[hazard.kind](history, waits, hazard)
    luck, again = "", ""
    if not hazard.happened and hazard.kind != "MISSING FENCE":
        luck = tr("They did not collide in this run, but nothing orders them: it is clean by luck.")
    if hazard.times > 1:
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
    writer = _agent(history, hazard.other)
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
    if not _releases(history, hazard):
        return release_and_count(history, int(history.trace.events["agent"][hazard.other]), hazard.place)
    early, end = _released_early(history, hazard)
    if not early:
        return None
    later = release_later(history, early[-1], end) if end < history.steps else None
    return later or retire_first(history, early[-1], hazard.other)


def _releases(history: History, hazard: Hazard) -> bool:
    """Whether the reader ever releases the stage."""
    reader = history.trace.events["agent"][hazard.other]
    arrivals = np.flatnonzero((history.kinds == EventKind.ARRIVE) & (history.trace.events["agent"] == reader))
    return any(_is_release(history, step, hazard.place) for step in arrivals.tolist())


def _released_early(history: History, hazard: Hazard) -> tuple[list[int], int]:
    """The releases that the reader made before its reads of the tile ended, and when they did (steps: never)."""
    events = history.trace.events
    reader = events["agent"][hazard.other]
    mine = (events["agent"] == reader) & (events["tile"] == events["tile"][hazard.other])
    ends = np.flatnonzero((history.kinds == EventKind.READ_END) & mine)
    end = int(ends[-1]) if len(ends) else history.steps
    arrivals = np.flatnonzero((history.kinds == EventKind.ARRIVE) & mine)
    return [s for s in arrivals.tolist() if s < end and _is_release(history, s, hazard.place)], end


def _write_after_read(history: History, waits: Waits, hazard: Hazard) -> str:
    events = history.trace.events
    writer, reader = _agent(history, hazard.step), _agent(history, hazard.other)
    stage = stage_words(history, hazard.place)
    early, end = _released_early(history, hazard)
    if history.kinds[hazard.step] == EventKind.WRITE:
        return _written_over(history, hazard)
    opening = tr(
        "{writer} copies{tile} into stage {stage} without waiting for {reader} to have read{other_tile}",
        writer=writer,
        tile=_of_tile(history, hazard.step),
        stage=stage,
        reader=reader,
        other_tile=_of_tile(history, hazard.other),
    )
    if not _ever_waits(waits, int(events["agent"][hazard.step]), history, hazard.place):
        return tr(
            "{opening}: {agent} never waits on an empty barrier (producer_acquire is missing).",
            opening=opening,
            agent=writer,
        )
    if not _releases(history, hazard):
        return tr(
            "{opening}: {agent} never releases this stage, so its reads are in nobody's count.",
            opening=opening,
            agent=reader,
        )
    if early and early[-1] < _read_begin(history, hazard):
        return tr(
            "{opening}: {agent} released the stage at step {step}, before it began to read it. Release after the read.",
            opening=opening,
            agent=reader,
            step=early[-1],
        )
    if early and end < history.steps:
        return tr(
            "{opening}: {agent} released the stage at step {step} but its asynchronous reader is done only at step"
            " {end}. Release after the reads have retired.",
            opening=opening,
            agent=reader,
            step=early[-1],
            end=end,
        )
    if early:
        return tr(
            "{opening}: {agent} released the stage at step {step} but its asynchronous reader goes on to the end."
            " Release after the reads have retired.",
            opening=opening,
            agent=reader,
            step=early[-1],
        )
    return tr("{opening}: the phase of the empty barrier it waits for does not include that release.", opening=opening)


def _read_begin(history: History, hazard: Hazard) -> int:
    """Where the read began that the hazard's other step belongs to."""
    begins = np.flatnonzero(history.kinds[: hazard.other + 1] == EventKind.READ_BEGIN)
    begins = begins[history.trace.events["agent"][begins] == history.trace.events["agent"][hazard.other]]
    begins = begins[history.event_places.of(begins) == hazard.place]
    return int(begins[-1]) if len(begins) else hazard.other


def _written_over(history: History, hazard: Hazard) -> str:
    writer, reader = _agent(history, hazard.step), _agent(history, hazard.other)
    facts = {
        "writer": writer,
        "tile": _of_tile(history, hazard.step),
        "stage": stage_words(history, hazard.place),
        "other_tile": _of_tile(history, hazard.other),
    }
    if writer == reader:
        return tr(
            "{writer} writes{tile} into stage {stage} while its asynchronous read of{other_tile} (begun at step {step})"
            " goes on: wait for that first.",
            step=hazard.other,
            **facts,
        )
    return tr(
        "{writer} writes{tile} into stage {stage} without waiting for {reader} to have read{other_tile}.",
        reader=reader,
        **facts,
    )


def _read_before_data(history: History, waits: Waits, hazard: Hazard) -> str:
    reader, stage = _agent(history, hazard.step), stage_words(history, hazard.place)
    facts = {"agent": reader, "tile": _of_tile(history, hazard.step), "stage": stage}
    if hazard.other < 0:
        return tr("{agent} reads{tile} from stage {stage} before anything was copied into it.", **facts)
    if history.kinds[hazard.other] == EventKind.WRITE:
        return tr(
            "{agent} reads{tile} from stage {stage} without having waited for {writer}, which writes it at step"
            " {step}.",
            writer=_agent(history, hazard.other),
            step=hazard.other,
            **facts,
        )
    return tr(
        "{agent} reads{tile} from stage {stage} without having waited for the copy{other_tile} (issued at step {step})"
        " to land: the phase it passed is not the one that copy completes.",
        other_tile=_of_tile(history, hazard.other),
        step=hazard.other,
        **facts,
    )


def _overwrite_unread(history: History, waits: Waits, hazard: Hazard) -> str:
    writer, stage = _agent(history, hazard.step), stage_words(history, hazard.place)
    missing = ""
    if not _ever_waits(waits, int(history.trace.events["agent"][hazard.step]), history, hazard.place):
        missing = tr(": {agent} never waits on an empty barrier (producer_acquire is missing)", agent=writer)
    return tr(
        "{writer} copies{tile} over{other_tile} in stage {stage}, whose copy (issued at step {step}) it does not know"
        " to have landed and been read{missing}.",
        writer=writer,
        tile=_of_tile(history, hazard.step),
        other_tile=_of_tile(history, hazard.other),
        stage=stage,
        step=hazard.other,
        missing=missing,
    )


def _stale(history: History, waits: Waits, hazard: Hazard) -> str:
    reader, stage = _agent(history, hazard.step), stage_words(history, hazard.place)
    return tr(
        "{agent} reads{tile} from stage {stage}, which has held{other_tile} since step {step}: the data it means is"
        " gone.",
        agent=reader,
        tile=_of_tile(history, hazard.step),
        stage=stage,
        other_tile=_of_tile(history, hazard.other),
        step=hazard.other,
    )


def _unfenced(history: History, waits: Waits, hazard: Hazard) -> str:
    return tr(
        "{writer} writes{tile} into stage {stage} at step {step}, and {reader} has it read through the asynchronous"
        " proxy at step {read} with no fence.proxy.async in between: what is read may be what was there before."
        " {writer} executes the fence behind the write, before others are told of it.",
        writer=_agent(history, hazard.other),
        tile=_of_tile(history, hazard.other),
        stage=stage_words(history, hazard.place),
        step=hazard.other,
        reader=_agent(history, hazard.step),
        read=hazard.step,
    )


def _is_release(history: History, step: int, place: int) -> bool:
    barrier = int(history.trace.events["barrier"][step])
    return barrier >= 0 and history.structure.kinds[barrier] == "empty" and history.structure.place_of[barrier] == place


def _ever_waits(waits: Waits, agent: int, history: History, place: int) -> bool:
    """Whether the agent ever waits on an empty barrier of the place's ring, in whatever CTA."""
    structure = history.structure
    name = structure.at(place)[0].name
    rows = [row for ring in structure.rings if ring.name == name for rows in ring.empty for row in rows]
    return bool(((waits.agent == agent) & np.isin(waits.barrier, rows)).any())


def _agent(history: History, step: int) -> str:
    return history.trace.agents[int(history.trace.events["agent"][step])].name


def _of_tile(history: History, step: int) -> str:
    tile = int(history.trace.events["tile"][step])
    return tr(" tile {tile}", tile=tile) if tile >= 0 else ""


_SENTENCES = {
    "WRITE AFTER READ": _write_after_read,
    "READ BEFORE DATA": _read_before_data,
    "OVERWRITE UNREAD": _overwrite_unread,
    "STALE DATA": _stale,
    "MISSING FENCE": _unfenced,
}
