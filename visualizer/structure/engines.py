"""Which agent stands for the copies of a CTA: it has one copy engine, whatever a recording's tables or a person say.

Whose copies were whose nobody knows where several are named. Each of thousands would show all copies of its CTA, so
the first is the CTA's copy engine, and the others are agents that show what they did themselves.
"""

from __future__ import annotations

from visualizer.recording.trace import Trace
from visualizer.structure.model import Structure


def copy_engines(trace: Trace, structure: Structure) -> list[int]:
    """Rows of the agents that are their CTA's copy engine, ascending."""
    first: dict[int, int] = {}
    for row, role in enumerate(structure.roles):
        if role == "copy_engine":
            first.setdefault(trace.agents[row].cta, row)
    return list(first.values())
