"""Buffer hazards as findings: who collides with whom on which stage, and which release or wait is missing."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.hazards import Hazard, early_arrivals, find_hazards
from visualizer.diagnosis.places import barrier_facts, site_at
from visualizer.diagnosis.report import Finding
from visualizer.diagnosis.waits import Waits
from visualizer.diagnosis.wording import counted
from visualizer.replay.history import History
from visualizer.trace.schema import EventKind


def hazard_findings(history: History, waits: Waits) -> list[Finding]:
    """One finding for every kind of hazard and pair of agents: an error if they collided, a warning if by luck not."""
    return [_finding(history, waits, hazard) for hazard in find_hazards(history, waits)]


def early_arrival_findings(history: History, waits: Waits) -> list[Finding]:
    """EARLY ARRIVAL: a producer that arrives on a full barrier before it has acquired the stage."""
    found = []
    for step in early_arrivals(history, waits):
        event = history.trace.events[step]
        barrier = history.trace.barriers[int(event["barrier"])]
        state = history.barrier_at(int(event["barrier"]), step - 1)
        agent, tile = _agent(history, step), int(event["tile"])
        found.append(
            Finding(
                "EARLY ARRIVAL",
                "warning",
                f"{agent} arrives on {barrier.name} for phase #{state.phase} before it has waited for the release of"
                " the stage: under other timing the phase before is still open, and the arrival is one too many."
                " Acquire first.",
                agent=agent,
                **barrier_facts(barrier, state),
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
    stage = hazard.row % trace.stages
    tile = int(event["tile"])
    sentence = _SENTENCES[hazard.kind](history, waits, hazard)
    luck = "" if hazard.happened else " They did not collide in this run, but nothing orders them: it is clean by luck."
    again = f" There are {counted(hazard.times, 'such pair')}." if hazard.times > 1 else ""
    return Finding(
        hazard.kind,
        "error" if hazard.happened else "warning",
        sentence + luck + again,
        agent=trace.agents[int(event["agent"])].name,
        barrier=trace.barriers[int(event["barrier"])].name if event["barrier"] >= 0 else None,
        stage=stage,
        tile=tile if tile >= 0 else None,
        first_divergence=hazard.other if hazard.other >= 0 else hazard.step,
        site=site_at(trace, hazard.step),
        step=hazard.step,
    )


def _write_after_read(history: History, waits: Waits, hazard: Hazard) -> str:
    trace, events = history.trace, history.trace.events
    writer, reader = _agent(history, hazard.step), _agent(history, hazard.other)
    stage = hazard.row % trace.stages
    reader_row = int(events["agent"][hazard.other])
    mine = (events["agent"] == reader_row) & (events["tile"] == events["tile"][hazard.other])
    arrivals = np.flatnonzero((history.kinds == EventKind.ARRIVE) & (events["agent"] == reader_row))
    own = [step for step in arrivals.tolist() if _is_release(history, step, hazard.row)]
    ends = np.flatnonzero((history.kinds == EventKind.READ_END) & mine)
    end = int(ends[-1]) if len(ends) else history.steps
    early = [step for step in own if mine[step] and step < end]
    opening = (
        f"{writer} copies{_of_tile(history, hazard.step)} into stage {stage} without waiting for {reader} to have"
        f" read{_of_tile(history, hazard.other)}"
    )
    if not _ever_waits(waits, int(events["agent"][hazard.step]), history, "empty"):
        return f"{opening}: {writer} never waits on an empty barrier (producer_acquire is missing)."
    if not own:
        return f"{opening}: {reader} never releases this stage, so its reads are in nobody's count."
    if early:
        done = f"is done only at step {end}" if end < history.steps else "goes on to the end"
        return (
            f"{opening}: {reader} released the stage at step {early[-1]} but its asynchronous reader {done}. Release"
            " after the reads have retired."
        )
    return f"{opening}: the phase of the empty barrier it waits for does not include that release."


def _read_before_data(history: History, waits: Waits, hazard: Hazard) -> str:
    reader, stage = _agent(history, hazard.step), hazard.row % history.trace.stages
    tile = _of_tile(history, hazard.step)
    if hazard.other < 0:
        return f"{reader} reads{tile} from stage {stage} before anything was copied into it."
    return (
        f"{reader} reads{tile} from stage {stage} without having waited for the copy{_of_tile(history, hazard.other)}"
        f" (issued at step {hazard.other}) to land: the phase it passed is not the one that copy completes."
    )


def _overwrite_unread(history: History, waits: Waits, hazard: Hazard) -> str:
    writer, stage = _agent(history, hazard.step), hazard.row % history.trace.stages
    missing = ""
    if not _ever_waits(waits, int(history.trace.events["agent"][hazard.step]), history, "empty"):
        missing = f": {writer} never waits on an empty barrier (producer_acquire is missing)"
    return (
        f"{writer} copies{_of_tile(history, hazard.step)} over{_of_tile(history, hazard.other)} in stage {stage}, whose"
        f" copy (issued at step {hazard.other}) it does not know to have landed and been read{missing}."
    )


def _stale(history: History, waits: Waits, hazard: Hazard) -> str:
    reader, stage = _agent(history, hazard.step), hazard.row % history.trace.stages
    return (
        f"{reader} reads{_of_tile(history, hazard.step)} from stage {stage}, which has held"
        f"{_of_tile(history, hazard.other)} since step {hazard.other}: the data it means is gone."
    )


def _is_release(history: History, step: int, row: int) -> bool:
    barrier = history.trace.barriers[int(history.trace.events["barrier"][step])]
    return barrier.kind == "empty" and barrier.cta * history.trace.stages + barrier.stage == row


def _ever_waits(waits: Waits, agent: int, history: History, kind: str) -> bool:
    rows = [row for row, barrier in enumerate(history.trace.barriers) if barrier.kind == kind]
    return bool(((waits.agent == agent) & np.isin(waits.barrier, rows)).any())


def _agent(history: History, step: int) -> str:
    return history.trace.agents[int(history.trace.events["agent"][step])].name


def _of_tile(history: History, step: int) -> str:
    tile = int(history.trace.events["tile"][step])
    return f" tile {tile}" if tile >= 0 else ""


_SENTENCES = {
    "WRITE AFTER READ": _write_after_read,
    "READ BEFORE DATA": _read_before_data,
    "OVERWRITE UNREAD": _overwrite_unread,
    "STALE DATA": _stale,
}
