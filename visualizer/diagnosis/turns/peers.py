"""What the same warp does in other CTAs: what all of them do in a turn belongs to the program.

A loop that is software-pipelined begins and ends otherwise than it goes on, and a warp may have a second task after its
last tile. That is unlike the agent's other turns, and like everybody's at that place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property

from visualizer.diagnosis.turns.acts import Ranks
from visualizer.diagnosis.turns.turns import Turn, Turns, Word, word_of
from visualizer.replay.history import History

_MOST = 16
"""Peers that are asked, those of the nearest CTAs: of a grid of thousands all would take long."""


class Peers:
    """Agents of one name in different CTAs. `turns_of` gives an agent's turns, and is asked once for each."""

    def __init__(self, history: History, turns_of: Callable[[int], Turns]) -> None:
        self._trace, self._turns_of = history.trace, turns_of
        self._known: dict[int, Turns] = {}

    def turns(self, agent: int) -> Turns:
        if agent not in self._known:
            self._known[agent] = self._turns_of(agent)
        return self._known[agent]

    def do_the_same(self, turn: Turn, usual: Word, where: int) -> bool:
        """Whether all peers that come as far as the act `where` of that turn go on from there as the agent does. What
        differs from the `usual` turn in the rank of a CTA alone is the agent's own doing."""
        own = _without_ranks(word_of(turn))
        if own == _without_ranks(usual):
            return False
        mine = self._trace.agents[turn.agent]
        others = [agent for agent in self._alike[self._name(turn.agent)] if self._trace.agents[agent].cta != mine.cta]
        others.sort(key=lambda agent: abs(self._trace.agents[agent].cta - mine.cta))
        told = 0
        for agent in others[:_MOST]:
            turns = self.turns(agent)
            there = next((t for t in (turns.tail if turn.tile < 0 else turns.tiles) if t.number == turn.number), None)
            if there is None:
                continue
            word = _without_ranks(word_of(there))
            if there.is_cut and len(word) <= where:
                continue
            length = min(len(word), len(own)) if there.is_cut or turn.is_cut else max(len(word), len(own))
            if word[where:length] != own[where:length]:
                return False
            told += 1
        return told > 0

    @cached_property
    def _alike(self) -> dict[str, list[int]]:
        alike: defaultdict[str, list[int]] = defaultdict(list)
        for agent in range(len(self._trace.agents)):
            alike[self._name(agent)].append(agent)
        return alike

    def _name(self, agent: int) -> str:
        """What the agent is called in its CTA."""
        told = self._trace.agents[agent]
        return told.name.removeprefix(f"CTA{told.cta}.")


def _without_ranks(word: Word) -> Word:
    return tuple(tuple(part for part in symbol if not isinstance(part, Ranks)) for symbol in word)
