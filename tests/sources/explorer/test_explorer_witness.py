"""Witnesses: valid traces that History and the explanations can follow, and that show what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from explored_programs import early_release, pipeline, program_of
from simulated import replay

from visualizer.diagnosis.explanations.explain import explain
from visualizer.programs.builder import Builder
from visualizer.programs.lesson import lesson
from visualizer.programs.meetings import BarSync
from visualizer.programs.operations import CompleteTx, CpAsync, CpAsyncArrive, ExpectTx, Operation
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import load, save
from visualizer.recording.schema import EventKind
from visualizer.replay.history import AgentActivity, History
from visualizer.sources.explorer import explore, explore_exhaustively, witness_trace

BROKEN = {"consumer_arrivals": 32, "stages": 2, "tiles": 6, "consumer_warps": 2}


@pytest.mark.parametrize("config", [BROKEN, {"consumer_phase": 1}, {"ctas": 2, "consumer_phase": 1, "stages": 2}])
def test_every_witness_opens_and_can_be_stepped_through(config: dict[str, int], tmp_path: Path) -> None:
    program = lesson(LessonConfig(**config))  # type: ignore[arg-type]
    for found in (explore(program, schedules=40), explore_exhaustively(program, limit_states=600)):
        assert "write-after-read" in found.witnesses
        for witness in found.witnesses.values():
            trace = witness_trace(found, witness)
            save(trace, tmp_path / "witness.pscope")
            trace = load(tmp_path / "witness.pscope")
            replay(trace)
            history = History(trace)
            for step in range(history.steps):
                history.state_at(step)
                assert explain(history, step)
            assert trace.meta.source["outcome"] == witness.outcome
            assert 0 <= trace.meta.source["step"] < history.steps
            if witness.outcome in ("deadlock", "over-arrival"):
                assert trace.meta.source["step"] == history.steps - 1
                assert trace.meta.ending.kind == ("deadlock" if witness.outcome == "deadlock" else "crash")


def test_witnesses_come_shortest_first_and_need_every_step() -> None:
    found = explore_exhaustively(lesson(LessonConfig(**BROKEN)))  # type: ignore[arg-type]
    lengths = [len(witness.choices) for witness in found.witnesses.values()]
    assert lengths == sorted(lengths)
    assert found.as_json()["witness"]["choices"] == list(next(iter(found.witnesses.values())).choices)


def test_a_deadlock_ends_with_everyone_waiting() -> None:
    found = explore(program_of(pipeline(tiles=6, consumers=2, empty_init=3)), schedules=5)
    history = History(witness_trace(found, found.witnesses["deadlock"]))
    last = history.state_at(history.steps - 1)
    assert list(last.agent_activity[:3]) == [AgentActivity.WAITING] * 3
    assert "P on empty0[0] (parity 0)" in history.trace.meta.ending.detail


def test_a_race_is_where_the_witness_says_and_the_run_goes_on() -> None:
    found = explore_exhaustively(program_of(early_release(pipeline(tiles=4))))
    trace = witness_trace(found, found.witnesses["write-after-read"])
    assert trace.meta.ending.kind == "completed"
    until = trace.events[: trace.meta.source["step"] + 1]
    issue = until[until["kind"] == EventKind.COPY_ISSUE][-1]
    begun = until[(until["kind"] == EventKind.READ_BEGIN) & (until["stage"] == issue["stage"])]
    ended = until[(until["kind"] == EventKind.READ_END) & (until["stage"] == issue["stage"])]
    assert len(begun) == len(ended) + 1
    assert begun[-1]["time"] < issue["time"]
    assert trace.meta.ending.detail.endswith(": P, Copy of tile 2")


def test_the_schedule_of_a_random_witness_is_that_of_its_seed() -> None:
    program = lesson(LessonConfig(**BROKEN))  # type: ignore[arg-type]
    witness = explore(program).witnesses["stale"]
    assert witness.seed is not None
    again = explore(program, schedules=1, seed=witness.seed)
    assert again.witnesses["stale"].choices == witness.choices


def test_named_barriers_cp_async_and_plain_bytes_run_and_are_logged() -> None:
    def with_sync(own: list[Operation]) -> list[Operation]:
        return [*own, BarSync(1, 64)]

    lists = pipeline(tiles=2, consumers=2)
    first = next(at for at, operation in enumerate(lists[0]) if type(operation).__name__ == "ArriveExpectTx")
    lists[0][first : first + 2] = [
        CpAsync(0, 4096, 0, barrier=0),
        CpAsyncArrive(0, 1, 0),
        ExpectTx(0, 64, 0),
        CompleteTx(0, 64, 0),
    ]
    program = program_of([lists[0], with_sync(lists[1]), with_sync(lists[2])])
    found = explore_exhaustively(program)
    assert found.is_clean
    assert found.is_complete
    assert explore(program, schedules=50).clean == 50
    one_only = explore_exhaustively(program_of([lists[0], with_sync(lists[1]), lists[2]]))
    assert one_only.deadlock == one_only.schedules
    assert one_only.witnesses["deadlock"].detail == "blocked for ever: C0 at a sync"
    trace = witness_trace(one_only, one_only.witnesses["deadlock"])
    kinds = set(trace.events["kind"])
    assert {EventKind.ARRIVE, EventKind.EXPECT_TX, EventKind.COMPLETE_TX, EventKind.COPY_DONE} <= kinds
    replay_ready = History(trace)
    assert replay_ready.state_at(replay_ready.steps - 1).barrier_phase[0] == 1


def test_a_witness_ends_where_a_warp_arrives_more_often_than_it_has_lanes() -> None:
    b = Builder("many arrivals")
    (barrier,) = b.barriers("flag", 1, count=1)
    w = b.agent("warp")
    w.init_all()
    w.arrive(barrier, 2**20 - 1)
    found = explore(b.build(), schedules=1)
    trace = witness_trace(found, found.witnesses["over-arrival"])
    assert trace.meta.ending.kind == "crash"
    assert "while only 1 of 1 arrivals are missing" in trace.meta.ending.detail
