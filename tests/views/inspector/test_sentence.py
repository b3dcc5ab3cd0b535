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
    pane.resize(4000, 2000)
    before = pane.sizeHint().height()
    font = pane.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    pane.setFont(font)
    assert pane.sizeHint().height() > 1.7 * before


def test_a_narrow_one_has_a_line_more_and_says_where_it_is_cut(pane: SentenceWidget, qtbot: QtBot) -> None:
    """As high at every step all the same: what it says asks for no room."""
    history = hand_history()
    longest = max(range(history.steps), key=lambda step: len(explain(history, step)))
    pane.set_focus(Focus(longest))
    line = pane.text.fontMetrics().lineSpacing()
    pane.resize(60 * pane.text.fontMetrics().averageCharWidth(), 31 * line)
    three = pane.sizeHint().height()
    assert not pane.hasHeightForWidth()
    assert 3 * line <= three < 4 * line
    pane.resize(pane.width(), 29 * line)
    assert pane.sizeHint().height() == three - line, "no more than a tenth of the window"
    with qtbot.waitExposed(pane):
        pane.show()
    pane.resize(pane.width() // 2, pane.sizeHint().height())
    shown = pane.text.shown()
    assert len(shown) == 2
    assert shown[-1].endswith("…")
    assert explain(history, longest).startswith(shown[0])
    pane.resize(3000, pane.height())
    assert pane.text.shown() == [explain(history, longest)]


def test_without_a_recording_it_says_what_to_do(pane: SentenceWidget) -> None:
    pane.set_history(None)
    pane.set_focus(Focus(3))
    assert pane.text.text() == "Open or run a recording to have each step explained."
