"""CUTLASS's synclog (CUTLASS_ENABLE_SYNCLOG): what lane 0 of each warp of the first CTA did, printed as it ends.

What a line says, and when it is printed, is known from cutlass/arch/synclog.hpp and the functions that emit it: waits
on mbarriers before they wait, arrivals after they arrived, bar.sync and bulk-store waits after they passed. No line
says that a wait passed: its warp's next line does. As in CUTLASS 4.2.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from visualizer.language import mark, tr
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Ending
from visualizer.semantics.shared_storage import RANK_SHIFT
from visualizer.sources.errors import SourceError
from visualizer.sources.imports.reader import Imported, Reader, Text, at_line
from visualizer.sources.imports.rows import Rows

_START, _END, _FULL = "synclog start", "synclog end", "synclog was truncated"
_LINE = re.compile(
    r"synclog at \d+: (?P<op>[a-z_]+) line=(?P<line>\d{1,9}) time=(?P<time>\d{1,20})"
    r" thread=(?P<x>\d{1,9}),(?P<y>\d{1,9}),(?P<z>\d{1,9}) block=\d{1,9},\d{1,9},\d{1,9} ?(?P<rest>.*)"
)
_FIELD = re.compile(r"([a-z_]+)=(\d{1,20})")
_GUESSED = EventFlag.DERIVED | EventFlag.ESTIMATED
_BARRIER_H, _TMA, _GMMA = "cutlass/arch/barrier.h", "cute/arch/copy_sm90_tma.hpp", "cute/arch/mma_sm90_gmma.hpp"


@dataclass
class _Open:
    """A wait of a warp that is not known to have passed yet."""

    kind: EventKind
    barrier: str
    parity: int
    amount: int
    site: int
    is_try: bool = False
    time: int = 0


@dataclass
class _Log:
    """One launch's lines, as far as they are read."""

    rows: Rows = field(default_factory=Rows)
    open: dict[str, _Open] = field(default_factory=dict)  # by warp
    time: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    tries: int = 0
    ended: bool = False
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class _Event:
    """A line."""

    log: _Log
    agent: str
    time: int  # ps
    site: int
    fields: dict[str, int]

    @property
    def barrier(self) -> str:
        """The barrier that the line is on, in the CTA that it names."""
        address = self.of("smem_addr")
        cta = self.fields.get("cta_id", self.fields.get("dst_cta_id"))
        if cta is not None:
            address = address & (1 << RANK_SHIFT) - 1 | (cta & 0xFF) << RANK_SHIFT
        return f"{address:#x}"

    def of(self, name: str) -> int:
        """A field. SourceError if the line has no such."""
        if name not in self.fields:
            raise SourceError(tr("it has no {name}=", name=name))
        return self.fields[name]

    def add(self, kind: EventKind, barrier: str = "", amount: int = 0, parity: int = -1) -> None:
        self.log.rows.add(self.agent, self.time, kind, barrier, amount, parity, site=self.site)

    def wait(self, kind: EventKind, barrier: str = "", parity: int = -1, amount: int = 0, is_try: bool = False) -> None:
        """A wait begins here; a try is not known to be one before the next line."""
        self.log.open[self.agent] = _Open(kind, barrier, parity, amount, self.site, is_try, self.time)
        if not is_try:
            self.add(kind, barrier, amount, parity)


def _close(log: _Log, agent: str, time: int, again: tuple[str, int] | None) -> None:
    """The warp does something else: its wait has passed. A try has, unless it now waits for the same (`again`)."""
    waited = log.open.pop(agent, None)
    if waited is None:
        return
    if waited.is_try:
        if again == (waited.barrier, waited.parity):
            log.rows.add(
                agent, waited.time, EventKind.TEST_FAILED, waited.barrier, parity=waited.parity, site=waited.site
            )
            return
        log.tries += 1
        log.rows.add(
            agent,
            waited.time,
            EventKind.WAIT_BEGIN,
            waited.barrier,
            parity=waited.parity,
            site=waited.site,
            flags=_GUESSED,
        )
        time = waited.time  # a try does not wait
    log.rows.add(
        agent,
        time,
        EventKind(waited.kind + 1),
        waited.barrier,
        waited.amount,
        waited.parity,
        site=waited.site,
        flags=_GUESSED,
    )


def _passed(kind: EventKind) -> Callable[[_Event, int], None]:
    """A line that is printed once its wait has passed: since when it waited nobody knows."""

    def add(event: _Event, amount: int) -> None:
        event.log.rows.add(event.agent, event.time, kind, amount=amount, site=event.site, flags=_GUESSED)
        event.add(EventKind(kind + 1), amount=amount)

    return add


_sync, _stored = _passed(EventKind.SYNC_BEGIN), _passed(EventKind.STORE_WAIT_BEGIN)


def _wait(event: _Event) -> None:
    event.wait(EventKind.WAIT_BEGIN, event.barrier, event.of("phase") & 1)


def _try(event: _Event) -> None:
    event.wait(EventKind.WAIT_BEGIN, event.barrier, event.of("phase") & 1, is_try=True)


