"""The ring as plain data: what each stage, both its barriers and every cursor look like at one step of one CTA.

Pure and small, so that golden tests need no window; ring_layout says where things lie, ring_widget paints them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from visualizer.diagnosis.arrived import NO_BYTES, landed_at
from visualizer.diagnosis.report import Finding, Report
from visualizer.language import tr
from visualizer.programs.lesson_facts import lesson_facts
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import without_cta
from visualizer.recording.trace import Trace
from visualizer.replay.history import AgentActivity, History, StageState, State
from visualizer.replay.stage_columns import STAGE_STATES
from visualizer.structure import model as structure
from visualizer.views.ring.ring_picture import ACTIVITY_WORDS, Ring, RingBarrier, RingCursor, RingStage
from visualizer.views.words.context import (
    cta_agents,
    cta_at,
    join_names,
    ring_at,
    ring_title,
    short_name,
    stage_lane,
    stage_place,
)
from visualizer.views.words.findings import owing_findings

MOST_STAGES, MOST_BARRIERS = 64, 192
"""Of all rings shown; more have no room for their cards, and would hold the window up at every step."""


def ring(history: History, step: int, report: Report | None = None, name: str | None = None) -> Ring:
    """The ring of this name of the focused event's CTA, None: the one that the event is about, after event `step`.

    `report` says who owes arrivals.
    """
    trace = history.trace
    cta = cta_at(trace, step)
    state = history.state_at(step)
    event = trace.events[step]
    focused_barrier = int(event["barrier"])
    focused_stage = int(event["stage"]) if int(event["kind"]) != EventKind.ADVANCE else -1
    total = phase_bytes(trace)
    name = ring_at(history, step) if name is None else name
    known = known_ring(history, step, name)
    stages = known.stages if known else 0
    several = len(history.structure.of_cta(cta)) > 1
    focused_place = history.event_places.at(step) if several else -1
    if several and (focused_place < 0 or history.structure.at(focused_place)[0] is not known):
        focused_stage = -1
    boxes: dict[int, list[RingBarrier]] = {stage: [] for stage in range(stages)}
    findings = owing_findings(report)
    for stage in range(stages):
        for row in (*known.full[stage], *known.empty[stage]) if known else ():
            owed = _owed(trace, state, row, findings.get(trace.barriers[row].name))
            is_full = history.structure.kinds[row] == "full"
            box = _barrier(history, state, row, total if is_full else 0, row == focused_barrier, owed)
            boxes[stage].append(box)
        alike = Counter(box.kind for box in boxes[stage])
        for number, box in enumerate(boxes[stage]):
            if alike[box.kind] > 1:
                boxes[stage][number] = replace(box, own_name=without_cta(box.name))
    return Ring(
        cta=cta,
        title=ring_title(history, step, name),
        stages=tuple(
            _stage(history, state, stage_place(history, cta, stage, name), tuple(boxes[stage]), stage == focused_stage)
            for stage in range(stages)
        ),
        producers=_cursors(history, state, known, "producer", int(event["agent"])) if known else (),
        consumers=_cursors(history, state, known, "consumer", int(event["agent"])) if known else (),
        name=name,
    )


def known_ring(history: History, step: int, name: str | None) -> structure.Ring | None:
    """The ring of this name of the focused event's CTA; None: no name."""
    return None if name is None else history.structure.rings[history.structure.row(cta_at(history.trace, step), name)]


def too_many(rings: Iterable[structure.Ring | None]) -> str:
    """Why so many stages or barriers, of all the rings, are not drawn; "" if they can be."""
    stages = [(full, empty) for ring in rings if ring for full, empty in zip(ring.full, ring.empty, strict=True)]
    if len(stages) > MOST_STAGES:
        return tr("{n} stages are too many to draw; Barriers and Shared memory list them.", n=len(stages))
    barriers = sum(len(full) + len(empty) for full, empty in stages)
    if barriers > MOST_BARRIERS:
        return tr("{n} barriers of a ring are too many to draw; Barriers lists them.", n=barriers)
    return ""


def phase_bytes(trace: Trace) -> int:
    """Bytes a full barrier's phase waits for; 0 if the recording's program does not say."""
    facts = lesson_facts(trace.meta)
    return facts["expected_bytes"] if facts else 0


def _owed(trace: Trace, state: State, row: int, finding: Finding | None) -> str:
    """Who owes the phase that a blocked agent waits for, as of this step: an arrival yet to come is owed as well."""
    if finding is None or state.step < (finding.step or 0):
        return ""
    if int(state.barrier_phase[row]) != finding.phase_now:
        return ""
    agents = [a.agent for a in finding.arrived if a.step > state.step] + [o.agent for o in finding.owed]
    rows = sorted(trace.agent_index[agent] for agent in agents if agent in trace.agent_index)
    return tr("owed by {agents}", agents=join_names(short_name(trace.agents[row]) for row in rows) or tr("nobody"))


def _barrier(history: History, state: State, row: int, total: int, focused: bool, owed: str) -> RingBarrier:
    name, called = history.trace.barriers[row].name, history.barrier_title(row)
    now = history.barrier_at(row, state.step)
    return RingBarrier(
        name=name,
        kind=history.structure.kinds[row],
        stage=int(history.structure.stage_of[row]),
        valid=now.valid,
        phase=now.phase,
        arrived=now.arrived,
        needed=now.needed,
        pending=now.pending,
        tx=now.tx,
        landed=landed_at(history, row, state.step, total) if total else NO_BYTES,
        focused=focused,
        owed=owed,
        called=called if called != name else "",
        counting=now.counting,
    )


def _stage(history: History, state: State, place: int, barriers: tuple[RingBarrier, ...], focused: bool) -> RingStage:
    occupancy = StageState(int(state.stage_state[place]))
    filled = 0.0 if occupancy == StageState.EMPTY else 1.0
    full = next((box for box in barriers if box.kind == "full"), None)
    if occupancy == StageState.FILLING:
        filled = full.landed.share if full else 0.0
    return RingStage(
        index=history.structure.at(place)[1],
        lane=stage_lane(history, place),
        state=STAGE_STATES[occupancy],
        tile=int(state.stage_tile[place]),
        filled=filled,
        barriers=barriers,
        focused=focused,
    )


def _cursors(
    history: History, state: State, known: structure.Ring, role: str, focused_agent: int
) -> tuple[RingCursor, ...]:
    """The role's cursors in ring order; agents that stand at the same place are one cursor."""
    trace = history.trace
    cursors = history.agents.cursors(trace, state.step, known.cursor_ring)
    places: dict[tuple[int, int, int], list[int]] = {}
    for row in cta_agents(trace, known.cta):
        index, phase, count = cursors[row].tolist()
        if history.structure.roles[row] == role and 0 <= index < known.stages:
            places.setdefault((index, phase, count), []).append(row)
    return tuple(
        RingCursor(
            role=role,
            groups=_activity_groups(trace, state, rows),
            lanes=tuple(trace.agents[row].name for row in rows),
            index=place[0],
            phase=place[1],
            count=place[2],
            focused=focused_agent in rows,
        )
        for place, rows in sorted(places.items())
    )


def _activity_groups(trace: Trace, state: State, rows: list[int]) -> tuple[tuple[str, str], ...]:
    groups: dict[str, list[str]] = {}
    for row in rows:
        activity = ACTIVITY_WORDS[AgentActivity(int(state.agent_activity[row]))]
        groups.setdefault(activity, []).append(short_name(trace.agents[row]))
    return tuple((join_names(names), activity) for activity, names in groups.items())
