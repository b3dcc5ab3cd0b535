"""Where an agent does otherwise than in its other turns: of a run that went wrong the likely cause, if it concerns what
went wrong. By itself it is none: an agent may well do one tile otherwise.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal

import numpy as np

from visualizer.diagnosis.turns.acts import Act
from visualizer.diagnosis.turns.peers import Peers
from visualizer.diagnosis.turns.turns import Turn, Word, turns_of, word_of
from visualizer.programs.program import Program
from visualizer.recording.tables import HARDWARE_ROLES
from visualizer.replay.history import History

How = Literal["missing", "extra", "other", "order", "skipped"]


@dataclass(frozen=True, slots=True)
class Odd:
    """The first difference between a turn of an agent and its usual turns.

    `acts` are those it is about: what is there too much, or otherwise, or in another order; of what is missing the acts
    of a usual turn, and `usual` those of that turn in place of which others were done.
    """

    agent: int
    how: How
    number: int  # of the turn
    acts: tuple[Act, ...]
    usual: tuple[Act, ...]
    turn: Turn
    model: Turn  # a usual turn
    times: int  # turns that are as the usual one
    step: int  # where it shows: of what is missing the act that came instead; -1: nothing came after it
    before: int  # the agent's act before it, -1: none
    is_first: bool  # its turn is the agent's first: beginnings are often otherwise
    is_last: bool


MOST_EVENTS = 200_000
"""Events of agents that are looked at act by act: a second or two. Of more it is those around what went wrong."""


def find_odd(history: History, program: Program | None, ctas: Collection[int], wrong: int) -> list[Odd]:
    """The first difference of each agent of these CTAs that has usual turns, in order of step; `wrong` is the step at
    which something was seen to be wrong."""
    trace = history.trace
    chosen = [agent for agent, told in enumerate(trace.agents) if told.cta in ctas]
    within = looked_at(history, ctas, wrong)
    peers = Peers(history, lambda agent: turns_of(history, program, agent, within))
    alike: defaultdict[tuple[str, bool], dict[int, tuple[Turn, ...]]] = defaultdict(dict)
    for agent in chosen:
        if (role := history.structure.roles[agent]) not in HARDWARE_ROLES:
            found = peers.turns(agent)
            alike[role, False][agent], alike[role, True][agent] = found.tiles, found.tail
    odd: dict[int, Odd] = {}
    of_tiles: dict[int, Word | None] = {}
    for (_, is_tail), members in alike.items():
        of_cta: defaultdict[int, list[Turn]] = defaultdict(list)
        for agent, turns in members.items():
            of_cta[trace.agents[agent].cta] += turns
        # CTAs may differ, as in which of a cluster's barriers they arrive on first.
        usual_in = cache(lambda cta, of_cta=of_cta: _usual(of_cta[cta]))
        usual = {agent: _usual(turns) or usual_in(trace.agents[agent].cta) for agent, turns in members.items()}
        if is_tail:
            usual = {agent: word or _as_begun(members[agent], of_tiles[agent]) for agent, word in usual.items()}
        else:
            of_tiles |= usual
        pools = {word: _Pool(word) for word in usual.values() if word is not None}
        for agent, turns in members.items():
            if (word := usual[agent]) is not None:
                pools[word].add(turns)
        for agent, turns in members.items():
            if agent in odd or (word := usual[agent]) is None:
                continue
            if (one := _of_agent(turns, pools[word], peers, is_tail)) is not None:
                odd[agent] = one
    return sorted(odd.values(), key=lambda found: (found.step < 0, found.step))


def looked_at(history: History, ctas: Collection[int], wrong: int) -> range:
    """The steps in which turns of these CTAs are compared: all, or MOST_EVENTS of their events around what went wrong,
    most of them before it."""
    trace = history.trace
    chosen = np.array([told.cta in ctas for told in trace.agents], bool)
    steps = np.flatnonzero(chosen[trace.events["agent"]])
    if len(steps) <= MOST_EVENTS:
        return range(history.steps)
    first = int(np.clip(np.searchsorted(steps, wrong) - MOST_EVENTS * 3 // 4, 0, len(steps) - MOST_EVENTS))
    behind = first + MOST_EVENTS
    stop = int(steps[behind]) if behind < len(steps) else history.steps
    return range(int(steps[first]) if first else 0, stop)


def _usual(turns: Iterable[Turn]) -> Word | None:
    """What most of these turns are, an agent's or those of all in its role; None: they have nothing in common."""
    whole = [turn for turn in turns if not turn.is_cut]
    counts = Counter(map(word_of, whole)).most_common(1)
    if not counts or 2 * counts[0][1] < len(whole):
        return None
    # What all do once is no habit.
    is_habit = len({turn.number for turn in whole if word_of(turn) == counts[0][0]}) > 1
    return counts[0][0] if is_habit else None


