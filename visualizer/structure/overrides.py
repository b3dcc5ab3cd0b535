"""What the user says of a recording's structure: entries of a sidecar file, laid over what is told or inferred.

Barriers go by name or address and agents by name, without the CTA, so that the entries fit the next recording too.
docs/structure.md is the reference. An entry that cannot be so is named, and its barriers count as unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from visualizer.language import tr
from visualizer.recording.quoting import quoted
from visualizer.recording.tables import AgentRole, without_cta
from visualizer.recording.trace import Trace
from visualizer.structure.infer import barrier_addresses
from visualizer.structure.model import TOLD, Ring, Structure, with_rings

_KEYS = (
    {"ring", "full"},
    {"ring", "full", "empty"},
    {"ring", "name"},
    {"barriers", "kind"},
    {"agents", "role"},
)
_KINDS = ("order", "unknown")
_LONGEST_NAME = 60


class _Wrong(Exception):
    """Why an entry cannot be so."""


def apply_overrides(trace: Trace, structure: Structure, entries: Sequence[Any]) -> Structure:
    """The structure as the user wants it, entry by entry; `problems` says which entries could not be followed."""
    naming = _Naming(trace)
    problems: dict[int, str] = {}
    for number, entry in enumerate(entries):
        try:
            structure = _apply(trace, naming, structure, entry)
        except _Wrong as wrong:
            problems[number] = tr("structure[{number}]: {what}", number=number, what=str(wrong))
            structure = _forget(structure, naming.mentioned(entry))
    return replace(structure, problems=problems)


def contradictions(trace: Trace, mine: Sequence[Any], theirs: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Pairs of an entry of `mine` and one of `theirs` that cannot both be so: they say different things of one ring,
    barrier or agent."""
    if not mine or not theirs:
        return []
    naming = _Naming(trace)
    told = [(entry, naming.subjects(entry)) for entry in theirs]
    found: list[tuple[Any, Any]] = []
    for entry in mine:
        own = naming.subjects(entry)
        found += [(entry, other) for other, says in told if any(own[what] != says[what] for what in own.keys() & says)]
    return found


class _Naming:
    """Rows of barriers and agents by the names that entries use; each of any CTA."""

    def __init__(self, trace: Trace) -> None:
        self.barriers: dict[str, list[int]] = {}
        self.agents: dict[str, list[int]] = {}
        addresses = barrier_addresses(trace)
        for row, barrier in enumerate(trace.barriers):
            names = {barrier.name, without_cta(barrier.name)}
            if barrier.address >= 0 or barrier.offset >= 0:
                names.add(hex(addresses[row]))
            for name in names:
                self.barriers.setdefault(name, []).append(row)
        for row, agent in enumerate(trace.agents):
            for name in {agent.name, without_cta(agent.name)}:
                self.agents.setdefault(name, []).append(row)

    def barrier(self, name: object) -> list[int]:
        key = name.lower() if isinstance(name, str) and name.lower().startswith("0x") else name
        if not isinstance(key, str) or key not in self.barriers:
            raise _Wrong(tr("the recording has no barrier {name}", name=quoted(name, _LONGEST_NAME)))
        return self.barriers[key]

    def agent(self, name: object) -> list[int]:
        if not isinstance(name, str) or name not in self.agents:
            raise _Wrong(tr("the recording has no agent {name}", name=quoted(name, _LONGEST_NAME)))
        return self.agents[name]

    def mentioned(self, entry: object) -> set[int]:
        """The barriers that an entry names, as far as there are such."""
        if not isinstance(entry, Mapping):
            return set()
        rows: set[int] = set()
        for key in ("full", "empty", "barriers"):
            for stage in entry[key] if isinstance(entry.get(key), list) else []:
                for name in stage if isinstance(stage, list) else [stage]:
                    try:
                        rows.update(self.barrier(name))
                    except _Wrong:
                        continue
        return rows

    def subjects(self, entry: object) -> dict[tuple[str, object], object]:
        """What an entry speaks of - rings by name, barriers and agents by row - and what it says of each."""
        if not isinstance(entry, Mapping):
            return {}
        says: object = entry.get("role") or entry.get("kind")
        if not isinstance(says, str) or says == "order":
            says = entry
        found: dict[tuple[str, object], object] = {("barrier", row): says for row in self.mentioned(entry)}
        for key in ("ring", "name"):
            if isinstance(entry.get(key), str):
                found["ring", entry[key]] = says
        for name in entry["agents"] if isinstance(entry.get("agents"), list) else []:
            if isinstance(name, str):
                found.update({("agent", row): says for row in self.agents.get(name, ())})
        return found


