"""Whether the stages that an agent uses are those of its rings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from visualizer.language import tr
from visualizer.recording.tables import Barrier


def stage_beyond(name: str, largest: Mapping[int, int], barriers: Sequence[Barrier], rings: Sequence[str]) -> str:
    """What is wrong with the agent of this name; "" if nothing is. `largest`: by row of `rings`, the largest stage that
    it uses. A ring without barriers may have any."""
    for ring, stage in largest.items():
        stages = max((b.stage for b in barriers if b.ring == rings[ring]), default=-1) + 1
        if not stages or stage < stages:
            continue
        if len(rings) == 1:
            return tr(
                "{name} uses stage {largest_stage}, but no barrier belongs to it; the program has {stages} stages",
                name=name,
                largest_stage=stage,
                stages=stages,
            )
        return tr(
            "{name} uses stage {largest_stage} of ring {ring!r}, but no barrier belongs to it; the ring has {stages}"
            " stages",
            name=name,
            largest_stage=stage,
            ring=rings[ring],
            stages=stages,
        )
    return ""
