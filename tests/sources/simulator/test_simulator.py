"""The simulator on legal configurations: the lesson's facts tile by tile, and what holds for every one of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from simulated import EXACT, kinds_of, replay, rows, run

from visualizer import __version__
from visualizer.programs.lesson import agents_of, barriers_of, lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Ending
from visualizer.sources.errors import Cancelled
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

K = EventKind


def test_the_lesson_tile_by_tile() -> None:
    trace = run()
    for tile in range(8):
        stage, lap = tile % 3, tile // 3
        full, empty = f"full[{stage}]", f"empty[{stage}]"
        (wait,) = rows(trace, K.WAIT_BEGIN, agent="producer", tile=tile)
        assert (trace.barriers[wait["barrier"]].name, wait["parity"]) == (empty, 1 - lap % 2)
        (passed,) = rows(trace, K.WAIT_END, agent="producer", tile=tile)
        if lap == 0:
            assert not passed["flags"] & EventFlag.BLOCKED, "a fresh empty barrier lets the producer through"
        (expect,) = rows(trace, K.ARRIVE_EXPECT_TX, tile=tile)
        assert (expect["barrier"], expect["amount"]) == (trace.barrier_index[full], 16384)
        (issue,) = rows(trace, K.COPY_ISSUE, tile=tile)
        assert (issue["barrier"], issue["stage"], issue["amount"]) == (trace.barrier_index[full], stage, 16384)
        (done,) = rows(trace, K.PHASE_COMPLETE, barrier=full, tile=tile)
        assert (done["amount"], done["parity"]) == (lap, lap % 2)
        assert trace.agents[done["agent"]].name == "tma"
        for warp in ("consumer.w1", "consumer.w2", "consumer.w3"):
            (wait,) = rows(trace, K.WAIT_BEGIN, agent=warp, tile=tile)
            assert (trace.barriers[wait["barrier"]].name, wait["parity"]) == (full, lap % 2)
            (arrive,) = rows(trace, K.ARRIVE, agent=warp, tile=tile)
            assert (trace.barriers[arrive["barrier"]].name, arrive["amount"]) == (empty, 32)
        (freed,) = rows(trace, K.PHASE_COMPLETE, barrier=empty, tile=tile)
        assert (freed["amount"], freed["parity"]) == (lap, lap % 2)
        assert trace.agents[freed["agent"]].role == "consumer"
    assert trace.meta.ending == Ending("completed")


def test_each_agents_events_in_order() -> None:
    trace = run(tiles=2, stages=2)
    acquire = [K.WAIT_BEGIN, K.WAIT_END, K.ARRIVE_EXPECT_TX, K.COPY_ISSUE, K.ADVANCE]
    tail = [K.WAIT_BEGIN, K.WAIT_END, K.ADVANCE]
    assert kinds_of(trace, "producer") == [K.INIT] * 4 + [K.FENCE] + acquire * 2 + tail * 2 + [K.EXIT]
    step = [K.WAIT_BEGIN, K.WAIT_END, K.READ_BEGIN, K.READ_END, K.ARRIVE, K.ADVANCE]
    for warp in ("consumer.w1", "consumer.w2", "consumer.w3"):
        without_flips = [kind for kind in kinds_of(trace, warp) if kind != K.PHASE_COMPLETE]
        assert without_flips == step * 2 + [K.EXIT]


def test_cursors_and_columns_of_the_small_kinds() -> None:
    trace = run()
    advances = rows(trace, K.ADVANCE, agent="producer")
    cursors = [(int(e["stage"]), int(e["parity"]), int(e["amount"]), int(e["tile"])) for e in advances]
    assert cursors[:4] == [(1, 1, 1, 0), (2, 1, 2, 1), (0, 0, 3, 2), (1, 0, 4, 3)]
    assert [c[3] for c in cursors[8:]] == [-1, -1, -1]
    inits = [(trace.barriers[e["barrier"]].name, int(e["amount"]), int(e["stage"])) for e in rows(trace, K.INIT)]
    assert inits == [(f"{kind}[{s}]", n, s) for kind, n in (("full", 1), ("empty", 96)) for s in range(3)]
    for event in [*rows(trace, K.READ_BEGIN), *rows(trace, K.READ_END)]:
        assert (event["barrier"], event["stage"]) == (-1, event["tile"] % 3)
    for event in trace.events:
        kind = EventKind(event["kind"])
        if event["barrier"] >= 0:
            assert event["stage"] == trace.barriers[event["barrier"]].stage
        if kind not in (K.WAIT_BEGIN, K.WAIT_END, K.PHASE_COMPLETE, K.ADVANCE):
            assert event["parity"] == -1
        assert (event["site"] == -1) == (trace.agents[event["agent"]].role == "copy_engine")
        assert (event["token"], event["ring"]) == (0, 0)


LEGAL = st.fixed_dictionaries(
    {
        "stages": st.integers(1, 8),
        "tiles": st.integers(1, 14),
        "tile_rows": st.sampled_from([8, 24, 128]),
        "tile_columns": st.sampled_from([64, 192]),
        "consumer_warps": st.integers(1, 4),
        "arrive_per_warp": st.booleans(),
        "ctas": st.integers(1, 2),
        "source_tiles": st.integers(1, 3),
        "producer_delay": st.sampled_from([0, 700]),
        "consumer_delay": st.sampled_from([0, 1500]),
    }
)


@settings(max_examples=60, deadline=None)
@given(config=LEGAL, seed=st.integers(0, 2**32), jitter=st.sampled_from([0.0, 0.15, 0.9]))
def test_every_legal_configuration_completes_and_replays(config: dict[str, Any], seed: int, jitter: float) -> None:
    assume(config["stages"] * config["tile_rows"] * config["tile_columns"] * 2 < 200_000)
    stages, tiles, ctas = config["stages"], config["tiles"], config["ctas"]
    trace = run(seed, Latencies(jitter=jitter), **config)
    assert trace.meta.ending == Ending("completed")
    barriers = replay(trace)
    for barrier, row in zip(barriers, trace.barriers, strict=True):
        uses = len(range(row.stage, tiles, stages))
        assert (barrier.phase, barrier.pending, barrier.tx) == (uses, row.init_count, 0)
    exits = [trace.agents[event["agent"]].name for event in rows(trace, K.EXIT)]
    assert sorted(exits) == sorted(a.name for a in trace.agents if a.role != "copy_engine")
    for cta in range(ctas):
        prefix = f"CTA{cta}." if ctas > 1 else ""
        readers = [f"{prefix}consumer.w{w + 1}" for w in range(config["consumer_warps"])]
        step = {id_of(event, trace): number for number, event in enumerate(trace.events)}
        for tile in range(tiles):
            landed = step[(prefix + "tma", K.COPY_DONE, tile)]
            issued = step[(prefix + "producer", K.COPY_ISSUE, tile)]
            for reader in readers:
                assert step[(reader, K.READ_BEGIN, tile)] > landed, "read before the tile had landed"
                if tile >= stages:
                    assert step[(reader, K.READ_END, tile - stages)] < issued, "overwritten while still being read"


def id_of(event: Any, trace: Any) -> tuple[str, EventKind, int]:
    return trace.agents[event["agent"]].name, EventKind(event["kind"]), int(event["tile"])


def test_tables_and_meta() -> None:
    config = LessonConfig(ctas=2, stages=2, tiles=3)
    trace = simulate(lesson(config), seed=7, latencies=EXACT)
    assert trace.agents == agents_of(config)
    assert trace.barriers == barriers_of(config)
    assert trace.meta.program == "lesson"
    assert LessonConfig.from_dict(trace.meta.config) == config
    assert trace.meta.source == {"kind": "simulator", "seed": 7, "latencies": EXACT.as_dict()}
    assert trace.meta.versions == {"phasescope": __version__}
    assert trace.meta.created.endswith("+00:00")
    assert trace.meta.records_lost == trace.meta.events_dropped == 0
    assert set(trace.source_files) == {site.file for site in trace.sites}


def test_ctas_start_apart_but_within_the_skew() -> None:
    trace = run(0, Latencies(start_skew=5000), ctas=8, tiles=1)
    starts = [int(rows(trace, K.INIT, agent=f"CTA{cta}.producer")[0]["time"]) for cta in range(8)]
    assert len(set(starts)) == 8
    assert min(starts) == 0
    assert max(starts) <= 5_000_000


def test_the_seed_alone_decides_the_schedule() -> None:
    assert np.array_equal(run(seed=3).events, run(seed=3).events)
    assert not np.array_equal(run(seed=3).events["time"], run(seed=4).events["time"])


def test_a_seed_moves_times_but_never_an_agents_order() -> None:
    for agent in ("producer", "consumer.w1"):
        orders = {
            tuple(kind for kind in kinds_of(run(seed=seed), agent) if kind != K.PHASE_COMPLETE) for seed in range(4)
        }
        assert len(orders) == 1


def test_a_slow_consumer_holds_the_producer_back() -> None:
    trace = run(consumer_delay=5000)
    blocked = [bool(e["flags"] & EventFlag.BLOCKED) for e in rows(trace, K.WAIT_END, agent="producer")]
    assert blocked[:8] == [False] * 3 + [True] * 5
    for begin, end in zip(
        rows(trace, K.READ_BEGIN, agent="consumer.w1"), rows(trace, K.READ_END, agent="consumer.w1"), strict=True
    ):
        assert end["time"] - begin["time"] >= 5_000_000


def test_a_slow_producer_starves_the_consumers() -> None:
    trace = run(producer_delay=5000)
    assert not any(e["flags"] & EventFlag.BLOCKED for e in rows(trace, K.WAIT_END, agent="producer")[:8])
    assert all(e["flags"] & EventFlag.BLOCKED for e in rows(trace, K.WAIT_END, agent="consumer.w1"))
    begins = [int(e["time"]) for e in rows(trace, K.WAIT_BEGIN, agent="producer")[:8]]
    assert min(np.diff(begins)) >= 5_000_000


def test_one_stage_never_overlaps_copy_and_read() -> None:
    trace = run(stages=1, tiles=5)
    for tile in range(1, 5):
        (issue,) = rows(trace, K.COPY_ISSUE, tile=tile)
        assert all(e["time"] < issue["time"] for e in rows(trace, K.READ_END, tile=tile - 1))


def test_three_stages_do_overlap_copy_and_read() -> None:
    trace = run()
    (issue,) = rows(trace, K.COPY_ISSUE, tile=2)
    assert all(issue["time"] < e["time"] for e in rows(trace, K.READ_END, tile=0))


def test_copies_land_in_steps_of_2048_bytes_one_copy_after_another() -> None:
    trace = run(tiles=3, seed=1)
    for tile in range(3):
        steps = [int(e["amount"]) for e in rows(trace, K.COMPLETE_TX, tile=tile)]
        assert sum(steps) == 16384
        assert len(steps) > 1
        assert {step % 2048 for step in steps} == {0}
    landing = [int(e["tile"]) for e in rows(trace, K.COMPLETE_TX)]
    assert landing == sorted(landing)
    first = [int(rows(trace, K.COMPLETE_TX, tile=tile)[0]["time"]) for tile in range(3)]
    last = [int(rows(trace, K.COPY_DONE, tile=tile)[0]["time"]) for tile in range(3)]
    assert all(first[tile + 1] > last[tile] for tile in range(2))


def test_a_copy_of_less_than_a_step_lands_at_once() -> None:
    trace = run(tile_rows=8, tiles=2)
    assert [int(e["amount"]) for e in rows(trace, K.COMPLETE_TX)] == [1024, 1024]


def test_only_the_first_copy_of_a_source_tile_comes_from_dram() -> None:
    latencies = Latencies(jitter=0, copy_latency=500, copy_first_touch=5000)
    trace = run(0, latencies, stages=1, tiles=6, source_tiles=2)
    took = [
        int(done["time"] - issue["time"])
        for issue, done in zip(rows(trace, K.COPY_ISSUE), rows(trace, K.COPY_DONE), strict=True)
    ]
    assert [duration > 5_000_000 for duration in took] == [True, True, False, False, False, False]


def test_latencies_are_what_they_say_without_jitter() -> None:
    latencies = Latencies(
        jitter=0, test_wait=11, wake_up=70, arrive=31, advance=5, copy_latency=900, copy_first_touch=0
    )
    trace = run(0, latencies, tiles=1, stages=1, consumer_warps=1)
    times = {EventKind(e["kind"]): int(e["time"]) / 1000 for e in trace.events if trace.agents[e["agent"]].warp == 1}
    (full,) = rows(trace, K.PHASE_COMPLETE, barrier="full[0]")
    assert times[K.WAIT_END] - full["time"] / 1000 == pytest.approx(70, abs=0.01)
    assert times[K.READ_END] - times[K.READ_BEGIN] == pytest.approx(16384 / latencies.read_bandwidth, abs=0.01)
    assert times[K.ADVANCE] - times[K.ARRIVE] == pytest.approx(31, abs=0.01)
    assert times[K.EXIT] - times[K.ADVANCE] == pytest.approx(5, abs=0.01)
    (begin, *_), (end, *_) = rows(trace, K.WAIT_BEGIN, agent="producer"), rows(trace, K.WAIT_END, agent="producer")
    assert (end["time"] - begin["time"]) / 1000 == pytest.approx(11, abs=0.01)
    (issue,), (done,) = rows(trace, K.COPY_ISSUE), rows(trace, K.COPY_DONE)
    assert (done["time"] - issue["time"]) / 1000 == pytest.approx(900 + 16384 / latencies.copy_bandwidth, abs=0.01)


@pytest.mark.parametrize(
    "values", [{"wake_up": -1}, {"arrive": float("nan")}, {"jitter": 1}, {"copy_bandwidth": 0}, {"read_bandwidth": 0}]
)
def test_latencies_that_make_no_sense_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"latency|bandwidths"):
        Latencies(**values)


def test_cancelling_stops_the_run() -> None:
    asked: list[int] = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) == 3

    with pytest.raises(Cancelled):
        simulate(lesson(LessonConfig(tiles=2000)), cancelled=cancelled)
    assert len(asked) == 3


def test_a_run_cancelled_before_it_starts_does_nothing() -> None:
    with pytest.raises(Cancelled):
        simulate(lesson(LessonConfig(tiles=1)), cancelled=lambda: True)


def test_progress_grows_towards_1() -> None:
    seen: list[float] = []
    simulate(lesson(LessonConfig(tiles=1000)), progress=lambda fraction, what: seen.append(fraction))
    assert len(seen) >= 4
    assert seen == sorted(seen)
    assert 0 <= seen[0] < 0.1
    assert 0.5 < seen[-1] <= 1
