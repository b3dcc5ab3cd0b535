"""Every fault ends as its scenario says, whatever the seed, and the programs it is made in are clean without it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from visualizer.programs.baseline import BaselineConfig, baseline
from visualizer.programs.errors import ProgramError
from visualizer.programs.fault import Fault
from visualizer.programs.faults import FAULTS, fault_on_gpu, find_fault
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.registry import find_program, rebuild_program
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.agent_columns import AgentActivity
from visualizer.replay.history import History
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

K = EventKind
SEEDS = range(12)
WILD = Latencies(jitter=0.95)
"""Durations from almost nothing to twice the usual, so that many orders of events come up."""

ALWAYS_STUCK = json.loads((Path(__file__).parents[1] / "data" / "fault-deadlocks.json").read_text(encoding="utf-8"))
"""Fault -> who is blocked, and every barrier then, where every schedule deadlocks. For F01 to F31 an independent
simulator of another make found the same."""

MAY = {
    "F02": {"deadlock", "completed", "crash"},
    "F07": {"deadlock", "crash"},
    "F08": {"deadlock", "completed", "crash"},
    "F12": {"deadlock", "completed"},
    "F23": {"completed"},
    "F28": {"deadlock", "completed", "crash"},
    "F40": {"crash"},
    "F41": {"deadlock", "completed", "crash"},
    "F42": {"deadlock"},
    "F45": {"deadlock", "crash"},
    "F49": {"deadlock", "completed", "crash"},
    "F50": {"completed", "crash"},
    "F51": {"deadlock", "completed", "crash"},
    "F52": {"completed"},
    "F53": {"crash"},
    "F54": {"completed", "crash"},
}
"""Fault -> the endings it may have, where the schedule decides or the harm is in the data."""

LARGEST_SHARE = {"F07": "deadlock", "F08": "deadlock", "F12": "completed", "F28": "deadlock"}
"""Fault -> the ending of most schedules, as faults with shares have."""


def endings(fault: str) -> list[Trace]:
    program = find_program("baseline", fault=fault)
    return [simulate(program, seed=seed, latencies=how) for seed in SEEDS for how in (Latencies(), WILD)]


def test_every_fault_has_an_expected_ending() -> None:
    assert ALWAYS_STUCK.keys() | MAY.keys() == FAULTS.keys()
    assert not ALWAYS_STUCK.keys() & MAY.keys()


@pytest.mark.parametrize("fault", ALWAYS_STUCK)
def test_deadlocks_in_the_same_state_whatever_the_seed(fault: str) -> None:
    for trace in endings(fault):
        assert trace.meta.ending.kind == "deadlock"
        state = History(trace).state_at(len(trace) - 1)
        assert [
            f"{agent.name} on {trace.barriers[state.agent_barrier[row]].name} with parity {state.agent_parity[row]}"
            for row, agent in sorted(enumerate(trace.agents), key=lambda item: item[1].name)
            if state.agent_activity[row] == AgentActivity.WAITING
        ] == ALWAYS_STUCK[fault]["blocked"]
        assert [
            f"{barrier.name}: phase#{state.barrier_phase[row]}(par {state.barrier_phase[row] & 1})"
            f" pend {state.barrier_pending[row]}/{state.barrier_expected[row]} tx {state.barrier_tx[row]}"
            for row, barrier in enumerate(trace.barriers)
        ] == ALWAYS_STUCK[fault]["barriers"]


@pytest.mark.parametrize("fault", MAY)
def test_ends_in_no_other_way(fault: str) -> None:
    seen = Counter(trace.meta.ending.kind for trace in endings(fault))
    assert seen.keys() <= MAY[fault], seen
    if fault in LARGEST_SHARE:
        assert seen.most_common(1)[0][0] == LARGEST_SHARE[fault], seen


def stage_reads_and_writes(trace: Trace) -> list[tuple[int, EventKind, int]]:
    kinds = (K.COPY_ISSUE, K.COPY_DONE, K.READ_BEGIN, K.READ_END)
    rows = trace.events[[kind in kinds for kind in trace.events["kind"]]]
    return [(int(row["stage"]), EventKind(row["kind"]), int(row["tile"])) for row in rows]


def overwritten_reads(trace: Trace) -> int:
    """Copies issued into a stage while somebody's read of it has begun and not ended."""
    reading: Counter[int] = Counter()
    found = 0
    for stage, kind, _ in stage_reads_and_writes(trace):
        reading[stage] += {K.READ_BEGIN: 1, K.READ_END: -1}.get(kind, 0)
        found += kind == K.COPY_ISSUE and reading[stage] > 0
    return found


def early_reads(trace: Trace) -> int:
    """Reads of a tile that begin before the tile has landed."""
    landed: set[int] = set()
    found = 0
    for _, kind, tile in stage_reads_and_writes(trace):
        if kind == K.COPY_DONE:
            landed.add(tile)
        found += kind == K.READ_BEGIN and tile not in landed
    return found


@pytest.mark.parametrize("fault", ["F23", "F52"])
def test_a_stage_released_too_early_is_overwritten_while_it_is_read(fault: str) -> None:
    assert sum(map(overwritten_reads, endings(fault))) > 0


@pytest.mark.parametrize("fault", ["F07", "F42", "F45", "F51"])
def test_reads_before_the_data_is_there(fault: str) -> None:
    assert sum(map(early_reads, endings(fault))) > 0


def test_nothing_is_ever_copied_when_the_producer_starts_with_parity_0() -> None:
    for trace in endings("F06"):
        assert K.COPY_ISSUE not in trace.events["kind"]


