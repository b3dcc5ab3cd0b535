"""What a log says, record by record: waits, arrivals, copies, groups, exits, and what is missing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from written_log import NS_PER_CYCLE, Record, WrittenLog, site, wait

from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Ending, Frame, Meta
from visualizer.recording.trace import Trace
from visualizer.sources.attach.decode import trace_of
from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.log_rows import counts
from visualizer.sources.attach.ptx.sites import Site
from visualizer.sources.attach.recorded_launch import TensorMap
from visualizer.sources.errors import SourceError

K = EventKind
MASK = 0b1010


def trace_from(written: WrittenLog, sites: Sequence[Site], maps: Sequence[TensorMap] = ()) -> Trace:
    return trace_of(written.log, sites, "ptx\n" * 40, maps, Meta("kernel", {}, {"kind": "attach"}, Ending("completed")))


def said(trace: Trace, *, derived: bool = False) -> list[tuple[Any, ...]]:
    """Kind, amount and parity of the events that were logged."""
    return [
        (K(event["kind"]), int(event["amount"]), int(event["parity"]))
        for event in trace.events
        if derived or not int(event["flags"]) & EventFlag.DERIVED
    ]


def of_one_warp(records: Sequence[Record], sites: Sequence[Site]) -> Trace:
    written = WrittenLog()
    written.write(records)
    written.leave()
    return trace_from(written, sites)


SITES = [
    site(1, "mbarrier.init"),
    site(2, "mbarrier.try_wait", "mbarrier.try_wait.parity.shared::cta.b64", spins=True),
    site(3, "mbarrier.arrive"),
    site(4, "mbarrier.arrive.expect_tx"),
    site(5, "cp.async.bulk.tensor", "cp.async.bulk.tensor.2d.shared::cluster.global", tensor_map=128),
    site(6, "mbarrier.test_wait", "mbarrier.test_wait.parity.shared::cta.b64"),
]
INIT = (100, 1, 0, 1, 0x400, 1)


def test_a_wait_that_passes_began_when_its_try_did() -> None:
    trace = of_one_warp([INIT, (200, 3, 0, 1, 0x400, 1), wait(1000, 0x400, 0, 40)], SITES)
    assert said(trace) == [
        (K.INIT, 1, -1),
        (K.ARRIVE, 1, -1),
        (K.WAIT_BEGIN, 0, 0),
        (K.WAIT_END, 0, 0),
        (K.EXIT, 0, -1),
    ]
    logged = trace.events[(trace.events["flags"] & EventFlag.DERIVED) == 0]
    cycles = np.diff(logged["time"]) / 1000 / NS_PER_CYCLE
    assert cycles == pytest.approx([100, 760, 40, 99_000], rel=0.01)
    assert not logged["flags"].any()
    assert violations(trace) == dict.fromkeys(violations(trace), 0)


@pytest.mark.parametrize("took", [60, 8800])
def test_a_loop_that_waits_is_one_wait_from_its_first_failure_on(took: int) -> None:
    """Whether the record of its end says when its last try began or its first."""
    written = WrittenLog(warps=2)
    written.write([INIT, (9000, 3, 0, 1, 0x400, 1)])
    written.write([wait(800, 0x400, 0, 500, failed=True), wait(9100, 0x400, 0, took)], warp=1)
    written.leave()
    trace = trace_from(written, SITES)
    waits = trace.events[np.isin(trace.events["kind"], (K.WAIT_BEGIN, K.WAIT_END, K.TEST_FAILED))]
    assert [K(kind) for kind in waits["kind"]] == [K.WAIT_BEGIN, K.WAIT_END]
    assert waits["flags"].tolist() == [0, EventFlag.BLOCKED]
    assert int(np.diff(waits["measured"])[0]) / 1000 / NS_PER_CYCLE == pytest.approx(8800, rel=0.01)


def test_a_wait_that_took_long_was_blocked_only_if_a_phase_completed_meanwhile() -> None:
    """Instructions that have yet to be fetched take as long."""
    written = WrittenLog(warps=2)
    written.write([INIT, (9000, 3, 0, 1, 0x400, 1)])
    fresh, due, late = wait(900, 0x400, 1, 600), wait(9050, 0x400, 0, 3000), wait(9900, 0x400, 0, 600)
    written.write([fresh, due, late], warp=1)
    written.leave()
    trace = trace_from(written, SITES)
    ends = trace.events[trace.events["kind"] == K.WAIT_END]
    assert ends["flags"].tolist() == [0, EventFlag.BLOCKED, 0]
    assert not any(violations(trace).values())
    assert (trace.events["time"] == trace.events["measured"]).all()


def test_a_slow_wait_was_not_blocked_where_another_had_passed_on_the_phase_already() -> None:
    """Of a copy it is not known when it landed, so that the phase may have completed in either wait."""
    written = WrittenLog(warps=2)
    written.write([INIT, (300, 4, 0, 64, 0x400, 64), (320, 5, 0, 0, 0x400, 0)])
    written.write([wait(4000, 0x400, 0, 3000), wait(6000, 0x400, 0, 600)], warp=1)
    written.leave()
    trace = trace_from(written, SITES, [TensorMap(128, 7, (8, 2))])
    ends = trace.events[trace.events["kind"] == K.WAIT_END]
    assert ends["flags"].tolist() == [EventFlag.BLOCKED, 0]
    assert not any(violations(trace).values())


def test_a_wait_that_hangs_has_begun_and_not_ended() -> None:
    written = WrittenLog(warps=2)
    written.write([INIT])
    written.write([wait(5000, 0x400, 1, 4000, failed=True)], warp=1)
    written.leave(6000, warp=0)
    trace = trace_from(written, SITES)
    assert said(trace) == [(K.INIT, 1, -1), (K.WAIT_BEGIN, 0, 1), (K.EXIT, 0, -1)]


@pytest.mark.parametrize(("ending", "lands"), [("timeout", True), ("cancelled", False)])
def test_nothing_is_in_flight_where_nothing_happened_for_long(ending: Any, lands: bool) -> None:
    """Nobody saw the copy land, for its phase lacks an arrival; but it was issued seconds before the kernel's end."""
    written = WrittenLog()
    records: list[Record] = [(100, 1, 0, 2, 0x400, 2), (300, 4, 0, 64, 0x400, 64), (320, 5, 0, 0, 0x400, 0)]
    written.write([*records, wait(400, 0x400, 0, 20, failed=True)])
    maps = [TensorMap(128, 7, (8, 2))]
    meta = Meta("kernel", {}, {"kind": "attach"}, Ending(ending))
    trace = trace_of(written.log, SITES, "ptx\n" * 40, maps, meta)
    assert (K.COPY_DONE in trace.events["kind"]) == lands
    assert K.PHASE_COMPLETE not in trace.events["kind"]
    assert not any(violations(trace).values())


