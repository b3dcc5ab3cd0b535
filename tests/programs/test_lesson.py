"""The lesson's operations: their order, and that every parameter shows in them."""

from __future__ import annotations

import pytest

from visualizer.programs.accesses import Read
from visualizer.programs.errors import ProgramError
from visualizer.programs.length import MAX_OPERATIONS
from visualizer.programs.lesson import agents_of, barriers_of, lesson
from visualizer.programs.meetings import Sync
from visualizer.programs.operations import (
    Advance,
    Arrive,
    ArriveExpectTx,
    Copy,
    Delay,
    Exit,
    Fence,
    Init,
    Operation,
    Wait,
)
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program
from visualizer.programs.registry import PROGRAMS, find_program
from visualizer.semantics.pipeline_state import PipelineState


def operations(program: Program, name: str) -> tuple[Operation, ...]:
    return next(agent.operations for agent in program.agents if agent.agent.name == name)


def of_kind(program: Program, name: str, kind: type) -> list[Operation]:
    return [operation for operation in operations(program, name) if type(operation) is kind]


def cursor(operation: Operation) -> tuple[int, int, int]:
    assert isinstance(operation, Advance)
    return operation.state.index, operation.state.phase, operation.state.count


def test_the_producer_in_order() -> None:
    kinds = [type(operation) for operation in operations(lesson(LessonConfig()), "producer")]
    per_tile = [Wait, ArriveExpectTx, Copy, Advance]
    assert kinds == [Init] * 6 + [Fence, Sync] + per_tile * 8 + [Wait, Advance] * 3 + [Exit]


def test_a_consumer_in_order() -> None:
    kinds = [type(operation) for operation in operations(lesson(LessonConfig()), "consumer.w2")]
    assert kinds == [Sync] + [Wait, Read, Arrive, Advance] * 8 + [Exit]


def test_the_producers_waits_are_the_lessons() -> None:
    program = lesson(LessonConfig())
    waits = [(w.barrier, w.parity, w.tile) for w in of_kind(program, "producer", Wait) if isinstance(w, Wait)]
    empty = [3, 4, 5]
    assert waits == [
        (empty[0], 1, 0),
        (empty[1], 1, 1),
        (empty[2], 1, 2),
        (empty[0], 0, 3),
        (empty[1], 0, 4),
        (empty[2], 0, 5),
        (empty[0], 1, 6),
        (empty[1], 1, 7),
        (empty[2], 1, -1),  # the tail: every stage once more, so that nobody still reads when the producer leaves
        (empty[0], 0, -1),
        (empty[1], 0, -1),
    ]
    cursors = [cursor(operation) for operation in of_kind(program, "producer", Advance)]
    assert cursors[:6] == [(1, 1, 1), (2, 1, 2), (0, 0, 3), (1, 0, 4), (2, 0, 5), (0, 1, 6)]
    assert cursors[-1] == (2, 0, 11)


