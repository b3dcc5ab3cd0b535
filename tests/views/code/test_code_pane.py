"""The code pane: who is on which line, clicks on lines, following the focus."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pane_testing import KERNEL, SOURCE, hand_history, hand_trace, requested, two_cta_history
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from visualizer.diagnosis.source_lines import users_frame
from visualizer.playback.focus import Focus
from visualizer.recording.tables import Frame, Site
from visualizer.replay.history import History
from visualizer.views.code.code_model import (
    Chip,
    CodeMarks,
    code_marks,
    lines_with_sites,
    next_step_at_line,
    source_names,
)
from visualizer.views.code.code_widget import CodeWidget
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme


def test_golden_marks() -> None:
    assert code_marks(hand_history(), 25, KERNEL) == CodeMarks(
        file=KERNEL,
        focused_line=7,
        chips={4: (Chip("producer", "P"),), 7: (Chip("consumer", "w1 w2"),)},
    )


def test_an_event_without_a_site_keeps_the_file_and_focuses_no_line() -> None:
    marks = code_marks(hand_history(), 20, KERNEL)
    assert (marks.file, marks.focused_line) == (KERNEL, 0)
    assert marks.chips[6] == (Chip("consumer", "w1 w2"),)


def test_only_agents_of_the_focused_cta() -> None:
    assert code_marks(two_cta_history(), 38 + 5, KERNEL).chips == {4: (Chip("producer", "P"),)}


@pytest.mark.parametrize(("line", "step", "expected"), [(5, 0, 10), (5, 10, 15), (5, 15, 10), (2, 0, None)])
def test_next_step_at_a_line_wraps(line: int, step: int, expected: int | None) -> None:
    assert next_step_at_line(hand_trace(), KERNEL, line, step) == expected


def test_files_with_sites_come_first() -> None:
    trace = replace(hand_trace(), source_files={"a.cuh": "", KERNEL: SOURCE})
    assert source_names(trace) == [KERNEL, "a.cuh"]


@pytest.fixture
def pane(qtbot: QtBot) -> CodeWidget:
    widget = CodeWidget()
    qtbot.addWidget(widget)
    widget.resize(620, 320)
    widget.set_theme(load_theme("dark"))
    widget.set_history(hand_history())
    widget.set_focus(Focus(10, None))
    return widget


def place_of_line(pane: CodeWidget, line: int):
    cursor = QTextCursor(pane.view.document().findBlockByNumber(line - 1))
    return pane.view.cursorRect(cursor).center()


def test_is_a_pane(pane: CodeWidget) -> None:
    assert isinstance(pane, Pane)


def test_shows_the_source_and_the_focused_line(pane: CodeWidget) -> None:
    assert pane.view.toPlainText() == SOURCE
    assert pane.view.isReadOnly()
    assert pane.view.marks.focused_line == 5
    assert pane.view.textCursor().blockNumber() + 1 == 5


def test_click_on_a_line_goes_to_its_next_event(qtbot: QtBot, pane: CodeWidget) -> None:
    wishes = requested(pane)
    qtbot.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=place_of_line(pane, 8))
    assert wishes == [Focus(27, "consumer.w1")]


def test_click_on_a_line_without_events_asks_for_nothing(qtbot: QtBot, pane: CodeWidget) -> None:
    wishes = requested(pane)
    qtbot.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=place_of_line(pane, 1))
    assert wishes == []


def test_return_on_a_line_goes_to_its_next_event(qtbot: QtBot, pane: CodeWidget) -> None:
    wishes = requested(pane)
    qtbot.keyClick(pane.view, Qt.Key.Key_Return)
    assert wishes == [Focus(15, "producer")]


def test_marked_lines_have_a_background(pane: CodeWidget) -> None:
    pane.set_focus(Focus(25, None))
    lines = [selection.cursor.blockNumber() + 1 for selection in pane.view.extraSelections()]
    assert lines == [4, 7]


def test_the_focused_line_is_scrolled_into_view(qtbot: QtBot) -> None:
    trace = hand_trace()
    shift = 300
    sites = tuple(Site(site.file, site.line + shift, site.op) for site in trace.sites)
    far = replace(trace, sites=sites, source_files={KERNEL: "\n" * shift + SOURCE})
    pane = CodeWidget()
    qtbot.addWidget(pane)
    pane.resize(500, 260)
    pane.set_history(History(far))
    pane.set_focus(Focus(10, None))
    assert pane.view.viewport().rect().contains(place_of_line(pane, 5 + shift))


def test_follows_the_event_into_another_file(qtbot: QtBot, pane: CodeWidget) -> None:
    trace = hand_trace()
    sites = (*trace.sites[:2], Site("other.cuh", 1, "copy"), *trace.sites[3:])
    pane.set_history(History(replace(trace, sites=sites, source_files={KERNEL: SOURCE, "other.cuh": "copy();\n"})))
    pane.set_focus(Focus(5, None))
    assert pane.files.currentText() == KERNEL
    pane.set_focus(Focus(10, None))
    assert pane.files.currentText() == "other.cuh"
    assert pane.view.toPlainText() == "copy();\n"
    assert pane.view.marks.focused_line == 1


def test_chips_are_painted_in_the_margin(pane: CodeWidget) -> None:
    """The producer's chip shows in the margin at line 5, and goes when the producer does."""
    pane.set_focus(Focus(10, None))
    with_chip = pane.grab().toImage()
    pane.set_focus(Focus(17, None))
    without = pane.grab().toImage()
    y = pane.view.viewport().mapTo(pane, place_of_line(pane, 5)).y()
    fill = load_theme("dark").producer.fill
    colours = {with_chip.pixelColor(x, y).name() for x in range(60)}
    assert fill in colours
    assert fill not in {without.pixelColor(x, y).name() for x in range(60)}