def test_a_warp_of_which_one_lane_waits_has_not_left() -> None:
    """Its other lanes did: the elected one waits for a stage that is never released."""
    written = WrittenLog(warps=3)
    written.write([INIT])
    written.write([wait(5000, 0x400, 1, 4000, failed=True)], warp=1)
    written.write([wait(5000, 0x400, 1, 4000, failed=True), wait(6000, 0x400, 1, 400)], warp=2)
    written.leave()
    trace = trace_from(written, SITES)
    left = trace.events["agent"][trace.events["kind"] == K.EXIT]
    assert [trace.agents[agent].warp for agent in sorted(left.tolist())] == [0, 2]


def test_a_lane_still_waits_though_others_of_its_warp_went_on() -> None:
    """The elected one waits for a stage while the others arrive elsewhere, and stay or leave."""
    for leaves in (False, True):
        written = WrittenLog(warps=2, lanes=(0, 1))
        written.write([INIT])
        written.write([wait(5000, 0x400, 1, 100, failed=True)], warp=1)
        written.write([(6000, 3, 0, 31, 0x480, 1)], warp=1, lane=1)
        written.leave(warp=None if leaves else 0)
        trace = trace_from(written, SITES)
        of_warp = trace.events[trace.events["agent"] == [agent.warp for agent in trace.agents].index(1)]
        assert of_warp["kind"].tolist() == [K.ARRIVE, K.WAIT_BEGIN]
        assert of_warp["time"][0] <= of_warp["time"][1]


def test_a_lane_was_blocked_from_its_first_failure_on_though_others_went_on_meanwhile() -> None:
    written = WrittenLog(warps=2, lanes=(0, 1))
    written.write([INIT, (7000, 3, 0, 1, 0x400, 1)])
    written.write([wait(5000, 0x400, 0, 100, failed=True), wait(8000, 0x400, 0, 100)], warp=1)
    written.write([(6000, 3, 0, 31, 0x480, 1)], warp=1, lane=1)
    written.leave()
    trace = trace_from(written, SITES)
    of_warp = trace.events[trace.events["agent"] == [agent.warp for agent in trace.agents].index(1)]
    assert of_warp["kind"].tolist() == [K.ARRIVE, K.WAIT_BEGIN, K.WAIT_END, K.EXIT]
    assert of_warp["flags"].tolist() == [0, 0, EventFlag.BLOCKED, 0]
    assert not any(violations(trace).values())


