"""A PipelineState of an agent under construction: where it is in one of the program's rings."""

from __future__ import annotations

from collections.abc import Callable

from visualizer.semantics.pipeline_state import PipelineState


class Cursor:
    """`index` and `phase` are PipelineState's; `tell` notes each state that the cursor advances to."""

    def __init__(self, start: PipelineState, tell: Callable[[PipelineState], None]) -> None:
        self.start = start
        self._state = start
        self._tell = tell

    @property
    def index(self) -> int:
        """The stage the cursor is at."""
        return self._state.index

    @property
    def phase(self) -> int:
        """The cursor's phase bit, which is the parity to wait with."""
        return self._state.phase

    def advance(self) -> None:
        """++PipelineState: the next stage, and after the last one the first with the other phase."""
        self._state = self._state.increment()
        self._tell(self._state)

    def restart(self, *, phase: int | None = None) -> None:
        """Set the cursor back to stage 0, as code does that makes a new PipelineState. Leaves no event."""
        self._state = PipelineState(self.start.stages, phase=self.start.phase if phase is None else phase)