STACK = (
    Frame("/opt/include/cutlass/arch/barrier.h", 399, "cutlass::arch::ClusterBarrier::wait(unsigned int) const"),
    Frame("/opt/include/cutlass/pipeline/sm90_pipeline.hpp", 2, "cutlass::PipelineTmaAsync<7>::producer_acquire()"),
    Frame("src/kernel.cu", 3, "void load<float, 3>(float*)"),
    Frame("src/kernel.cu", 1, "kernel(float*)"),
)
TEXTS = {
    "/opt/include/cutlass/pipeline/sm90_pipeline.hpp": "acquire()\n  wait();\n",
    "src/kernel.cu": "kernel()\n{}\nload();\n",
}


def _inlined(stack: tuple[Frame, ...], texts: dict[str, str]) -> History:
    """A recording all of whose sites are inlined in the same way."""
    trace = hand_trace()
    sites = tuple(Site(stack[0].file, stack[0].line, site.op, stack) for site in trace.sites)
    return History(replace(trace, sites=sites, source_files=texts))


def test_the_users_own_frame_is_shown() -> None:
    marks = code_marks(_inlined(STACK, TEXTS), 10, "")
    assert (marks.file, marks.focused_line) == ("src/kernel.cu", 3)
    assert list(marks.chips) == [3]


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        (["/opt/include/cutlass/gemm/load.hpp", "/opt/include/cutlass/device_kernel.h"], 2),
        ([], 0),
        (["/usr/include/c++/11/bits/a.h", "kernel.cu"], 3),
    ],
)
def test_whose_frame_is_the_users(files: list[str], shown: int) -> None:
    stack = (*STACK[:2], *(Frame(file, 1, "f") for file in files))
    history = _inlined(stack, {})
    assert users_frame(history.trace, history.trace.sites[0]) == shown


def test_without_its_text_another_frame_is_shown() -> None:
    marks = code_marks(_inlined(STACK, {STACK[1].file: "acquire()\n"}), 10, "")
    assert (marks.file, marks.focused_line) == (STACK[1].file, 2)


