"""Buffer hazards in a sentence each: which release or wait is missing."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.barrier_facts import stage_words
from visualizer.diagnosis.hazards.hazards import Hazard
from visualizer.diagnosis.wording import named_tile
from visualizer.language import tr
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.waits import Waits


def releases(history: History, hazard: Hazard) -> bool:
    """Whether the reader ever releases the stage."""
    reader = history.trace.events["agent"][hazard.other]
    arrivals = np.flatnonzero((history.kinds == EventKind.ARRIVE) & (history.trace.events["agent"] == reader))
    return any(_is_release(history, step, hazard.place) for step in arrivals.tolist())


def released_early(history: History, hazard: Hazard) -> tuple[list[int], int]:
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
    writer, reader = agent_of(history, hazard.step), agent_of(history, hazard.other)
    stage = stage_words(history, hazard.place)
    early, end = released_early(history, hazard)
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
    if not releases(history, hazard):
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
    writer, reader = agent_of(history, hazard.step), agent_of(history, hazard.other)
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
    reader, stage = agent_of(history, hazard.step), stage_words(history, hazard.place)
    facts = {"agent": reader, "tile": _of_tile(history, hazard.step), "stage": stage}
    if hazard.other < 0:
        return tr("{agent} reads{tile} from stage {stage} before anything was copied into it.", **facts)
    if history.kinds[hazard.other] == EventKind.WRITE:
        return tr(
            "{agent} reads{tile} from stage {stage} without having waited for {writer}, which writes it at step"
            " {step}.",
            writer=agent_of(history, hazard.other),
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
    writer, stage = agent_of(history, hazard.step), stage_words(history, hazard.place)
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
    reader, stage = agent_of(history, hazard.step), stage_words(history, hazard.place)
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
        writer=agent_of(history, hazard.other),
        tile=_of_tile(history, hazard.other),
        stage=stage_words(history, hazard.place),
        step=hazard.other,
        reader=agent_of(history, hazard.step),
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


def agent_of(history: History, step: int) -> str:
    """The name of the agent whose event it is."""
    return history.trace.agents[int(history.trace.events["agent"][step])].name


def _of_tile(history: History, step: int) -> str:
    return named_tile(int(history.trace.events["tile"][step]))


SENTENCES = {
    "WRITE AFTER READ": _write_after_read,
    "READ BEFORE DATA": _read_before_data,
    "OVERWRITE UNREAD": _overwrite_unread,
    "STALE DATA": _stale,
    "MISSING FENCE": _unfenced,
}
