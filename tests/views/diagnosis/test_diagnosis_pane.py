"""The diagnosis pane: clicks on findings, links and boxes ask for their focus; timeline and ring show it too."""

from __future__ import annotations

import pytest
from pane_testing import hand_history, requested
from PySide6.QtCore import QPoint, Qt, QUrl
from pytestqt.qtbot import QtBot
from two_ctas_hang import two_ctas_hang

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.playback.focus import Focus
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.diagnosis import chain_widget
from visualizer.views.diagnosis.chain_model import Chain
from visualizer.views.diagnosis.diagnosis_widget import DiagnosisWidget
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme
from visualizer.views.ring.ring_model import ring
from visualizer.views.ring.ring_widget import RingWidget
from visualizer.views.timeline.timeline_widget import TimelineWidget


@pytest.fixture(scope="module")
def stuck() -> tuple[History, Report]:
    program = find_program("lesson", None, "F20")
    history = History(simulate(program))
    return history, diagnose(history, program)


@pytest.fixture
def pane(qtbot: QtBot, stuck: tuple[History, Report]) -> DiagnosisWidget:
    widget = DiagnosisWidget()
    qtbot.addWidget(widget)
    widget.resize(460, 300)
    widget.set_report(stuck[1])
    widget.set_history(stuck[0])
    widget.show()
    return widget


def _click(qtbot: QtBot, pane: DiagnosisWidget, row: int) -> None:
    centre = pane.findings.visualItemRect(pane.findings.item(row)).center()
    qtbot.mouseClick(pane.findings.viewport(), Qt.MouseButton.LeftButton, pos=centre)


def test_is_a_pane(pane: DiagnosisWidget) -> None:
    assert isinstance(pane, Pane)


def test_a_click_on_a_finding_leads_to_its_step_and_lane(
    qtbot: QtBot, pane: DiagnosisWidget, stuck: tuple[History, Report]
) -> None:
    wishes = requested(pane)
    _click(qtbot, pane, 1)
    finding = stuck[1].every[1]
    assert wishes == [Focus(finding.step, finding.agent)]
    assert finding.cause in pane.details.toPlainText()


def test_return_does_what_a_click_does(qtbot: QtBot, pane: DiagnosisWidget, stuck: tuple[History, Report]) -> None:
    wishes = requested(pane)
    qtbot.keyClick(pane.findings, Qt.Key.Key_Down)
    assert wishes == []  # moving is not choosing
    qtbot.keyClick(pane.findings, Qt.Key.Key_Return)
    assert wishes == [Focus(stuck[1].every[1].step, stuck[1].every[1].agent)]


def test_the_first_divergence_is_a_link(pane: DiagnosisWidget, stuck: tuple[History, Report]) -> None:
    wishes = requested(pane)
    text = pane.details.toHtml()
    labels = [line.label for line in pane._rows[0].lines if line.leads]
    number = labels.index("first divergence")
    assert f'href="{number}"' in text
    pane.details.anchorClicked.emit(QUrl(str(number)))
    assert [wish.step for wish in wishes] == [stuck[1].findings[0].first_divergence]


def test_keys_go_along_the_boxes_of_the_chain(qtbot: QtBot, pane: DiagnosisWidget) -> None:
    wishes = requested(pane)
    places = [node.focus for node in pane.chain._chain.nodes if node.focus is not None]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(pane.chain, key)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Return):
        qtbot.keyClick(pane.chain, key)
    assert wishes == [places[0], places[1 % len(places)], places[-1]]


def test_a_click_on_a_box_of_the_chain_leads_there(qtbot: QtBot, pane: DiagnosisWidget) -> None:
    wishes = requested(pane)
    nodes, boxes = pane.chain._chain.nodes, pane.chain.boxes()
    assert nodes[1].kind == "barrier"
    middle = boxes[1].center()
    qtbot.mouseClick(pane.chain, Qt.MouseButton.LeftButton, pos=QPoint(round(middle.x()), round(middle.y())))
    assert wishes == [nodes[1].focus]
    assert pane.chain.accessibleDescription().startswith("producer waits for empty[1]")


def test_going_back_selects_the_finding_again(pane: DiagnosisWidget, stuck: tuple[History, Report]) -> None:
    for number in (1, 0):
        finding = stuck[1].every[number]
        assert finding.step is not None
        pane.set_focus(Focus(finding.step, finding.agent))
        assert pane.findings.currentRow() == number


