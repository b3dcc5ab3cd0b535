"""From events alone, the structure that was told is found again, or said to be unknown; never another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from any_recording import BARRIERS, EVENTS, recording
from hypothesis import given, settings
from hypothesis import strategies as st
from keys_and_values import keys_and_values
from legal_programs import stranger_log
from measured import last, simulated

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.agent_builder import BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.faults import FAULTS
from visualizer.programs.load import load_program
from visualizer.programs.program import Program
from visualizer.programs.registry import PROGRAMS, find_program
from visualizer.recording.file import load
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of
from visualizer.structure.forget import forget
from visualizer.structure.infer import infer
from visualizer.structure.model import Structure
from visualizer.structure.told import told

DATA = Path(__file__).parents[1] / "data" / "h200-faults"
DOCS = Path(__file__).parents[2] / "docs" / "programs.md"
UNKNOWN_FAULTS = {"F06", "F27"}
"""Nobody comes round to a first barrier again: one use each proves no length."""
UNKNOWN_IN_LESSON = UNKNOWN_FAULTS | {"F28"}
"""F28's producer waits for its empty barriers in its tail alone, out of step with its fills."""


def the_same(trace: Trace) -> bool:
    """Whether rings, kinds and roles are found as told; False where they are unknown. Anything else fails."""
    found, known = infer(forget(trace)), told(trace)
    if found.unknown:
        assert not found.rings
        assert not found.turns
        assert set(found.kinds) <= {"other"}
        return False
    assert _rings(found) == _rings(known)
    expected = ["order" if row in sum(found.turns, ()) else kind for row, kind in enumerate(known.kinds)]
    assert list(found.kinds) == expected
    assert found.roles == known.roles
    assert np.array_equal(found.ring_of >= 0, known.ring_of >= 0)
    return True


def example(number: int, tmp_path: Path) -> Program:
    """One of docs/programs.md."""
    path = tmp_path / "mine.py"
    path.write_text(DOCS.read_text(encoding="utf-8").split("```python\n")[1 + number].split("```")[0], encoding="utf-8")
    return load_program(path)


def _rings(structure: Structure) -> list[object]:
    return [(r.cta, r.full, r.empty, r.producers, r.consumers) for r in structure.rings]


@pytest.mark.parametrize("program", sorted(set(PROGRAMS) - {"cp-async"}))
@pytest.mark.parametrize("seed", [0, 1])
def test_the_built_in_programs_are_found(program: str, seed: int) -> None:
    assert the_same(simulate(find_program(program), seed=seed))


def test_a_ring_of_the_epilogue_alone_is_not_guessed(tmp_path: Path) -> None:
    """Its buffers are written by stores of threads and its barriers only say that they are free."""
    trace = simulate(example(2, tmp_path))
    known, found = told(trace), infer(forget(trace))
    assert len(_rings(known)) == 2
    assert _rings(found) == _rings(known)[:1]


def test_without_barriers_nothing_is_known() -> None:
    structure = infer(forget(simulate(find_program("cp-async"))))
    assert structure.unknown == "it has no barriers"


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_hides_the_structure_only_where_nothing_went_round(fault: str) -> None:
    assert the_same(simulate(find_program(fault=fault))) == (fault not in UNKNOWN_FAULTS)


@pytest.mark.parametrize("fault", sorted(fault.id for fault in FAULTS.values() if fault.fits_lesson))
def test_faults_of_the_lesson(fault: str) -> None:
    assert the_same(simulate(find_program("lesson", fault=fault), seed=1)) == (fault not in UNKNOWN_IN_LESSON)


@pytest.mark.parametrize("path", sorted(DATA.glob("*.pscope")), ids=lambda path: path.stem)
def test_what_an_h200_recorded(path: Path) -> None:
    assert the_same(load(path)) == (path.stem not in UNKNOWN_IN_LESSON)


