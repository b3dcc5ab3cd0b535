"""What a lane of each kind is drawn from, how it looks and what it says: a class a kind, asked by whoever paints lanes.

A new kind of lane is a class here and a place in `_KINDS`; what paints, measures and tells lanes does not ask which it
is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.replay.history import State
from visualizer.structure.model import Structure
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import Lane, LaneKind
from visualizer.views.timeline.lanes.layout import sub_rows
from visualizer.views.timeline.lanes.text import (
    Value,
    agent_value,
    barrier_note,
    barrier_value,
    copy_value,
    cta_value,
    intervals_note,
    ring_value,
    stage_value,
    summary_note,
    warps_value,
)
from visualizer.views.timeline.shapes.barriers import WAVE_PARTS, add_barrier, wave_height
from visualizer.views.timeline.shapes.intervals import Intervals, add_intervals
from visualizer.views.timeline.shapes.picture import Dash, Metrics, Picture, body
from visualizer.views.timeline.shapes.samples import add_samples
from visualizer.views.timeline.shapes.share_rows import ShareRow
from visualizer.views.timeline.shapes.summary import add_summary
from visualizer.views.timeline.time.scale import View

Slices = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Begins and ends (ps), each of shape (slices,)."""
_NONE = np.empty(0, np.int64)
_ROLE_STRIPES = {"producer": "producer", "consumer": "consumer", "copy_engine": "tma"}


class KindOfLane(ABC):
    """`top` and `height` are pixels of where the lane stands."""

    @abstractmethod
    def build(self, store: LaneStore, lane: Lane) -> None:
        """Build what it is drawn from if that is not there: what another thread may do before it is drawn."""

    @abstractmethod
    def add(
        self, picture: Picture, store: LaneStore, lane: Lane, view: View, top: float, height: float, metrics: Metrics
    ) -> None:
        """Draw everything there is to see of it."""

    def add_ground(  # noqa: B027 - most have none
        self, picture: Picture, first: int, last: int, top: float, height: float
    ) -> None:
        """Draw what lies below its shares in the pixel columns first..last."""

    @abstractmethod
    def share_rows(self, store: LaneStore, lane: Lane, top: float, height: float) -> list[ShareRow]:
        """Its rows as shares of time, for a view that moves."""

    @abstractmethod
    def slices(self, store: LaneStore, lane: Lane) -> Slices:
        """What the lane is cut into: intervals, copies, phases; nothing of one that sums up others."""

    @abstractmethod
    def value(self, store: LaneStore, state: State, lane: Lane) -> Value:
        """What it is at, right after the focused event."""

    @abstractmethod
    def note(self, store: LaneStore, lane: Lane, view: View, x: float, sub_row: float) -> list[str]:
        """Lines about what is under pixel `x`; `sub_row` (0..1) is how far down the lane the pointer is."""

    def stripe(self, structure: Structure, lane: Lane) -> str:
        """The role whose colour marks its name; "" for no mark."""
        return _ROLE_STRIPES.get(structure.roles[lane.row], "running")


class _Summing(KindOfLane):
    """One that folds others and sums them up."""

    def build(self, store: LaneStore, lane: Lane) -> None:
        store.summary(lane)

    def add(
        self, picture: Picture, store: LaneStore, lane: Lane, view: View, top: float, height: float, metrics: Metrics
    ) -> None:
        add_summary(picture, store.summary(lane), view, top, height, metrics)

    def share_rows(self, store: LaneStore, lane: Lane, top: float, height: float) -> list[ShareRow]:
        summary = store.summary(lane)
        return [ShareRow(summary.mix, summary.parts, top, summary.tall(height), summed=True)]

    def slices(self, store: LaneStore, lane: Lane) -> Slices:
        return _NONE, _NONE

    def value(self, store: LaneStore, state: State, lane: Lane) -> Value:
        return warps_value(store, state, lane)

    def note(self, store: LaneStore, lane: Lane, view: View, x: float, sub_row: float) -> list[str]:
        return summary_note(store, lane, view, x)


class _Cta(_Summing):
    def value(self, store: LaneStore, state: State, lane: Lane) -> Value:
        return cta_value(store, state, lane)

    def stripe(self, structure: Structure, lane: Lane) -> str:
        return ""


class _Ring(_Summing):
    def value(self, store: LaneStore, state: State, lane: Lane) -> Value:
        return ring_value(store, state, lane)

    def stripe(self, structure: Structure, lane: Lane) -> str:
        return ""