def test_a_clean_run_says_so(pane: DiagnosisWidget) -> None:
    pane.set_report(Report("completed", 0, ()))
    pane.set_history(hand_history())
    pane.set_focus(Focus(0))
    assert pane.headline.text().startswith("Completed: no findings.")
    assert not pane.findings.isVisible()
    assert not pane.details.isVisible()


def test_all_that_was_not_judged_is_in_the_tool_tip(pane: DiagnosisWidget) -> None:
    lines = tuple(f"Whether rule {number}: no ring is known." for number in range(6))
    pane.set_report(Report("completed", 0, (), not_judged=lines))
    pane.set_history(hand_history())
    assert all(line in pane.headline.toolTip() for line in lines)
    pane.set_report(Report("completed", 0, ()))
    pane.set_history(hand_history())
    assert pane.headline.toolTip() == ""


def test_without_a_recording_or_a_report_it_says_so(pane: DiagnosisWidget) -> None:
    pane.set_report(None)
    pane.set_history(hand_history())
    assert pane.headline.text() == "This recording was not diagnosed."
    pane.set_history(None)
    assert pane.headline.text() == "Open or run a recording to have it diagnosed."


@pytest.mark.parametrize("name", ["dark", "light"])
def test_the_root_stands_out_in_both_themes(pane: DiagnosisWidget, name: str) -> None:
    theme = load_theme(name)
    pane.set_theme(theme)
    picture = pane.chain.grab().toImage()
    boxes = pane.chain.boxes()
    right = [QPoint(round(box.right() - 8), round(box.center().y())) for box in boxes[:2]]
    assert picture.pixelColor(right[0]).name() == theme.waiting.fill
    assert picture.pixelColor(right[1]).name() == theme.header


def test_the_ring_says_who_owes_the_arrivals(qtbot: QtBot, stuck: tuple[History, Report]) -> None:
    history, report = stuck
    shown = ring(history, history.steps - 1, report)
    owed = {barrier.name: barrier.owed for stage in shown.stages for barrier in stage.barriers if barrier.owed}
    assert owed == {"full[1]": "owed by producer", "empty[1]": "owed by w1"}
    begin = report.findings[0].step
    assert begin is not None
    assert "owed by w1 w2 w3" in ring(history, begin, report).summary()  # w2 and w3 arrive later
    assert "owed" not in ring(history, begin - 1, report).summary()
    widget = RingWidget()
    qtbot.addWidget(widget)
    widget.resize(500, 420)
    widget.set_report(report)
    widget.set_history(history)
    widget.set_focus(Focus(history.steps - 1))
    assert [hit.help for hit in widget.hits() if hit.lane == "empty[1]"] == [
        "empty[1]: phase #0 (parity 0), arrived 64/96; pending 32, tx 0 bytes; owed by w1"
    ]
    assert "owed by w1" in widget.accessibleDescription()


def test_the_timeline_marks_the_first_divergence(qtbot: QtBot, stuck: tuple[History, Report]) -> None:
    history, report = stuck
    fill = load_theme("dark").error.fill
    widget = TimelineWidget()
    qtbot.addWidget(widget)
    widget.resize(900, 500)

    def flags() -> int:
        """Pixels of the flag in the ruler."""
        widget.set_history(history)
        widget.set_focus(Focus(0))
        strip = widget.grab().toImage()
        height = round(widget.fontMetrics().height() * 1.5)
        return sum(strip.pixelColor(x, height).name() == fill for x in range(strip.width()))

    assert flags() == 0
    widget.set_report(report)
    assert flags() > 20


def test_who_is_folded_away_is_found_by_its_focus(pane: DiagnosisWidget) -> None:
    history, report = two_ctas_hang()
    pane.set_report(report)
    pane.set_history(history)
    pane.findings.setCurrentRow(1)
    other = report.findings[1]
    assert other.step is not None
    pane.set_focus(Focus(other.step, other.agent or ""))
    assert pane.findings.currentRow() == 0
    assert pane.findings.count() == 2
    assert report.findings[0].cause in pane.details.toPlainText()


def test_a_chain_is_measured_once_for_each_font(pane: DiagnosisWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts ask for its size dozens of times, and every move of the mouse for its boxes."""
    measured: list[object] = []
    measure = chain_widget._Sizes
    monkeypatch.setattr(
        chain_widget, "_Sizes", lambda *given, **more: measured.append(given) or measure(*given, **more)
    )
    before = pane.chain.boxes()
    measured.clear()
    assert pane.chain.boxes() == before
    assert not measured
    font = pane.chain.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    pane.chain.setFont(font)
    assert pane.chain.boxes() != before
    pane.chain.set_chain(Chain())
    assert pane.chain.boxes() == []
