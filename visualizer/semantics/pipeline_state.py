"""PipelineState: CUTLASS's ring cursor (index, phase, count). A cursor, not a barrier.

Source: CUTLASS 4.2, cutlass/pipeline/sm90_pipeline.hpp (PipelineState, make_producer_start_state).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PipelineState:
    """Where an agent is in the ring: stage `index`, the `phase` bit it waits with, and tiles done, `count`."""

    stages: int
    index: int = 0
    phase: int = 0
    count: int = 0

    def __post_init__(self) -> None:
        if self.stages < 1:
            raise ValueError(f"a pipeline needs at least 1 stage, not {self.stages}")
        if not 0 <= self.index < self.stages:
            raise ValueError(f"stage index {self.index} is outside 0..{self.stages - 1}")
        if self.phase not in (0, 1):
            raise ValueError(f"phase is one bit, not {self.phase}")

    def increment(self) -> PipelineState:
        """CUTLASS's operator++: the phase flips when the index wraps to 0."""
        index = self.index + 1
        if index == self.stages:
            return PipelineState(self.stages, 0, self.phase ^ 1, self.count + 1)
        return PipelineState(self.stages, index, self.phase, self.count + 1)

    def advance(self, tiles: int) -> PipelineState:
        """CUTLASS's advance(n): the closed form of n increments (n >= 0)."""
        if tiles < 0:
            raise ValueError(f"advance goes forward only, not by {tiles}")
        laps = (self.index + tiles) // self.stages
        return PipelineState(
            self.stages, (self.index + tiles) % self.stages, self.phase ^ (laps & 1), self.count + tiles
        )


def make_producer_start_state(stages: int) -> PipelineState:
    """(0, phase 1, 0): buffers start empty, and wait(1) passes on a fresh barrier."""
    return PipelineState(stages, index=0, phase=1, count=0)
