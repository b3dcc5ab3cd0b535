"""What is legal and often taken for a fault has no finding, with the program and from the recording alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.builder import Builder
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program
from visualizer.recording.file import load
from visualizer.replay.history import History
from visualizer.resources import resource_dir
from visualizer.sources.simulator.simulate import simulate

STAGES, TILES, BYTES = 2, 6, 4096


def pipeline(
    *, copy_first: bool = False, skipped: tuple[int, ...] = (), read_skipped: bool = True, tail: bool = False,
    consumers: int = 1, freed_by_consumers: bool = False, named_sync: bool = False, stages: int = STAGES,
    watchers: int = 0, alternate: bool = False, no_first_waits: bool = False, tiles: int = TILES,
) -> Program:  # fmt: skip
    """A pipeline with one legal peculiarity."""
    b = Builder("legal")
    full = b.barriers("full", stages, count=1)
    empty = b.barriers("empty", stages, count=1 if named_sync or alternate else consumers)
    p = b.agent("producer", role="producer", stages=stages, phase=0 if freed_by_consumers else 1)
    p.init_all()
    p.sync()
    for tile in p.tiles(tiles):
        if not (no_first_waits and tile < stages):
            p.wait(empty[p.index], p.phase)
        if tile in skipped:
            p.arrive(full[p.index])
        elif copy_first:
            p.copy(full[p.index], p.index, BYTES)
            p.delay(5000)
            p.arrive_expect_tx(full[p.index], BYTES)
        else:
            p.arrive_expect_tx(full[p.index], BYTES)
            p.copy(full[p.index], p.index, BYTES)
        p.advance()
    if tail:
        for _ in range(stages):
            p.wait(empty[p.index], p.phase)
            p.advance()
    for n in range(consumers):
        c = b.agent(f"consumer.w{n}", role="consumer", stages=stages)
        c.sync()
        if freed_by_consumers:
            for stage in range(stages):
                c.arrive(empty[stage])
        for tile in c.tiles(tiles):
            if not alternate or tile % consumers == n:
                c.wait(full[c.index], c.phase)
                if tile not in skipped or read_skipped:
                    c.read(c.index, BYTES)
                if named_sync:
                    c.named_sync(1, consumers)
                if not named_sync or n == 0:
                    c.arrive(empty[c.index])
            c.advance()
    for n in range(watchers):
        watcher = b.agent(f"watcher{n}")
        watcher.sync()
        watcher.wait(full[0], 0)
    return b.build()


def two_waits_per_iteration() -> Program:
    """One arrival and two waits of opposite parity in every iteration: a wait consumes nothing."""
    b = Builder("two-waits")
    flag = b.barrier("flag", count=1)
    a = b.agent("a")
    a.init_all()
    a.sync()
    for iteration in range(6):
        phase = iteration & 1
        a.wait(flag, phase ^ 1)
        a.arrive(flag)
        a.wait(flag, phase)
    return b.build()


def two_waits_on_two_phases() -> Program:
    """The waiter takes two phases an iteration, the other agent arrives once in each of its own."""
    b = Builder("two-phases")
    flag, back = b.barrier("flag", count=1), b.barrier("back", count=1)
    a, other = b.agent("a"), b.agent("b")
    a.init_all()
    a.sync()
    other.sync()
    for _ in range(3):
        for parity in (0, 1):
            a.wait(flag, parity)
            a.arrive(back)
    for iteration in range(6):
        other.arrive(flag)
        other.wait(back, iteration & 1)
    return b.build()


def fresh_pass() -> Program:
    b = Builder("fresh")
    flag = b.barrier("flag", count=1)
    a = b.agent("a")
    a.init_all()
    a.wait(flag, 1)
    return b.build()


def more_arrivals_than_waits() -> Program:
    b = Builder("arrivals")
    flag = b.barrier("flag", count=2)
    a = b.agent("a")
    a.init_all()
    for _ in range(9):
        a.arrive(flag)
    return b.build()


LEGAL: dict[str, Callable[[], Program]] = {
    "two waits with opposite parities and one arrive per iteration": two_waits_per_iteration,
    "two phases waited for per iteration": two_waits_on_two_phases,
    "TMA issued before arrive.expect_tx": lambda: pipeline(copy_first=True),
    "wait(1) on a fresh barrier": fresh_pass,
    "no producer_tail": pipeline,
    "producer_tail": lambda: pipeline(tail=True),
    "a plain arrive skips a tile, which is read all the same": lambda: pipeline(skipped=(2, 3)),
    "a plain arrive skips a tile": lambda: pipeline(skipped=(0, 3, 5), read_skipped=False),
    "several agents wait on one phase": lambda: pipeline(consumers=3, watchers=2),
    "more arrivals than waits": more_arrivals_than_waits,
    "consumers free the stages at the start": lambda: pipeline(freed_by_consumers=True),
    "the prologue waits for nothing": lambda: pipeline(no_first_waits=True),
    "consumers take turns at tiles": lambda: pipeline(consumers=2, alternate=True, stages=3),
    "one stage": lambda: pipeline(stages=1),
}


@pytest.mark.parametrize("what", LEGAL)
def test_legal_programs_have_no_findings(what: str) -> None:
    program = LEGAL[what]()
    for seed in range(10):
        trace = simulate(program, seed=seed)
        assert trace.meta.ending.kind == "completed"
        assert diagnose(History(trace), program).findings == ()
        assert diagnose(History(trace)).findings == ()


def test_an_order_by_a_named_barrier_is_known_from_the_program() -> None:
    """One warp releases for all after bar.sync. The sync is no event, so only the program tells of it."""
    program = pipeline(consumers=2, named_sync=True)
    for seed in range(10):
        assert diagnose(History(simulate(program, seed=seed)), program).findings == ()


@pytest.mark.parametrize(
    "path", sorted((resource_dir("assets") / "traces").glob("*.pscope")), ids=lambda path: path.stem
)
def test_the_recordings_that_come_along_are_clean(path: Path) -> None:
    assert diagnose(History(load(path))).findings == ()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_legal_programs_have_no_findings(data: st.DataObject) -> None:
    draw = data.draw
    consumers, ctas = draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 2]))
    readers = draw(st.sampled_from(["read", "wgmma", "store"]))
    alone = ctas == 1
    program = baseline(
        BaselineConfig(
            stages=draw(st.integers(2 if readers == "wgmma" else 1, 4)),
            tiles=draw(st.integers(1, 8)),
            consumers=consumers,
            bytes=4096 * consumers,
            copies=draw(st.integers(1, 2)),
            ctas=ctas,
            readers=readers,
            turns=alone and readers == "read" and consumers > 1 and draw(st.booleans()),
            cp_async=alone and draw(st.booleans()),
            work_tiles=draw(st.integers(1, 3)),
        )
    )
    trace = simulate(program, seed=draw(st.integers(0, 2**20)))
    assert trace.meta.ending.kind == "completed"
    assert diagnose(History(trace), program).findings == ()
    assert diagnose(History(trace)).findings == ()


@settings(max_examples=40, deadline=None)
@given(
    st.builds(
        LessonConfig,
        stages=st.integers(1, 5),
        tiles=st.integers(1, 9),
        tile_rows=st.just(64),
        tile_columns=st.sampled_from([64, 128]),
        consumer_warps=st.integers(1, 4),
        arrive_per_warp=st.booleans(),
        ctas=st.integers(1, 2),
        producer_delay=st.sampled_from([0, 3000]),
        consumer_delay=st.sampled_from([0, 3000]),
    ),
    st.integers(0, 2**20),
)
def test_the_lesson_is_clean_with_any_parameters_that_fit(config: LessonConfig, seed: int) -> None:
    assert diagnose(History(simulate(lesson(config), seed=seed))).findings == ()
