"""The parameters of the built-in programs, told once each: every stage count of a ring runs, or is refused in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256

import numpy as np
import pytest

from visualizer.diagnosis.diagnose import diagnose
from visualizer.language import use
from visualizer.programs.errors import ProgramError
from visualizer.programs.program import Parameter
from visualizer.programs.registry import (
    PROGRAMS,
    all_parameters,
    check_program,
    find_program,
    parameter_words,
    parameters_of,
    rebuild_program,
    recorded_parameters,
)
from visualizer.reconstruction.violations import violations
from visualizer.replay.history import History
from visualizer.sources.errors import SourceError
from visualizer.sources.explorer import explore_exhaustively
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

WILD = Latencies(jitter=0.95)
MOST = {"gemm": 4, "pingpong": 5}
"""As many stages as a CTA has the shared memory for."""


def stage_parameters(name: str) -> list[Parameter]:
    return [parameter for parameter in parameters_of(name) if parameter.ring is not None]


def in_range(name: str) -> list[dict[str, int]]:
    """Every number of stages that the program can have, of several rings every pair."""
    counts: list[dict[str, int]] = [{}]
    for parameter in stage_parameters(name):
        steps = range(parameter.low, MOST.get(name, parameter.high) + 1)
        counts = [one | {parameter.name: stages} for one in counts for stages in steps]
    return counts


PAIRS = [pair for pair in in_range("attention") if sum(pair.values()) <= 13]
"""What 227 KiB hold of tiles of 16 KiB, beside Q."""


@pytest.mark.parametrize(
    ("name", "stages"),
    [(name, stages) for name in ("gemm", "pingpong", "multicast") for stages in in_range(name)]
    + [("attention", pair) for pair in PAIRS],
    ids=str,
)
def test_every_stage_count_of_its_range_runs_without_a_finding(name: str, stages: Mapping[str, int]) -> None:
    program = find_program(name, stages)
    for seed, latencies in ((0, Latencies()), (1, WILD)):
        history = History(simulate(program, seed=seed, latencies=latencies))
        meta = history.trace.meta
        assert meta.ending.kind == "completed"
        assert not any(violations(history.trace).values())
        for given in (program, None):
            assert not diagnose(history, given).findings
        assert rebuild_program(meta.program, meta.config) == program
        assert stages.items() <= (recorded_parameters(meta.program, meta.config) or {}).items()
    events = history.trace.events
    for parameter in stage_parameters(name):
        ring = history.trace.rings.index(parameter.ring)
        of_it = (events["barrier"] >= 0) & (events["ring"] == ring) & (events["stage"] >= 0)
        assert np.unique(events["stage"][of_it]).tolist() == list(range(stages[parameter.name]))


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("gemm", "cc013730af5ff73f"),
        ("pingpong", "6513014b521ee93d"),
        ("attention", "983e2d53ead975c9"),
        ("multicast", "5b6433ab37cea783"),
    ],
)
def test_as_it_is_it_gives_the_events_that_it_gave_when_its_stages_were_fixed(name: str, digest: str) -> None:
    trace = simulate(find_program(name), seed=3)
    assert sha256(trace.events.tobytes()).hexdigest().startswith(digest)


@pytest.mark.parametrize(("name", "stages"), [("gemm", 2), ("pingpong", 2), ("attention", 1)])
def test_no_schedule_with_the_fewest_stages_goes_wrong(name: str, stages: int) -> None:
    fewest = {parameter.name: parameter.low for parameter in stage_parameters(name)}
    assert set(fewest.values()) == {stages}
    found = explore_exhaustively(find_program(name, fewest))
    assert found.is_complete
    assert found.is_clean


@pytest.mark.parametrize("name", ["gemm", "pingpong"])
def test_a_single_stage_is_refused_for_it_would_hang(name: str) -> None:
    """No stage can be released when the next is being waited for."""
    assert simulate(PROGRAMS[name].lay_out(stages=1)).meta.ending.kind == "deadlock"


@pytest.mark.parametrize(
    ("name", "values", "english", "chinese"),
    [
        ("gemm", {"stages": 1}, "--stages is 1; it must be 2..8", "--stages"),
        ("gemm", {"stages": 5}, "--stages 5: gemm needs 279552 bytes of shared memory", "gemm"),
        ("pingpong", {"stages": 6}, "--stages 6: pingpong needs 263168 bytes of shared memory", "pingpong"),
        ("attention", {"k_stages": 0}, "--k-stages is 0; it must be 1..8", "--k-stages"),
        ("attention", {"v_stages": 9}, "--v-stages is 9; it must be 1..8", "--v-stages"),
        (
            "attention",
            {"k_stages": 6, "v_stages": 8},
            "--k-stages 6 and --v-stages 8 with --tile 128x64: attention needs 245760 bytes of shared memory",
            "--v-stages 8 配 --tile 128x64：attention 的 Q",
        ),
        ("lesson", {"k_stages": 2}, "--k-stages is a parameter of attention; --program lesson", "是 attention 的参数"),
        ("gemm", {"tiles": 8}, "--tiles is a parameter of lesson, cp-async, attention, multicast;", "的参数"),
        ("gemm", {"stage": 4}, "unknown parameter 'stage'; known are arrive_per_warp, ", "'stage'"),
    ],
)
def test_what_cannot_be_is_said_in_both_languages(
    name: str, values: dict[str, int], english: str, chinese: str
) -> None:
    said: list[str] = []
    try:
        for language in ("en", "zh"):
            use(language)
            with pytest.raises(ProgramError) as raised:
                check_program(name, values)
            said.append(str(raised.value))
    finally:
        use("en")
    assert said[0].startswith(english)
    assert chinese in said[1]
    assert said[0] != said[1]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_a_kernel_and_its_program_can_have_the_same_stages(kernel) -> None:
    table = {one.option[2:]: one for one in stage_parameters(kernel.name)}
    assert list(table) == list(kernel.rings)
    for name, parameter in table.items():
        size = kernel.parameters[name]
        assert (size.least, size.most) == (parameter.low, parameter.high)
        assert size.default == size.recorded == parameter.default
    if kernel.name == "attention":
        return  # its program's tiles need not be the kernel's
    for stages in range(1, 10):
        asked = dict.fromkeys(table, stages)
        assert refuses(partial(check_program, kernel.name, asked)) == refuses(partial(kernel.check, asked))


def refuses(check: Callable[[], object]) -> bool:
    try:
        check()
    except (ProgramError, SourceError):
        return True
    return False


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_laid_out_as_it_is_has_the_defaults_of_its_table(name: str) -> None:
    assert PROGRAMS[name].lay_out() == find_program(name)
    defaults = {parameter.name: parameter.default for parameter in parameters_of(name)}
    assert check_program(name) == defaults
    assert find_program(name, defaults) == find_program(name)
    assert parameter_words(name, defaults) == []


def test_words_set_what_differs_from_the_programs_own() -> None:
    assert parameter_words("gemm", {"stages": 3}) == ["--stages", "3"]
    assert parameter_words("lesson", {"stages": 3, "arrive_per_warp": True}) == ["--arrive-per-warp"]
    assert parameter_words("attention", {"tile_rows": 64, "v_stages": 4}) == ["--tile", "64x64", "--v-stages", "4"]
    assert parameter_words("mine.py", {}) == []


def test_each_name_means_one_thing() -> None:
    """The command line has one option for it: with one title and one help, whichever program is chosen."""
    first = {parameter.name: parameter for parameter in all_parameters()}
    for program in PROGRAMS.values():
        for one in program.parameters:
            told = first[one.name]
            assert (one.title, one.help, one.unit, one.is_switch, one.ring) == (
                told.title,
                told.help,
                told.unit,
                told.is_switch,
                told.ring,
            )
