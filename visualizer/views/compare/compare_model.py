"""The tables of a comparison as cells: first differences, time per tile, and the states at the focus; and bars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_report import event_text, signed, state_differences
from visualizer.diagnosis.comparison.compare_tiles import TileTimes
from visualizer.diagnosis.wording import duration
from visualizer.language import mark, tr
from visualizer.views.tables.cells import Cell, Column

ORDER_COLUMNS = (
    Column("agent", mark("agent"), mark("an agent whose order of events differs"), False, "consumer.w00"),
    Column("index", mark("event"), mark("its first event that differs, counted from 0"), True, "000000"),
    Column(
        "a",
        mark("in a"),
        mark("what it is in this recording"),
        False,
        "wait_begin empty[2] tile 00 parity 0 (step 0000)",
    ),
    Column(
        "b", mark("in b"), mark("what it is in the other"), False, "wait_begin empty[2] tile 00 parity 0 (step 0000)"
    ),
)
RING_COLUMN = Column("ring", mark("ring"), mark("the ring whose tile it is, where there are several"), False, "ring00")
TILE_COLUMNS = (
    Column("cta", mark("CTA"), mark("the tile's CTA"), True, "000"),
    Column("tile", mark("tile"), mark("number of the tile"), True, "0000"),
    Column("a", mark("in a"), mark("from the tile's first event to its last, in this recording"), True, "00.000 µs"),
    Column("b", mark("in b"), mark("the same in the other"), True, "00.000 µs"),
    Column("longer", mark("difference"), mark("how much longer or shorter it took in b"), True, "00.000 µs shorter"),
    Column("later", mark("ends"), mark("how much later or earlier it ended in b"), True, "00.000 µs earlier"),
)
STATE_COLUMNS = (
    Column(
        "name",
        mark("what"),
        mark("a barrier, stage or agent that is not the same at the focus"),
        False,
        "CTA00.full[0]",
    ),
    Column("a", mark("in a"), mark("its state in this recording"), False, "phase 00, arrived 00/00, landed 00/00 KiB"),
    Column("b", mark("in b"), mark("its state in the other"), False, "phase 00, arrived 00/00, landed 00/00 KiB"),
)


class OrderRows:
    """A row per agent whose order differs, the earliest difference first; agents of one recording only at the end."""

    columns = ORDER_COLUMNS

    def __init__(self, comparison: Comparison) -> None:
        self._rows: list[tuple[Cell, ...]] = []
        for agent in comparison.differing:
            step = agent.step_a
            if step is None and agent.step_b is not None:
                step = comparison.in_a(agent.step_b)
            texts = (event_text(comparison.a, agent.step_a), event_text(comparison.b, agent.step_b))
            cells = (agent.agent, str(agent.index), *texts)
            self._rows.append(tuple(Cell(text, step=step) for text in cells))
        here, none, empty = Cell(tr("is here")), Cell("–"), Cell("")
        self._rows += [(Cell(name), empty, here, none) for name in comparison.only_a]
        self._rows += [(Cell(name), empty, none, here) for name in comparison.only_b]

    def rows(self) -> int:
        return len(self._rows)

    def cell(self, row: int, column: int) -> Cell:
        return self._rows[row][column]


class TileTimeRows:
    """A row per tile that both recordings have; where there are several rings, then one per ring and tile."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._tiles = comparison.tiles
        self.columns: tuple[Column, ...] = TILE_COLUMNS
        self._rings: list[tuple[str, TileTimes]] = []
        if comparison.has_rings:
            self.columns = (RING_COLUMN, *TILE_COLUMNS)
            self._rings = [(ring.name, ring.tiles) for ring in comparison.rings]
        self._longest = max(tiles.longest for tiles in (self._tiles, *(tiles for _, tiles in self._rings)))
        self._ends = np.cumsum([len(self._tiles), *(len(tiles) for _, tiles in self._rings)])

    def rows(self) -> int:
        return int(self._ends[-1])

    def row_of(self, cta: int, tile: int) -> int | None:
        found = np.flatnonzero((self._tiles.cta == cta) & (self._tiles.tile == tile))
        return int(found[0]) if len(found) else None

    def cell(self, row: int, column: int) -> Cell:
        ring, tiles, row = self._at(row)
        longer, later = int(tiles.longer[row]), int(tiles.later[row])
        texts = {
            "ring": tr("all") if ring is None else ring,
            "cta": str(tiles.cta[row]),
            "tile": str(tiles.tile[row]),
            "a": duration(int(tiles.end_a[row] - tiles.begin_a[row]), self._longest),
            "b": duration(int(tiles.end_b[row] - tiles.begin_b[row]), self._longest),
            "longer": signed(longer, tr("longer"), tr("shorter"), self._longest),
            "later": signed(later, tr("later"), tr("earlier"), self._longest),
        }
        return Cell(texts[self.columns[column].key])

    def tile(self, row: int) -> tuple[int, int, str | None]:
        """The CTA, number and ring of a row's tile; None: of all rings together."""
        ring, tiles, row = self._at(row)
        return int(tiles.cta[row]), int(tiles.tile[row]), ring

    def step(self, row: int) -> int | None:
        """The step of a where the tile's data are in."""
        return self._comparison.tile_step(self._comparison.a, *self.tile(row))

    def _at(self, row: int) -> tuple[str | None, TileTimes, int]:
        """The ring (None: all together), its tiles, and which of them a row shows."""
        part = int(np.searchsorted(self._ends, row, side="right"))
        if part == 0:
            return None, self._tiles, row
        return *self._rings[part - 1], row - int(self._ends[part - 1])


class StateRows:
    """A row per barrier, stage and agent whose state is not the same at a step of a and the like step of b."""

    columns = STATE_COLUMNS

    def __init__(self, comparison: Comparison, step: int) -> None:
        self._rows = state_differences(comparison, step, comparison.in_b(step))

    def rows(self) -> int:
        return len(self._rows)

    def cell(self, row: int, column: int) -> Cell:
        return Cell(self._rows[row][column])


@dataclass(frozen=True, eq=False)
class Bars:
    """One bar per pixel column or tile: `x` and `width` in pixels, `value` in ps, `row` of the tile it shows."""

    x: NDArray[np.float64]
    width: float
    value: NDArray[np.int64]
    row: NDArray[np.int64]


def tile_bars(comparison: Comparison, width: float) -> Bars:
    """How much longer each tile took in b. More tiles than pixels share bars: the largest difference is shown."""
    longer = comparison.tiles.longer
    count = len(longer)
    if not count or width < 1:
        return Bars(np.empty(0), 0.0, np.empty(0, np.int64), np.empty(0, np.int64))
    bars = min(count, int(width))
    starts = np.arange(bars) * count // bars
    ends = np.append(starts[1:], count)
    size = int((ends - starts).max())
    rows = np.minimum(starts[:, None] + np.arange(size), ends[:, None] - 1)
    row = rows[np.arange(bars), np.abs(longer[rows]).argmax(axis=1)]
    return Bars(np.arange(bars) * width / bars, width / bars, longer[row], row)
