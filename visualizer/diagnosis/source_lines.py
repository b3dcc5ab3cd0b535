"""The source lines of events, as findings name them."""

from __future__ import annotations

from visualizer.diagnosis.report import SourceLine
from visualizer.recording.trace import Trace


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
