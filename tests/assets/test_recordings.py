"""The recordings that come with phasescope: made on an H200 by phasescope itself, and showing what they claim to."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest
from agent_events import bytes_by_copy, events_by_agent

from visualizer.cli.main import build_parser
from visualizer.cli.program_options import parameters_from
from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import rebuild_program
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.replay.tile_table import tile_table
from visualizer.resources import resource_dir
from visualizer.semantics.word import TX_GRANULE, decode
from visualizer.sources.simulator.simulate import simulate

ASSETS = resource_dir("assets") / "traces"
DATA = Path(__file__).parents[1] / "data"
WITHOUT_BARRIERS = "cp-async"
ATTACHED = {"multicast", "multicast-pair", "gemm", "pingpong", "attention"}
"""Recorded through attach: test_kernel_recordings.py."""
RECORDINGS = sorted(path for path in ASSETS.glob("*.pscope") if path.stem not in {WITHOUT_BARRIERS, *ATTACHED})
LESSON_TABLE = [  # cursor (index, phase), parity waited with on empty, flip of full, parity on full, flip of empty
    ((0, 1), 1, [0, 1], 0, [0, 1]),
    ((1, 1), 1, [0, 1], 0, [0, 1]),
    ((2, 1), 1, [0, 1], 0, [0, 1]),
    ((0, 0), 0, [1, 0], 1, [1, 0]),
    ((1, 0), 0, [1, 0], 1, [1, 0]),
    ((2, 0), 0, [1, 0], 1, [1, 0]),
    ((0, 1), 1, [0, 1], 0, [0, 1]),
    ((1, 1), 1, [0, 1], 0, [0, 1]),
]


def recording(name: str) -> Trace:
    return load(resource_dir("assets") / "traces" / f"{name}.pscope")


def waits(trace: Trace, role: str) -> tuple[np.ndarray, np.ndarray]:
    """Of every wait with a tile by agents of `role`: whether it blocked, and how long it lasted in ns."""
    rows = [row for row, agent in enumerate(trace.agents) if agent.role == role]
    of_role = trace.events[np.isin(trace.events["agent"], rows) & (trace.events["tile"] >= 0)]
    blocked, lasted = [], []
    for row in rows:
        own = of_role[of_role["agent"] == row]
        ends = own[own["kind"] == EventKind.WAIT_END]
        begins = own[own["kind"] == EventKind.WAIT_BEGIN]
        blocked += ((ends["flags"] & EventFlag.BLOCKED) > 0).tolist()
        lasted += ((ends["time"] - begins["time"]) / 1000).tolist()
    return np.array(blocked), np.array(lasted)


def test_the_five_are_there() -> None:
    assert {path.stem for path in RECORDINGS} >= {"lesson", "slow-consumer", "slow-producer", "one-stage", "four-ctas"}


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_each_is_a_whole_run_on_an_h200(path: Path) -> None:
    trace = load(path)
    assert trace.meta.source["gpu"] == "NVIDIA H200"
    assert trace.meta.ending.kind == "completed"
    assert trace.meta.check["errors"] == 0
    assert trace.meta.check["checked"] > 0
    assert (trace.meta.records_lost, trace.meta.events_dropped) == (0, 0)
    assert not any(violations(trace).values())
    assert {"moved", "median_ns", "max_ns"} <= set(trace.meta.reconcile)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_each_names_the_command_that_makes_it_again(path: Path) -> None:
    trace = load(path)
    program, *arguments = shlex.split(trace.meta.command)
    assert program == "phasescope"
    asked = build_parser().parse_args(arguments)
    assert asked.source == "gpu"
    assert Path(asked.output).as_posix() == f"assets/traces/{path.name}"
    assert LessonConfig(**parameters_from(asked)).as_dict() == trace.meta.config


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_each_has_the_simulators_events(path: Path) -> None:
    trace = load(path)
    simulated = simulate(lesson(LessonConfig.from_dict(trace.meta.config)))
    assert events_by_agent(trace) == events_by_agent(simulated)
    assert bytes_by_copy(trace) == bytes_by_copy(simulated)
    assert trace.barriers == simulated.barriers
    assert trace.agents == simulated.agents


def test_the_cp_async_pipeline_does_what_its_program_says() -> None:
    trace = recording(WITHOUT_BARRIERS)
    assert trace.meta.source["gpu"] == "NVIDIA H200"
    assert trace.meta.check == {"mode": "exact", "checked": 8 * 128 * 64, "errors": 0}
    assert trace.meta.records_lost == 0
    assert build_parser().parse_args(shlex.split(trace.meta.command)[1:]).program == WITHOUT_BARRIERS
    program = rebuild_program(trace.meta.program, trace.meta.config)
    assert program is not None
    simulated = simulate(program)
    assert trace.agents == simulated.agents
    for row in range(len(trace.agents) - 1):
        own = [recorded.events[recorded.events["agent"] == row] for recorded in (trace, simulated)]
        recorded, expected = ([tuple(event) for event in events[["kind", "stage", "tile"]]] for events in own)
        assert recorded == expected


@pytest.mark.parametrize("source", ["recorded", "simulated"])
def test_the_lessons_table(source: str) -> None:
    trace = recording("lesson") if source == "recorded" else simulate(lesson(LessonConfig()))
    rows = [row.as_json() for row in tile_table(History(trace), 0)]
    assert [
        (
            (row["pipe_write"]["index"], row["pipe_write"]["phase"]),
            row["empty_wait"]["parity"],
            row["full_phase"],
            row["full_wait"]["parity"],
            row["empty_phase"],
        )
        for row in rows
    ] == LESSON_TABLE
    assert [row["empty_wait"]["blocked"] for row in rows[:3]] == [False] * 3, "a fresh barrier lets the producer pass"


def test_a_slow_consumer_holds_the_producer_back() -> None:
    blocked, lasted = waits(recording("slow-consumer"), "producer")
    assert blocked[3:].all()
    assert np.median(lasted[3:]) > 3000  # ns: the consumer's delay


def test_a_slow_producer_starves_the_consumers() -> None:
    trace = recording("slow-producer")
    blocked, lasted = waits(trace, "consumer")
    assert blocked.all()
    assert np.median(lasted) > 1000
    assert not waits(trace, "producer")[0].any()


def test_one_stage_does_not_overlap_copy_and_read() -> None:
    events = recording("one-stage").events
    for tile in range(1, 8):
        issue = events["time"][(events["kind"] == EventKind.COPY_ISSUE) & (events["tile"] == tile)]
        reads = events["time"][(events["kind"] == EventKind.READ_END) & (events["tile"] == tile - 1)]
        assert (reads < issue).all()


def test_three_stages_do() -> None:
    events = recording("lesson").events
    issue = events["time"][(events["kind"] == EventKind.COPY_ISSUE) & (events["tile"] == 2)]
    reads = events["time"][(events["kind"] == EventKind.READ_END) & (events["tile"] == 0)]
    assert (reads > issue).all()


def test_four_ctas_run_side_by_side() -> None:
    trace = recording("four-ctas")
    assert trace.ctas == 4
    cta = np.array([agent.cta for agent in trace.agents])[trace.events["agent"]]
    spans = [trace.events["time"][cta == number][[0, -1]] for number in range(4)]
    assert max(first for first, _ in spans) < min(last for _, last in spans)


def test_the_probe_saw_what_the_reconstruction_says() -> None:
    trace = recording("lesson-probe")
    assert trace.meta.source["probe"]["mode"] == "words"
    assert trace.meta.source["probe"]["runs_lost"] == 0
    assert trace.meta.reconcile["copies_probed"] == 8, "every copy landed when the probe saw its phase end"
    assert not diagnose(History(trace)).findings
    seen = {trace.barriers[row].name for row in np.unique(trace.samples["barrier"])}
    assert seen == set(trace.barrier_index)


@pytest.mark.parametrize(
    "path", [ASSETS / "lesson-probe.pscope", DATA / "h200-probe" / "drain.pscope"], ids=lambda path: path.stem
)
def test_bytes_drain_in_granules_as_a_copy_lands(path: Path) -> None:
    trace = load(path)
    parity, pending, tx = decode(trace.samples["word"])
    full = np.array([barrier.kind == "full" for barrier in trace.barriers])[trace.samples["barrier"]]
    whole = int(trace.events["amount"][trace.events["kind"] == EventKind.ARRIVE_EXPECT_TX][0])
    assert not (tx % TX_GRANULE).any()
    assert not tx[~full].any()
    assert set(pending[full & (tx > 0)].tolist()) == {0}
    assert set(tx.tolist()) - {0, whole}, "a copy was seen with part of its bytes in"
    # Within a phase of a barrier, bytes and arrivals only go down.
    same = (np.diff(trace.samples["barrier"]) == 0) & (np.diff(parity) == 0)
    assert (np.diff(tx)[same & full[1:] & (tx[:-1] > 0)] < 0).all()
    assert (np.diff(pending)[same] <= 0).all()
