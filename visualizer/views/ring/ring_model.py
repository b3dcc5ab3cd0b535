"""The ring as plain data: what each stage, both its barriers and every cursor look like at one step of one CTA.

Pure and small, so that golden tests need no window; ring_layout says where things lie, ring_widget paints them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from visualizer.diagnosis.arrived import NO_BYTES, Landed, cursor_text, landed_at, numbered, parity_text
from visualizer.diagnosis.report import Finding, Report
from visualizer.diagnosis.wording import STATES, commas, state_word
from visualizer.language import tr
from visualizer.programs.lesson_facts import lesson_facts
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import without_cta
from visualizer.recording.trace import Trace
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import AgentActivity, History, StageState, State
from visualizer.replay.stage_columns import STAGE_STATES
from visualizer.structure import model as structure
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
ACTIVITY_WORDS = {activity: STATES[activity.name.lower()] for activity in AgentActivity}


@dataclass(frozen=True, slots=True)
class RingBarrier:
    """One barrier's box: what has come of its phase. What the barrier itself counts down, `pending` and `tx`, is told
    besides."""

    name: str
    kind: str  # "full", "empty"
    stage: int
    valid: bool
    phase: int
    arrived: int
    needed: int  # arrivals that the phase takes; 0: not known
    pending: int
    tx: int  # bytes expected so far and not yet written; negative while bytes came before they were expected
    landed: Landed  # expected 0: the barrier counts no bytes
    focused: bool
    owed: str = ""  # who still owes an arrival, if a finding says so: "owed by w2"
    called: str = ""  # what people call it, where its name is an address alone
    counting: Counting = Counting.INIT  # what `phase` counts from
    own_name: str = ""  # where its stage has several of its kind: its name without the CTA

    @property
    def title(self) -> str:
        """What its box is headed with."""
        return self.own_name or f"{self.kind}[{self.stage}]"

    @property
    def number(self) -> str:
        """The phase, as far as it is known: "12", "?+12", "?"."""
        return numbered(self.phase, self.counting)

    @property
    def digit(self) -> str:
        """The parity: "0", "1", "?"."""
        return parity_text(self.phase, self.counting)

    @property
    def arrived_text(self) -> str:
        if self.counting == Counting.NOTHING:
            return "?"
        return f"{self.arrived}/{self.needed or '?'}" if self.valid else "-"

    @property
    def arrived_share(self) -> float:
        return self.arrived / self.needed if self.valid and self.needed else 0.0


@dataclass(frozen=True, slots=True)
class RingStage:
    """One segment."""

    index: int
    lane: str
    state: str  # "empty", "filling", "full", "reading"
    tile: int  # -1: none
    filled: float  # share of the buffer that holds the tile, 0..1
    barriers: tuple[RingBarrier, ...]  # full, then empty
    focused: bool


@dataclass(frozen=True, slots=True)
class RingCursor:
    """One mark on the ring: the producer, or all consumers whose PipelineState is the same."""

    role: str  # "producer", "consumer"
    groups: tuple[tuple[str, str], ...]  # names and what they do: ("w1 w2", "reading"), ("w3", "waiting")
    lanes: tuple[str, ...]
    index: int
    phase: int
    count: int
    focused: bool

    @property
    def state_text(self) -> str:
        """PipelineState in words."""
        return cursor_text(self.index, self.phase, self.count)

    @property
    def brief_text(self) -> str:
        """Without the stage, which its mark points at."""
        return tr("phase {phase}, tile {count}", phase=self.phase, count=self.count)

    @property
    def waits(self) -> bool:
        return any(activity == ACTIVITY_WORDS[AgentActivity.WAITING] for _, activity in self.groups)

    @property
    def gave_up(self) -> bool:
        return any(activity == ACTIVITY_WORDS[AgentActivity.TIMED_OUT] for _, activity in self.groups)

    @property
    def lines(self) -> tuple[str, ...]:
        """One line per group: "w1 w2 reads"."""
        return tuple(f"{names} {tr(activity)}".rstrip() for names, activity in self.groups)


@dataclass(frozen=True, slots=True)
class Ring:
    """Everything the ring shows at one step."""

    cta: int
    title: str  # "" when there is one CTA with one ring, which was told
    stages: tuple[RingStage, ...]
    producers: tuple[RingCursor, ...]
    consumers: tuple[RingCursor, ...]
    name: str | None = ""  # of the ring; None: the CTA has none that is known

    def summary(self) -> str:
        """The ring in words, for screen readers."""
        parts = [self.title] if self.title else []
        for stage in self.stages:
            held, boxes = state_word(stage.state), tr("; ").join(map(_said, stage.barriers))
            if stage.tile >= 0:
                held = tr("{state}, tile {tile}", state=held, tile=stage.tile)
            parts.append(tr("stage {stage} {state}: {barriers}", stage=stage.index, state=held, barriers=boxes))
        parts += [
            tr("{names} at {cursor}", names=", ".join(cursor.lines), cursor=cursor.state_text)
            for cursor in self.producers + self.consumers
        ]
        return ". ".join(parts)


def _said(barrier: RingBarrier) -> str:
    """A barrier of a stage in words."""
    name = barrier.own_name or barrier.kind
    if not barrier.valid:
        return tr("{name} is not initialised", name=name)
    text = tr(
        "{name} is in phase #{phase} (parity {parity}), arrived {arrived}",
        name=name,
        phase=barrier.number,
        parity=barrier.digit,
        arrived=barrier.arrived_text,
    )
    if barrier.landed.text:
        text = tr("{arrived}, landed {bytes}", arrived=text, bytes=barrier.landed.text)
    return commas([text, barrier.owed]) if barrier.owed else text


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