_OPS: dict[str, tuple[str, Callable[[_Event], None]]] = {
    "cluster_barrier_init": (
        _BARRIER_H,
        lambda e: e.add(EventKind.INIT, e.barrier, e.of("arrive_count")),
    ),
    "cluster_barrier_wait": (_BARRIER_H, _wait),
    "cluster_barrier_try_wait": (_BARRIER_H, _try),
    "cluster_barrier_test_wait": (_BARRIER_H, _try),
    "cluster_barrier_arrive": (_BARRIER_H, lambda e: e.add(EventKind.ARRIVE, e.barrier, 1)),
    "cluster_barrier_arrive_cluster": (_BARRIER_H, lambda e: e.add(EventKind.ARRIVE, e.barrier, 1)),
    "cluster_barrier_invalidate": (_BARRIER_H, lambda e: e.add(EventKind.INVAL, e.barrier)),
    "cluster_transaction_barrier_arrive_and_expect_tx": (
        _BARRIER_H,
        lambda e: e.add(EventKind.ARRIVE_EXPECT_TX, e.barrier, e.of("transaction_bytes")),
    ),
    "cluster_transaction_barrier_arrive_and_expect_tx_cluster": (
        _BARRIER_H,
        lambda e: e.add(EventKind.ARRIVE_EXPECT_TX, e.barrier, e.of("transaction_bytes")),
    ),
    "cluster_transaction_barrier_expect_transaction": (
        _BARRIER_H,
        lambda e: e.add(EventKind.EXPECT_TX, e.barrier, e.of("transaction_bytes")),
    ),
    "cluster_transaction_barrier_complete_transaction": (
        _BARRIER_H,
        lambda e: e.add(EventKind.COMPLETE_TX, e.barrier, e.of("transaction_bytes")),
    ),
    "cpasync_barrier_arrive": (_BARRIER_H, lambda e: e.add(EventKind.CP_ASYNC_ARRIVE_NOINC, e.barrier, 1)),
    "fence_barrier_init": (_BARRIER_H, lambda e: e.add(EventKind.FENCE)),
    "fence_view_async_shared": (_BARRIER_H, lambda e: e.add(EventKind.PROXY_FENCE)),
    "named_barrier_arrive": (_BARRIER_H, lambda e: e.add(EventKind.SYNC_ARRIVE, amount=e.of("num_threads"))),
    "named_barrier_arrive_and_wait": (_BARRIER_H, lambda e: _sync(e, e.of("num_threads"))),
    "syncthreads": ("", lambda e: _sync(e, 0)),
    "tma_load": (_TMA, lambda e: e.add(EventKind.COPY_ISSUE, f"{e.of('smem_int_mbar'):#x}")),
    "tma_store_arrive": (_TMA, lambda e: e.add(EventKind.STORE_COMMIT)),
    "tma_store_wait": (_TMA, lambda e: _stored(e, e.of("count"))),
    "warpgroup_commit_batch": (_GMMA, lambda e: e.add(EventKind.WGMMA_COMMIT)),
    "warpgroup_wait": (_GMMA, lambda e: e.wait(EventKind.WGMMA_WAIT_BEGIN, amount=e.of("n"))),
}
"""By the line's name: the header whose line it tells, and what happened."""
_NOT_EXECUTED = "pred"


def _sniff(head: str) -> bool:
    return _START in head or "synclog at " in head


def _read(text: Text) -> Imported:
    log, launches = _Log(), 0
    reading = text.launch == 0
    for number, line in text.lines():
        # The program's own output may stand before it on the line.
        at = line.find("synclog ")
        if at < 0:
            continue
        line = line[at:]
        if line.startswith(_START):
            launches += 1
            reading = launches - 1 == text.launch
        elif not reading:
            continue
        elif line.startswith(_FULL):
            log.truncated = True
        elif line.startswith(_END):
            log.ended = True
            reading = False
        elif line.startswith("synclog at "):
            try:
                _add(log, line)
            except SourceError as error:
                raise at_line(number, str(error)) from None
    if text.launch and launches <= text.launch:
        raise SourceError(tr("it holds {launches} launches; --launch counts them from 0", launches=launches or 1))
    return _finished(log, launches, text.launch)


def _add(log: _Log, line: str) -> None:
    found = _LINE.fullmatch(line)
    if found is None:
        raise SourceError(tr("it is no line of synclog: {line!r}", line=line[:80]))
    fields = {name: int(value) for name, value in _FIELD.findall(found["rest"])}
    agent, time, op = f"warp{int(found['x']) // 32}", int(found["time"]) * 1000, found["op"]
    log.time = time
    if fields.get(_NOT_EXECUTED, 1) == 0:
        _close(log, agent, time, None)
        return
    known = _OPS.get(op)
    if known is None:
        log.left_out[op] = log.left_out.get(op, 0) + 1
        _close(log, agent, time, None)
        return
    file, add = known
    site = log.rows.site_of(file, int(found["line"]) or 1, op) if file else -1
    event = _Event(log, agent, time, site, fields)
    _close(log, agent, time, (event.barrier, event.of("phase") & 1) if add is _wait else None)
    add(event)


def _finished(log: _Log, launches: int, launch: int) -> Imported:
    if log.ended and not log.truncated:
        # The first thread prints at its end, and what it prints comes when the kernel is done: no wait lasted.
        for agent in list(log.open):
            _close(log, agent, log.time, None)
    notes = ["synclog has lane 0 of each warp of the first CTA: arrivals of others are not in it"]
    if log.left_out:
        told = ", ".join(f"{op} {count}" for op, count in sorted(log.left_out.items()))
        notes.append(f"lines that are not shown: {told}")
    if log.truncated:
        notes.append("the log was full: what came later is not in it")
    if launches > 1:
        notes.append(f"the file holds {launches} launches: this is number {launch}, counted from 0")
    ending = Ending("completed")
    if log.truncated or not log.ended:
        ending = Ending("cancelled", "the log has no end: what came later is not in it")
    return Imported(log.rows, ending, tuple(notes), log.tries)


SYNCLOG = Reader("synclog", mark("CUTLASS's synclog: the lines that begin with `synclog at`"), _sniff, _read)
