"""The one way to ask for a recording's structure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from visualizer.recording.event_columns import EventColumns
from visualizer.recording.trace import Trace
from visualizer.structure.infer import infer
from visualizer.structure.model import Structure
from visualizer.structure.overrides import apply_overrides
from visualizer.structure.told import tells, told


def structure_of(
    trace: Trace, overrides: Sequence[Any] | None = None, columns: Callable[[], EventColumns] | None = None
) -> Structure:
    """What is known of the trace's barriers and agents: told, or else inferred from its events.

    `overrides`: what the user says, laid over it; entries as in docs/structure.md. `columns`: gives the trace's columns
    for who keeps them anyway; asked only if something has to be inferred.
    """
    structure = told(trace) if tells(trace) else infer(trace, columns() if columns else None)
    return apply_overrides(trace, structure, overrides) if overrides else structure