def _apply(trace: Trace, naming: _Naming, structure: Structure, entry: object) -> Structure:
    if not isinstance(entry, Mapping) or set(entry) not in _KEYS:
        known = "; ".join(", ".join(sorted(keys)) for keys in _KEYS)
        raise _Wrong(tr("an entry is an object with the keys of one of these: {known}", known=known))
    if "full" in entry:
        return _lay_out(trace, naming, structure, entry)
    if "name" in entry:
        return _rename(structure, _ring(entry), _text(entry, "name"))
    if "kind" in entry:
        return _set_kind(naming, structure, entry)
    role = entry["role"]
    if role not in get_args(AgentRole):
        known = ", ".join(get_args(AgentRole))
        raise _Wrong(tr("role must be one of {names}, not {name}", names=known, name=quoted(role, _LONGEST_NAME)))
    rows = {row for name in _list(entry, "agents") for row in naming.agent(name)}
    roles = tuple(role if row in rows else one for row, one in enumerate(structure.roles))
    return replace(structure, roles=roles)


def _lay_out(trace: Trace, naming: _Naming, structure: Structure, entry: Mapping[str, Any]) -> Structure:
    """A ring of these barriers, in every CTA that has them; rings that had some of them keep their other stages."""
    name = _ring(entry)
    _check_name(structure, name)
    full = [_stage(naming, stage) for stage in _list(entry, "full")]
    empty = [_stage(naming, stage) for stage in _list(entry, "empty")] if "empty" in entry else [[] for _ in full]
    if [] in full:
        raise _Wrong(tr("stage {stage} of full has no barrier", stage=full.index([])))
    if not full or len(full) != len(empty):
        raise _Wrong(
            tr("full has {full} stages and empty {empty}; a ring has as many", full=len(full), empty=len(empty))
        )
    rows = [row for stage in full + empty for row in stage]
    if len(set(rows)) < len(rows):
        raise _Wrong(tr("a barrier is in it twice"))
    ctas = {int(trace.barrier_cta[row]) for row in rows}
    names = structure.names  # a ring that is laid out anew stands where it stood
    structure = _forget(structure, set(rows))
    if any(ring.name == name and ring.cta in ctas for ring in structure.rings):
        raise _Wrong(tr("there is a ring {name} already", name=quoted(name, _LONGEST_NAME)))
    made: list[Ring] = []
    for cta in sorted(ctas):
        own = trace.barrier_cta == cta
        fulls, empties = (tuple(tuple(row for row in stage if own[row]) for stage in kind) for kind in (full, empty))
        if not all(fulls) or any(bool(here) != bool(told) for here, told in zip(empties, empty, strict=True)):
            raise _Wrong(tr("CTA {cta} has only some of its barriers", cta=cta))
        made.append(_with_agents(trace, structure, Ring(name, cta, fulls, empties)))
    kinds = list(structure.kinds)
    for row in rows:
        kinds[row] = "full" if any(row in stage for stage in full) else "empty"
    return with_rings(replace(structure, kinds=tuple(kinds), names=names, unknown=""), [*structure.rings, *made])


def _with_agents(trace: Trace, structure: Structure, ring: Ring) -> Ring:
    """The ring, with those agents of its CTA that have a role in one."""
    own = [row for row, agent in enumerate(trace.agents) if agent.cta == ring.cta]
    return replace(
        ring,
        producers=tuple(row for row in own if structure.roles[row] == "producer"),
        consumers=tuple(row for row in own if structure.roles[row] in ("consumer", "mma")),
        confidence=TOLD,
    )