def test_lanes_that_waited_apart_may_pass_as_one() -> None:
    written = WrittenLog(lanes=(0, 8))
    written.write([INIT, wait(500, 0x400, 1, 20, failed=True), wait(800, 0x400, 1, 20)])
    written.write([wait(600, 0x400, 1, 20, failed=True)], lane=8)
    written.leave()
    trace = trace_from(written, SITES)
    assert [kind for kind, *_ in said(trace)] == [K.INIT, K.WAIT_BEGIN, K.WAIT_END, K.EXIT]
    begin, end = trace.events["time"][1:3].tolist()
    assert end - begin == pytest.approx(320 * NS_PER_CYCLE * 1000, rel=0.05)


def test_a_failed_test_that_others_follow_is_a_failed_test() -> None:
    peek, loop = wait(500, 0x400, 0, 20, 6, failed=True), wait(700, 0x400, 0, 20, failed=True)
    trace = of_one_warp([INIT, peek, loop, (900, 3, 0, 1, 0x400, 1)], SITES)
    assert [kind for kind, *_ in said(trace)] == [K.INIT, K.TEST_FAILED, K.TEST_FAILED, K.ARRIVE, K.EXIT]


def test_a_long_first_try_was_blocked() -> None:
    arrive = (3000, 3, 0, 1, 0x400, 1)
    for cycles, flag in ((80, 0), (2500, EventFlag.BLOCKED)):
        written = WrittenLog(warps=2)
        written.write([INIT, arrive])
        written.write([wait(3100, 0x400, 0, cycles)], warp=1)
        written.leave()
        trace = trace_from(written, SITES)
        assert trace.events["flags"][trace.events["kind"] == K.WAIT_END].tolist() == [flag]


def test_lanes_that_arrive_in_one_instruction_arrive_as_one() -> None:
    grouped = of_one_warp([(100, 1, 0, 1, 0x400, 64), (200, 3, 0, 32, 0x400, 2)], SITES)
    assert (K.ARRIVE, 64, -1) in said(grouped)
    written = WrittenLog(lanes=(0, 8, 16))
    written.write([(100, 1, 0, 1, 0x400, 3), (200, 3, 0, 1, 0x400, 1)])
    written.write([(200, 3, 0, 1, 0x400, 1), (300, 3, 0, 1, 0x400, 1)], lane=8)
    written.write([(200, 3, 0, 1, 0x408, 1)], lane=16)
    written.leave()
    arrivals = [amount for kind, amount, _ in said(trace_from(written, SITES)) if kind == K.ARRIVE]
    assert arrivals == [2, 1, 1]


def test_arrivals_behind_a_cp_async_are_promises_that_the_copy_engine_keeps() -> None:
    """A warp's lanes promise an arrival each; another warp was refused long after that, and only then let pass."""
    sites = [*SITES[:2], site(3, "cp.async.mbarrier.arrive.noinc"), site(4, "cp.async.mbarrier.arrive")]
    written = WrittenLog(warps=2)
    written.write([(100, 1, 0, 1, 0x400, 32), (200, 4, 0, 32, 0x400, 1), (210, 3, 0, 32, 0x400, 1)])
    written.write([wait(3000, 0x400, 0, 60, failed=True), wait(5000, 0x400, 0, 60)], warp=1)
    written.leave()
    trace = trace_from(written, sites)
    promises = [event for event in said(trace) if event[0] in (K.CP_ASYNC_ARRIVE, K.CP_ASYNC_ARRIVE_NOINC)]
    assert promises == [(K.CP_ASYNC_ARRIVE, 32, -1), (K.CP_ASYNC_ARRIVE_NOINC, 32, -1)]
    engine = next(row for row, agent in enumerate(trace.agents) if agent.role == "copy_engine")
    arrivals = trace.events[trace.events["kind"] == K.ARRIVE]
    assert arrivals["agent"].tolist() == [engine, engine]
    (completed,) = trace.events[trace.events["kind"] == K.PHASE_COMPLETE]
    begin, end = trace.events["time"][np.isin(trace.events["kind"], (K.WAIT_BEGIN, K.WAIT_END))]
    assert begin < completed["time"] < end
    assert not any(violations(trace).values())


