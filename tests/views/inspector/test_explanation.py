"""The explanation pane: the sentence, where we are, and the banners for runs that did not end well."""

from __future__ import annotations

import pytest
from mid_run import mid_run
from pane_testing import LAST, hand_history
from pytestqt.qtbot import QtBot

from visualizer.diagnosis.explanations.explain import explain
from visualizer.playback.focus import Focus
from visualizer.recording.tables import Ending
from visualizer.views.inspector.explanation_model import lost_text
from visualizer.views.inspector.explanation_widget import ExplanationWidget
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme


@pytest.fixture
def pane(qtbot: QtBot) -> ExplanationWidget:
    widget = ExplanationWidget()
    qtbot.addWidget(widget)
    widget.resize(500, 260)
    widget.set_theme(load_theme("light"))
    widget.set_history(hand_history())
    return widget


def test_is_a_pane(pane: ExplanationWidget) -> None:
    assert isinstance(pane, Pane)


def test_every_step_is_explained_with_where_it_is(pane: ExplanationWidget) -> None:
    history = hand_history()
    for step in range(history.steps):
        pane.set_focus(Focus(step, None))
        assert pane.text.text() == explain(history, step)
        assert pane.heading.text().startswith(f"step {step} / {LAST}   ")
    assert pane.heading.text() == "step 37 / 37   0.370 µs   tma   copy_done"


def test_the_sentence_is_larger_than_the_panes_text_and_follows_its_font(pane: ExplanationWidget) -> None:
    pane.ensurePolished()
    pane.text.ensurePolished()
    before = pane.text.fontInfo().pixelSize()
    assert before > pane.fontInfo().pixelSize() * 1.2
    font = pane.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    pane.setFont(font)
    pane.text.ensurePolished()
    assert pane.text.fontInfo().pixelSize() == pytest.approx(2 * before, rel=0.05)


def test_an_estimated_time_is_said(pane: ExplanationWidget) -> None:
    pane.set_focus(Focus(35, None))
    assert pane.note.isVisibleTo(pane)
    assert pane.note.text().startswith("ESTIMATED")
    pane.set_focus(Focus(34, None))
    assert not pane.note.isVisibleTo(pane)


def test_a_run_that_completed_has_no_banner(pane: ExplanationWidget) -> None:
    assert not pane.ending.isVisibleTo(pane)
    assert not pane.lost.isVisibleTo(pane)


def test_how_it_ended_and_what_was_lost_are_banners(pane: ExplanationWidget) -> None:
    ending = Ending("deadlock", "the producer waits for ever")
    pane.set_history(hand_history(ending=ending, records_lost=7, events_dropped=2))
    pane.set_focus(Focus(0, None))
    assert pane.ending.isVisibleTo(pane)
    assert pane.ending.text() == "⚠ This run ended in deadlock: the producer waits for ever"
    assert pane.lost.text() == "⚠ 9 events lost: the log was too small; 2 of them left out with the others"


def test_the_last_records_alone_are_no_log_that_was_too_small() -> None:
    trace = mid_run().trace
    assert lost_text(trace).startswith(f"⚠ {trace.meta.events_lost} events lost: only the last were kept")


def test_without_a_recording_it_says_what_to_do(pane: ExplanationWidget) -> None:
    pane.set_history(None)
    pane.set_focus(Focus(0, None))
    assert pane.text.text() == "Open or run a recording to have each step explained."
    assert pane.heading.text() == ""
