"""Numbers the stage buffers of all CTAs' rings, and the parts that single agents have of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from visualizer.programs.accesses import Read, ReadAsync, Store, Write
from visualizer.programs.operations import Copy, CpAsync
from visualizer.programs.program import Program

OnBuffer = Copy | CpAsync | Write | Read | ReadAsync | Store


class Places:
    """`buffers` are (ring, stage) of each place of one CTA. Behind the places of all CTAs come agents' parts; `whole`
    tells for each the place that it is a part of."""

    def __init__(self, program: Program) -> None:
        self.buffers = _buffers(program)
        self._in_cta = {buffer: place for place, buffer in enumerate(self.buffers)}
        self._ctas = [agent.agent.cta for agent in program.agents]
        self._wholes = len(self.buffers) * (1 + max(self._ctas, default=-1))
        self.whole: list[int] = []
        self._parts: dict[tuple[int, int], int] = {}
        writers: defaultdict[int, set[int]] = defaultdict(set)
        readers: defaultdict[int, set[int]] = defaultdict(set)
        copied: set[tuple[int, int]] = set()
        for thread, agent in enumerate(program.agents):
            for operation in agent.operations:
                if isinstance(operation, Write):
                    writers[self.of(thread, operation)].add(thread)
                elif isinstance(operation, Read | ReadAsync | Store):
                    readers[self.of(thread, operation)].add(thread)
                elif isinstance(operation, Copy | CpAsync):
                    copied.add((operation.ring, operation.stage))
        several = [place for place, own in writers.items() if len(own) > 1 and len(readers[place]) > 1]
        self.shared = frozenset(several)
        """Places that several agents write and several read: each may have its part of the buffer."""
        for place in several:
            if self.buffers[place % len(self.buffers)] in copied:
                continue  # the copies fill all parts
            for thread in sorted(writers[place]):
                self._parts[thread, place] = self.count
                self.whole.append(place)

    @property
    def count(self) -> int:
        return self._wholes + len(self.whole)

    def at(self, cta: int, operation: OnBuffer) -> int:
        """The place in this CTA."""
        return cta * len(self.buffers) + self._in_cta[operation.ring, operation.stage]

    def of(self, thread: int, operation: OnBuffer) -> int:
        """The place, in the agent's own CTA, or the agent's part of it."""
        place = self.at(self._ctas[thread], operation)
        return self._parts.get((thread, place), place)


def shared_places(filled: Iterable[tuple[int, int]]) -> frozenset[int]:
    """Places that the copies of several barriers go to for the most part, from each copy's barrier and place: perhaps
    more than one buffer by that number, so that it does not tell which is meant."""
    often: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for barrier, place in filled:
        often[barrier][place] += 1
    mostly = Counter(max(places, key=lambda place: (places[place], -place)) for places in often.values())
    return frozenset(place for place, barriers in mostly.items() if barriers > 1)


def _buffers(program: Program) -> list[tuple[int, int]]:
    """(ring, stage) of every stage buffer of a CTA that operations use, each ring's without gaps."""
    stages = [0] * len(program.rings)
    for agent in program.agents:
        for operation in agent.operations:
            if isinstance(operation, OnBuffer):
                stages[operation.ring] = max(stages[operation.ring], operation.stage + 1)
    return [(ring, stage) for ring, count in enumerate(stages) for stage in range(count)]