def test_a_copy_brings_what_its_tensor_map_says() -> None:
    copying = [INIT, (200, 4, 0, 1, 0x400, 16384), (210, 5, 0, 1, 0x400, 0x1000), wait(900, 0x400, 0, 30)]
    written = WrittenLog()
    written.write(copying)
    written.leave()
    tile = TensorMap(128, 6, (64, 128))
    trace = trace_from(written, SITES, [tile])
    assert (K.COPY_ISSUE, 64 * 128 * 2, -1) in said(trace)
    assert (K.COMPLETE_TX, 16384, -1) in said(trace, derived=True)
    assert "copies_by_expectation" not in trace.meta.source
    untold = trace_from(written, SITES)
    assert (K.COPY_ISSUE, 16384, -1) in said(untold)
    assert untold.meta.source["copies_by_expectation"] == 1


def test_a_tensor_map_found_at_run_time_is_known_by_its_address() -> None:
    sites = [*SITES[:4], site(5, "cp.async.bulk.tensor", "cp.async.bulk.tensor.1d.shared::cluster.global")]
    written = WrittenLog()
    written.log.headers["parameters"] = 0x7F00_0000_0210
    more = (210, 5, 1, 1, 0x210 + 64, 0)
    written.write([INIT, (200, 4, 0, 1, 0x400, 256), (210, 5, 0, 1, 0x400, 0x1000), more])
    written.leave()
    trace = trace_from(written, sites, [TensorMap(64, 0, (256,))])
    assert [event for event in said(trace) if event[0] == K.COPY_ISSUE] == [(K.COPY_ISSUE, 256, -1)]


@pytest.mark.parametrize(
    ("name", "opcode", "records"),
    [
        (
            "cp.async.bulk.tensor",
            "cp.async.bulk.tensor.2d.shared::cluster.global.multicast::cluster",
            [(500, 5, 0, 1, 0x1000400, MASK << 16 | 0x100)],
        ),
        (
            "clusterlaunchcontrol.try_cancel",
            "clusterlaunchcontrol.try_cancel.async.shared::cta.multicast::cluster::all",
            [(500, 5, 0, 1, 0x1000400, 64)],
        ),
        (
            "cp.async.bulk",
            "cp.async.bulk.shared::cluster.global.multicast::cluster",
            [(500, 5, 0, 1, 0x1000400, 64), (500, 5, 1, 1, 0, MASK)],
        ),
    ],
)
def test_a_multicast_completes_on_a_barrier_of_each_destination(name: str, opcode: str, records: list[Record]) -> None:
    written = WrittenLog(4, cluster=(4, 1, 1))
    for cta in range(4):
        own = cta << 24 | 0x400
        setup = [(100, 1, 0, 1, own, 1), (200, 4, 0, 1, own, 64)]
        written.write(setup if cta != 1 else [*setup, *records], cta)
    written.leave()
    trace = trace_from(written, [*SITES[:4], site(5, name, opcode)])
    copies = trace.events[trace.events["kind"] == K.COPY_ISSUE]
    reached = [0, 1, 2, 3] if opcode.endswith("all") else [1, 3]
    assert [trace.barriers[row].cta for row in copies["barrier"]] == reached
    assert copies["flags"].tolist() == [0, *[EventFlag.SAME_COPY] * (len(reached) - 1)]
    assert copies["amount"].tolist() == [64] * len(reached)


def test_ctas_are_counted_cluster_by_cluster() -> None:
    written = WrittenLog(grid=(4, 4, 1), cluster=(2, 2, 1))
    for cta in range(16):
        written.write([(100, 1, 0, 1, int(written.log.headers["cluster"][cta, 0] & 0xFF) << 24 | 0x400, cta + 1)], cta)
    written.leave()
    trace = trace_from(written, SITES)
    inits = trace.events[trace.events["kind"] == K.INIT]
    by_number = {
        trace.barriers[row].cta: int(amount) - 1 for row, amount in zip(inits["barrier"], inits["amount"], strict=True)
    }
    assert [by_number[number] for number in range(8)] == [0, 1, 4, 5, 2, 3, 6, 7]