@pytest.mark.parametrize(
    "config",
    [{"stages": 1, "tiles": 1}, {"stages": 3, "tiles": 1}, {"stages": 4, "tiles": 4}, {"stages": 5, "ctas": 2}],
)
def test_short_runs(config: dict[str, int]) -> None:
    assert the_same(simulate(find_program("lesson", config), seed=1))


def test_the_program_of_the_docs(tmp_path: Path) -> None:
    assert the_same(simulate(example(0, tmp_path)))


def test_the_ring_of_a_recording_that_begins_in_the_middle() -> None:
    trace = forget(simulated(tiles=40, stages=3))
    cut = last(trace, stranger_log(trace), 60)
    assert "unplaced" in cut.meta.window
    (ring,) = infer(cut).rings
    assert (ring.full, ring.empty) == (((0,), (1,), (2,)), ((3,), (4,), (5,)))


def test_an_end_in_which_stages_are_not_used_is_no_shorter_ring() -> None:
    """Each stage is loaded in two parts, so that the loader's last records are of fewer laps than its readers'."""
    b = Builder("parts")
    full = [b.barrier(f"full[{stage}]", count=1) for stage in range(4)]
    loader, *readers = (b.agent(f"warp{warp}") for warp in range(3))
    loader.init_all()
    for agent in (loader, *readers):
        agent.sync()
    for tile in range(9):
        stage, lap = tile % 4, tile // 4
        loader.expect_tx(full[stage], 1024)
        loader.copy(full[stage], 0, 1024)
        loader.arrive_expect_tx(full[stage], 1024)
        loader.copy(full[stage], 0, 1024)
        for reader in readers:
            reader.wait(full[stage], lap & 1)
        for agent in (loader, *readers):
            agent.named_sync(1, 3)
    trace = forget(simulate(b.build()))
    log = stranger_log(trace)
    ends = [infer(last(trace, log, keep)) for keep in range(1, int(np.bincount(log["agent"]).max()) + 1)]
    assert {len(ring.full) for end in ends for ring in end.rings} == {4}


@settings(max_examples=60, deadline=None)
@given(events=EVENTS, barriers=st.integers(0, len(BARRIERS)))
def test_any_recording_has_a_structure(events: list[dict[str, int]], barriers: int) -> None:
    trace = forget(recording(events, BARRIERS[:barriers]))
    structure = structure_of(trace)
    assert len(structure.kinds) == len(structure.ring_of) == barriers
    assert len(structure.roles) == len(trace.agents)


def test_a_forgotten_recording_tells_nothing(lesson_trace: Trace) -> None:
    trace = forget(lesson_trace)
    assert trace.stages == 0
    assert {b.kind for b in trace.barriers} == {"other"}
    assert trace.barriers[0].name == hex(lesson_trace.barriers[0].offset)
    assert {a.role for a in trace.agents} == {"other", "copy_engine"}
    assert not any(a.start for a in trace.agents)
    assert len(trace) == len(lesson_trace)


def test_ctas_share_what_is_found_but_not_what_contradicts_it(lesson_trace: Trace) -> None:
    trace = forget(simulate(find_program("lesson", {"ctas": 3, "tiles": 9}), seed=2))
    events = np.array(trace.events)
    first = next(row for row, barrier in enumerate(trace.barriers) if barrier.cta == 1)
    of_second = (events["barrier"] == first) | (events["barrier"] == first + 1)
    events["barrier"][of_second] = 2 * first + 1 - events["barrier"][of_second]  # CTA 1 goes round the other way
    structure = infer(replace(trace, events=events))
    by_cta = {cta: structure.of_cta(cta) for cta in range(3)}
    assert [ring.stages for ring in by_cta[0]] == [ring.stages for ring in by_cta[2]] == [3]
    assert all(ring.full[0] != (first,) for ring in by_cta[1])


