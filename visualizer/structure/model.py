"""Structure: rings of stages, and roles; found once for a recording and asked everywhere.

A Trace tells barriers and agents. That some barriers form a ring, that one of a stage says "full" and the other "empty"
and who produces and who consumes, is knowledge about the program: it may be told, inferred, or missing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.recording.tables import AgentRole, BarrierKind

TOLD = 1.0
"""The confidence of what a program or the user says."""


@dataclass(frozen=True, slots=True)
class Ring:
    """Stages that a CTA's agents go round, each with barriers that guard its buffer. Rows are those of the Trace."""

    name: str  # unique within a CTA, the same in every CTA; "" for one that was told without a name
    cta: int
    full: tuple[tuple[int, ...], ...]  # by stage: barriers that say its buffer can be read; usually one
    empty: tuple[tuple[int, ...], ...]  # by stage: barriers that say it can be filled again; (): none does
    producers: tuple[int, ...] = ()  # agents that fill it
    consumers: tuple[int, ...] = ()  # agents that read it
    confidence: float = TOLD  # 0..1
    why: str = ""  # what it rests on, in one sentence; "": it was told
    cursor_ring: int = -1  # row of Trace.rings in which agents' cursors over it count; -1: none are recorded

    @property
    def stages(self) -> int:
        return len(self.full)


@dataclass(frozen=True, eq=False)
class Structure:
    """What is known of a recording's barriers and agents.

    A *place* is one stage of one CTA's ring, and so a buffer: rings one after another, stages within. History's columns
    of stages are by place.
    """

    rings: tuple[Ring, ...]  # by CTA, and within one in the order of `names`
    names: tuple[str, ...]  # of rings: an event's or a barrier's ring is one of these
    roles: tuple[AgentRole, ...]  # by agent; "other": not known
    kinds: tuple[BarrierKind, ...]  # by barrier; "order": in `turns`; "other": not known what it is for
    ring_of: NDArray[np.int32]  # (barriers,): row of `rings`; -1: in none
    stage_of: NDArray[np.int32]  # (barriers,): its stage there; -1: none
    unknown: str = ""  # why nothing is known, in one sentence; "": something is
    turns: tuple[tuple[int, ...], ...] = ()  # ordered sequences: barriers of kind "order", from the one that may begin
    problems: Mapping[int, str] = field(default_factory=dict)  # which of the user's entries cannot be so, and why

    @cached_property
    def first_place(self) -> NDArray[np.int64]:
        """The place of each ring's stage 0, (rings + 1,); the last entry is how many places there are."""
        return np.concatenate([[0], np.cumsum([ring.stages for ring in self.rings])]).astype(np.int64)

    @property
    def places(self) -> int:
        """How many stage buffers there are, all CTAs together."""
        return int(self.first_place[-1])

    @cached_property
    def place_of(self) -> NDArray[np.int64]:
        """The place of each barrier, (barriers,); -1: none."""
        place: NDArray[np.int64] = self.first_place[self.ring_of] + self.stage_of
        return np.where((self.ring_of >= 0) & (self.stage_of >= 0), place, -1)

    @cached_property
    def _rows(self) -> dict[tuple[int, str], int]:
        return {(ring.cta, ring.name): row for row, ring in enumerate(self.rings)}

    def row(self, cta: int, name: str) -> int:
        """The row in `rings` of a CTA's ring; -1: it has none of this name."""
        return self._rows.get((cta, name), -1)

    def of_cta(self, cta: int) -> tuple[Ring, ...]:
        """The rings of one CTA."""
        return self.rings[self._of_cta.get(cta, slice(0, 0))]

    def places_of(self, cta: int) -> slice:
        """The places of one CTA's rings, which lie one after another."""
        rows = self._of_cta.get(cta, slice(0, 0))
        return slice(int(self.first_place[rows.start]), int(self.first_place[rows.stop]))

    @cached_property
    def _of_cta(self) -> dict[int, slice]:
        """The rows in `rings` of each CTA that has some."""
        found: dict[int, slice] = {}
        for row, ring in enumerate(self.rings):
            found[ring.cta] = slice(found[ring.cta].start if ring.cta in found else row, row + 1)
        return found

    def ring_rows(self, ctas: int) -> NDArray[np.int32]:
        """The row in `rings` at [CTA, row of `names`], (ctas, names); -1: none."""
        rows = np.full((ctas, len(self.names)), -1, np.int32)
        for row, ring in enumerate(self.rings):
            rows[ring.cta, self.names.index(ring.name)] = row
        return rows

    def place(self, cta: int, name: str, stage: int) -> int:
        """The place of a stage of a CTA's ring; -1: there is none."""
        row = self.row(cta, name)
        return int(self.first_place[row]) + stage if row >= 0 and 0 <= stage < self.rings[row].stages else -1

    def at(self, place: int) -> tuple[Ring, int]:
        """Ring and stage of a place."""
        row = bisect_right(self._begins, place) - 1
        return self.rings[row], place - self._begins[row]

    @cached_property
    def _begins(self) -> list[int]:
        """`first_place` as numbers of Python's: looking up one in an array costs ten times as much."""
        begins: list[int] = self.first_place.tolist()
        return begins


def with_rings(structure: Structure, rings: Iterable[Ring]) -> Structure:
    """The structure with these rings in place of its own; barriers' rings and stages follow from them."""
    kept = list(rings)
    there = {ring.name for ring in kept}
    names = tuple(dict.fromkeys([*(n for n in structure.names if n in there), *(ring.name for ring in kept)]))
    kept.sort(key=lambda ring: (ring.cta, names.index(ring.name)))
    ring_of = np.full(len(structure.kinds), -1, np.int32)
    stage_of = np.full(len(structure.kinds), -1, np.int32)
    for row, ring in enumerate(kept):
        for stages in (ring.full, ring.empty):
            for stage, barriers in enumerate(stages):
                ring_of[list(barriers)], stage_of[list(barriers)] = row, stage
    return replace(structure, rings=tuple(kept), names=names, ring_of=ring_of, stage_of=stage_of)
