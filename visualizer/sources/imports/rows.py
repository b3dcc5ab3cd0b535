"""Events as every reader hands them on: by names, in columns, each checked as it comes so that its line is known."""

from __future__ import annotations

from array import array

from visualizer.language import tr
from visualizer.recording.invariants import MOST_PS
from visualizer.recording.schema import EventKind, kind_name
from visualizer.sources.errors import SourceError
from visualizer.sources.imports.names import LONGEST_NAME, agent_of, barrier_of, check_name

MOST_EVENTS = 8_000_000
MOST_AGENTS = MOST_BARRIERS = 1 << 16
MOST_SITES = (1 << 15) - 1  # int16 in the events
_MOST_INT = 2**31 - 1

_WAITS = frozenset({EventKind.WAIT_BEGIN, EventKind.WAIT_END, EventKind.TIMEOUT, EventKind.TEST_FAILED})
_NEED_BARRIER = frozenset(
    {
        EventKind.INIT,
        EventKind.INVAL,
        EventKind.ARRIVE,
        EventKind.ARRIVE_DROP,
        EventKind.EXPECT_TX,
        EventKind.ARRIVE_EXPECT_TX,
        EventKind.COMPLETE_TX,
        EventKind.TENSOR_COMMIT,
        EventKind.CP_ASYNC_ARRIVE,
        EventKind.CP_ASYNC_ARRIVE_NOINC,
    }
)


class Rows:
    """Columns of events, and the names that they use. Rows may come in any order of time; those of one agent that
    happened at one time in the order in which it did them."""

    def __init__(self) -> None:
        self.agents: dict[str, int] = {}
        self.barriers: dict[str, int] = {"": -1}
        self.sites: dict[tuple[str, int, str], int] = {}
        self.time = array("q")  # ps from the first row's
        self.agent, self.barrier, self.amount = array("i"), array("i"), array("i")
        self.tile, self.site, self.stage = array("i"), array("h"), array("h")
        self.kind, self.flags, self.parity = array("B"), array("B"), array("b")
        self._begin: int | None = None

    def __len__(self) -> int:
        return len(self.time)

    def add(
        self,
        agent: str,
        time_ps: int,
        kind: EventKind,
        barrier: str = "",
        amount: int = 0,
        parity: int = -1,
        *,
        flags: int = 0,
        site: int = -1,
        stage: int = -1,
        tile: int = -1,
    ) -> None:
        """One event. `time_ps` counts from anywhere. SourceError, without the line, if it cannot be one."""
        if len(self) >= MOST_EVENTS:
            raise SourceError(tr("it is event number {most}: more cannot be imported", most=MOST_EVENTS + 1))
        if kind in _NEED_BARRIER and not barrier:
            raise SourceError(tr("{kind} names no barrier", kind=kind_name(kind)))
        if kind in _WAITS and barrier and parity not in (0, 1):
            raise SourceError(tr("{kind} has parity {parity}; it must be 0 or 1", kind=kind_name(kind), parity=parity))
        self._check("amount", amount, 0, _MOST_INT)
        self._check("parity", parity, -1, 1)
        self._check("stage", stage, -1, 1023)
        self._check("tile", tile, -1, _MOST_INT)
        if self._begin is None:
            self._begin = time_ps
        if not -MOST_PS <= time_ps - self._begin <= MOST_PS:
            raise SourceError(tr("its time is more than two and a half hours from the first event's"))
        row = self.agents.get(agent)
        if row is None:
            agent_of(agent)
            self._room(len(self.agents), MOST_AGENTS)
            row = self.agents[agent] = len(self.agents)
        target = self.barriers.get(barrier)
        if target is None:
            barrier_of(barrier)
            self._room(len(self.barriers), MOST_BARRIERS)
            target = self.barriers[barrier] = len(self.barriers) - 1
        self.time.append(time_ps - self._begin)
        self.agent.append(row)
        self.barrier.append(target)
        self.kind.append(kind)
        self.amount.append(amount)
        self.parity.append(parity)
        self.flags.append(flags)
        self.site.append(site)
        self.stage.append(stage)
        self.tile.append(tile)

    def site_of(self, file: str, line: int, op: str) -> int:
        """The row of a site."""
        key = (file, line, op)
        row = self.sites.get(key)
        if row is None:
            for text in (file, op):
                if len(text) > LONGEST_NAME * 5:
                    check_name(text)
            self._check("line", line, 1, _MOST_INT)
            self._room(len(self.sites), MOST_SITES)
            row = self.sites[key] = len(self.sites)
        return row

    @staticmethod
    def _check(name: str, value: int, low: int, high: int) -> None:
        if not low <= value <= high:
            raise SourceError(
                tr("{name} is {value}; it must be {low} to {high}", name=name, value=value, low=low, high=high)
            )

    @staticmethod
    def _room(count: int, most: int) -> None:
        if count >= most:
            raise SourceError(tr("it names more than {most} agents, barriers or operations", most=most))
