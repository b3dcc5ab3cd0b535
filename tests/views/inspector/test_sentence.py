"""The sentence above the timeline: always the focus's, always as high."""

from __future__ import annotations

import pytest
from pane_testing import hand_history
from pytestqt.qtbot import QtBot

from visualizer.diagnosis.explanations.explain import explain
from visualizer.playback.focus import Focus
from visualizer.views.inspector.sentence_widget import SentenceWidget
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme


@pytest.fixture
def pane(qtbot: QtBot) -> SentenceWidget:
    widget = SentenceWidget()
    qtbot.addWidget(widget)
    widget.set_theme(load_theme("light"))
    widget.set_history(hand_history())
    return widget


def test_is_a_pane(pane: SentenceWidget) -> None:
    assert isinstance(pane, Pane)


def test_it_says_each_step_at_one_height(pane: SentenceWidget) -> None:
    history, heights = hand_history(), set()
    for step in range(history.steps):
        pane.set_focus(Focus(step))
        assert pane.text.text() == explain(history, step)
        assert explain(history, step) in pane.text.toolTip().replace("&gt;", ">")
        heights.add(pane.sizeHint().height())
    assert len(heights) == 1


def test_it_grows_with_the_text(pane: SentenceWidget) -> None:
    before = pane.sizeHint().height()
    font = pane.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    pane.setFont(font)
    assert pane.sizeHint().height() > 1.7 * before


def test_without_a_recording_it_says_what_to_do(pane: SentenceWidget) -> None:
    pane.set_history(None)
    pane.set_focus(Focus(3))
    assert pane.text.text() == "Open or run a recording to have each step explained."
