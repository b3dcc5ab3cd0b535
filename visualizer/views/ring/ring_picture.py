"""The ring as the pane shows it, as plain data: stages with their barriers, and cursors, and all of it in words.

ring_model makes it of a recording; ring_layout says where things lie.
"""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.diagnosis.arrived import Landed, arrived_text, cursor_text, numbered, parity_text
from visualizer.diagnosis.wording import STATES, commas, state_word
from visualizer.language import tr
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import AgentActivity

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
        return arrived_text(self.arrived, self.needed, self.counting) if self.valid else "-"

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
