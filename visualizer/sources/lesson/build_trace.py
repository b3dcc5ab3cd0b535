"""From the lesson's raw log to a Trace: decode, then what every source's events go through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from visualizer.reconstruction.assemble import assemble_events
from visualizer.recording.facts import Clock
from visualizer.recording.schema import NO_SAMPLES
from visualizer.recording.tables import Agent, Barrier, Meta, Site
from visualizer.recording.trace import Trace
from visualizer.sources.lesson.decode import decode
from visualizer.sources.lesson.raw_log import RawLog
from visualizer.sources.lesson.tile_events import PipelineShape
from visualizer.sources.lesson.word_probe import RawProbe
from visualizer.sources.lesson.word_samples import decode_samples


def build_trace(
    raw: RawLog,
    agents: Sequence[Agent],
    barriers: Sequence[Barrier],
    sites: Sequence[Site],
    meta: Meta,
    source_files: Mapping[str, str],
    shape: PipelineShape | None = None,
    probe: RawProbe | None = None,
) -> Trace:
    """The Trace of `raw`; decode says when it needs `shape`. `meta` gets the clock fit, what was lost and left out, and
    how far events were moved.

    `probe` is what a probe saw in the same run.
    """
    decoded = decode(raw, agents, barriers, sites, shape)
    clock: Clock = {**decoded.clock.as_dict(), "missed_laps": decoded.missed_laps}
    meta = replace(meta, records_lost=int(decoded.lost.sum()), clock=clock)
    samples = NO_SAMPLES
    if probe is not None:
        samples = decode_samples(probe, decoded.clock, raw.anchors["smid"][:, 0], barriers, decoded.origin)
    return assemble_events(decoded.parts, agents, barriers, sites, meta, source_files, samples)
