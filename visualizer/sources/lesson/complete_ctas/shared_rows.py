"""The rows of a complete CTA's events: all but times and flags are the same in every such CTA.

A row's number decides who is first where times are equal: an agent's rows in program order, agent by agent, then the
landings by barrier. Rows that follow from another one come right after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.reconstruction.event_memory import ROW
from visualizer.reconstruction.logged import Logged
from visualizer.recording.schema import EVENT_DTYPE, EventFlag, EventKind
from visualizer.sources.lesson.complete_ctas.complete_clocks import CONSUMER_STEPS, FIRST_COPY, RELEASE, Bools, Grid
from visualizer.sources.lesson.tile_clocks import Ints

_FLIP = RELEASE + 1
"""A consumer's row after its arrival, for the phase that it completes if it is the last to arrive."""
_ROWS = CONSUMER_STEPS + 1
_GUESSED = EventFlag.DERIVED | EventFlag.ESTIMATED


@dataclass(frozen=True, eq=False)
class SharedRows:
    """The rows that all complete CTAs of a recording share."""

    grid: Grid
    by_stage: Ints  # (tiles,): the tiles in order of stages, then of laps
    events: NDArray[np.void]  # ROW, (rows,): agent and barrier ids count from the CTA's first rows; times 0
    flags: NDArray[np.uint8]  # (rows,)

    def spread(self, producer: NDArray[Any], consumers: NDArray[Any], landings: NDArray[Any]) -> NDArray[Any]:
        """One column by row, of what it is for agents' events, as in CompleteClocks, and (tiles, copies) landings."""
        return _spread(self.grid, self.by_stage, producer, consumers, landings)

    def flips(self, column: NDArray[Any]) -> NDArray[Any]:
        """A view of the rows of the consumers' completions, (consumers, tiles)."""
        return _consumers(self.grid, column)[..., _FLIP]

    def flags_of(self, acquire_blocked: Bools, wait_blocked: Bools, seen: Bools) -> NDArray[np.uint8]:
        """The flags by row. `seen`, (tiles,): a wait saw the last copy of the tile land."""
        grid, flags = self.grid, self.flags.copy()
        producer = flags[: grid.producer_events]
        grid.producer_tiles(producer)[:, 1] |= acquire_blocked[: grid.tiles] * np.uint8(EventFlag.BLOCKED)
        grid.tail(producer)[:, 1] |= acquire_blocked[grid.tiles :] * np.uint8(EventFlag.BLOCKED)
        _consumers(grid, flags)[..., 1] |= wait_blocked * np.uint8(EventFlag.BLOCKED)
        closing = np.where(seen, EventFlag.DERIVED, _GUESSED).astype(np.uint8)
        _landings(grid, flags)[:, -3:] = closing[self.by_stage, None]
        return flags


def shared_rows(grid: Grid, example: Logged, copy_bytes: int) -> SharedRows:
    """The rows, of what the agents of one CTA logged."""
    logged = example.events(np.arange(len(example)))
    logged["agent"], logged["barrier"] = example.agent, example.barrier
    logged["time"] = logged["measured"] = 0
    logged["flags"] &= ~np.uint8(EventFlag.BLOCKED)
    producer = logged[: grid.producer_events].view(ROW)
    consumers = logged[grid.producer_events :].view(ROW).reshape(grid.consumers, grid.consumer_events)
    by_stage = np.concatenate([np.arange(stage, grid.tiles, grid.stages) for stage in range(grid.stages)])
    issues = grid.producer_tiles(producer)[:, FIRST_COPY:-1]
    rows = _spread(grid, by_stage, producer, consumers, issues)
    events = rows.view(EVENT_DTYPE)
    phase = np.arange(grid.tiles) // grid.stages
    _complete(_consumers(grid, events)[..., _FLIP], phase)
    landed = _landings(grid, events)
    landed["agent"], landed["amount"], landed["site"] = grid.consumers + 1, copy_bytes, -1
    landed["flags"] = _GUESSED
    landed["kind"][:, :-1:2] = EventKind.COMPLETE_TX
    landed["kind"][:, 1:-1:2] = EventKind.COPY_DONE
    landed["kind"][:, -1] = EventKind.COPY_DONE
    _complete(landed[:, -2], phase[by_stage])
    landed["flags"][:, -2] = _GUESSED
    return SharedRows(grid, by_stage, rows, np.ascontiguousarray(events["flags"]))


def _complete(rows: NDArray[np.void], phase: Ints) -> None:
    rows["kind"], rows["amount"], rows["parity"] = EventKind.PHASE_COMPLETE, phase, phase & 1
    rows["flags"] = EventFlag.DERIVED


def _spread(
    grid: Grid, by_stage: Ints, producer: NDArray[Any], consumers: NDArray[Any], landings: NDArray[Any]
) -> NDArray[Any]:
    size = grid.logged + grid.consumers * grid.tiles + grid.tiles * (2 * grid.copies + 1)
    column = np.empty(size, producer.dtype)
    column[: grid.producer_events] = producer
    own, given = _consumers(grid, column), grid.consumer_tiles(consumers)
    own[..., :_FLIP] = given[..., :_FLIP]
    own[..., _FLIP] = given[..., RELEASE]
    own[..., _FLIP + 1 :] = given[..., _FLIP:]
    _exits(grid, column)[:] = consumers[:, -1]
    rows, ordered = _landings(grid, column), landings[by_stage]
    rows[:, : 2 * grid.copies : 2] = ordered
    rows[:, 1 : 2 * grid.copies : 2] = ordered
    rows[:, -1] = ordered[:, -1]
    return column


def _all_consumers(grid: Grid, column: NDArray[Any]) -> NDArray[Any]:
    size = grid.tiles * _ROWS + 1
    begin = grid.producer_events
    return column[begin : begin + grid.consumers * size].reshape(grid.consumers, size)


def _consumers(grid: Grid, column: NDArray[Any]) -> NDArray[Any]:
    """A view of the consumers' rows of tiles, (consumers, tiles, _ROWS)."""
    return _all_consumers(grid, column)[:, :-1].reshape(grid.consumers, grid.tiles, _ROWS)


def _exits(grid: Grid, column: NDArray[Any]) -> NDArray[Any]:
    return _all_consumers(grid, column)[:, -1]


def _landings(grid: Grid, column: NDArray[Any]) -> NDArray[Any]:
    """A view of the landings' rows, by stage and lap, (tiles, 2 * copies + 1): COMPLETE_TX and COPY_DONE of each copy,
    with the completion between those of the last."""
    width = 2 * grid.copies + 1
    return column[len(column) - grid.tiles * width :].reshape(grid.tiles, width)
