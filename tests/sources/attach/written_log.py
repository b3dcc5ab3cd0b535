"""A log as a twin writes it, by hand: records stream by stream, and what warps leave as they begin and end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visualizer.recording.tables import Frame
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import LANE_BITS, LEFT, PARITY_BIT, PART_BITS, Keep, Log, LogLayout, read_log
from visualizer.sources.attach.ptx.forms import FORMS
from visualizer.sources.attach.ptx.sites import Site

FORM = {form.name: form for form in FORMS}
START = (1 << 32) - 5000
"""The SM's clock as every warp begins: its low half wraps round soon after."""
NS_PER_CYCLE = 0.57

Record = tuple[int, int, int, int, int, int]  # cycles after START, site, part, lanes, address, value


def wait(cycles: int, address: int, parity: int, took: int, number: int = 2, *, failed: bool = False) -> Record:
    """The record of a wait by site `number` that took so many cycles."""
    asked = number | parity << (PARITY_BIT - PART_BITS - LANE_BITS)
    return cycles, asked, int(failed), 0, address, (START + cycles - took) & 0xFFFFFFFF


def site(
    number: int,
    name: str,
    opcode: str = "",
    *,
    spins: bool = False,
    tensor_map: int | None = None,
    stack: tuple[Frame, ...] = (),
) -> Site:
    return Site(number, FORM[name], opcode or f"{name}.shared::cta.b64", (), "", number + 10, stack, spins, tensor_map)


class WrittenLog:
    """`content` is the buffer, `log` a view of it."""

    def __init__(
        self,
        ctas: int = 1,
        warps: int = 1,
        *,
        lanes: tuple[int, ...] = (0,),
        room: int = 30,
        cluster: tuple[int, int, int] = (1, 1, 1),
        grid: tuple[int, int, int] | None = None,
        keep: Keep = Keep.FIRST,
    ) -> None:
        shape = Shape(grid or (ctas, 1, 1), (32 * warps, 1, 1), cluster)
        self.layout = LogLayout(shape, room, keep, lanes=lanes)
        self.content = np.zeros(self.layout.nbytes, np.uint8)
        self.log: Log = read_log(self.layout, self.content)
        size = cluster[0] | cluster[1] << 8 | cluster[2] << 16
        x, y, _ = shape.grid
        for cta in range(shape.ctas):
            place = cta % x, cta // x % y, cta // (x * y)
            ranks = [at % along for at, along in zip(place, cluster, strict=True)]
            rank = ranks[0] + cluster[0] * (ranks[1] + cluster[1] * ranks[2])
            header = self.log.headers[cta]
            header["cta"], header["cluster"], header["smid"] = cta + 1, rank | size << 8, cta
            header["start_clock"], header["start_time"] = START, 1_000_000
            header["spread"] = header["exit_spread"] = 10

    def write(self, records: Sequence[Record], cta: int = 0, warp: int = 0, lane: int = 0, made: int = 0) -> None:
        stream = self.log.records[cta, warp, self.layout.lanes.index(lane)]
        for row, (cycles, number, part, lanes, address, value) in enumerate(records):
            word = number << (LANE_BITS + PART_BITS) | part << LANE_BITS | lanes
            stream[row % len(stream)] = ((START + cycles) & 0xFFFFFFFF, word, address, value)
        self.log.counts[cta, warp, self.layout.lanes.index(lane)] = made | LEFT if made else 0

    def reread(self) -> Log:
        """What is in the buffer now."""
        return read_log(self.layout, self.content)

    def leave(self, cycles: int = 100_000, cta: int | None = None, warp: int | None = None) -> None:
        """Warps end: all, unless one is named."""
        ctas = slice(None) if cta is None else cta
        warps = slice(None) if warp is None else warp
        self.log.headers["exit_clock"][ctas, warps] = START + cycles
        self.log.headers["exit_time"][ctas, warps] = 1_000_000 + round(cycles * NS_PER_CYCLE)
