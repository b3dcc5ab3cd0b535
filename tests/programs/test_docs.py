"""docs/programs.md tells the truth: its example runs, and its tables name every fault, method and option."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.buffer_builder import BufferBuilder
from visualizer.programs.builder import Builder
from visualizer.programs.cursor import Cursor
from visualizer.programs.faults import FAULTS, KERNEL_FAULTS
from visualizer.programs.load import load_program
from visualizer.programs.meeting_builder import MeetingBuilder
from visualizer.programs.program import Parameter
from visualizer.programs.registry import PROGRAMS, all_parameters, parameters_of
from visualizer.programs.tensor_builder import TensorBuilder
from visualizer.replay.history import History
from visualizer.sources.explorer import explore_exhaustively
from visualizer.sources.simulator.simulate import simulate

DOCS = Path(__file__).parents[2] / "docs" / "programs.md"
SEEDS = range(10)


@pytest.fixture(scope="module")
def text() -> str:
    return DOCS.read_text(encoding="utf-8")


def examples(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.fixture
def example(text: str, tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(examples(text)[0], encoding="utf-8")
    return path


def test_the_example_is_short_and_completes(example: Path) -> None:
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 40
    program = load_program(example)
    assert [agent.agent.name for agent in program.agents] == ["producer", "consumer.wg0", "consumer.wg1"]
    assert {simulate(program, seed=seed).meta.ending.kind for seed in SEEDS} == {"completed"}


@pytest.mark.parametrize("number", [1, 2, 3], ids=["attention", "pingpong", "blackwell"])
def test_the_longer_examples_are_short_sound_and_proved(text: str, tmp_path: Path, number: int) -> None:
    code = examples(text)[number]
    assert len(code.splitlines()) < 80
    path = tmp_path / "mine.py"
    path.write_text(code, encoding="utf-8")
    program = load_program(path)
    for seed in SEEDS:
        history = History(simulate(program, seed=seed))
        assert history.trace.meta.ending.kind == "completed"
        for given in (program, None):
            assert not diagnose(history, given).findings
    found = explore_exhaustively(program)
    assert found.is_complete
    assert found.is_clean


@pytest.mark.parametrize(("number", "name"), [(3, "blackwell")])
def test_a_built_in_that_is_shown_is_shown_as_it_is(text: str, number: int, name: str) -> None:
    own = DOCS.parents[1] / "visualizer" / "programs" / f"{name}.py"
    assert examples(text)[number].replace('NAME = "my-', 'NAME = "') == own.read_text(encoding="utf-8")


def test_the_example_s_operations_stand_on_their_lines(example: Path) -> None:
    program = load_program(example)
    lines = example.read_text(encoding="utf-8").splitlines()
    assert program.source_files == {"mine.py": example.read_text(encoding="utf-8")}
    assert {site.op for site in program.sites} >= {"init", "wait", "copy", "read_async", "retire_reads", "arrive"}
    for site in program.sites:
        assert ("init_all" if site.op in ("init", "fence") else site.op) in lines[site.line - 1]


def test_the_mistake_it_shows_is_reported_in_these_words(example: Path, text: str) -> None:
    code = example.read_text(encoding="utf-8")
    wrong = code.replace("p.wait(empty[p.index], p.phase)", "p.wait(empty, p.phase)")
    example.write_text(wrong, encoding="utf-8")
    sentence = re.search(r"phasescope: mine.py:\d+: (this is a list.*)", text)
    assert sentence is not None
    with pytest.raises(ValueError, match=re.escape(sentence[1])):
        load_program(example)


def test_every_fault_is_in_the_table(text: str) -> None:
    for fault in FAULTS.values():
        assert f"| {fault.id} | `{fault.name}` | {fault.did} | {fault.happens} |" in text
    on_the_gpu = ", ".join(f.id for f in FAULTS.values() if f.lesson_change or f.id in KERNEL_FAULTS)
    assert f"A GPU can make these: {on_the_gpu}." in text
    assert text.count("\n| F") == len(FAULTS)


@pytest.mark.parametrize("builder", [Builder, AgentBuilder, BufferBuilder, MeetingBuilder, TensorBuilder, Cursor])
def test_every_method_is_in_the_tables(builder: type, text: str) -> None:
    used_by_the_builder_itself = {
        "site", "row_of", "ring_row", "ring_of", "init_count", "cta_of", "barriers_of", "whole", "fail", "finished",
        "named_barrier", "check_reach", "tensor_core",
    }  # fmt: skip
    for name in vars(builder):
        if not name.startswith("_") and name not in used_by_the_builder_itself:
            assert f"`{name}(" in text or f"agent.{name}" in text, name


def parameter_row(parameter: Parameter) -> str:
    """The parameter's row in the table of docs/programs.md: programs with the same limits and default together."""
    alike: dict[str, list[str]] = {}
    for name in PROGRAMS:
        for one in parameters_of(name):
            if one.name == parameter.name:
                unit = f" {one.unit}" if one.unit else ""
                limits = "a switch, off" if one.is_switch else f"{one.low} to {one.high}{unit}, {one.default}"
                alike.setdefault(limits, []).append(name)
    told = "; ".join(f"{', '.join(names)}: {limits}" for limits, names in alike.items())
    return f"| `{parameter.option}` | {parameter.help} | {told} |"


def test_every_parameter_of_every_program_is_in_the_table(text: str) -> None:
    head = "| option | what it sets | programs: limits, default |\n|---|---|---|\n"
    assert head + "\n".join(map(parameter_row, all_parameters())) + "\n\n" in text
