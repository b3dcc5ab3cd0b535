"""Which agents and barriers of a CTA are looked at together: warps of one role in one warpgroup, barriers of one ring.

Twelve warps of which eleven do the same are three groups and a producer to whoever reads them. Where there is little to
read there are no groups: few warps, or one ring.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from visualizer.recording.trace import Trace
from visualizer.structure.model import Structure

MOST_WARPS = 6
"""Up to so many warps of a CTA are looked at one by one."""


@dataclass(frozen=True, slots=True)
class Group:
    """Agents, or barriers and the stages they guard."""

    key: str  # "CTA1.warpgroup2.consumer", "ring[k]", "barriers": beside agents' and barriers' names, and unlike them
    title: str  # the same without the CTA; a ring's is the ring's name
    cta: int
    rows: tuple[int, ...]  # of agents or barriers
    ring: int = -1  # row of Structure.rings; -1: agents, or barriers of no ring


def warp_groups(trace: Trace, structure: Structure) -> list[Group]:
    """Groups of several warps, of CTAs that have many; warps as their agents stand in the table."""
    warps: dict[int, list[int]] = defaultdict(list)
    for row, agent in enumerate(trace.agents):
        if agent.warp >= 0 and structure.roles[row] != "copy_engine":  # which has a lane of its own
            warps[agent.cta].append(row)
    groups = []
    for cta, rows in warps.items():
        if len(rows) <= MOST_WARPS:
            continue
        alike: dict[str, list[int]] = defaultdict(list)
        for row in rows:
            warpgroup, role = trace.agents[row].warpgroup, structure.roles[row]
            where = f"warpgroup{warpgroup}" if warpgroup >= 0 else "warps"
            alike[where if role == "other" else f"{where}.{role}"].append(row)
        groups += [
            Group(_free(trace, _prefix(trace, cta) + title), title, cta, tuple(members))
            for title, members in alike.items()
            if len(members) > 1
        ]
    return groups


def barrier_groups(trace: Trace, structure: Structure) -> list[Group]:
    """The barriers of each ring, full ones first, and those of none; no groups where there is one ring at most."""
    if len(structure.names) < 2:
        return []
    of_ring: dict[int, list[int]] = defaultdict(list)
    of_none: dict[int, list[int]] = defaultdict(list)
    for row, ring in enumerate(structure.ring_of.tolist()):
        (of_ring[ring] if ring >= 0 else of_none[trace.barriers[row].cta]).append(row)
    kinds = {"full": 0, "empty": 1}
    groups = []
    for number, ring in enumerate(structure.rings):
        prefix, name = _prefix(trace, ring.cta), ring.name or "ring"
        rows = sorted(of_ring[number], key=lambda row: (kinds.get(structure.kinds[row], 2), structure.stage_of[row]))
        groups.append(Group(_free(trace, f"{prefix}ring[{name}]"), name, ring.cta, tuple(rows), number))
    for cta, loose in of_none.items():
        groups.append(Group(_free(trace, f"{_prefix(trace, cta)}barriers"), "barriers", cta, tuple(loose)))
    return groups


def find_group(groups: Iterable[Group], key: str) -> Group | None:
    """The group with this key; None if there is none."""
    return next((group for group in groups if group.key == key), None)


def _free(trace: Trace, key: str) -> str:
    """The key, or one like it if an agent or barrier is called so: a lane would head itself."""
    while key in trace.agent_index or key in trace.barrier_index:
        key += "'"
    return key


def _prefix(trace: Trace, cta: int) -> str:
    return f"CTA{cta}." if trace.ctas > 1 else ""