def _rename(structure: Structure, old: str, new: str) -> Structure:
    if not any(ring.name == old for ring in structure.rings):
        raise _Wrong(tr("there is no ring {name}", name=quoted(old, _LONGEST_NAME)))
    if any(ring.name == new for ring in structure.rings):
        raise _Wrong(tr("there is a ring {name} already", name=quoted(new, _LONGEST_NAME)))
    _check_name(structure, new)
    rings = [replace(ring, name=new) if ring.name == old else ring for ring in structure.rings]
    names = tuple(new if name == old else name for name in structure.names)
    return with_rings(replace(structure, names=names), rings)


def _set_kind(naming: _Naming, structure: Structure, entry: Mapping[str, Any]) -> Structure:
    """Out of their rings: turns of an ordered sequence, or nothing known."""
    if entry["kind"] not in _KINDS:
        raise _Wrong(
            tr(
                'kind must be one of {names}; a barrier is full or empty in an entry with "ring"',
                names=", ".join(_KINDS),
            )
        )
    of_name = [naming.barrier(name) for name in _list(entry, "barriers")]
    rows = {row for named in of_name for row in named}
    if len(rows) < sum(map(len, of_name)):
        raise _Wrong(tr("a barrier is in it twice"))
    structure = _forget(structure, rows)
    if entry["kind"] == "unknown":
        return structure
    if len({len(named) for named in of_name}) != 1:
        raise _Wrong(tr("some CTAs have only some of these barriers"))
    kinds = tuple("order" if row in rows else kind for row, kind in enumerate(structure.kinds))
    return replace(structure, kinds=kinds, turns=(*structure.turns, *zip(*of_name, strict=True)), unknown="")


def _forget(structure: Structure, rows: set[int]) -> Structure:
    """Nothing known of these barriers; rings keep the stages that have a full barrier left."""
    rings: list[Ring] = []
    for ring in structure.rings:
        stages = [
            (full, empty)
            for full, empty in (
                tuple(tuple(row for row in stage if row not in rows) for stage in both)
                for both in zip(ring.full, ring.empty, strict=True)
            )
            if full
        ]
        if stages:
            full, empty = tuple(stage[0] for stage in stages), tuple(stage[1] for stage in stages)
            cursors = ring.cursor_ring if len(stages) == ring.stages else -1
            rings.append(replace(ring, full=full, empty=empty, cursor_ring=cursors))
    left = {row for ring in rings for stage in (*ring.full, *ring.empty) for row in stage}
    turns = tuple(turn for turn in structure.turns if not rows & set(turn))
    left.update(row for turn in turns for row in turn)
    kinds = tuple(kind if row in left else "other" for row, kind in enumerate(structure.kinds))
    return with_rings(replace(structure, kinds=kinds, turns=turns), rings)


def _stage(naming: _Naming, stage: object) -> list[int]:
    """A stage's barriers: one name, or several."""
    names = stage if isinstance(stage, list) else [stage]
    return [row for name in names for row in naming.barrier(name)]


def _list(entry: Mapping[str, Any], key: str) -> list[Any]:
    value = entry[key]
    if not isinstance(value, list) or not value:
        raise _Wrong(tr("{key} must be a list of names", key=key))
    return value


def _ring(entry: Mapping[str, Any]) -> str:
    """A ring's name: "" for one that was told without."""
    return "" if entry["ring"] == "" else _text(entry, "ring")


def _check_name(structure: Structure, name: str) -> None:
    """A new ring's name stands in lanes, queries and addresses."""
    if name not in structure.names and (len(name) > _LONGEST_NAME or not name.isprintable()):
        raise _Wrong(tr("a ring's name has at most {most} characters, all in one line", most=_LONGEST_NAME))


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry[key]
    if not isinstance(value, str) or not value:
        raise _Wrong(tr("{key} must be a name", key=key))
    return value
