"""The per-tile table as cells: the lesson's table, read off this recording, with where each cell happened."""

from __future__ import annotations

from bisect import bisect_left

from visualizer.language import mark, tr
from visualizer.replay.history import History
from visualizer.replay.tile_table import Cursor, PhaseFlip, TileRow, TileWait, tile_table
from visualizer.views.tables.cells import Cell, Column

COLUMNS = (
    Column("tile", "tile", mark("number of the tile"), True, "0000"),
    Column(
        "pipe_write", "pipe_write", mark("the producer's cursor when it acquires the stage"), False, "stage 0, phase 0"
    ),
    Column("empty_wait", mark("empty wait"), mark("the producer's wait on empty[index]"), False, "wait(0) blocked"),
    Column(
        "full_phase", mark("full phase"), mark("the flip of full[index] when the tile has landed"), False, "full[0] 0→1"
    ),
    Column("pipe_read", "pipe_read", mark("the consumers' cursor when they wait"), False, "stage 0, phase 0"),
    Column("full_wait", mark("full wait"), mark("the consumers' wait on full[index]"), False, "wait(0) blocked"),
    Column(
        "empty_phase",
        mark("empty phase"),
        mark("the flip of empty[index] when all have released it"),
        False,
        "empty[0] 0→1",
    ),
)
_PENDING = mark("not yet")


class TileRows:
    """The CellSource of the per-tile table. Cells that happen after the focused step are muted."""

    columns = COLUMNS

    def __init__(self, history: History, cta: int, ring: str | None = None) -> None:
        """`ring`: the name of one of the CTA's rings; None: its first."""
        self.cta = cta
        self.ring = ring
        self.step = 0
        self.veiled_after: int | None = None  # what comes after this event is not told
        rings = [each for each in history.structure.of_cta(cta) if ring in (None, each.name)]
        self._stages = rings[0].stages if rings else 0
        self._table = tile_table(history, cta, ring)
        self._latest: tuple[int, TileRow] | None = None

    def rows(self) -> int:
        return len(self._table)

    def row_of(self, tile: int) -> int | None:
        """The row of a tile; None if the table has none such."""
        row = bisect_left(range(len(self._table)), tile, key=lambda row: self._table[row].tile)
        return row if row < len(self._table) and self._table[row].tile == tile else None

    def cell(self, row: int, column: int) -> Cell:
        # Cells are asked for row by row, so the latest row is kept.
        if self._latest is None or self._latest[0] != row:
            self._latest = (row, self._table[row])
        key = COLUMNS[column].key
        text, step, blocked = self._content(self._latest[1], key)
        if self.veiled_after is not None and step is not None and step > self.veiled_after:
            return Cell("", "muted", step)
        if step is None:
            return Cell(text, "" if key == "tile" else "muted")
        if step == self.step:
            return Cell(text, "focus", step)
        if step > self.step:
            return Cell(text, "muted", step)
        return Cell(text, "waiting" if blocked else "", step)

    def _content(self, row: TileRow, key: str) -> tuple[str, int | None, bool]:
        """Text, the step the cell leads to, and whether it is a wait that blocked."""
        if key == "tile":
            return str(row.tile), _first_step(row), False
        if key == "pipe_write":
            return *_cursor(row.pipe_write, row.empty_wait), False
        if key == "pipe_read":
            return *_cursor(row.pipe_read, row.full_wait), False
        if key == "empty_wait":
            fresh = row.pipe_write is not None and row.pipe_write.count < self._stages
            return _wait(row.empty_wait, fresh)
        if key == "full_wait":
            return _wait(row.full_wait, fresh=False)
        if key == "full_phase":
            return *_flip("full", row.stage, row.full_phase), False
        return *_flip("empty", row.stage, row.empty_phase), False


def _first_step(row: TileRow) -> int | None:
    return row.empty_wait.begin_step if row.empty_wait else None


def _cursor(cursor: Cursor | None, wait: TileWait | None) -> tuple[str, int | None]:
    if cursor is None or wait is None:
        return tr(_PENDING), None
    return tr("stage {index}, phase {phase}", index=cursor.index, phase=cursor.phase), wait.begin_step


def _wait(wait: TileWait | None, fresh: bool) -> tuple[str, int | None, bool]:
    if wait is None:
        return tr(_PENDING), None, False
    if wait.end_step is None:
        return tr("wait({parity}) never passed", parity=wait.parity), wait.begin_step, True
    outcome = tr("blocked") if wait.blocked else tr("fresh") if fresh else tr("passes")
    return f"wait({wait.parity}) {outcome}", wait.end_step, wait.blocked


def _flip(kind: str, stage: int, flip: PhaseFlip | None) -> tuple[str, int | None]:
    if flip is None:
        return tr(_PENDING), None
    return f"{kind}[{stage}] {flip.before}→{flip.after}", flip.step
