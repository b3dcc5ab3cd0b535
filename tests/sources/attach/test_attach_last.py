"""The last records of a log say what the whole log says of the same time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from written_log import WrittenLog, site

from benchmarks.attached import PS_PER_CYCLE, TENSOR_MAP, attached_log
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.attach.decode import trace_of
from visualizer.sources.attach.log_format import LEFT, Keep, Log, read_log
from visualizer.sources.attach.ptx.sites import Site

TILES = 40


@pytest.fixture(scope="module")
def whole() -> tuple[Log, list[Site]]:
    return attached_log(TILES, 1)


def last_of(log: Log, room: int) -> Log:
    """The log that the same launch leaves if `room` records of each lane are kept, the last ones."""
    layout = replace(log.layout, room=room, keep=Keep.LAST)
    kept = read_log(layout, np.zeros(layout.nbytes, np.uint8))
    kept.headers[:] = log.headers
    kept.counts[:] = log.counts
    for stream in np.ndindex(log.counts.shape):
        made = int(log.counts[stream] & ~np.uint32(LEFT))
        rows = np.arange(max(made - layout.records, 0), made)
        kept.records[stream][rows % layout.records] = log.records[stream][rows]
    return kept


def move(log: Log, cta: int, cycles: int) -> None:
    """Let a CTA begin so much later."""
    log.records["clock"][cta] += np.uint32(cycles)
    log.records["value"][cta][log.records["word"][cta] >> 10 == 2] += np.uint32(cycles)
    for clock, time in (("start_clock", "start_time"), ("exit_clock", "exit_time")):
        log.headers[clock][cta] += cycles
        log.headers[time][cta] += cycles * PS_PER_CYCLE // 1000


def trace_from(log: Log, sites: list[Site]) -> Trace:
    meta = Meta("kernel", {}, {"kind": "attach"}, Ending("completed"))
    return trace_of(log, sites, "", [TENSOR_MAP], meta)


LOGGED = (EventKind.WAIT_BEGIN, EventKind.WAIT_END, EventKind.ARRIVE, EventKind.COPY_ISSUE)
Seen = set[tuple[str, int, int, int]]


def seen(trace: Trace, kinds: tuple[EventKind, ...], since: int) -> Seen:
    """Barrier, kind, parity and ps before the last event, of events fewer than `since` ps before it."""
    before = trace.events["measured"][-1] - trace.events["measured"]
    chosen = np.isin(trace.events["kind"], kinds) & (before < since)
    rows = zip(trace.events[chosen], before[chosen].tolist(), strict=True)
    return {(trace.barriers[row["barrier"]].name, int(row["kind"]), int(row["parity"]), ps) for row, ps in rows}


@pytest.mark.parametrize("room", [64, 128])
def test_the_last_records_say_what_all_say_of_that_time(whole: tuple[Log, list[Site]], room: int) -> None:
    log, sites = whole
    full, last = trace_from(log, sites), trace_from(last_of(log, room), sites)
    assert len(last) < len(full) / 1.5
    assert last.meta.records_lost > 0
    assert last.meta.window["unplaced"] == 0
    assert not any(violations(last).values())
    # Both end with the same exit.
    end = int(last.events["measured"][-1])
    assert seen(last, LOGGED, end) <= seen(full, LOGGED, end + 1)
    # Once every warp is there nothing is missing, and phases complete as they do in the whole.
    first = np.unique(last.events["agent"], return_index=True)[1]
    there = end - int(last.events["measured"][first].max())
    assert len(seen(full, LOGGED, there)) > 200
    assert seen(last, LOGGED, there) == seen(full, LOGGED, there)
    phases = [{one[:3] for one in seen(trace, (EventKind.PHASE_COMPLETE,), there)} for trace in (last, full)]
    assert phases[0] == phases[1]
    stages = [[ring.stages for ring in History(trace).structure.rings] for trace in (last, full)]
    assert stages[0] == stages[1]


def test_a_cta_that_left_before_others_lost_records_keeps_its_own_last_ones() -> None:
    log, sites = attached_log(TILES, 3)
    # CTA 2 comes when the others have left.
    late = int(log.headers["exit_clock"].max()) - int(log.headers["start_clock"][2, 0])
    move(log, 2, late)
    alone, trace = trace_from(last_of(attached_log(TILES, 1)[0], 64), sites), trace_from(last_of(log, 64), sites)
    cta = np.array([agent.cta for agent in trace.agents])[trace.events["agent"]]
    assert np.bincount(cta).tolist() == [len(alone)] * 3
    assert trace.meta.records_lost == 3 * alone.meta.records_lost
    assert trace.meta.window == {"unplaced": 0}
    assert not any(violations(trace).values())


def test_a_warp_begins_where_the_last_of_its_lanes_does() -> None:
    """One lane waits, another copies several times as often: before its first record the waits would stand alone."""
    written = WrittenLog(lanes=(0, 8), room=16, keep=Keep.LAST)
    rows = written.layout.records
    rare = [(4000 * n, 1, 0, 1, 0x400, 1) for n in range(2 * rows)]
    often = [(1000 * n + 500, 1, 0, 1, 0x408, 1) for n in range(8 * rows)]
    written.write(rare, made=len(rare))
    written.write(often, lane=8, made=len(often))
    written.leave(4000 * len(rare))
    trace = trace_from(written.log, [site(1, "mbarrier.arrive")])
    arrivals = trace.events[trace.events["kind"] == EventKind.ARRIVE]
    on = {barrier: arrivals["measured"][arrivals["barrier"] == barrier] for barrier in np.unique(arrivals["barrier"])}
    assert sorted(map(len, on.values())) == [3, rows]
    assert max(times.min() for times in on.values()) - min(times.min() for times in on.values()) < 4000 * PS_PER_CYCLE
