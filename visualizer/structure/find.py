"""The one way to ask for a recording's structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visualizer.recording.trace import Trace
from visualizer.structure.infer import infer
from visualizer.structure.model import Structure
from visualizer.structure.overrides import apply_overrides
from visualizer.structure.told import tells, told


def structure_of(trace: Trace, overrides: Sequence[Any] | None = None) -> Structure:
    """What is known of the trace's barriers and agents: told, or else inferred from its events.

    `overrides`: what the user says, laid over it; entries as in docs/structure.md.
    """
    structure = told(trace) if tells(trace) else infer(trace)
    return apply_overrides(trace, structure, overrides) if overrides else structure
