"""What the inspector says of every kind of focus, with the step each line leads to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hung_kernels import hung
from pane_testing import hand_history, two_cta_history
from stranger_traces import stranger

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.playback.focus import Focus
from visualizer.programs.registry import find_program
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import Ending
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.inspector.about import Section
from visualizer.views.inspector.inspector_model import inspect, inspector_rows, run_text

HISTORY = hand_history()


def sections(focus: Focus, history: History = HISTORY, report: Report | None = None) -> dict[str, Section]:
    """By the first word of its title; the slice is "step"."""
    found = inspect(history, focus, report, inspector_rows(history, report))
    return {section.title.split()[0]: section for section in found}


def lines(section: Section) -> list[tuple[str, str, int | None]]:
    """Each with the step it leads to."""
    return [(line.label, line.text, line.focus.step if line.focus else None) for line in section.lines]


def test_a_wait_is_told_with_what_released_it_and_what_that_was_made_of() -> None:
    told = sections(Focus(34))["step"]
    assert told.text.startswith("producer passes its wait on empty[0]")
    assert lines(told) == [
        ("lasts", "170 ns, steps 17 to 34", 17),
        ("caused by", "consumer.w2 phase_complete, step 32", 32),
        ("made up of", "consumer.w1 arrive, step 27", 27),
        ("", "consumer.w2 arrive, step 31", 31),
        ("caused", "nothing else in this recording", None),
    ]
    assert lines(sections(Focus(17))["step"])[1] == ("caused by", "consumer.w2 phase_complete, step 32", 32)


def test_an_arrival_is_told_with_whom_it_woke() -> None:
    told = lines(sections(Focus(31))["step"])
    assert ("caused", "consumer.w2 phase_complete, step 32", 32) in told
    assert ("", "producer wait_end, step 34", 34) in told


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (6, "nothing: no phase of that parity had completed, and the wait passes at once"),
        (0, "nothing that was recorded: it is its agent's first event"),
        (26, "its agent's own course: consumer.w1 read_begin, step 24"),
        (29, "nothing: the wait does not end in this recording"),
    ],
)
def test_where_no_cause_is_known_it_says_why(step: int, why: str) -> None:
    (text,) = [line.text for line in sections(Focus(step))["step"].lines if line.label == "caused by"]
    assert text == why


def test_a_barrier_is_told_by_what_has_arrived() -> None:
    told = sections(Focus(28, "empty[0]"))["Barrier"]
    assert told.title == "Barrier empty[0]"
    assert lines(told) == [
        ("phase", "#0 (parity 0)", None),
        ("arrived", "32/64", None),
        ("by", "consumer.w1 arrive, step 27", 27),
        ("waits", "producer, parity 0", 17),
        ("last flip", "none yet", None),
        ("next flip", "consumer.w2 phase_complete, step 32", 32),
    ]


def test_bytes_are_told_by_what_has_landed() -> None:
    told = lines(sections(Focus(18, "full[0]"))["Barrier"])
    assert ("landed", "4/16 KiB", None) in told
    assert ("landed", "0/16 KiB", None) in lines(sections(Focus(17, "full[0]"))["Barrier"])


def test_the_last_flip_is_the_one_at_the_focus() -> None:
    told = lines(sections(Focus(32, "empty[0]"))["Barrier"])
    assert ("last flip", "consumer.w2 phase_complete, step 32", 32) in told
    assert ("next flip", "none in this recording", None) in told


def test_a_barrier_that_is_not_there_yet_says_so() -> None:
    told = sections(Focus(0, "empty[1]"))["Barrier"]
    assert told.text == "Not initialised here, so it counts nothing."
    assert lines(told) == [("next", "producer init, step 3", 3)]


def test_a_buffer_and_its_barriers() -> None:
    told = sections(Focus(12, "stage[0]"))["Buffer"]
    assert told.title == "Buffer stage[0]"
    assert lines(told) == [
        ("holds", "filling, tile 0", None),
        ("since", "producer copy_issue, step 10", 10),
        ("until", "tma phase_complete, step 20", 20),
        ("guarded by", "full[0], arrived 1/1", 12),
        ("", "empty[0], arrived 0/64", 12),
    ]


def test_of_many_barriers_of_a_stage_the_first_full_and_empty_ones_are_listed() -> None:
    trace = HISTORY.trace
    full, empty = (next(one for one in trace.barriers if one.name == name) for name in ("full[0]", "empty[0]"))
    more = [replace(one, name=f"{one.kind}{n}") for one in (full, empty) for n in range(10)]
    crowd = History(replace(trace, barriers=(*trace.barriers, *more)))
    told = lines(sections(Focus(12, "stage[0]"), crowd)["Buffer"])
    guards = [text for label, text, _ in told if label in ("guarded by", "")]
    assert len(guards) == 13
    assert sum(text.startswith("empty") for text in guards) == 6
    assert guards[-1] == "and 10 more"


def test_an_agent_is_told_with_its_cursor_in_words() -> None:
    told = sections(Focus(30, "producer"))["Agent"]
    assert lines(told) == [
        ("does", "waiting on empty[0]", 17),
        ("line", "kernels/async_pipeline.cu:4 producer_acquire", None),
        ("cursor", "stage 0, phase 0, tile 2", None),
        ("next", "producer wait_end, step 34", 34),
    ]


def test_what_is_not_known_is_said() -> None:
    found = sections(Focus(26))
    assert found["Barrier"].text == "What is focused is about no mbarrier."
    assert found["Finding"].text == "This recording was not diagnosed."
    assert sections(Focus(4))["Buffer"].text == "What is focused concerns no stage of a ring."


def test_a_finding_that_is_at_the_focus_comes_first() -> None:
    program = find_program("baseline", None, "F06")
    history = History(simulate(program))
    report = diagnose(history, program)
    found = inspect(history, Focus(report.findings[0].step or 0, "P"), report, inspector_rows(history, report))
    assert found[0].alarm
    assert found[0].title == "✖ STARVED  P blocked on empty[0], tile 0"
    assert "phase 1" in found[0].text
    away = inspect(history, Focus(0, "full[1]"), report, inspector_rows(history, report))
    assert away[0].title.startswith("step 0")


def test_a_sound_recording_says_that_nothing_is_wrong(lesson_history: History) -> None:
    report = diagnose(lesson_history)
    told = sections(Focus(100), lesson_history, report)["Finding"]
    assert (told.text, told.alarm) == ("Nothing is wrong with this recording.", False)


def test_what_was_not_judged_is_not_called_sound(lesson_history: History) -> None:
    report = replace(diagnose(lesson_history), not_judged=("Whether a buffer is read too early: nobody knows.",))
    told = sections(Focus(100), lesson_history, report)["Finding"]
    assert told.text == "Nothing is wrong in what was judged of this recording."


def test_a_wait_without_end_lasts_to_the_end_though_its_warps_other_lanes_left() -> None:
    history = History(hung("gemm", "F01", as_logged=True))
    waits = history.waits
    exits = set(history.trace.events["agent"][history.kinds == EventKind.EXIT].tolist())
    row = next(row for row in range(len(waits)) if waits.over[row] < 0 and int(waits.agent[row]) in exits)
    step, agent = int(waits.begin[row]), history.trace.agents[int(waits.agent[row])].name
    took = [line.text for part in inspect(history, Focus(step, agent), None, ()) for line in part.lines]
    assert f"to the end of the recording; it began at step {step}" in took


def test_every_step_of_every_lane_can_be_inspected() -> None:
    history = two_cta_history()
    lanes = [*history.trace.agent_index, *history.trace.barrier_index, "CTA0.stage[1]", "CTA1.stage[0]", "CTA1", None]
    for step in range(0, history.steps, 3):
        for lane in lanes:
            assert len(inspect(history, Focus(step, lane), None, ())) == 5


def test_of_a_stranger_it_says_what_is_unknown() -> None:
    history = History(stranger())
    found = sections(Focus(history.steps // 2), history)
    assert all(section.text or section.lines for section in found.values())


def test_how_a_run_ended_is_told() -> None:
    assert run_text(HISTORY) == ""
    assert "deadlock" in run_text(hand_history(ending=Ending("deadlock", "for ever")))
