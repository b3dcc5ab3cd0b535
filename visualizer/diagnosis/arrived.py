"""What has come of a barrier's phase, as people count: arrivals and bytes that are in, of those it takes."""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.language import mark, tr, trn
from visualizer.replay.barrier_columns import Counting
from visualizer.replay.history import BarrierState, History

_KIB = 1024
CURSOR = mark("stage {index}, phase {phase}, tile {count}")
"""A PipelineState in words: its count is the number of tiles gone by, so that of the tile it stands at."""


@dataclass(frozen=True, slots=True)
class Landed:
    """Bytes of a phase that are in, and how many it takes as far as that is known."""

    landed: int
    expected: int

    @property
    def share(self) -> float:
        return min(max(self.landed / self.expected, 0.0), 1.0) if self.expected else 0.0

    @property
    def text(self) -> str:
        """ "8/16 KiB"; "" where the phase takes no bytes."""
        return bytes_of(self.landed, self.expected) if self.landed or self.expected else ""


NO_BYTES = Landed(0, 0)


def landed_at(history: History, row: int, step: int, total: int = 0) -> Landed:
    """Bytes of the phase that the barrier is in after event `step`; `total` as in `landed_of`."""
    return landed_of(history.barrier_at(row, step), total)


def landed_of(now: BarrierState, total: int = 0) -> Landed:
    """Bytes of the phase that a barrier is in. `total`: what the program says a phase takes, where it does: before they
    are announced none are expected. Of no phase that is known there are none."""
    if now.counting == Counting.NOTHING:
        return NO_BYTES
    return Landed(now.landed, max(now.landed + now.tx, total))


def numbered(phase: int, counting: Counting) -> str:
    """A phase, to go behind "#": "12"; "?+12" where an even number of phases before the recording is not known; "?"
    where nothing tells the barrier's phases."""
    if counting == Counting.NOTHING:
        return "?"
    return f"?+{phase}" if counting == Counting.BEGINNING else f"{phase}"


def number_of(state: BarrierState) -> str:
    """The phase that a barrier is in, as `numbered` has it."""
    return numbered(state.phase, state.counting)


def parity_of(state: BarrierState) -> str:
    """ "0", "1"; "?" where nothing tells the barrier's phases."""
    return parity_text(state.phase, state.counting)


def parity_text(phase: int, counting: Counting) -> str:
    """Of a phase, likewise."""
    return "?" if counting == Counting.NOTHING else f"{phase & 1}"


def arrived_of(state: BarrierState) -> str:
    """ "64/96"; "64/?" where it is not known how many a phase takes, "?" nor when it began; "-" for no barrier."""
    if not state.valid:
        return "-"
    return arrived_text(state.arrived, state.needed, state.counting)


def arrived_text(arrived: int, needed: int, counting: Counting) -> str:
    """Of a barrier, likewise; `needed` 0: it is not known."""
    return "?" if counting == Counting.NOTHING else f"{arrived}/{needed or '?'}"


def missing_bytes(tx: int) -> str:
    """What a barrier's count of bytes means: "4096 bytes to come"; "" where it is even."""
    if tx < 0:
        return trn("{n} byte more than was expected", "{n} bytes more than were expected", -tx)
    return trn("{n} byte to come", "{n} bytes to come", tx) if tx else ""


def bytes_of(some: int, whole: int) -> str:
    """Both in one unit, and never rounded: "8/16 KiB", "100/16,384 B"."""
    if some % _KIB == 0 and whole % _KIB == 0 and whole:
        return f"{some // _KIB:,}/{whole // _KIB:,} KiB"
    return f"{some:,}/{whole:,} B"


def bytes_text(count: int) -> str:
    """ "16 KiB", "100 B"."""
    return f"{count // _KIB:,} KiB" if count and count % _KIB == 0 else f"{count:,} B"


def cursor_text(index: int, phase: int, count: int) -> str:
    """ "stage 2, phase 1, tile 5"."""
    return tr(CURSOR, index=index, phase=phase, count=count)
