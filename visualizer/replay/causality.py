"""Causality: what released a wait, whom an arrival woke, which copy brought the bytes. The arrows of the timeline.

Each answer is a few binary searches at the time it is asked; nothing is stored per event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from visualizer.recording.schema import ARRIVAL_KINDS, EventFlag, EventKind
from visualizer.replay.history import History
from visualizer.replay.phases import Phase, completion_before, phase_of, released_until
from visualizer.replay.waits import OF_WAITS

LinkKind = Literal["arrival", "bytes", "release", "copy"]

_WAIT_OVER = (EventKind.WAIT_END, EventKind.TIMEOUT)
_CONTRIBUTIONS = (*ARRIVAL_KINDS, EventKind.EXPECT_TX, EventKind.COMPLETE_TX)


@dataclass(frozen=True, slots=True)
class Release:
    """Why a wait passed. `fresh`: no phase of that parity had completed; a wait on parity 1 passes on a new barrier."""

    fresh: bool
    completion: int | None = None  # the PHASE_COMPLETE step
    phase: int | None = None  # its number
    arrivals: tuple[int, ...] = ()  # the steps of that phase's arrivals
    bytes_landed: tuple[int, ...] = ()  # the steps of its COMPLETE_TX events


@dataclass(frozen=True, slots=True)
class Link:
    """An arrow from a cause to its effect."""

    from_step: int
    to_step: int
    kind: LinkKind


class Causality:
    """Queries by step over one history. A step outside 0..steps-1 raises IndexError."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._events = history.trace.events

    def release_of(self, step: int) -> Release | None:
        """What let the wait that ends at `step` pass; None if the event is no WAIT_END on a known barrier."""
        event = self._events[step]
        if self._kind(step) != EventKind.WAIT_END or event["barrier"] < 0:
            return None
        phase = completion_before(self.history.barriers, int(event["barrier"]), step, int(event["parity"]))
        if phase is None:
            return Release(fresh=True)
        return Release(False, phase.completion, phase.number, phase.arrivals, phase.bytes_landed)

    def woken_by(self, step: int) -> list[int]:
        """The WAIT_END steps that were released by the phase this event contributes to (or completes)."""
        phase = self.phase_of(step)
        return [] if phase is None else self._released(phase)

    def phase_of(self, step: int) -> Phase | None:
        """The phase that the event contributes arrivals or bytes to, or completes; None if it does neither."""
        kind = self._kind(step)
        barrier = int(self._events["barrier"][step])
        if kind == EventKind.COPY_DONE:
            # Its last bytes arrived just before it, and may have completed the phase.
            landed = self._bytes_of_landing(step)
            return self.phase_of(landed[-1]) if landed else None
        if barrier < 0 or kind not in (*_CONTRIBUTIONS, EventKind.PHASE_COMPLETE, EventKind.COPY_ISSUE):
            return None
        return phase_of(self.history.barriers, barrier, step)

    def links(self, step: int) -> list[Link]:
        """The arrows to draw for the focused event, causes first."""
        kind = self._kind(step)
        if kind == EventKind.WAIT_BEGIN:
            end = self.wait_end(step)
            return [] if end is None else self.links(end)
        if kind == EventKind.WAIT_END:
            return self._release_links(step)
        links: list[Link] = []
        if kind == EventKind.COPY_ISSUE:
            links += [Link(step, landed, "copy") for landed in self._bytes_of_issue(step)]
        elif kind in (EventKind.COMPLETE_TX, EventKind.COPY_DONE):
            issue = self.issue_of(step)
            links += [] if issue is None else [Link(issue, step, "copy")]
        phase = self.phase_of(step)
        if phase is not None and phase.completion is not None and kind != EventKind.COPY_DONE:
            if kind == EventKind.PHASE_COMPLETE:
                links += _contribution_links(phase)
            elif kind in _CONTRIBUTIONS:
                links.append(Link(step, phase.completion, _link_kind(phase, step)))
            links += [Link(phase.completion, end, "release") for end in self._released(phase)]
        return links

    def previous_cause(self, step: int) -> int | None:
        """The step this event followed from: a release, the completing event, the copy; else its agent's one before."""
        kind = self._kind(step)
        if kind == EventKind.WAIT_END:
            release = self.release_of(step)
            if release is not None and release.completion is not None:
                return release.completion
        if kind == EventKind.PHASE_COMPLETE:
            phase = self.phase_of(step)
            return phase.contributions[-1] if phase is not None and phase.contributions else None
        if kind in (EventKind.COMPLETE_TX, EventKind.COPY_DONE):
            return self.issue_of(step)
        return self.history.agents.acts.before(self._agent(step), step)

    def next_effect(self, step: int) -> int | None:
        """The step that followed from this event: the completion, the first wait released; else the agent's next."""
        kind = self._kind(step)
        if kind == EventKind.COPY_ISSUE:
            landed = self._bytes_of_issue(step)
            return landed[0] if landed else None
        phase = self.phase_of(step)
        if phase is not None and phase.completion is not None:
            if kind in _CONTRIBUTIONS:
                return phase.completion
            released = self._released(phase)
            return released[0] if released else None
        if kind == EventKind.PHASE_COMPLETE:
            return None
        return self.history.agents.acts.after(self._agent(step), step)

    def wait_end(self, step: int) -> int | None:
        """The WAIT_END or TIMEOUT of the wait that begins at `step`; None if it never ends."""
        after = self._next_of_waits(step, 1)
        return after if after is not None and self._kind(after) in _WAIT_OVER else None

    def wait_begin(self, step: int) -> int | None:
        """The WAIT_BEGIN of the wait that ends at `step`."""
        before = self._next_of_waits(step, -1)
        return before if before is not None and self._kind(before) == EventKind.WAIT_BEGIN else None

    def issue_of(self, step: int) -> int | None:
        """The COPY_ISSUE of the copy that a COMPLETE_TX or COPY_DONE belongs to."""
        copies = self.history.copies
        if self._kind(step) == EventKind.COPY_DONE:
            return copies.issue_of(step)
        barrier = int(self._events["barrier"][step])
        under_way = [] if barrier < 0 else copies.under_way(barrier, step)
        return under_way[0] if under_way else None

    def destinations(self, issue_step: int) -> list[int]:
        """The COPY_ISSUE steps of all destinations of the copy issued at `issue_step`, itself among them, ascending.

        A multicast copy has one for each CTA it goes to, each with its own barrier and landing.
        """
        acts, agent = self.history.agents.acts, self._agent(issue_step)
        first: int | None = issue_step
        while first is not None and self._is_further(first):
            first = acts.before(agent, first)
        # A further destination of a copy whose own issue is not in the recording stands for itself.
        found = [issue_step] if first is None or self._kind(first) != EventKind.COPY_ISSUE else [first]
        following = acts.after(agent, found[-1])
        while following is not None and self._is_further(following):
            found.append(following)
            following = acts.after(agent, following)
        return found

    def bytes_missing(self, place: int, step: int) -> int:
        """Bytes issued to a place (-1: none) that have not landed after `step`."""
        if place < 0:
            return 0
        places, copies = self.history.event_places, self.history.copies
        ring, _ = self.history.structure.at(place)
        # A copy may be bound to another stage's barrier.
        entities = [*(barrier for barriers in ring.full for barrier in barriers), copies.unbound + place]
        missing = 0
        for issue in (issue for entity in entities for issue in copies.under_way(entity, step + 1)):
            if places.at(issue) == place:
                landed = [landed for landed in self._bytes_of_issue(issue) if landed <= step]
                missing += int(self._events["amount"][issue]) - int(self._events["amount"][landed].sum())
        return max(missing, 0)

    def _next_of_waits(self, step: int, direction: int) -> int | None:
        """The agent's nearest event of a wait after (+1) or before (-1) the step."""
        acts, kinds = self.history.agents.acts, self.history.kinds
        return acts.nearest(self._agent(step), step, direction, lambda steps: OF_WAITS[kinds[steps]])

    def _is_further(self, step: int) -> bool:
        return self._kind(step) == EventKind.COPY_ISSUE and bool(self._events["flags"][step] & EventFlag.SAME_COPY)

    def _released(self, phase: Phase) -> list[int]:
        """Waits on the phase's parity that ended after it, and before the next phase of that parity did."""
        if phase.completion is None:
            return []
        last = released_until(self.history.barriers, phase.barrier, phase.completion)
        _, steps = self.history.wait_ends.between(phase.barrier, phase.completion, last)
        return [int(step) for step in steps[self._events["parity"][steps] == phase.number & 1]]

    def _release_links(self, step: int) -> list[Link]:
        release = self.release_of(step)
        if release is None or release.completion is None:
            return []
        phase = self.phase_of(release.completion)
        links = [] if phase is None else _contribution_links(phase)
        return [*links, Link(release.completion, step, "release")]

    def _bytes_of_issue(self, step: int) -> list[int]:
        """The COMPLETE_TX steps of the copy issued at `step`."""
        done = self.history.copies.landing_of(step)
        last = self.history.steps if done is None else done
        return self._bytes_between(int(self._events["barrier"][step]), int(self._events["tile"][step]), step, last)

    def _bytes_of_landing(self, step: int) -> list[int]:
        """The COMPLETE_TX steps of the copy that has landed at `step`."""
        issue = self.history.copies.issue_of(step)
        return [] if issue is None else self._bytes_of_issue(issue)

    def _bytes_between(self, barrier: int, tile: int, first: int, last: int) -> list[int]:
        if barrier < 0:
            return []
        rows, steps = self.history.barriers.index.between(barrier, first, last)
        steps = steps[self.history.barriers.kind[rows] == EventKind.COMPLETE_TX]
        return [int(step) for step in steps[self._events["tile"][steps] == tile]]

    def _kind(self, step: int) -> int:
        if not 0 <= step < self.history.steps:
            raise IndexError(f"step {step} is outside 0..{self.history.steps - 1}")
        return int(self.history.kinds[step])

    def _agent(self, step: int) -> int:
        return int(self._events["agent"][step])


def _contribution_links(phase: Phase) -> list[Link]:
    if phase.completion is None:
        return []
    return [Link(step, phase.completion, _link_kind(phase, step)) for step in phase.contributions]


def _link_kind(phase: Phase, step: int) -> LinkKind:
    return "bytes" if step in phase.bytes_landed else "arrival"
