"""The inspector's sections of the mbarrier that the focus is about, and of the stage buffer that it guards."""

from __future__ import annotations

import numpy as np

from visualizer.diagnosis.arrived import arrived_of, landed_at, number_of, parity_of
from visualizer.diagnosis.wording import state_word
from visualizer.language import mark, tr
from visualizer.recording.schema import EventKind
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import AgentActivity
from visualizer.replay.phases import phase_of
from visualizer.replay.stage_columns import STAGE_STATES
from visualizer.views.diagnosis.details_model import Line
from visualizer.views.inspector.about import MOST, WAITING, About, Section
from visualizer.views.words.context import stage_lane, stage_name

_COUNTED_FROM = {
    Counting.BEGINNING: mark(
        "The recording begins in the middle of the run and counts phases from there: #?+3 has an even number of phases"
        " before it that is not known, and three."
    ),
    Counting.NOTHING: mark("Nothing in the recording tells how many arrivals a phase takes, nor which phase it is in."),
}


def barrier_section(about: About) -> Section:
    """The barrier's phase and what has come of it."""
    history, row, step = about.history, about.barrier, about.step
    if row < 0:
        return Section(tr("Barrier"), tr("What is focused is about no mbarrier."))
    lane, state = about.trace.barriers[row].name, history.barrier_at(row, step)
    title = tr("Barrier {name}", name=history.barrier_title(row))
    if not state.valid:
        init = history.barriers.index.after(row, step)
        following = [] if init is None else [Line(tr("next"), about.name_of(init), about.link(init, lane))]
        return Section(title, tr("Not initialised here, so it counts nothing."), tuple(following))
    lines = [Line(tr("phase"), tr("#{phase} (parity {parity})", phase=number_of(state), parity=parity_of(state)))]
    lines.append(Line(tr("arrived"), arrived_of(state)))
    told = state.counting != Counting.NOTHING  # else all arrivals are in one phase, and nothing flips
    if told:
        came = [at for at in phase_of(history.barriers, row, step + 1).arrivals if at <= step]
        lines += about.lines(tr("by"), came)
    if (landed := landed_at(history, row, step)).text:
        lines.append(Line(tr("landed"), landed.text))
    lines += _waiting(about, row)
    lines += _flips(about, row) if told else []
    return Section(title, tr(_COUNTED_FROM[state.counting]) if state.counting in _COUNTED_FROM else "", tuple(lines))


def _flips(about: About, row: int) -> list[Line]:
    """The barrier's flips before and after the step."""
    history, lane, lines = about.history, about.trace.barriers[row].name, []
    for label, direction in ((tr("last flip"), -1), (tr("next flip"), 1)):
        flip = history.barriers.index.nearest(
            row, about.step + (direction < 0), direction, lambda at: history.kinds[at] == EventKind.PHASE_COMPLETE
        )
        none = tr("none in this recording") if direction > 0 else tr("none yet")
        lines.append(Line(label, none) if flip is None else Line(label, about.name_of(flip), about.link(flip, lane)))
    return lines


def _waiting(about: About, row: int) -> list[Line]:
    state = about.state
    waits = (state.agent_barrier == row) & np.isin(state.agent_activity, WAITING)
    lines = []
    for number, agent in enumerate(np.flatnonzero(waits).tolist()[:MOST]):
        since = about.history.agents.acts.before(agent, about.step + 1)
        gave_up = state.agent_activity[agent] == AgentActivity.TIMED_OUT
        facts = {"agent": about.history.agent_titles[agent], "parity": int(state.agent_parity[agent])}
        text = tr("{agent}, parity {parity}, gave up", **facts) if gave_up else tr("{agent}, parity {parity}", **facts)
        focus = None if since is None else about.link(since, about.trace.agents[agent].name)
        lines.append(Line("" if number else tr("waits"), text, focus))
    if int(waits.sum()) > MOST:
        lines.append(Line("", tr("and {n} more", n=int(waits.sum()) - MOST)))
    return lines or [Line(tr("waits"), tr("nobody"))]


def buffer_section(about: About) -> Section:
    """The stage buffer that the focus concerns."""
    history, place = about.history, about.place
    if place < 0:
        why = tr("What is focused concerns no stage of a ring.")
        if not history.structure.places:
            why = tr("No ring is known in this recording, so no stage is. Say what the barriers are for in Structure.")
        return Section(tr("Buffer"), why)
    state, tile = history.stages.one(place, about.step)
    lane = stage_lane(history, place)
    holds = state_word(STAGE_STATES[state])
    lines = [Line(tr("holds"), tr("{state}, tile {tile}", state=holds, tile=tile) if tile >= 0 else holds)]
    before, after = history.stages.index.before(place, about.step + 1), history.stages.index.after(place, about.step)
    lines += [] if before is None else [Line(tr("since"), about.name_of(before), about.link(before, lane))]
    lines.append(
        Line(tr("until"), tr("the end of the recording"))
        if after is None
        else Line(tr("until"), about.name_of(after), about.link(after, lane))
    )
    ring, stage = history.structure.at(place)
    for number, barrier in enumerate([*ring.full[stage][:MOST], *ring.empty[stage][:MOST]]):
        text = tr(
            "{name}, arrived {arrived}",
            name=history.barrier_title(barrier),
            arrived=arrived_of(history.barrier_at(barrier, about.step)),
        )
        focus = about.link(about.step, about.trace.barriers[barrier].name)
        lines.append(Line("" if number else tr("guarded by"), text, focus))
    if left_out := sum(max(len(one[stage]) - MOST, 0) for one in (ring.full, ring.empty)):
        lines.append(Line("", tr("and {n} more", n=left_out)))
    return Section(tr("Buffer {name}", name=stage_name(history, place)), "", tuple(lines))
