"""Where an agent under construction meets others: a method per operation of meetings.py."""

from __future__ import annotations

from visualizer.language import tr
from visualizer.programs.buffer_builder import BufferBuilder
from visualizer.programs.meetings import BarArrive, BarSync, SetMaxNReg, Sync, SyncWarp

MAX_THREADS = 1024
"""Most threads of a CTA, and so most that a named barrier counts [PTX]."""
MIN_REGISTERS = 24
MAX_REGISTERS = 256
"""Of a thread, by setmaxnreg, in steps of 8 [PTX]."""


class MeetingBuilder(BufferBuilder):
    """Syncs, and the registers that a CTA shares. `_threads` is how many the agent counts for."""

    _threads: int
    _registers: int  # of each of its threads; 0: nobody told

    @property
    def threads(self) -> int:
        """How many it counts for."""
        return self._threads

    def sync(self) -> None:
        """The __syncthreads that publishes what `fence` is for, whose event stands for both: all agents of the CTA
        that have not left."""
        self._add(Sync, False, self._builder.site("sync"))

    def syncthreads(self) -> None:
        """__syncthreads, which is bar.sync of 0: all agents of the CTA that have not left."""
        self._bar(BarSync, "syncthreads", 0, 0)

    def cluster_sync(self) -> None:
        """barrier.cluster arrive and wait: all agents of the cluster that have not left."""
        self._add(Sync, True, self._builder.site("cluster_sync"))

    def syncwarp(self) -> None:
        """__syncwarp: all agents that are lanes of this one's warp and have not left."""
        self._add(SyncWarp, self._builder.site("syncwarp"))

    def bar_sync(self, id: int, threads: int) -> None:
        """bar.sync: passes once `threads` threads of the CTA have come to named barrier `id`, this agent's counted."""
        self._bar(BarSync, "bar_sync", id, self._builder.whole("threads", threads, self._threads, MAX_THREADS))

    def bar_arrive(self, id: int, threads: int) -> None:
        """bar.arrive: come to named barrier `id`, as with `bar_sync`, and go on at once."""
        self._bar(BarArrive, "bar_arrive", id, self._builder.whole("threads", threads, self._threads, MAX_THREADS))

    def named_sync(self, id: int, agents: int) -> None:
        """bar.sync of so many agents of this one's size."""
        most = MAX_THREADS // self._threads
        self._bar(BarSync, "named_sync", id, self._builder.whole("agents", agents, 1, most) * self._threads)

    def setmaxnreg_dec(self, registers: int) -> None:
        """setmaxnreg.dec: each thread keeps `registers`; the CTA has the rest."""
        self._set_registers("setmaxnreg_dec", registers, MIN_REGISTERS, self._registers)

    def setmaxnreg_inc(self, registers: int) -> None:
        """setmaxnreg.inc: wait until the CTA has as many registers that each thread gets `registers`."""
        self._set_registers("setmaxnreg_inc", registers, self._registers, MAX_REGISTERS)

    def _set_registers(self, name: str, registers: int, low: int, high: int) -> None:
        if not self._registers:
            self._builder.fail(tr("how many registers a thread has at first is not told: Builder(..., registers=168)"))
        self._builder.whole("registers", registers, low, high)
        if registers % 8:
            self._builder.fail(tr("registers is {registers}; setmaxnreg takes multiples of 8", registers=registers))
        change, self._registers = registers - self._registers, registers
        self._add(SetMaxNReg, registers, change, self._builder.site(name))

    def _bar(self, kind: type[BarSync] | type[BarArrive], name: str, id: object, threads: int) -> None:
        self._builder.named_barrier(self.agent.cta, self._builder.whole("id", id, 0, 15), threads)
        self._add(kind, id, threads, self._builder.site(name))
