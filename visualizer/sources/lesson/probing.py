"""What to probe and how much room that takes: the desktop side of the word probe."""

from __future__ import annotations

from collections.abc import Sequence

from visualizer.language import tr
from visualizer.programs.lesson import barriers_of
from visualizer.programs.parameters import LessonConfig
from visualizer.semantics.word import TX_GRANULE
from visualizer.sources.errors import SourceError

MOST_RUNS = 1 << 14
"""Runs kept of each barrier at most: 256 KiB."""


def chosen_barriers(config: LessonConfig, names: Sequence[str]) -> int:
    """The barriers with these names ("full[0]") as bits; all of a CTA if no name is given. SourceError if unknown."""
    known = [barrier.name.rpartition(".")[2] for barrier in barriers_of(config) if barrier.cta == 0]
    for name in names:
        if name not in known:
            raise SourceError(
                tr(
                    "--probe-barriers names {name!r}; with {stages} stages it must be among {full}..{last_full}"
                    " and {empty}..{last_empty}, separated by commas",
                    name=name,
                    stages=config.stages,
                    full=known[0],
                    last_full=known[config.stages - 1],
                    empty=known[config.stages],
                    last_empty=known[-1],
                )
            )
    return sum(1 << index for index, name in enumerate(known) if not names or name in names)


def runs_per_barrier(config: LessonConfig) -> int:
    """Runs that a barrier's whole life can make: each phase shows every granule of bytes and every warp's arrival."""
    phases = config.tiles // config.stages + 2
    per_phase = max(config.tile_bytes // TX_GRANULE, config.consumer_warps) + 3
    return min(phases * per_phase, MOST_RUNS)
