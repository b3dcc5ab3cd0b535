"""A whole turn as an advice: the one that an agent is still due to do, or one that it did on another stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visualizer.diagnosis.report import Advice, Planned
from visualizer.diagnosis.turns.acts import Act
from visualizer.diagnosis.turns.turns import turns_of
from visualizer.replay.history import History
from visualizer.structure.model import Structure


def planned(history: History, act: Act, tile: int) -> Planned:
    """An act as an operation to add, for `tile`."""
    name = history.trace.barriers[act.barrier].name if act.barrier >= 0 else None
    return Planned(act.kind, name, act.ring, act.stage, act.parity, act.amount, tile, act.ctas)


def on_stage(history: History, act: Act, stage: int, ctas: int = 0) -> Act:
    """The act on another stage of its ring, and as many CTAs on; its barrier -1 if that stage has none like it."""
    structure, barrier = history.structure, act.barrier
    if barrier >= 0 and structure.place_of[barrier] >= 0:
        kind, here = structure.kinds[barrier], int(structure.ring_of[barrier])
        there = structure.row(history.trace.barriers[barrier].cta + ctas, act.ring or "")
        rows = _of_stage(structure, there, kind, stage)
        alike = _of_stage(structure, here, kind, int(structure.stage_of[barrier]))
        number = alike.index(barrier)
        barrier = rows[number] if number < len(rows) else -1
    return replace(act, stage=stage, barrier=barrier)


def _of_stage(structure: Structure, ring: int, kind: str, stage: int) -> tuple[int, ...]:
    """The barriers of a kind that a ring's stage has, fewer than another stage's maybe; none if there is no such ring
    (-1), or if it has fewer stages, as a damaged recording's may in another CTA."""
    if ring < 0 or stage >= structure.rings[ring].stages:
        return ()
    return (structure.rings[ring].full if kind == "full" else structure.rings[ring].empty)[stage]


def next_turn(history: History, agent: int) -> Advice | None:
    """To do one more turn before leaving, like the agent's last ones; None: they have no step in common."""
    turns = turns_of(history, None, agent).tiles
    if len(turns) < 2:
        return None
    before, last = turns[-2:]
    ways = {ring: base - before.bases[ring] for ring, base in last.bases.items() if ring in before.bases}
    if len(ways) < len(last.bases):
        return None
    tile = 2 * last.number - before.number
    acts = _moved(history, agent, last.acts, ways, history.steps)
    if acts is None:
        return None
    add = tuple(planned(history, act, tile) for act in acts)
    return Advice(history.trace.agents[agent].name, (), add, history.left.get(agent))


def turn_on_stage(history: History, agent: int, step: int, ring: str, stages: int) -> Advice | None:
    """To do the agent's turn that the event at `step` belongs to so many stages further on in this ring."""
    turns = turns_of(history, None, agent).tiles
    turn = next((one for one in turns if step in [act.step for act in one.acts]), None)
    if turn is None or set(turn.bases) != {ring}:
        return None
    acts = _moved(history, agent, turn.acts, {ring: stages}, turn.acts[0].step)
    if acts is None:
        return None
    add = tuple(planned(history, act, turn.tile) for act in acts)
    steps = tuple(act.step for act in turn.acts)
    return Advice(history.trace.agents[agent].name, steps, add, steps[0])


def _moved(
    history: History, agent: int, acts: tuple[Act, ...], ways: dict[str, int], step: int
) -> tuple[Act, ...] | None:
    """The acts so many stages further on in each ring, as they are due at `step`; None: a stage has no such barrier."""
    found = []
    for act in acts:
        if act.ring in ways and act.stage >= 0:
            stages = next(ring.stages for ring in history.structure.rings if ring.name == act.ring)
            there = on_stage(history, act, (act.stage + ways[act.ring]) % stages)
            if there.barrier < 0 <= act.barrier:
                return None
            act = there
        found.append(replace(act, parity=_parity_due(history, agent, act, step)) if act.parity >= 0 else act)
    return tuple(found)


def _parity_due(history: History, agent: int, act: Act, step: int) -> int:
    """The parity that the agent's next wait on the barrier has: not that of its wait before, or as it began."""
    waits = history.waits
    own = np.flatnonzero((waits.agent == agent) & (waits.barrier == act.barrier) & (waits.begin < step))
    if len(own):
        return 1 - int(waits.parity[own[waits.begin[own].argmax()]])
    kinds = np.array(history.structure.kinds)
    like = np.flatnonzero((waits.agent == agent) & (kinds[waits.barrier] == kinds[act.barrier]))
    return int(waits.parity[like[waits.begin[like].argmin()]]) if len(like) else act.parity