_SETTINGS = [fault.setting for fault in FAULTS.values()]


@pytest.mark.parametrize("setting", [dict(items) for items in {tuple(setting.items()) for setting in _SETTINGS}])
def test_without_the_fault_the_program_is_clean(setting: dict[str, object]) -> None:
    program = baseline(BaselineConfig(**setting))
    for seed in SEEDS:
        trace = simulate(program, seed=seed, latencies=WILD)
        assert trace.meta.ending.kind == "completed", trace.meta.ending
        assert overwritten_reads(trace) == 0
        assert early_reads(trace) == 0


@pytest.mark.parametrize("fault", [fault for fault in FAULTS.values() if fault.fits_lesson], ids=lambda fault: fault.id)
def test_the_lesson_can_have_it_too(fault: Fault) -> None:
    program = find_program("lesson", fault=fault.id)
    assert program.name == "lesson"
    assert program.config == {**LessonConfig().as_dict(), "fault": fault.id}
    allowed = MAY.get(fault.id, {"deadlock"})
    for seed in range(4):
        assert simulate(program, seed=seed).meta.ending.kind in allowed


@pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS.values() if fault.lesson_change], ids=lambda fault: fault.id
)
def test_the_lesson_s_parameters_make_the_same_mistake(fault: Fault) -> None:
    """But for the steps in which bytes land: F15 needs each copy to complete at once."""
    by_parameters = lesson(fault_on_gpu(fault, LessonConfig())[0])
    by_change = find_program("lesson", fault=fault.id)
    assert by_parameters.barriers == by_change.barriers
    if fault.id != "F15":
        assert by_parameters.agents == by_change.agents


@pytest.mark.parametrize("base", ["lesson", "baseline"])
def test_a_recording_s_program_can_be_laid_out_again(base: str) -> None:
    for fault in [None, *FAULTS]:
        if base == "baseline" or fault is None or FAULTS[fault].fits_lesson:
            program = find_program(base, fault=fault)
            assert rebuild_program(program.name, program.config) == program
    assert rebuild_program("mine", {}) is None


def test_faults_are_found_by_id_and_name() -> None:
    for fault in FAULTS.values():
        assert find_fault(fault.id.lower()) is find_fault(fault.name) is fault
        assert find_program(None, fault=fault.name).config["fault"] == fault.id
    with pytest.raises(
        ProgramError, match=r"no 'parity-never-flip' \(did you mean parity-never-flips\?\); known are F01"
    ):
        find_fault("parity-never-flip")


def test_a_fault_that_does_not_fit_is_refused() -> None:
    with pytest.raises(
        ProgramError, match=r"--fault F31 needs ctas = 2, which the lesson does not have: use --program b"
    ):
        find_program("lesson", fault="F31")
    with pytest.raises(ProgramError, match=r"made by the second consumer, and the program has only one"):
        find_program("lesson", {"consumer_warps": 1}, "F21")
    with pytest.raises(ProgramError, match=r"--fault F12 is not among the mistakes.*or one of F01, F02, F03, F06, F07"):
        fault_on_gpu(find_fault("F12"), LessonConfig())
    assert fault_on_gpu(find_fault("F20"), LessonConfig()) == (LessonConfig(), 20)


@pytest.mark.parametrize(("fault", "role", "phase"), [("F06", "producer", 0), ("F07", "consumer", 1)])
def test_a_start_phase_is_set_not_flipped(fault: str, role: str, phase: int) -> None:
    """A program that starts in that phase already is as broken with the fault as without."""
    for clean in (lesson(LessonConfig()), lesson(LessonConfig(**{f"{role}_phase": phase})), baseline()):
        broken = FAULTS[fault].apply(clean)
        starts = {a.agent.start.phase for a in broken.agents if a.agent.role == role and a.agent.start}
        assert starts == {phase}
        assert FAULTS[fault].apply(broken) == broken
        assert simulate(broken).meta.ending.kind == "deadlock"


def test_a_start_phase_that_the_user_sets_breaks_the_run() -> None:
    assert simulate(find_program("lesson", {"producer_phase": 0})).meta.ending.kind == "deadlock"
    assert simulate(find_program("lesson", {"consumer_phase": 1})).meta.ending.kind == "deadlock"


@pytest.mark.parametrize(
    ("fault", "parameters", "says"),
    [
        ("F06", {"producer_phase": 1}, "--producer-phase is 1, but --fault F06 sets it to 0"),
        ("F07", {"consumer_phase": 0}, "--consumer-phase is 0, but --fault F07 sets it to 1"),
        ("F01", {"consumer_arrivals": 5}, "--consumer-arrivals is 5, but --fault F01 sets it to 97"),
        ("F14", {"transaction_bytes": 16384}, "--transaction-bytes is 16384, but --fault F14 sets it to 32768"),
    ],
)
def test_what_contradicts_a_fault_is_refused(fault: str, parameters: dict[str, int], says: str) -> None:
    with pytest.raises(ProgramError, match=f"^{says}: leave one of the two out$"):
        find_program("lesson", parameters, fault)


def test_what_a_fault_sets_may_be_said_as_well() -> None:
    assert find_program("lesson", {"consumer_arrivals": 97}, "F01") == find_program("lesson", fault="F01")
    recorded = {**LessonConfig().as_dict(), "fault": "F06"}  # of before the fault, as recordings hold them
    assert rebuild_program("lesson", recorded) == find_program("lesson", fault="F06")
