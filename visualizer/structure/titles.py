"""What to call barriers, warps and stage buffers: by what they are for, as far as that is known.

A stranger's barrier is called by its address and its warp by its number; "ring0.full[1]" and "warp0.producer" say more.
Names that a program gave stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from visualizer.recording.tables import without_cta
from visualizer.recording.trace import Trace
from visualizer.structure.model import Structure

_UNNAMED = re.compile(r"0x[0-9a-f]+|warp\d+")


def barrier_name(trace: Trace, structure: Structure, row: int) -> str:
    """The name of a barrier within its CTA; its address where nothing better is known, or not of this one alone."""
    name, kind = without_cta(trace.barriers[row].name), structure.kinds[row]
    if not _UNNAMED.fullmatch(name):
        return name
    ring, stage = int(structure.ring_of[row]), int(structure.stage_of[row])
    if ring >= 0 and stage >= 0 and kind in ("full", "empty"):
        of = structure.rings[ring]
        prefix = f"{of.name}." if len(structure.names) > 1 and of.name else ""
        return f"{prefix}{kind}[{stage}]" if len((of.full if kind == "full" else of.empty)[stage]) == 1 else name
    if kind == "order":
        turns = [turn for turn in structure.turns if trace.barriers[turn[0]].cta == trace.barriers[row].cta]
        for number, turn in enumerate(turns):
            if row in turn:
                return f"order{number if len(turns) > 1 else ''}[{turn.index(row)}]"
    return name


def agent_name(trace: Trace, structure: Structure, row: int) -> str:
    """The name of an agent within its CTA; a warp that nobody named with its role, if that is known."""
    name, role = without_cta(trace.agents[row].name), structure.roles[row]
    return f"{name}.{role}" if _UNNAMED.fullmatch(name) and role != "other" else name


def stage_key(trace: Trace, cta: int, stage: int, ring: str = "") -> str:
    """The key of a stage buffer's lane: "stage[1]", or "CTA2.stage[1]" when there are several CTAs, and
    "CTA2.K.stage[1]" when they have several rings."""
    title = stage_title(stage, ring)
    return f"CTA{cta}.{title}" if trace.ctas > 1 else title


def stage_title(stage: int, ring: str = "") -> str:
    """The same without the CTA."""
    return f"{ring}.stage[{stage}]" if ring else f"stage[{stage}]"


def barrier_titles(trace: Trace, structure: Structure) -> tuple[str, ...]:
    """What people call each barrier: its name with the CTA, where the recording names that."""
    return _titles(trace, structure, [barrier.name for barrier in trace.barriers], barrier_name)


def agent_titles(trace: Trace, structure: Structure) -> tuple[str, ...]:
    """The same of each agent."""
    return _titles(trace, structure, [agent.name for agent in trace.agents], agent_name)


def _titles(
    trace: Trace, structure: Structure, given: list[str], name: Callable[[Trace, Structure, int], str]
) -> tuple[str, ...]:
    return tuple(
        known.removesuffix(without_cta(known)) + name(trace, structure, row) for row, known in enumerate(given)
    )
