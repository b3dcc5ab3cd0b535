"""The source lines of events, as findings name them, and of inlined ones the line that is the user's own."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from visualizer.diagnosis.report import SourceLine
from visualizer.language import tr
from visualizer.recording.tables import Frame, Site
from visualizer.recording.trace import Trace

_LIBRARY = re.compile(r"^/usr/|(^|/)(include|site-packages|dist-packages)/|^(cutlass|cute)/")
"""Files that come with a library or a compiler, by their paths."""
_PRIMITIVE = re.compile(r"(^|/)(cutlass|cute)/(arch|atom|pipeline)/|^/usr/")
"""Of those, the ones that wrap instructions and pipelines: every kernel is at the same lines of them."""


def source_line(trace: Trace, site: int) -> SourceLine | None:
    """The source line with this row of the sites table; None for -1."""
    if not 0 <= site < len(trace.sites):
        return None
    row = trace.sites[site]
    return SourceLine(row.file, row.line, row.op)


def site_at(trace: Trace, step: int) -> SourceLine | None:
    """Where the event at `step` was made."""
    return source_line(trace, int(trace.events["site"][step])) if step >= 0 else None


def line(spot: SourceLine | None) -> str:
    """ " (kernels/async_pipeline.cu:52)", or nothing."""
    return f" ({spot.file}:{spot.line})" if spot is not None else ""


def line_and_caller(trace: Trace, step: int | None) -> str:
    """ " (cutlass/arch/barrier.h:400, called from kernel.cuh:100)": the line of the event at `step` and the user's own,
    where that is another; nothing without a step or a line."""
    site = int(trace.events["site"][step]) if step is not None else -1
    if not 0 <= site < len(trace.sites):
        return ""
    frames = frames_of(trace.sites[site])
    inner, own = frames[0], frames[users_frame(trace, trace.sites[site])]
    place, caller = f"{inner.file}:{inner.line}", f"{own.file}:{own.line}"
    return f" ({place})" if place == caller else tr(" ({place}, called from {caller})", place=place, caller=caller)


def own_lines(trace: Trace, steps: NDArray[np.int64]) -> list[str]:
    """ "kernel.cuh:100": the user's own lines of the events at `steps`, (events,), each once, in order; [] without."""
    sites = [trace.sites[row] for row in np.unique(trace.events["site"][steps]).tolist() if 0 <= row < len(trace.sites)]
    frames = {frames_of(site)[users_frame(trace, site)] for site in sites}
    return [f"{file}:{number}" for file, number in sorted({(frame.file, frame.line) for frame in frames})]


def frames_of(site: Site) -> tuple[Frame, ...]:
    """The calls that lead to a site, innermost first; one where nothing was inlined, or it is not known."""
    return site.stack or (Frame(site.file, site.line, ""),)


def users_frame(trace: Trace, site: Site) -> int:
    """Which of its frames is shown first: the user's own, the innermost that no library has, among those whose text
    there is; within a library, as CUTLASS's kernels are, the one that calls its pipeline."""
    frames = frames_of(site)
    there = [row for row, frame in enumerate(frames) if frame.file in trace.source_files] or range(len(frames))
    own = [row for row in there if not _LIBRARY.search(frames[row].file)]
    own = own or [row for row in there if not _PRIMITIVE.search(frames[row].file)]
    return (own or list(there))[0]
