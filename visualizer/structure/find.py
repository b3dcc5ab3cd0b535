"""The one way to ask for a recording's structure."""

from __future__ import annotations

from visualizer.recording.trace import Trace
from visualizer.structure.infer import infer
from visualizer.structure.model import Structure
from visualizer.structure.told import tells, told


def structure_of(trace: Trace) -> Structure:
    """What is known of the trace's barriers and agents: told, or else inferred from its events."""
    return told(trace) if tells(trace) else infer(trace)
