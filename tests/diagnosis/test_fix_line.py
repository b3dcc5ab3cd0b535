"""The line to change: found where the source shows the cursor being made, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pane_testing import KERNEL, hand_trace

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.fix_line import START_STATE, fix_line
from visualizer.diagnosis.report import Finding, SourceLine
from visualizer.language import use
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

WRONG_START = Finding("STARVED", "error", "", agent="P", rule="wrong-start-phase", site=SourceLine(KERNEL, 4, "wait"))


def _with(*lines: str) -> SourceLine | None:
    trace = replace(hand_trace(), source_files={KERNEL: "\n".join(lines)})
    return fix_line(trace, replace(WRONG_START, site=SourceLine(KERNEL, len(lines), "wait")))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_lessons_line_is_found_in_both_languages(language: str) -> None:
    use(language)
    program = find_program("lesson", None, "F06")
    history = History(simulate(program))
    (finding,) = [f for f in diagnose(history, program).findings if f.severity == "error"]
    place = fix_line(history.trace, finding)
    assert place is not None
    assert finding.site is not None
    text = history.trace.source_files[place.file].splitlines()
    assert text[place.line - 1].strip().startswith("auto pipe_write = make_producer_start_state")
    assert place.line < finding.site.line


@pytest.mark.parametrize(
    "declaration",
    [
        "  PipelineState<4> state(0, 0, 0);",
        "  PipelineState<4> state{0, 0, 0};",
        "  auto state = cutlass::PipelineState<4>();",
        "  typename Pipeline::State& state = states[0];",
    ],
)
def test_the_nearest_declaration_of_what_the_wait_is_called_with(declaration: str) -> None:
    found = _with("  int state = 7;", declaration, "  state == 3;", "  pipeline.producer_acquire(state);")
    assert found == SourceLine(KERNEL, 2, START_STATE)


def test_nothing_is_claimed_where_the_source_does_not_show_it() -> None:
    assert _with("  other(1);", "  pipeline.producer_acquire(state);") is None
    assert _with("  state.wait();") is None
    assert fix_line(hand_trace(), replace(WRONG_START, site=SourceLine("gone.cu", 4, "wait"))) is None
    assert fix_line(hand_trace(), replace(WRONG_START, site=SourceLine(KERNEL, 4000, "wait"))) is None
    assert fix_line(hand_trace(), replace(WRONG_START, site=None)) is None


def test_another_finding_has_no_such_line() -> None:
    assert fix_line(hand_trace(), replace(WRONG_START, rule="missing-release")) is None


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("baseline", 'producer = b.agent("P", role="producer", cta=cta, stages=c.stages, phase=1)'),
        ("gemm", "producer"),
        ("attention", "producer"),
        ("multicast", "producer"),
        ("pingpong", "producer"),
    ],
)
def test_of_a_program_in_python_it_is_where_the_agent_is_made(program: str, line: str) -> None:
    told = find_program(program, None, "F06")
    history = History(simulate(told))
    finding = diagnose(history, told).findings[0]
    place = fix_line(history.trace, finding)
    assert place is not None
    assert finding.site is not None
    shown = history.trace.source_files[place.file].splitlines()[place.line - 1]
    assert line in shown
    assert "phase=1" in shown
    assert place.line != finding.site.line


def _in_python(text: str, agent: str = "P") -> int | None:
    trace = replace(hand_trace(), source_files={"mine.py": text})
    finding = replace(WRONG_START, agent=agent, site=SourceLine("mine.py", 1, "wait"))
    place = fix_line(trace, finding)
    return None if place is None else place.line


def test_a_users_program_file_shows_the_phase_it_gives() -> None:
    both = 'b.agent("C", role="consumer")\nb.agent(\n    "P",\n    role="producer",\n    phase=0,\n)\n'
    assert _in_python(both) == 5
    assert _in_python(both, "CTA1.P") == 5
    assert _in_python('x = 1\np = b.agent("P", stages=2)\n') == 2, "no phase is given: where it would be"
    assert _in_python('p = b.agent("P", stages=len(stages), phase=0)\n') == 1
    assert _in_python('p = b.agent(f"P{n}", role="producer")\n', "P1") == 1
    two = "\n".join(f'b.agent(f"{name}{{n}}", role="producer")' for name in "PQ")
    assert _in_python(two, "P1") is None, "of two producers nobody says which"
    assert _in_python("agent(" * 10_000) is None