def test_operations_without_an_mbarrier_keep_their_numbers() -> None:
    sites = [
        site(1, "bar.sync", "bar.sync"),
        site(2, "bar.arrive", "bar.arrive"),
        site(3, "wgmma.wait_group", "wgmma.wait_group.sync.aligned"),
        site(4, "fence.proxy.async", "fence.proxy.async"),
        site(5, "mbarrier.arrive_drop.expect_tx"),
        site(6, "setmaxnreg.inc", "setmaxnreg.inc.sync.aligned.u32"),
    ]
    trace = of_one_warp(
        [
            (100, 1, 1, 0, 3, 128),
            (300, 1, 0, 0, 3, 128),
            (400, 2, 0, 0, 4, 64),
            (500, 3, 1, 0, 0, 1),
            (600, 3, 0, 0, 0, 1),
            (700, 4, 0, 0, 0, 0),
            (800, 5, 0, 1, 0x400, 64),
            (900, 6, 1, 0, 0, 232),
            (950, 6, 0, 0, 0, 232),
        ],
        sites,
    )
    assert said(trace) == [
        (K.SYNC_BEGIN, 128, -1),
        (K.SYNC_END, 128, -1),
        (K.SYNC_ARRIVE, 64, -1),
        (K.WGMMA_WAIT_BEGIN, 1, -1),
        (K.WGMMA_WAIT_END, 1, -1),
        (K.PROXY_FENCE, 0, -1),
        (K.EXPECT_TX, 64, -1),
        (K.ARRIVE_DROP, 1, -1),
        (K.SETMAXNREG_INC_BEGIN, 232, -1),
        (K.SETMAXNREG_INC_END, 232, -1),
        (K.EXIT, 0, -1),
    ]
    assert trace.events["token"][:3].tolist() == [3, 3, 4]
    assert trace.events["barrier"][0] == -1


def test_clocks_go_on_where_their_low_half_wraps() -> None:
    records = [(cycles, 3, 0, 1, 0x400, 1) for cycles in range(0, 20_000, 1000)]
    times = of_one_warp([(0, 1, 0, 1, 0x400, 100), *records], SITES).events["measured"] / 1000 / NS_PER_CYCLE
    assert np.diff(times)[2:20] == pytest.approx(1000, rel=0.01)


def test_what_had_no_room_ends_the_recording_for_all_and_is_counted() -> None:
    written = WrittenLog(warps=2, room=16)
    full = [(100 + 10 * n, 3, 0, 1, 0x400, 1) for n in range(written.layout.records)]
    written.write(full, made=written.layout.records + 7)
    written.write([(50, 1, 0, 1, 0x400, 1000), (90_000, 3, 0, 1, 0x400, 1)], warp=1)
    written.leave()
    trace = trace_from(written, SITES)
    assert trace.meta.records_lost == 7
    assert trace.meta.events_dropped == 2  # an arrival and an exit
    assert trace.events["measured"].max() / 1000 / NS_PER_CYCLE < 1000


def test_a_cta_that_has_room_is_there_to_its_end_though_another_had_none() -> None:
    written = WrittenLog(ctas=3, warps=2, room=16)
    rows = written.layout.records
    for cta in range(3):
        arrivals = [(100 + 1000 * n, 3, 0, 1, 0x400, 1) for n in range(rows)]
        written.write(arrivals, cta, made=rows + 4 if cta == 1 else rows)
        written.write([(50, 1, 0, 1, 0x400, 1000), (90_000, 3, 0, 1, 0x400, 1)], cta, warp=1)
    written.leave()
    trace = trace_from(written, SITES)
    kinds = [trace.events["kind"][trace.agent_cta[trace.events["agent"]] == cta] for cta in range(3)]
    assert [int((kind == K.EXIT).sum()) for kind in kinds] == [2, 0, 2]
    assert [int((kind == K.ARRIVE).sum()) for kind in kinds] == [rows + 1, rows, rows + 1]
    assert (trace.meta.records_lost, trace.meta.events_dropped) == (4, 2)
    assert trace.meta.window == {"cut_short": [1]}


def test_the_ctas_of_a_cluster_end_together() -> None:
    written = WrittenLog(ctas=4, room=16, cluster=(2, 1, 1))
    rows = written.layout.records
    for cta in range(4):
        arrivals = [(100 + 1000 * n, 3, 0, 1, 0x400 | (cta % 2) << 24, 1) for n in range(rows - 2 * (cta != 2))]
        written.write(arrivals, cta, made=rows + 4 if cta == 2 else 0)
    written.leave()
    assert trace_from(written, SITES).meta.window == {"cut_short": [2, 3]}


