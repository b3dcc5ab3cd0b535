"""What follows from the lesson's parameters, for everyone who need not know how the lesson keeps them."""

from __future__ import annotations

from typing import Any

from visualizer.programs.errors import ProgramError
from visualizer.programs.parameters import LESSON, LessonConfig
from visualizer.recording.tables import Meta
from visualizer.semantics.shared_storage import BARRIER_BYTES
from visualizer.semantics.warp import WARP_THREADS


def lesson_facts(meta: Meta) -> dict[str, Any] | None:
    """The parameters of a recording of the lesson, all of them, and what follows from them: bytes, the counts of
    arrivals that barriers are initialised with, and threads. None if it is of another program, or tells none."""
    if meta.program != LESSON or not meta.config:
        return None
    try:
        lesson = LessonConfig.from_dict(meta.config)
    except ProgramError:
        return None
    return {
        **lesson.as_dict(),
        "tile_bytes": lesson.tile_bytes,
        "expected_bytes": lesson.expected_bytes,
        "full_init": lesson.full_init,
        "empty_init": lesson.empty_init,
        "shared_bytes": lesson.storage.total_bytes,
        "barrier_bytes": 2 * lesson.stages * BARRIER_BYTES,
        "consumers": lesson.consumer_warps * WARP_THREADS,
        "threads": (lesson.consumer_warps + 1) * WARP_THREADS,
    }
