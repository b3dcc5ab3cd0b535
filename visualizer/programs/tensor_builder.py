"""What an agent under construction hands to Blackwell's tensor core."""

from __future__ import annotations

from visualizer.language import tr
from visualizer.programs.accesses import Read, Write
from visualizer.programs.meeting_builder import MeetingBuilder
from visualizer.programs.operations import Arrive
from visualizer.programs.program_tables import BarrierHandle, TensorCore
from visualizer.programs.tensor import MmaIssue, TensorCommit


class TensorBuilder(MeetingBuilder):
    """tcgen05."""

    def accumulate(self, stage: int, bytes: int, *, tile: int | None = None, ring: str | None = None) -> None:
        """Each `mma` from here on writes `bytes` of the tile (None: the current one) into this accumulator."""
        place, size, of = self._buffer(stage, bytes, ring)
        written = self.tile if tile is None else self._builder.whole("tile", tile, 0, 2**31 - 1)
        self._tensor_core().accumulator = Write(place, size, written, self._builder.site("accumulate"), of)

    def mma(self, stage: int, bytes: int, *, ns: int | None = None, ring: str | None = None) -> None:
        """tcgen05.mma: the tensor core reads the stage's buffer, in `ns` (None: a guess), while the agent goes on."""
        place, size, of = self._buffer(stage, bytes, ring)
        site, takes = self._builder.site("mma"), self._taking(ns)
        core = self._tensor_core()
        self._add(MmaIssue, place, size, self.tile, site, of)
        reads = Read(place, size, self.tile, site, 0, of, takes)
        core.take(reads, *([core.accumulator] if core.accumulator is not None else []))

    def commit(self, *barriers: BarrierHandle) -> None:
        """tcgen05.commit: the tensor core arrives on these (several: multicast) once all it was handed is done."""
        site = self._builder.site("commit")
        rows = [self._row_within_reach(barrier) for barrier in barriers]
        if not rows:
            self._builder.fail(tr("commit needs a barrier to arrive on"))
        for number, row in enumerate(rows):
            self._add(TensorCommit, row, self.tile, site, number > 0)
        self._tensor_core().take(*(Arrive(row, 1, self.tile, site) for row in rows))

    def _row_within_reach(self, barrier: object) -> int:
        """The row of a barrier in the agent's cluster: nobody reaches further."""
        row = self._builder.row_of(barrier)
        self._builder.check_reach(self.agent.cta, row)
        return row

    def _tensor_core(self) -> TensorCore:
        core = self._builder.tensor_core(self.agent.cta, self.agent.name)
        if core.warp != self.agent.name:
            self._builder.fail(
                tr(
                    "{name} hands work to the tensor core, as {other} does; one agent of a CTA does so",
                    name=self.agent.name,
                    other=core.warp,
                )
            )
        return core