def test_what_is_there_is_counted_anew_from_what_was() -> None:
    written = WrittenLog(warps=3, room=40)
    for warp, number in enumerate((40, 3, 0)):
        written.write([(n, 3, 0, 1, 0x400, 1) for n in range(number)], warp=warp)
    before = counts(written.log)
    assert before.tolist() == [40, 3, 0]
    assert counts(written.log, before).tolist() == [40, 3, 0]
    for warp, number in enumerate((40, 29, 1)):
        written.write([(n, 3, 0, 1, 0x400, 1) for n in range(number)], warp=warp)
    assert counts(written.log, before).tolist() == counts(written.log).tolist() == [40, 29, 1]
    written.write([], warp=1, made=31)
    assert counts(written.log, before).tolist() == [40, 31, 1]


def test_records_of_lanes_without_room_are_told() -> None:
    written = WrittenLog()
    written.write([INIT])
    written.leave()
    written.content[written.layout.counts_at :][:4].view("<u4")[0] = 5
    log = written.reread()
    assert log.without_stream == 5
    trace = trace_of(log, SITES, "", (), Meta("kernel", {}, {}, Ending("completed")))
    assert (trace.meta.records_lost, trace.meta.source["records_without_room"]) == (5, 5)


def test_the_last_records_are_told_in_their_order_and_the_others_counted() -> None:
    written = WrittenLog(warps=2, room=16, keep=Keep.LAST)
    rows = written.layout.records
    many = [(1000 * n, 3, 0, 1, 0x400, 1) for n in range(2 * rows + 5)]
    written.write(many, made=len(many))
    written.write([(50, 3, 0, 1, 0x400, 1), (1000 * len(many), 3, 0, 1, 0x400, 1)], warp=1)
    written.leave(1000 * len(many) + 500)
    trace = trace_from(written, SITES)
    first = trace.events[trace.events["agent"] == 0]
    assert (first["kind"] == K.ARRIVE).sum() == rows
    assert np.diff(first["measured"][:rows]) / 1000 / NS_PER_CYCLE == pytest.approx(1000, rel=0.01)
    assert (trace.meta.records_lost, trace.meta.events_dropped) == (rows + 5, 1)
    assert trace.meta.window == {"unplaced": 1}


def test_a_kernel_that_never_left_has_times_at_a_rate_that_is_told() -> None:
    written = WrittenLog()
    written.write([INIT, (1855, 3, 0, 1, 0x400, 1)])
    trace = trace_from(written, SITES)
    assert trace.meta.source["clock_mhz_assumed"] == 1755
    assert trace.events["measured"][-1] == pytest.approx(1_000_000, rel=0.01)


def test_an_empty_log_says_so() -> None:
    written = WrittenLog()
    written.log.headers["cta"] = 0
    with pytest.raises(SourceError, match="no CTA that was to be recorded has begun"):
        trace_from(written, SITES)


def test_a_log_without_records_says_so() -> None:
    written = WrittenLog(ctas=2, warps=2)  # they hang, or are ended, before the first site
    with pytest.raises(SourceError, match="the kernel began, but no warp came to anything that is recorded"):
        trace_from(written, SITES)
    written.leave(cta=1)
    assert said(trace_from(written, SITES)) == [(K.EXIT, 0, -1)] * 2


def test_sites_keep_their_stacks_and_the_files_that_can_be_read(tmp_path: Path) -> None:
    own = tmp_path / "kernel.cu"
    own.write_text("__global__\n")
    stack = (Frame("/not/here.hpp", 7, "wait()"), Frame(str(own), 3, "kernel()"))
    trace = of_one_warp([INIT], [site(1, "mbarrier.init", stack=stack), site(2, "mbarrier.arrive")])
    assert [(one.file, one.line, one.op) for one in trace.sites] == [
        ("/not/here.hpp", 7, "mbarrier.init"),
        ("kernel.ptx", 12, "mbarrier.arrive"),
    ]
    assert trace.sites[0].stack == stack
    assert dict(trace.source_files) == {"kernel.ptx": "ptx\n" * 40, str(own): "__global__\n"}


@pytest.mark.parametrize("file", ["/dev/null", "fifo", "a\0b", "..", "large"])
def test_what_line_numbers_name_is_read_if_it_can_be_a_source(file: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with open(tmp_path / "large", "wb") as large:
        large.truncate(1 << 40)
    trace = of_one_warp([INIT], [site(1, "mbarrier.init", stack=(Frame(str(tmp_path / file), 3, "kernel()"),))])
    assert not trace.source_files
