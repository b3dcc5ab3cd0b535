"""A window as the kernel takes it: which records it writes, and how much room they need. Pure arithmetic."""

from __future__ import annotations

from visualizer.programs.parameters import LessonConfig
from visualizer.sources.lesson.raw_log import CAPACITY_STEP, TILE_WORDS, LogLevel
from visualizer.sources.lesson.window import EVERYTHING, ROLES, Window

_ALL = 2**32 - 1


def records_per_warp(config: LessonConfig, level: LogLevel = "words", window: Window = EVERYTHING) -> int:
    """The most records one warp makes in the window: the producer's or a consumer's, whichever is more.

    For a ring a power of two: so the kernel finds a record's place with one instruction.
    """
    if level == "off":
        return 0
    stages = config.stages
    # A ring: the lap before, the producer's last waits, and one more tile, of which the first record may be gone.
    ring = window.keep_last + 2 * stages + 1
    tiles = ring if window.keep_last else len(window.span(config.tiles, stages))
    if level in TILE_WORDS:
        most = max(tiles, CAPACITY_STEP)
    else:
        tiles = min(tiles, config.tiles)
        ends = 2 * stages + 1 + 3 * stages + 1  # init, fence; the tail's waits; exit
        most = max(tiles * (4 + config.copies_per_tile) + ends, tiles * 6 + 1)
    return 1 << (most - 1).bit_length() if window.keep_last else most


def log_window(config: LessonConfig, window: Window) -> dict[str, int]:
    """The fields of struct LogWindow, kernels/barrier_log.cuh, but the ring's mask."""
    span = window.span(config.tiles, config.stages)
    is_open = window.keep_last or window.is_everything
    return {
        "first": 0 if is_open else span.start,
        "tiles": _ALL if is_open else len(span),
        "every_cta": window.every_cta,
        "roles": sum(1 << ROLES.index(role) for role in window.roles),
    }


def ring_mask(window: Window, capacity: int) -> int:
    """What the index of a record of an event is masked with: a ring keeps the last ones."""
    return capacity - 1 if window.keep_last else _ALL