def test_the_stack_is_walked(qtbot: QtBot, pane: CodeWidget) -> None:
    assert not pane.frames.isVisibleTo(pane)
    pane.set_history(_inlined(STACK, TEXTS))
    pane.set_focus(Focus(10, None))
    assert pane.frames.isVisibleTo(pane)
    assert [pane.frames.itemText(row) for row in range(4)] == [
        "ClusterBarrier::wait  barrier.h:399",
        "PipelineTmaAsync::producer_acquire  sm90_pipeline.hpp:2",
        "load  kernel.cu:3",
        "kernel  kernel.cu:1",
    ]
    assert (pane.frames.currentIndex(), pane.files.currentText(), pane.view.marks.focused_line) == (
        2,
        "src/kernel.cu",
        3,
    )
    qtbot.keyClick(pane.frames, Qt.Key.Key_Down)
    assert pane.view.marks.focused_line == 1
    pane.frames.setCurrentIndex(1)
    pane.frames.activated.emit(1)
    assert pane.files.currentText() == STACK[1].file
    assert pane.view.marks.focused_line == 2
    pane.frames.setCurrentIndex(0)
    pane.frames.activated.emit(0)
    assert pane.view.marks.focused_line == 0  # of the innermost there is no text here
    pane.set_focus(Focus(15, None))
    assert (pane.files.currentText(), pane.view.marks.focused_line) == ("src/kernel.cu", 3)


def test_a_click_on_a_caller_goes_to_its_next_event(pane: CodeWidget) -> None:
    history = _inlined(STACK, TEXTS)
    assert next_step_at_line(history.trace, "src/kernel.cu", 1, 9) == 10
    assert lines_with_sites(history.trace, "src/kernel.cu") == {1, 3}


def test_without_lines_the_ptx_is_the_source(pane: CodeWidget) -> None:
    trace = hand_trace()
    sites = tuple(Site("gemm.ptx", site.line, site.op) for site in trace.sites)
    pane.set_history(History(replace(trace, sites=sites, source_files={"gemm.ptx": SOURCE})))
    pane.set_focus(Focus(10, None))
    assert pane.files.currentText() == "gemm.ptx"
    assert pane.view.marks.focused_line == 5
    assert not pane.frames.isVisibleTo(pane)


def test_no_recording_no_source(pane: CodeWidget) -> None:
    pane.set_history(None)
    pane.set_focus(Focus(0, None))
    assert pane.view.toPlainText() == ""


def test_comments_keywords_and_strings_are_coloured(pane: CodeWidget) -> None:
    theme = load_theme("dark")
    document = pane.view.document()
    text = '/* two\nlines */ int x = 0x10; // end "no string"\nconst char* s = "text";'
    pane.set_history(History(replace(hand_trace(), source_files={KERNEL: text})))

    def colours(block: int) -> list[tuple[int, int, str]]:
        formats = document.findBlockByNumber(block).layout().formats()
        return [(f.start, f.length, f.format.foreground().color().name()) for f in formats]

    assert colours(0) == [(0, 6, theme.code_comment)]
    assert colours(1) == [
        (0, 8, theme.code_comment),
        (9, 3, theme.code_keyword),
        (17, 4, theme.code_number),
        (23, 18, theme.code_comment),
    ]
    assert colours(2)[-1] == (16, 6, theme.code_string)


def test_a_source_that_is_not_there_is_named(pane: CodeWidget) -> None:
    pane.set_history(History(replace(hand_trace(), source_files={})))
    pane.set_focus(Focus(10, None))
    site = hand_trace().sites[int(hand_trace().events["site"][10])]
    assert f"{site.op} at {site.file}:{site.line}" in pane.view.placeholderText()
    pane.set_focus(Focus(20, None))
    assert pane.view.placeholderText().endswith("no line of one for what is in focus.")