def test_names_and_confidence_are_told_with_why(lesson_trace: Trace) -> None:
    (ring,) = infer(forget(lesson_trace)).rings
    assert ring.name == "ring0"
    assert 0 < ring.confidence < 1
    assert ring.why.startswith("agents go round these barriers in order")


def test_what_is_told_is_never_inferred(lesson_trace: Trace) -> None:
    (ring,) = structure_of(lesson_trace).rings
    assert (ring.name, ring.confidence, ring.why) == ("", 1.0, "")


def shared_empty(stages: int, tiles: int, consumers: int, parts: int, *, by_stage: bool) -> Trace:
    """Each stage is loaded in parts, on a full barrier each, and freed at once on one empty barrier."""
    b = Builder("shared")
    wanted = [(side, stage) for side in (*range(parts), "empty") for stage in range(stages)]
    if by_stage:
        wanted.sort(key=lambda one: one[1])
    at: dict[object, list[BarrierHandle]] = {side: [] for side, _ in wanted}
    for side, stage in wanted:
        count = consumers if side == "empty" else 1
        at[side].append(b.barrier(f"{side}[{stage}]", count=count))
    full, empty = [at[part] for part in range(parts)], at["empty"]
    producer = b.agent("producer", role="producer")
    producer.init_all()
    producer.sync()
    for tile in producer.tiles(tiles):
        producer.wait(empty[tile % stages], (tile // stages + 1) & 1)
        for part in range(parts):
            producer.arrive_expect_tx(full[part][tile % stages], 1024 << part)
            producer.copy(full[part][tile % stages], 0, 1024 << part)
    for number in range(consumers):
        consumer = b.agent(f"consumer{number}", role="consumer")
        consumer.sync()
        for tile in consumer.tiles(tiles):
            for part in range(parts):
                consumer.wait(full[part][tile % stages], tile // stages & 1)
            consumer.arrive(empty[tile % stages])
    return simulate(b.build())


@pytest.mark.parametrize("by_stage", [False, True])
@pytest.mark.parametrize(("stages", "consumers", "parts"), [(2, 1, 2), (3, 2, 2), (4, 2, 3)])
def test_several_full_barriers_a_stage_that_share_an_empty_one(
    stages: int, consumers: int, parts: int, by_stage: bool
) -> None:
    stranger = forget(shared_empty(stages, 4 * stages, consumers, parts, by_stage=by_stage))
    (ring,) = infer(stranger).rings
    assert ring.stages == stages
    assert all(len(full) == parts and len(empty) == 1 for full, empty in zip(ring.full, ring.empty, strict=True))
    names = [[stranger.agents[row].name for row in rows] for rows in (ring.producers, ring.consumers)]
    assert names == [["producer"], [f"consumer{number}" for number in range(consumers)]]
    assert ring.confidence == pytest.approx(0.85)
    assert not diagnose(History(stranger)).findings


@pytest.mark.parametrize("tiles", [1, 3, 4])
def test_of_a_short_run_that_shares_an_empty_barrier_nothing_wrong_is_said(tiles: int) -> None:
    trace = shared_empty(3, tiles, 2, 2, by_stage=False)
    empty = {row for row, barrier in enumerate(trace.barriers) if barrier.name.startswith("empty")}
    for ring in infer(forget(trace)).rings:
        assert {row for stage in ring.empty for row in stage} <= empty
        assert not {row for stage in ring.full for row in stage} & empty


def test_empty_barriers_that_no_instruction_links_are_an_array_by_what_is_filled_after_each() -> None:
    """Of a run that hung in its second lap: the producer acquires a stage from one line and its neighbour from
    another, and fills them one after the other."""
    trace = keys_and_values(("second",))
    (ring,) = infer(trace).rings
    told = [trace.barrier_index[f"{8 * place:#x}"] for place in range(10)]
    assert list(sum(ring.full + ring.empty, ())) == told
    assert ring.confidence == pytest.approx(0.95)