def test_a_consumers_waits_are_the_lessons() -> None:
    program = lesson(LessonConfig())
    waits = [(w.barrier, w.parity, w.tile) for w in of_kind(program, "consumer.w1", Wait) if isinstance(w, Wait)]
    assert waits == [(t % 3, t // 3 % 2, t) for t in range(8)]
    assert {(a.count, a.barrier) for a in of_kind(program, "consumer.w1", Arrive) if isinstance(a, Arrive)} == {
        (32, 3),
        (32, 4),
        (32, 5),
    }


def test_sites_name_the_operation_that_each_row_stands_for() -> None:
    program = lesson(LessonConfig(tiles=1, stages=1))
    ops = [program.sites[op.site].op if op.site >= 0 else "" for op in operations(program, "producer")]
    assert ops == [
        "init",
        "init",
        "fence",
        "",
        "producer_acquire",
        "producer_acquire",
        "copy",
        "advance write",
        "producer_tail",
        "producer_tail",
        "producer exit",
    ]
    ops = [program.sites[op.site].op if op.site >= 0 else "" for op in operations(program, "consumer.w1")]
    assert ops == ["", "consumer_wait", "read", "consumer_release", "advance read", "consumer exit"]


def test_delays() -> None:
    assert not of_kind(lesson(LessonConfig()), "producer", Delay)
    slow = lesson(LessonConfig(tiles=3, producer_delay=500, consumer_delay=70))
    producer = operations(slow, "producer")
    delays = [i for i, operation in enumerate(producer) if operation == Delay(500)]
    assert len(delays) == 3
    assert all(isinstance(producer[i + 1], Wait) for i in delays), "the work comes before the acquire"
    assert [read.work for read in of_kind(slow, "consumer.w1", Read) if isinstance(read, Read)] == [70, 70, 70]


def test_counts_and_bytes() -> None:
    program = lesson(LessonConfig(producer_arrivals=32, consumer_arrivals=5, transaction_bytes=8192))
    inits = [(init.barrier, init.count) for init in of_kind(program, "producer", Init) if isinstance(init, Init)]
    assert inits == [(0, 32), (1, 32), (2, 32), (3, 5), (4, 5), (5, 5)]
    assert [barrier.init_count for barrier in program.barriers] == [32, 32, 32, 5, 5, 5]
    expected = of_kind(program, "producer", ArriveExpectTx)
    assert {arrive.bytes for arrive in expected if isinstance(arrive, ArriveExpectTx)} == {8192}
    copies = of_kind(program, "producer", Copy)
    assert {copy.bytes for copy in copies if isinstance(copy, Copy)} == {16384}, "the copy itself stays whole"


def test_one_lane_per_warp_arrives() -> None:
    program = lesson(LessonConfig(arrive_per_warp=True))
    assert {a.count for a in of_kind(program, "consumer.w3", Arrive) if isinstance(a, Arrive)} == {1}
    assert program.barriers[3].init_count == 3


@pytest.mark.parametrize(("producer", "consumer"), [(0, 1), (1, 0), (0, 0), (1, 1)])
def test_start_phases_shape_cursors_and_waits(producer: int, consumer: int) -> None:
    program = lesson(LessonConfig(producer_phase=producer, consumer_phase=consumer))
    starts = {agent.agent.name: agent.agent.start for agent in program.agents}
    assert starts["producer"] == PipelineState(3, phase=producer)
    assert starts["consumer.w1"] == PipelineState(3, phase=consumer)
    assert of_kind(program, "producer", Wait)[0] == Wait(3, producer, 0, 2)
    assert of_kind(program, "consumer.w1", Wait)[0] == Wait(0, consumer, 0, 5)


def test_a_wide_tile_takes_a_copy_per_64_columns_and_one_expectation() -> None:
    program = lesson(LessonConfig(tiles=2, tile_columns=192, source_tiles=2))
    copies = [copy for copy in of_kind(program, "producer", Copy) if isinstance(copy, Copy)]
    assert [(c.tile, c.bytes, c.stage, c.source) for c in copies] == [
        (0, 16384, 0, 0),
        (0, 16384, 0, 1),
        (0, 16384, 0, 2),
        (1, 16384, 1, 3),
        (1, 16384, 1, 4),
        (1, 16384, 1, 5),
    ]
    assert len(of_kind(program, "producer", ArriveExpectTx)) == 2


def test_distinct_tiles_repeat_along_k() -> None:
    def sources(source_tiles: int) -> list[int]:
        program = lesson(LessonConfig(tiles=5, source_tiles=source_tiles))
        return [copy.source for copy in of_kind(program, "producer", Copy) if isinstance(copy, Copy)]

    assert sources(1) == [0, 0, 0, 0, 0]
    assert sources(2) == [0, 1, 0, 1, 0]
    assert sources(9) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("warps", [1, 3, 7, 15])
def test_the_warps_read_the_whole_tile_between_them(warps: int) -> None:
    program = lesson(LessonConfig(tiles=1, consumer_warps=warps))
    shares = [of_kind(program, f"consumer.w{warp}", Read)[0] for warp in range(1, warps + 1)]
    amounts = [share.bytes for share in shares if isinstance(share, Read)]
    assert sum(amounts) == 16384
    assert max(amounts) - min(amounts) <= 1


def test_tables_of_one_cta() -> None:
    assert [agent.name for agent in agents_of(LessonConfig())] == [
        "producer",
        "consumer.w1",
        "consumer.w2",
        "consumer.w3",
        "tma",
    ]
    assert [(b.name, b.offset, b.stage, b.kind) for b in barriers_of(LessonConfig())] == [
        ("full[0]", 0, 0, "full"),
        ("full[1]", 8, 1, "full"),
        ("full[2]", 16, 2, "full"),
        ("empty[0]", 24, 0, "empty"),
        ("empty[1]", 32, 1, "empty"),
        ("empty[2]", 40, 2, "empty"),
    ]


def test_several_ctas_have_their_own_barriers_and_names() -> None:
    config = LessonConfig(ctas=2, stages=2, consumer_warps=1)
    assert [(a.name, a.role, a.cta, a.warp) for a in agents_of(config)] == [
        ("CTA0.producer", "producer", 0, 0),
        ("CTA0.consumer.w1", "consumer", 0, 1),
        ("CTA0.tma", "copy_engine", 0, -1),
        ("CTA1.producer", "producer", 1, 0),
        ("CTA1.consumer.w1", "consumer", 1, 1),
        ("CTA1.tma", "copy_engine", 1, -1),
    ]
    assert [b.name for b in barriers_of(config)][4:] == [
        "CTA1.full[0]",
        "CTA1.full[1]",
        "CTA1.empty[0]",
        "CTA1.empty[1]",
    ]
    program = lesson(config)
    assert [agent.name for agent in program.copy_engines] == ["CTA0.tma", "CTA1.tma"]
    used = {
        o.barrier
        for o in operations(program, "CTA1.producer") + operations(program, "CTA1.consumer.w1")
        if hasattr(o, "barrier")
    }
    assert {program.barriers[barrier].cta for barrier in used} == {1}
    assert len(used) == 4


def test_a_program_too_long_to_lay_out_names_the_way_out() -> None:
    with pytest.raises(
        ProgramError, match=r"--ctas 132 with --tiles 100000 .* use fewer tiles or CTAs, or --source gpu"
    ):
        lesson(LessonConfig(ctas=132, tiles=100_000))
    assert MAX_OPERATIONS >= 132 * 1024 * 17, "the reference run of 132 CTAs with 1024 tiles fits"


def test_programs_are_found_by_name() -> None:
    assert find_program("lesson", {"tiles": 3}) == lesson(LessonConfig(tiles=3))
    assert find_program() == lesson(LessonConfig())
    assert next(iter(PROGRAMS)) == "lesson"
    assert set(PROGRAMS) == {
        "lesson",
        "baseline",
        "cluster",
        "cp-async",
        "attention",
        "multicast",
        "gemm",
        "pingpong",
        "blackwell",
    }
    with pytest.raises(
        ProgramError,
        match=r"there is no 'lessen'; known are attention, baseline, blackwell, cluster, cp-async, gemm, lesson,",
    ):
        find_program("lessen")
