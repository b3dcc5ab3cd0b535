"""Where an agent does otherwise than in its other turns: of a run that went wrong the likely cause, if it concerns what
went wrong. By itself it is none: an agent may well do one tile otherwise.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from visualizer.diagnosis.acts import Act, Symbol, Turn, turns_of
from visualizer.programs.program import Program
from visualizer.replay.history import History

How = Literal["missing", "extra", "other", "order", "skipped"]
Word = tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Odd:
    """The first difference between a turn of an agent and its usual turns.

    `acts` are those it is about: what is there too much, or otherwise, or in another order; of what is missing the acts
    of a usual turn, and `usual` those of that turn in place of which others were done.
    """

    agent: int
    how: How
    tile: int
    acts: tuple[Act, ...]
    usual: tuple[Act, ...]
    turn: Turn
    model: Turn  # a usual turn
    times: int  # turns that are as the usual one
    step: int  # where it shows: of what is missing the act that came instead; -1: nothing came after it
    before: int  # the agent's act before it, -1: none
    is_first: bool  # its turn is the agent's first: beginnings are often otherwise
    is_last: bool


def find_odd(history: History, program: Program | None) -> list[Odd]:
    """The first difference of each agent that has usual turns, in order of step."""
    roles: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    turns: dict[int, list[Turn]] = {}
    for agent, role in enumerate(history.structure.roles):
        if role in ("copy_engine", "tensor_core"):
            continue
        turns[agent] = turns_of(history, program, agent)
        roles[role,].append(agent)
    found = []
    for members in roles.values():
        pooled: list[tuple[int, Turn]] = [(agent, turn) for agent in members for turn in turns[agent]]
        for agent in members:
            if (odd := _of_agent(agent, turns[agent], pooled)) is not None:
                found.append(odd)
    return sorted(found, key=lambda odd: (odd.step < 0, odd.step))


def _word(turn: Turn) -> Word:
    return tuple(act.symbol for act in turn.acts)


def _of_agent(agent: int, turns: list[Turn], pooled: list[tuple[int, Turn]]) -> Odd | None:
    own = Counter(map(_word, turns))
    common, times = own.most_common(1)[0] if own else ((), 0)
    if times < 2 or 2 * times < len(turns):
        # Too few turns of its own: those of agents in the same role.
        tiles: defaultdict[Word, set[tuple[int, int]]] = defaultdict(set)
        for other, turn in pooled:
            tiles[_word(turn)].add((other, turn.tile))
        if not tiles or not own:
            return None
        common = max(tiles, key=lambda word: len(tiles[word]))
        times = len(tiles[common])
        if times < 2 or 2 * times < len(pooled) or common not in {*own, *(_word(t) for o, t in pooled if o != agent)}:
            return None
    model = next(turn for _, turn in pooled if _word(turn) == common)
    elsewhere: defaultdict[Word, set[int]] = defaultdict(set)
    for _, turn in pooled:
        elsewhere[_word(turn)].add(turn.tile)
    stride = Counter(b.tile - a.tile for a, b in pairwise(turns)).most_common(1)
    for at, turn in enumerate(turns):
        word = _word(turn)
        ends = {"is_first": at == 0, "is_last": at == len(turns) - 1}
        if at and stride and stride[0][1] > 1 and turn.tile - turns[at - 1].tile != stride[0][0]:
            skipped = turns[at - 1].tile + stride[0][0]
            step, last = turn.acts[0].step, turns[at - 1].acts[-1].step
            return Odd(agent, "skipped", skipped, (), (), turn, model, times, step, last, **ends)
        if word == common or len(elsewhere[word]) > 1:
            continue
        if turn.is_cut and common[: len(word)] == word:
            continue
        how, where, acts, usual = _difference(turn, model)
        following = turn.acts[where + (len(acts) if how != "missing" else 0) :]
        shown = acts[-1] if how in ("extra", "other", "order") else following[0] if following else turn.follows
        before = turn.acts[where - 1].step if where else turns[at - 1].acts[-1].step if at else -1
        step = shown.step if shown is not None else -1
        return Odd(agent, how, turn.tile, acts, usual, turn, model, times, step, before, **ends)
    return None


def _difference(turn: Turn, model: Turn) -> tuple[How, int, tuple[Act, ...], tuple[Act, ...]]:
    """How the turn first differs from the model, at which act, the acts, and of the model those in their place."""
    came, usual = _word(turn), _word(model)
    at = next((n for n, (a, b) in enumerate(zip(came, usual, strict=False)) if a != b), min(len(came), len(usual)))

    def goes_on(rest: Word, other: Word) -> bool:
        return rest == other or (turn.is_cut and other[: len(rest)] == rest)

    for count in range(1, len(usual) - at + 1):
        if goes_on(came[at:], usual[at + count :]):
            return "missing", at, model.acts[at : at + count], model.acts[at : at + count]
        if Counter(came[at : at + count]) == Counter(usual[at : at + count]):
            return "order", at, turn.acts[at : at + count], model.acts[at : at + count]
        if goes_on(came[at + count :], usual[at + count :]) and count <= len(came) - at:
            return "other", at, turn.acts[at : at + count], model.acts[at : at + count]
        if goes_on(came[at + count :], usual[at:]) and count <= len(came) - at:
            return "extra", at, turn.acts[at : at + count], ()
    if len(came) > at and goes_on(came[at + 1 :], usual[at:]):
        return "extra", at, turn.acts[at : at + 1], ()
    if at == len(usual):
        return "extra", at, turn.acts[at:], ()
    return "other", at, turn.acts[at : at + 1], model.acts[at : at + 1]