def _as_begun(tail: tuple[Turn, ...], of_tiles: Word | None) -> Word | None:
    """The turn behind the last tile that is as the usual ones of tiles begin; None: there is none, or the turns there
    are not of one length, as those of several rings."""
    if len({len(turn.acts) for turn in tail}) != 1:
        return None
    words = (word for turn in tail if (word := word_of(turn)) == (of_tiles or ())[: len(word)])
    return next(words, None)


class _Pool:
    """The turns of all agents of which the same is usual."""

    def __init__(self, usual: Word) -> None:
        self.usual = usual
        self.models: list[Turn] = []  # those that are so
        self.numbers: defaultdict[Word, set[int]] = defaultdict(set)  # which turns are how

    def add(self, turns: tuple[Turn, ...]) -> None:
        for turn in turns:
            word = word_of(turn)
            self.numbers[word].add(turn.number)
            if word == self.usual and not turn.is_cut:
                self.models.append(turn)


def _of_agent(turns: tuple[Turn, ...], pool: _Pool, peers: Peers, is_tail: bool) -> Odd | None:
    """The first odd turn of `turns`. What several turns of the pool have in common is not odd, nor what the agent's
    peers do in that turn as well."""
    usual, models = pool.usual, pool.models
    if not models:
        return None
    strides = Counter(b.number - a.number for a, b in pairwise(turns)).most_common(1)
    # Who releases a tile late goes from it back to it in turn, and has no stride.
    stride = strides[0][0] if strides and strides[0][1] > 1 and 2 * strides[0][1] > len(turns) - 1 else 0
    for at, turn in enumerate(turns):
        word, before = word_of(turn), turns[at - 1].acts[-1].step if at else -1
        ends = {"is_first": at == 0 and not is_tail, "is_last": at == len(turns) - 1}
        if at and stride and turn.number - turns[at - 1].number != stride:
            skipped = turns[at - 1].number + stride
            return Odd(
                turn.agent, "skipped", skipped, (), (), turn, models[0], len(models), turn.acts[0].step, before, **ends
            )
        if word == usual or len(pool.numbers[word]) > 1 or (turn.is_cut and usual[: len(word)] == word):
            continue
        how, where, acts, due = _difference(turn, models[0])
        if peers.do_the_same(turn, usual, where):
            continue
        following = turn.acts[where + (len(acts) if how != "missing" else 0) :]
        shown = acts[-1] if how != "missing" else following[0] if following else turn.follows
        step = shown.step if shown is not None else -1
        before = turn.acts[where - 1].step if where else before
        return Odd(turn.agent, how, turn.number, acts, due, turn, models[0], len(models), step, before, **ends)
    return None


def _difference(turn: Turn, model: Turn) -> tuple[How, int, tuple[Act, ...], tuple[Act, ...]]:
    """How the turn first differs from the model, at which act, the acts, and of the model those in their place."""
    came, usual = word_of(turn), word_of(model)
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
