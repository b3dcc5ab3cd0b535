"""What if: each change is refused with a reason or makes a valid program, and the answer says what it changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visualizer.programs.errors import ProgramError
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import PARAMETERS, LessonConfig
from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.sources.errors import Cancelled
from visualizer.sources.explorer.what_if import SCHEDULES, WHAT_IFS, ask, schedules_for

BY_NAME = {what_if.name: what_if for what_if in WHAT_IFS}
_STAGES = next(parameter for parameter in PARAMETERS if parameter.name == "stages")


@pytest.mark.parametrize(
    ("fault", "name", "before", "after"),
    [
        (None, "more-stages", "100 of 100 schedules clean", "With one more stage: 100 of 100 schedules clean"),
        (None, "empty-init", "100 of 100 schedules clean", "With empty.init + 1: 100 of 100 schedules with a deadlock"),
        (
            "F01",
            "more-stages",
            "schedules with a deadlock",
            "With one more stage: 100 of 100 schedules with a deadlock",
        ),
        ("F03", "full-init", "schedules with a deadlock", "With full.init 1: 100 of 100 schedules clean"),
        ("F06", "producer-phase", "schedules with a deadlock", "start phase flipped: 100 of 100 schedules clean"),
        (None, "release-later", "100 of 100 schedules clean", "one tile later: 100 of 100 schedules clean"),
        (
            "F24",
            "more-stages",
            "schedules with a deadlock",
            "With one more stage: 100 of 100 schedules with a deadlock",
        ),
        (None, "full-init", "100 of 100 schedules clean", "Nothing changes with full.init 1: it is so already"),
    ],
)
def test_the_answer_says_how_it_ends_now_and_then(fault: str | None, name: str, before: str, after: str) -> None:
    sentence = ask(BY_NAME[name], "lesson", {}, fault).sentence
    assert sentence.startswith("As it is: ")
    assert before in sentence
    assert after in sentence


def test_the_only_stage_cannot_be_released_later() -> None:
    answer = ask(BY_NAME["release-later"], "lesson", {"stages": 1}, None)
    assert answer.after is not None
    assert not answer.after.is_clean


def test_the_baseline_is_mended_by_the_count_that_its_fault_lowered() -> None:
    answer = ask(BY_NAME["empty-init"], "baseline", {}, "F02")
    assert not answer.before.is_clean
    assert answer.after is not None
    assert answer.after.is_clean


@pytest.mark.parametrize("program", ["baseline", "attention", "mine.py"])
def test_stages_are_changed_of_programs_that_count_them_in_one_parameter(program: str) -> None:
    refusal = "this program has no parameter that counts the stages of its only ring"
    assert BY_NAME["more-stages"].refusal(program, {}) == refusal
    with pytest.raises(ProgramError, match=refusal):
        ask(BY_NAME["more-stages"], "baseline", {})


def test_a_stage_fewer_of_a_kernel_is_explored_and_one_more_has_no_room() -> None:
    answer = ask(BY_NAME["fewer-stages"], "gemm", {})
    assert answer.before.is_clean
    assert answer.after is not None
    assert answer.after.is_clean
    assert "--stages 5: gemm needs 279552 bytes" in BY_NAME["more-stages"].refusal("gemm", {})
    assert BY_NAME["fewer-stages"].refusal("gemm", {"stages": 2}) == "--stages is 1; it must be 2..8"


def test_a_share_of_both_deadlock_and_race_is_told() -> None:
    answer = ask(BY_NAME["more-stages"], "lesson", {}, "F02")
    assert "clean" in answer.sentence
    assert "with a deadlock" in answer.sentence
    assert "with a race" in answer.sentence


def test_a_long_lesson_is_explored_in_part_and_says_so() -> None:
    answer = ask(BY_NAME["more-stages"], "lesson", {"tiles": 10_000_000, "ctas": 132, "consumer_warps": 15})
    assert answer.sentence.endswith("(Explored: one CTA, 24 tiles.)")
    assert answer.before.schedules < SCHEDULES
    assert schedules_for(lesson(LessonConfig())) == SCHEDULES


def test_a_count_that_no_barrier_takes_is_named() -> None:
    with pytest.raises(ProgramError, match="the most that an mbarrier counts"):
        ask(BY_NAME["empty-init"], "lesson", {"consumer_arrivals": MAX_COUNT})


def test_cancelling_stops_it() -> None:
    asked = iter([False] * 3)
    with pytest.raises(Cancelled):
        ask(BY_NAME["empty-init"], "lesson", {}, cancelled=lambda: next(asked, True))


@given(
    stages=st.integers(_STAGES.low, _STAGES.high),
    columns=st.sampled_from([64, 128, 256]),
    warps=st.integers(1, 15),
    phase=st.integers(0, 1),
    arrivals=st.sampled_from([0, 1, 96, MAX_COUNT - 1]),
)
@settings(max_examples=60, deadline=None)
def test_every_change_is_refused_or_makes_a_valid_program(
    stages: int, columns: int, warps: int, phase: int, arrivals: int
) -> None:
    try:
        config = LessonConfig(
            stages=stages,
            tiles=1,
            tile_columns=columns,
            consumer_warps=warps,
            producer_phase=phase,
            consumer_arrivals=arrivals,
        )
    except ProgramError:
        return
    program = lesson(config)
    for what_if in WHAT_IFS:
        refusal = what_if.refusal("lesson", config.as_dict())
        if what_if.more_stages:
            if refusal:
                assert "--stages" in refusal
            else:
                assert abs(what_if.changed("lesson", config.as_dict())["stages"] - stages) == 1
        else:
            assert not refusal
            assert what_if.change_program is not None
            changed = what_if.change_program(program)
            assert len(changed.agents) == len(program.agents)
            assert all(1 <= barrier.init_count <= MAX_COUNT for barrier in changed.barriers)