class _InRows(KindOfLane):
    """One whose intervals stand in rows, one below the other."""

    @abstractmethod
    def rows(self, store: LaneStore, lane: Lane) -> list[Intervals]:
        """Its rows, the topmost first."""

    def build(self, store: LaneStore, lane: Lane) -> None:
        self.rows(store, lane)

    def share_rows(self, store: LaneStore, lane: Lane, top: float, height: float) -> list[ShareRow]:
        rows = self.rows(store, lane)
        places = self.places(top, height, len(rows))
        return [ShareRow(row.mix, row.parts, *place) for row, place in zip(rows, places, strict=True)]

    def places(self, top: float, height: float, rows: int) -> list[tuple[float, int]]:
        """Top and height of each row."""
        return [(top, round(height))]

    def slices(self, store: LaneStore, lane: Lane) -> Slices:
        spans = [row.spans for row in self.rows(store, lane)]
        begins, ends = [row.start for row in spans], [row.end for row in spans]
        return np.concatenate([_NONE, *begins]), np.concatenate([_NONE, *ends])

    def note(self, store: LaneStore, lane: Lane, view: View, x: float, sub_row: float) -> list[str]:
        rows = self.rows(store, lane)
        if not rows:
            return [lane.title]
        return intervals_note(lane, rows[min(int(sub_row * len(rows)), len(rows) - 1)], view, x, self.between(lane))

    def between(self, lane: Lane) -> str:
        """What is said where no interval is."""
        return tr("{title} · idle", title=lane.title)


class _InOneRow(_InRows):
    def rows(self, store: LaneStore, lane: Lane) -> list[Intervals]:
        return [store.intervals(lane)]

    def add(
        self, picture: Picture, store: LaneStore, lane: Lane, view: View, top: float, height: float, metrics: Metrics
    ) -> None:
        add_intervals(picture, store.intervals(lane), view, top, height, metrics)


class _Agent(_InOneRow):
    def value(self, store: LaneStore, state: State, lane: Lane) -> Value:
        return agent_value(store, state, lane)

    def between(self, lane: Lane) -> str:
        return tr("{title} · not running", title=lane.title)


class _Stage(_InOneRow):
    def value(self, store: LaneStore, state: State, lane: Lane) -> Value:
        return stage_value(state, lane)

    def stripe(self, structure: Structure, lane: Lane) -> str:
        return "running"


class _Copy(_InRows):
    """A copy engine: a row for each place that copies go to, where several are on their way at once."""

    def rows(self, store: LaneStore, lane: Lane) -> list[Intervals]:
        return store.copies(lane).rows

    def places(self, top: float, height: float, rows: int) -> list[tuple[float, int]]:
        return sub_rows(top, height, rows)

    def add(
        self, picture: Picture, store: LaneStore, lane: Lane, view: View, top: float, height: float, metrics: Metrics
    ) -> None:
        copies = store.copies(lane)
        places = self.places(top, height, len(copies.rows))
        for row, estimated, (row_top, row_height) in zip(copies.rows, copies.estimated, places, strict=True):
            add_intervals(picture, row, view, row_top, row_height, metrics)
            x = view.pixels(estimated)
            shown = x[(x > 0) & (x < view.width)]
            if len(shown) <= view.width // 8:
                picture.dashes += [Dash(float(at), row_top, row_top + row_height, "tma") for at in shown]

    def value(self, store: LaneStore, state: State, lane: Lane) -> Value:
        return copy_value(store.history, state, lane)


class _Barrier(KindOfLane):
    """Its arrivals as a wave, over the parity of its phases, with what a probe saw of it."""

    def build(self, store: LaneStore, lane: Lane) -> None:
        store.barrier(lane)
        store.samples(lane)

    def add(
        self, picture: Picture, store: LaneStore, lane: Lane, view: View, top: float, height: float, metrics: Metrics
    ) -> None:
        add_barrier(picture, store.barrier(lane), view, store.end, top, height, metrics)
        add_samples(picture, store.samples(lane), store.barrier(lane), view, top, height, metrics)

    def add_ground(self, picture: Picture, first: int, last: int, top: float, height: float) -> None:
        wave = wave_height(height)
        picture.add_one(body("phase_even"), first, top + wave, last + 1 - first, height - wave)

    def share_rows(self, store: LaneStore, lane: Lane, top: float, height: float) -> list[ShareRow]:
        mix = store.barrier(lane).mix
        return [ShareRow(mix, tuple(WAVE_PARTS[parity] for parity in mix.states), top, wave_height(height))]

    def slices(self, store: LaneStore, lane: Lane) -> Slices:
        phases = store.barrier(lane)
        return phases.start, phases.end

    def value(self, store: LaneStore, state: State, lane: Lane) -> Value:
        return store.at_barrier(lane.row, state, lambda change: barrier_value(store.history, lane.row, change))

    def note(self, store: LaneStore, lane: Lane, view: View, x: float, sub_row: float) -> list[str]:
        return barrier_note(store, lane, view, x)

    def stripe(self, structure: Structure, lane: Lane) -> str:
        return "full" if structure.kinds[lane.row] == "full" else "empty"


_KINDS: dict[LaneKind, KindOfLane] = {
    "cta": _Cta(),
    "warps": _Summing(),
    "ring": _Ring(),
    "agent": _Agent(),
    "copy": _Copy(),
    "stage": _Stage(),
    "barrier": _Barrier(),
}


def kind_of(lane: Lane) -> KindOfLane:
    return _KINDS[lane.kind]
