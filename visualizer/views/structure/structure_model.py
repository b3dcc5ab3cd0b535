"""The structure as a list to look at and to change: rings with their barriers, turns, barriers and agents, of one CTA.

What can be done with a selection is a list of choices, each with the entry that does it (visualizer.structure.edits).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from visualizer.diagnosis.wording import commas
from visualizer.language import mark, tr, trn
from visualizer.recording.tables import WARP_ROLES, without_cta
from visualizer.replay.history import History
from visualizer.structure import edits
from visualizer.structure.model import TOLD, Ring
from visualizer.views.words.context import cta_agents, cta_barriers

"""Those that a person can give; a copy engine is one by nature."""
UNKNOWN = mark("not known")
_NAMELESS = mark("(no name)")


@dataclass(frozen=True, slots=True)
class Node:
    """A line. `row`: of Structure.rings, of the barriers or of the agents; -1 for a heading."""

    what: Literal["ring", "barrier", "agent", "heading"]
    name: str
    detail: str
    sure: str = ""  # of a ring: how sure
    help: str = ""  # of a ring: what it rests on
    row: int = -1
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be done with what is selected."""

    title: str
    entry: dict[str, Any]


def nodes(history: History, cta: int) -> tuple[Node, ...]:
    """The CTA's rings, turns, barriers of which nothing is known, and agents."""
    trace, structure = history.trace, history.structure
    found: list[Node] = []
    for ring in structure.of_cta(cta):
        found.append(
            Node(
                "ring",
                ring.name or tr(_NAMELESS),
                trn("{n} stage", "{n} stages", ring.stages),
                "" if ring.confidence == TOLD else f"{ring.confidence:.0%}",
                ring.why or tr("it was told"),
                structure.row(cta, ring.name),
                tuple(_barrier(history, row) for row in _barriers_of(ring)),
            )
        )
    own = cta_barriers(trace, cta)
    for turn in structure.turns:
        if turn[0] in own:
            found.append(_heading(tr("taking turns"), [_barrier(history, row) for row in turn]))
    if others := [row for row in own if structure.kinds[row] == "other"]:
        found.append(_heading(tr("not known what they are for"), [_barrier(history, row) for row in others]))
    agents = [row for row in cta_agents(trace, cta) if structure.roles[row] in WARP_ROLES]
    found.append(
        _heading(
            tr("agents of this CTA"),
            [Node("agent", without_cta(trace.agents[row].name), structure.roles[row], row=row) for row in agents],
        )
    )
    return tuple(found)


def choices(history: History, selected: Sequence[Node]) -> list[Choice]:
    """What can be done with the selected lines, by menu; renaming a ring apart, for that needs a name."""
    trace, structure = history.trace, history.structure
    rings = [structure.rings[node.row] for node in selected if node.what == "ring"]
    barriers = [node.row for node in selected if node.what == "barrier"]
    agents = [node.row for node in selected if node.what == "agent"]
    found: list[Choice] = []
    if len(rings) > 1 and len(rings) == len(selected):
        found.append(Choice(tr("Join, one ring's stages after the other's"), edits.join(trace, rings)))
        if len({ring.stages for ring in rings}) == 1:
            found.append(Choice(tr("Join stage by stage: each stage has the barriers of all"), _zipped(history, rings)))
    elif len(rings) == len(selected) == 1:
        if all(rings[0].empty):
            found.append(Choice(tr("Exchange full and empty"), edits.exchange(trace, rings[0])))
        found.append(_forget(history, _barriers_of(rings[0])))
    elif barriers and len(barriers) == len(selected):
        found += _barrier_choices(history, barriers)
    elif agents and len(agents) == len(selected):
        found += [Choice(tr("Role: {role}", role=role), edits.set_role(trace, agents, role)) for role in WARP_ROLES]
    return found


def _barrier_choices(history: History, barriers: Sequence[int]) -> list[Choice]:
    trace, structure = history.trace, history.structure
    found: list[Choice] = []
    ring, stage = int(structure.ring_of[barriers[0]]), int(structure.stage_of[barriers[0]])
    if len(barriers) == 1 and ring >= 0 and stage > 0:
        title = tr("Split the ring before stage {stage}", stage=stage)
        found.append(Choice(title, edits.split(trace, structure, structure.rings[ring], stage)))
    name = edits.free_name(structure)
    found.append(
        Choice(
            tr("Full barriers of a new ring, in this order"),
            edits.lay_out(trace, name, [[row] for row in barriers], [[] for _ in barriers]),
        )
    )
    for one in structure.of_cta(int(trace.barrier_cta[barriers[0]])):
        if one.stages == len(barriers) and not set(barriers) & {row for stage_ in one.full for row in stage_}:
            title = tr("Empty barriers of ring {ring}, in this order", ring=one.name or tr(_NAMELESS))
            found.append(Choice(title, edits.lay_out(trace, one.name, one.full, [[row] for row in barriers])))
    if len(barriers) > 1:
        found.append(Choice(tr("They take turns, in this order"), edits.set_kind(trace, barriers, "order")))
    return [*found, _forget(history, barriers)]


def _forget(history: History, barriers: Iterable[int]) -> Choice:
    return Choice(tr("Not known what they are for"), edits.set_kind(history.trace, barriers, "unknown"))


def _zipped(history: History, rings: Sequence[Ring]) -> dict[str, Any]:
    return edits.zip_stages(history.trace, rings)


def entry_sentence(entry: object) -> str:
    """An entry of the sidecar file in words."""
    if not isinstance(entry, Mapping):
        return str(entry)
    ring = entry.get("ring") or tr(_NAMELESS)
    if "name" in entry:
        return tr("ring {ring} is called {name}", ring=ring, name=entry["name"])
    if "full" in entry and "empty" in entry:
        return tr(
            "ring {ring}: full {full}; empty {empty}",
            ring=ring,
            full=_listed(entry["full"]),
            empty=_listed(entry["empty"]),
        )
    if "full" in entry:
        return tr("ring {ring}: full {full}; none is empty", ring=ring, full=_listed(entry["full"]))
    if "role" in entry:
        return tr("{agents}: {role}", agents=_listed(entry.get("agents")), role=entry["role"])
    if entry.get("kind") == "order":
        return tr("{barriers} take turns", barriers=_listed(entry.get("barriers")))
    if "kind" in entry:
        return tr("{barriers}: not known what they are for", barriers=_listed(entry.get("barriers")))
    return str(dict(entry))


def _listed(names: object) -> str:
    if not isinstance(names, list):
        return str(names)
    return commas(["+".join(map(str, name)) if isinstance(name, list) else str(name) for name in names])


def _heading(name: str, children: Sequence[Node]) -> Node:
    return Node("heading", name, str(len(children)), children=tuple(children))


def _barrier(history: History, row: int) -> Node:
    structure = history.structure
    stage = int(structure.stage_of[row])
    kind = structure.kinds[row]
    detail = f"{kind}[{stage}]" if stage >= 0 else tr(UNKNOWN) if kind == "other" else kind
    return Node("barrier", without_cta(history.trace.barriers[row].name), detail, row=row)


def _barriers_of(ring: Ring) -> list[int]:
    """Its barriers: the full ones by stage, then the empty ones."""
    return [row for side in (ring.full, ring.empty) for stage in side for row in stage]
