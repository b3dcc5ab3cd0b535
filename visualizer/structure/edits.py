"""Entries that change a structure as a person asks: rings renamed, merged, split and laid out, kinds and roles.

An entry names barriers and agents without their CTA, so that it holds in every CTA and in the next recording of the
kernel; `overrides` follows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from visualizer.recording.tables import AgentRole, without_cta
from visualizer.recording.trace import Trace
from visualizer.structure.model import Ring, Structure

Entry = dict[str, Any]
Stages = Sequence[Sequence[int]]


def rename(ring: str, name: str) -> Entry:
    """The ring of this name is called `name`."""
    return {"ring": ring, "name": name}


def join(trace: Trace, rings: Sequence[Ring]) -> Entry:
    """One ring of all their stages, one ring's after the other's; it has the name of the first."""
    return lay_out(
        trace, rings[0].name, [s for ring in rings for s in ring.full], [s for ring in rings for s in ring.empty]
    )


def zip_stages(trace: Trace, rings: Sequence[Ring]) -> Entry:
    """One ring of as many stages as each of them has, each stage with the barriers of all; it has the name of the
    first."""
    full = [sum(stages, ()) for stages in zip(*(ring.full for ring in rings), strict=True)]
    empty = [sum(stages, ()) for stages in zip(*(ring.empty for ring in rings), strict=True)]
    return lay_out(trace, rings[0].name, full, empty)


def split(trace: Trace, structure: Structure, ring: Ring, stage: int) -> Entry:
    """The stages from `stage` on are a ring of their own; those before stay."""
    return lay_out(trace, free_name(structure), ring.full[stage:], ring.empty[stage:])


def exchange(trace: Trace, ring: Ring) -> Entry:
    """What was full is empty, and the other way round."""
    return lay_out(trace, ring.name, ring.empty, ring.full)


def lay_out(trace: Trace, name: str, full: Stages, empty: Stages) -> Entry:
    """A ring of these barriers, by stage."""
    entry: Entry = {"ring": name, "full": [_stage(trace, stage) for stage in full]}
    if any(empty):
        entry["empty"] = [_stage(trace, stage) for stage in empty]
    return entry


def set_kind(trace: Trace, barriers: Iterable[int], kind: Literal["order", "unknown"]) -> Entry:
    """The barriers are turns in this order, or nothing is known of them."""
    return {"barriers": _names(trace, barriers), "kind": kind}


def set_role(trace: Trace, agents: Iterable[int], role: AgentRole) -> Entry:
    """What the agents are."""
    return {"agents": [without_cta(trace.agents[row].name) for row in agents], "role": role}


def free_name(structure: Structure) -> str:
    """A name that no ring has."""
    number = 0
    while f"ring{number}" in structure.names:
        number += 1
    return f"ring{number}"


def _stage(trace: Trace, rows: Sequence[int]) -> str | list[str]:
    names = _names(trace, rows)
    return names[0] if len(names) == 1 else names


def _names(trace: Trace, rows: Iterable[int]) -> list[str]:
    return [without_cta(trace.barriers[row].name) for row in rows]
