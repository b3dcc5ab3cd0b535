"""The Predict pane: what its model says, its knobs, and Verify with its progress."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from statistics_facts import history_of, prediction_of
from two_ring_traces import two_rings

from visualizer.diagnosis.predict.verify import Verification
from visualizer.replay.history import History
from visualizer.views.look.theme import load_theme
from visualizer.views.statistics.predict_model import points, remarks, summary
from visualizer.views.statistics.predict_widget import PredictWidget


@pytest.fixture(scope="module")
def history() -> History:
    return history_of()


@pytest.fixture
def pane(qtbot: QtBot) -> PredictWidget:
    pane = PredictWidget()
    qtbot.addWidget(pane)
    pane.resize(480, 500)
    pane.show()
    return pane


def _measured(note: str = "") -> Verification:
    return Verification("gpu", "NVIDIA H200", 64, {1: 2_000_000.0, 3: 1_700_000.0}, note)


def test_what_was_simulated_is_not_called_measured(pane: PredictWidget, history: History) -> None:
    pane.set_history(history)
    pane.show_prediction(prediction_of(history), "")
    pane.show_verification(replace(_measured(), source="simulator", machine="simulator"))
    said = f"{pane.remarks.text()} {pane.chart.accessibleDescription()}"
    assert "Simulated: 64 tiles" in said
    assert "2000 ns simulated (" in said
    assert "measured" not in said.lower()


def test_points_carry_the_knee_the_recorded_count_and_what_was_measured(history: History) -> None:
    prediction = prediction_of(history)
    shown = {point.stages: point for point in points(prediction, _measured())}
    assert [stages for stages, point in shown.items() if point.is_knee] == [prediction.knee]
    assert [stages for stages, point in shown.items() if point.is_recorded] == [3]
    assert (shown[1].measured, shown[2].measured) == (2_000_000.0, None)
    assert "2000 ns measured (" in shown[1].text
    changed = prediction_of(history, consumer_delay_ns=900)
    assert not any(point.is_recorded for point in points(changed, None))


def test_the_summary_names_the_knee_and_what_was_recorded(history: History) -> None:
    prediction = prediction_of(history)
    assert summary(prediction).startswith(f"{prediction.knee} stages are enough")
    assert "recorded with 3 stages" in summary(prediction)
    assert summary(prediction_of(history, stages=[1])).startswith("1 stage is enough")
    assert "recorded with 1 stage:" in summary(prediction_of(history_of(stages=1)))


def test_remarks_say_where_it_was_measured(history: History) -> None:
    said = remarks(prediction_of(history), _measured("Another machine."))
    assert said[0].startswith("Measured: NVIDIA H200, 64 tiles")
    assert said[-1] == "Another machine."


def test_the_knobs_ask_for_another_prediction(pane: PredictWidget, history: History) -> None:
    asked: list[tuple[object, ...]] = []
    pane.asked.connect(lambda *question: asked.append(question))
    pane.set_history(history)
    pane.delay.setValue(700)
    pane.copy_time.setValue(1500)
    assert asked == [(history, None, None, None), (history, 700, None, None), (history, 700, 1500, None)]
    pane.set_history(history)
    assert asked[-1] == (history, None, None, None)
    assert len(asked) == 4


def test_verify_becomes_cancel_while_it_runs(pane: PredictWidget, history: History, qtbot: QtBot) -> None:
    pane.set_history(history)
    assert not pane.verify_button.isEnabled()
    pane.show_prediction(prediction_of(history), "")
    with qtbot.waitSignal(pane.verify_requested):
        qtbot.mouseClick(pane.verify_button, Qt.MouseButton.LeftButton)
    pane.set_busy(True)
    pane.show_progress(0.5, "running 4 of 8 stage counts")
    assert pane.progress.value() == 500
    assert pane.stage_of_work.text() == "running 4 of 8 stage counts"
    with qtbot.waitSignal(pane.cancel_requested):
        qtbot.mouseClick(pane.verify_button, Qt.MouseButton.LeftButton)
    pane.set_busy(False)
    assert not pane.progress.isVisible()
    pane.show_verification(_measured())
    assert "Measured: NVIDIA H200" in pane.remarks.text()


def test_what_cannot_be_verified_says_why(pane: PredictWidget, history: History) -> None:
    pane.set_history(history)
    pane.show_prediction(prediction_of(history), "Another copy time cannot be verified.")
    assert not pane.verify_button.isEnabled()
    assert "Another copy time cannot be verified." in pane.remarks.text()
    pane.show_problem("Only 1 tile is recorded.")
    assert pane.summary.text() == "Only 1 tile is recorded."
    assert not pane.chart.isVisible()


def test_without_a_recording_it_says_what_to_do(pane: PredictWidget) -> None:
    pane.set_history(None)
    assert "Open or run a recording" in pane.summary.text()
    assert not pane.delay.isEnabled()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_chart_marks_the_knee_and_the_measurements(pane: PredictWidget, history: History, theme: str) -> None:
    colours = load_theme(theme)
    pane.set_theme(colours)
    pane.set_history(history)
    pane.show_prediction(prediction_of(history), "")

    def seen() -> set[str]:
        image = pane.chart.grab().toImage()
        return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}

    assert {colours.full.fill, colours.filling.fill} <= seen()
    assert colours.accent not in seen()
    pane.show_verification(_measured())
    assert colours.accent in seen()
    assert "knee" in pane.chart.accessibleDescription()


def test_of_several_rings_one_is_chosen(pane: PredictWidget, history: History) -> None:
    asked: list[tuple[object, ...]] = []
    pane.asked.connect(lambda *question: asked.append(question))
    pane.set_history(history)
    assert not pane.ring.isVisible()
    rings = History(two_rings())
    pane.set_history(rings)
    assert pane.ring.isVisible()
    assert [pane.ring.itemText(row) for row in range(pane.ring.count())] == ["K", "V"]
    pane.ring.setCurrentIndex(1)
    pane.ring.activated.emit(1)
    assert asked[1:] == [(rings, None, None, "K"), (rings, None, None, "V")]
    pane.set_history(history)
    assert asked[-1] == (history, None, None, None)
