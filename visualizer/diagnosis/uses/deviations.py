"""Arrivals held against uses: a use of a stage gets from each agent what its other uses get, or that is the fault.

Where a use takes more or fewer arrivals than its barrier counts, the agent that did otherwise than usual is to blame;
where nobody did, the count itself is (counts.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from visualizer.arrays.ordering import distinct
from visualizer.diagnosis.uses.uses import SIDES, Uses
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.step_index import Steps


@dataclass(frozen=True, slots=True)
class Deviation:
    """A use in which an agent arrives more or less often than in its others, and the barrier's count does not come out.

    `step` is the arrival that is too many, or the next use that the agent began without the one that is missing.
    """

    barrier: int
    agent: int
    use: int  # of the stage, from 0
    arrivals: int
    usual: int
    step: int
    began: int  # the wait that began the use; -1: the agent left the use out
    elsewhere: int = -1  # the arrival came on one stage's barrier and was due on another's: the other one; -1: neither


def find_deviations(history: History, uses: Uses) -> list[Deviation]:
    """All of them, in order of step; `uses` are those of find_uses."""
    if not len(uses.lane):
        return []
    judge = _Judge(history, uses)
    found = [deviation for row in judge.rows for deviation in judge.deviations(row)]
    return sorted(judge.with_places(found), key=lambda deviation: deviation.step)


@dataclass(frozen=True, eq=False)
class _Came:
    """The arrivals on one barrier that belong to a use, in order; all (arrivals,)."""

    number: Steps  # of the use
    agent: Steps
    count: Steps
    step: Steps


class _Judge:
    """The sums, barrier by barrier."""

    def __init__(self, history: History, uses: Uses) -> None:
        self._history, self._uses = history, uses
        arrivals, barriers = history.arrivals, len(history.trace.barriers)
        self._starts = np.searchsorted(arrivals.barrier, np.arange(barriers + 1)).tolist()
        dropped = set(arrivals.barrier[history.kinds[arrivals.step] == EventKind.ARRIVE_DROP].tolist())
        self.rows = [row for row in range(barriers) if row not in dropped and self._counts(row)]
        self._families: dict[tuple[str, int], dict[int, int]] = {}
        self._known: dict[int, _Came] = {}
        self._rows_of: dict[tuple[str, int], list[int]] = {}
        for row in self.rows:
            self._rows_of.setdefault(self._family(row), []).append(row)

    def deviations(self, row: int) -> list[Deviation]:
        """Those on one barrier."""
        if not self._uses.belongs[self._starts[row] : self._starts[row + 1]].all():
            return []  # somebody arrives for others: whose use it is, nobody tells
        came, agents = self._came(row), self._agents[self._family(row)]
        begun = [numbers for one in agents if len(numbers := self._uses.number[self._lane(row, one)])]
        first = min((int(numbers[0]) for numbers in begun), default=0)
        arrived = np.maximum(came.number, first)
        following = int(arrived.max(initial=first - 1)) + 1
        needed = self._history.last_barriers[row].needed
        found: list[Deviation] = []
        wrong = _not_adding_up(arrived, came.count, begun, first, following, needed)
        # The use after the last that got any arrival may be over: somebody may have gone past it.
        if any(self._last_over(row, one) >= following for one in agents):
            wrong.append(following)
        for number in wrong:
            at = came.number == number
            surplus = int(came.count[at].sum()) - needed
            for one in agents:
                own = at & (came.agent == one)
                found += self._of_agent(row, one, number, int(came.count[own].sum()), came.step[own], surplus)
        return found

    def with_places(self, found: list[Deviation]) -> list[Deviation]:
        """The same; of an arrival that was due on another stage's barrier both sides say so, and its step."""
        kinds = self._history.structure.kinds
        extras = [d for d in found if d.arrivals > d.usual]
        lacks = [d for d in found if d.arrivals < d.usual and d.began >= 0]
        told = dict(enumerate(found))
        for extra in extras:
            for lack in lacks:
                alike = lack.agent == extra.agent and kinds[lack.barrier] == kinds[extra.barrier]
                if alike and lack.began < extra.step < lack.step:
                    told[found.index(extra)] = replace(extra, elsewhere=lack.barrier)
                    told[found.index(lack)] = replace(lack, elsewhere=extra.barrier, step=extra.step)
        return list(told.values())

    def _of_agent(
        self, row: int, agent: int, number: int, arrivals: int, steps: NDArray[np.int64], surplus: int
    ) -> list[Deviation]:
        usual = self._usual(row)[agent]
        if surplus > 0 and arrivals > usual > 0:
            began = self._began(row, agent, number)
            if self._passed_over_a_wait(row, agent, usual, int(steps[-1])):
                return []  # what is missing is a wait, not an arrival too many
            return [Deviation(row, agent, number, arrivals, usual, int(steps[-1]), began)]
        if surplus < 0 and arrivals < usual and (left := self._went_on(row, agent, number)) is not None:
            return [Deviation(row, agent, number, arrivals, usual, left, self._began(row, agent, number))]
        return []

    def _passed_over_a_wait(self, row: int, agent: int, usual: int, step: int) -> bool:
        """Whether the agent's waits on the stage's full barrier around `step` have one parity, so that one is missing
        between them; and the stage was filled as often as the agent has released it by then."""
        structure, arrivals, waits = self._history.structure, self._history.arrivals, self._history.waits
        if structure.kinds[row] != "empty":
            return False
        full = structure.rings[structure.ring_of[row]].full[structure.stage_of[row]]
        around = waits.keep((waits.agent == agent) & np.isin(waits.barrier, full))
        following = int(np.searchsorted(around.begin, step))
        if not 0 < following < len(around) or around.parity[following - 1] != around.parity[following]:
            return False
        released = (arrivals.barrier == row) & (arrivals.agent == agent) & (arrivals.step <= step)
        barriers = self._history.trace.barriers
        fills = min(self._history.barrier_at(one, step).phase - barriers[one].first_phase for one in full)
        return bool(arrivals.count[released].sum() <= fills * usual)

    def _counts(self, row: int) -> bool:
        """Whether the barrier takes arrivals for uses of a stage, and is known to take how many."""
        structure = self._history.structure
        if structure.kinds[row] not in SIDES or structure.place_of[row] < 0:
            return False
        state = self._history.last_barriers[row]
        return state.valid and state.counted

    def _family(self, row: int) -> tuple[str, int]:
        """What barriers of a kind in a CTA's ring have in common."""
        return self._history.structure.kinds[row], int(self._history.structure.ring_of[row])

    def _came(self, row: int) -> _Came:
        if row not in self._known:
            arrivals, mine = self._history.arrivals, slice(self._starts[row], self._starts[row + 1])
            use = self._uses.of_arrival[mine]
            known = use >= 0
            columns = (column[mine][known] for column in (arrivals.agent, arrivals.count, arrivals.step))
            self._known[row] = _Came(self._uses.number[use[known]], *columns)
        return self._known[row]

    @cached_property
    def _agents(self) -> dict[tuple[str, int], list[int]]:
        """Who arrives for uses on barriers of each kind and ring."""
        arrivals, among = self._history.arrivals, len(self._history.trace.agents)
        used = self._uses.of_arrival >= 0
        pairs = distinct(arrivals.barrier[used] * among + arrivals.agent[used])
        found: dict[tuple[str, int], set[int]] = {family: set() for family in self._rows_of}
        judged = set(self.rows)
        for row, agent in zip((pairs // among).tolist(), (pairs % among).tolist(), strict=True):
            if row in judged:
                found[self._family(row)].add(agent)
        return {family: sorted(agents) for family, agents in found.items()}

    def _usual(self, row: int) -> dict[int, int]:
        """Agent -> how often it arrives for one use on barriers of this kind and ring, for the most part."""
        family = self._family(row)
        if family not in self._families:
            per_use: dict[int, list[NDArray[np.int64]]] = {}
            for other in self._rows_of[family]:
                came = self._came(other)
                for agent in np.unique(came.agent).tolist():
                    per_use.setdefault(agent, []).append(self._per_use(other, agent, came))
            self._families[family] = {agent: _most_frequent(counts) for agent, counts in per_use.items()}
        return self._families[family]

    def _per_use(self, row: int, agent: int, came: _Came) -> NDArray[np.int64]:
        """Its arrivals in each use that it began; the last use counts if it has any, for it may not be over."""
        numbers = self._uses.number[self._lane(row, agent)]
        own = came.agent == agent
        counts = np.bincount(np.searchsorted(np.sort(numbers), came.number[own]), came.count[own], len(numbers))
        return counts[: len(counts) - (len(counts) > 1 and counts[-1] == 0)].astype(np.int64)

    def _lane(self, row: int, agent: int) -> slice:
        return self._uses.of(agent, SIDES[self._history.structure.kinds[row]], int(self._uses.slot[row]))

    def _began(self, row: int, agent: int, number: int) -> int:
        mine = self._lane(row, agent)
        at = np.flatnonzero(self._uses.number[mine] == number)
        return int(self._uses.begin[mine][at[0]]) if len(at) else -1

    def _went_on(self, row: int, agent: int, number: int) -> int | None:
        """The step at which the agent began a later use of the stage, or left after this one; None: it has not gone
        past this one."""
        mine = self._lane(row, agent)
        later = np.flatnonzero(self._uses.number[mine] > number)
        if len(later):
            return int(self._uses.begin[mine][later[0]])
        return self._left.get(agent) if self._began(row, agent, number) >= 0 else None

    def _last_over(self, row: int, agent: int) -> int:
        """The last use of the stage that the agent has gone past; -1: none."""
        numbers = self._uses.number[self._lane(row, agent)]
        return int(numbers.max()) - (agent not in self._left) if len(numbers) else -1

    @cached_property
    def _left(self) -> dict[int, int]:
        """Agents that left -> the step; none in a run that went through, where nobody waits for what they leave out."""
        return {} if self._history.trace.meta.ending.kind == "completed" else self._history.left


def _not_adding_up(
    arrived: Steps, count: Steps, begun: list[Steps], first: int, following: int, needed: int
) -> list[int]:
    """The uses from `first` to before `following`, begun or arrived for, whose arrivals, (arrivals,), are not as many
    as are `needed`."""
    numbers: list[int]
    if following - first <= 4 * len(arrived) + 4:
        totals = np.bincount(arrived - first, count, following - first)
        wrong = np.flatnonzero(totals != needed) + first
        numbers = wrong[np.isin(wrong, np.concatenate([arrived, *begun]))].tolist() if len(wrong) else []
    else:  # a file may number uses as it likes: those that nobody began or arrived for are not looked at
        among = np.unique(np.concatenate([arrived, *begun]))
        among = among[(among >= first) & (among < following)]
        totals = np.bincount(np.searchsorted(among, arrived), count, len(among))
        numbers = among[totals != needed].tolist()
    return numbers


def _most_frequent(counts: list[NDArray[np.int64]]) -> int:
    """The smallest of those that are there most often; a file may hold any number as a count."""
    values, often = np.unique(np.concatenate(counts), return_counts=True)
    return int(values[often.argmax()])
