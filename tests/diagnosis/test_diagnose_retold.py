"""A sound program has no finding and no violation, whatever of its structure the recording tells."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from legal_programs import nameless
from stranger_traces import by_address
from test_diagnose_never_report import pipeline
from two_ring_traces import two_rings, untold

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.load import load_program
from visualizer.programs.program import Program
from visualizer.programs.registry import PROGRAMS, find_program
from visualizer.reconstruction.violations import violations
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

DOCS = re.findall(
    r"```python\n(.*?)```",
    (Path(__file__).parents[2] / "docs" / "programs.md").read_text(encoding="utf-8"),
    re.DOTALL,
)
SOUND = [*PROGRAMS, *(f"docs{number}" for number in range(len(DOCS))), "two rings", "two rings in two CTAs"]


def without_cursors(trace: Trace) -> Trace:
    """A stranger's kernel has no PipelineState that anybody knows of."""
    return replace(trace, events=trace.events[trace.events["kind"] != EventKind.ADVANCE])


def addresses_alone(trace: Trace) -> Trace:
    """As attaching would record it: what agents did, on addresses."""
    if not trace.barriers:
        return without_cursors(forget(trace))
    return by_address(nameless(without_cursors(forget(trace))))


TELLINGS: dict[str, Callable[[Trace], Trace]] = {
    "told": lambda trace: trace,
    "untold": untold,
    "forgotten": forget,
    "forgotten, without cursors": lambda trace: without_cursors(forget(trace)),
    "by address": addresses_alone,
}


@cache
def recorded(program: str, seed: int) -> Trace:
    """Once for all tellings, which make others of it."""
    if program.startswith("two rings"):
        return two_rings(10, seed=seed, ctas=2 if "CTAs" in program else 1)
    return simulate(described(program), seed=seed)


@cache
def described(program: str) -> Program:
    if program in PROGRAMS:
        return find_program(program)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mine.py"
        path.write_text(DOCS[int(program.removeprefix("docs"))], encoding="utf-8")
        return load_program(path)


@pytest.mark.parametrize("telling", TELLINGS)
@pytest.mark.parametrize("program", SOUND)
def test_a_sound_program_is_sound_however_it_is_told(program: str, telling: str) -> None:
    for seed in range(3):
        trace = TELLINGS[telling](recorded(program, seed))
        assert not any(violations(trace).values())
        assert diagnose(History(trace)).findings == ()


def test_a_ring_that_nobody_told_has_no_cursor() -> None:
    """The events of attention's K and V cursors say no ring any more: they count for neither."""
    history = History(forget(simulate(find_program("attention"))))
    assert (history.kinds == EventKind.ADVANCE).any()
    assert {ring.cursor_ring for ring in history.structure.rings} == {-1}
    assert diagnose(history).findings == ()


@pytest.mark.parametrize(("consumers", "stages"), [(2, 3), (2, 2), (3, 3), (3, 4)])
def test_consumers_may_take_turns_at_phases_without_a_cursor(consumers: int, stages: int) -> None:
    """Each leaves out the phases that the others take; which those are, nobody but the hardware says."""
    program = pipeline(consumers=consumers, stages=stages, alternate=True, tiles=5 * stages)
    for seed in range(5):
        told = simulate(program, seed=seed)
        for trace in (told, forget(told), without_cursors(forget(told))):
            assert diagnose(History(trace)).findings == ()


def test_a_phase_that_nobody_takes_was_missed() -> None:
    """A consumer passes over one phase of each stage's barrier, and there is no other that could have it."""
    history = History(without_cursors(forget(simulate(pipeline(consumers=1, tiles=8)))))
    waits = history.waits.on_barriers
    full = np.array(history.structure.kinds)[waits.barrier] == "full"
    passed_over = waits.keep(full & (waits.use == 1))
    events = np.delete(history.trace.events, np.concatenate([passed_over.begin, passed_over.end]))
    missing = History(replace(history.trace, events=events), history.structure)
    assert {finding.verdict for finding in diagnose(missing).findings} == {"STALE PASS", "OVERWRITE UNREAD"}
