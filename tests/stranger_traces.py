"""A stranger's recording: barriers known by address, 12 warps a CTA of which 11 do the same, a ring of 2 stages and one
of 3; nothing is told of what they are for."""

from __future__ import annotations

from benchmarks.stranger import stranger_records
from visualizer.reconstruction.assemble import assemble_events
from visualizer.reconstruction.discover import discover
from visualizer.recording.schema import NO_SAMPLES
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace


def stranger(tiles: int = 8, ctas: int = 1) -> Trace:
    found = discover(stranger_records(tiles, ctas))
    meta = Meta("stranger", {}, {}, Ending("completed"))
    return assemble_events(found.parts, found.agents, found.barriers, (), meta, {}, NO_SAMPLES)
