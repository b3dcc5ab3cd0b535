"""A window as the kernel takes it: which records it writes, and how much room they need. Pure arithmetic."""

from __future__ import annotations

from visualizer.programs.parameters import LessonConfig
from visualizer.trace.window import ROLES, Window

_ALL = 2**32 - 1


def records_per_warp(config: LessonConfig, window: Window) -> int:
    """The most records one warp makes in the window: the producer's or a consumer's, whichever is more.

    For a ring a power of two: so the kernel finds a record's place with one instruction.
    """
    producer_ends = 2 * config.stages + 1 + 3 * config.stages + 1  # init, fence; the tail's waits; exit
    tiles = _tiles(config, window)
    most = max(tiles * (4 + config.copies_per_tile) + producer_ends, tiles * 6 + 1)
    return 1 << (most - 1).bit_length() if window.keep_last else most


def log_window(config: LessonConfig, window: Window, capacity: int) -> dict[str, int]:
    """The fields of struct LogWindow, kernels/barrier_log.cuh."""
    begin = 0 if window.keep_last else max(window.first - config.stages, 0)
    return {
        "first": begin,
        "tiles": _ALL if window.keep_last else window.tiles(config.tiles).stop - begin,
        "ring_mask": capacity - 1 if window.keep_last else _ALL,
        "every_cta": window.every_cta,
        "roles": sum(1 << ROLES.index(role) for role in window.roles),
    }


def recorded_ctas(config: LessonConfig, window: Window) -> int:
    return -(-config.ctas // window.every_cta)


def _tiles(config: LessonConfig, window: Window) -> int:
    """Tiles to keep: the window's, the lap before it, and in a ring one more, of which the first record may be gone."""
    wanted = len(window.tiles(config.tiles)) + config.stages + (1 if window.keep_last else 0)
    return min(wanted, config.tiles)
