"""The ring can be read in every pane that a dock allows: no text too small, no card cut, covered or left outside."""

from __future__ import annotations

import itertools
from functools import cache

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFontInfo, QFontMetricsF
from pytestqt.qtbot import QtBot

from visualizer.language import speaking
from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.ring.ring_frame_widget import consumer_lines
from visualizer.views.ring.ring_picture import RingCursor
from visualizer.views.ring.ring_widget import LEGIBLE, RingWidget

SHAPES = ((1.0, 1.0), (1.0, 1.8), (1.8, 1.0), (2.4, 2.4), (1.2, 2.6))
"""Panes, over the smallest that a dock allows."""


@cache
def _history(stages: int) -> History:
    return History(simulate(lesson(LessonConfig(stages=stages, tiles=2 * stages + 4))))


def _pane(qtbot: QtBot, stages: int, scale: float) -> RingWidget:
    widget = RingWidget()
    qtbot.addWidget(widget)
    font = widget.font()
    font.setPixelSize(round(13 * scale))
    widget.setFont(font)
    widget.set_history(_history(stages))
    return widget


def _assert_readable(widget: RingWidget) -> None:
    (picture,) = widget.pictures()
    shapes, sizes = picture.shapes, picture.sizes
    assert picture.layout.apart
    least = round(LEGIBLE * widget.fontInfo().pixelSize())
    labels = [shapes.producer_label(cursor)[1] for cursor in shapes.carded_producers]
    for font in (sizes.text, sizes.number, shapes.pill_font, *shapes.frame.segment_fonts, *labels):
        assert QFontInfo(font).pixelSize() >= least
    for stage in picture.ring.stages:
        for _, _, box in shapes.frame.segment_texts(stage.index, stage.state, stage.tile):
            assert picture.layout.in_segment(stage.index, box), "text crosses the outline"
    inside = widget.rect().adjusted(-1, -1, 1, 1)
    boxes = [hit.path.boundingRect() for hit in widget.hits() if hit.kind == "barrier"]
    assert boxes
    assert all(inside.contains(box.toAlignedRect()) for box in boxes)
    assert not any(a.intersects(b) for a, b in itertools.combinations(boxes, 2))


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("stages", [1, 2, 3, 6, 8])
def test_text_is_legible_and_cards_are_whole_in_every_pane(qtbot: QtBot, stages: int, scale: float) -> None:
    widget = _pane(qtbot, stages, scale)
    steps = _history(stages).steps
    for wide, high in SHAPES:
        smallest = widget.minimumSizeHint()
        widget.resize(QSize(round(smallest.width() * wide), round(smallest.height() * high)))
        for step in range(0, steps, max(steps // 7, 1)):
            widget.set_focus(Focus(step))
            _assert_readable(widget)


@pytest.mark.parametrize("stages", [3, 6, 8])
def test_a_pane_that_shrinks_and_grows_again_looks_as_before(qtbot: QtBot, stages: int) -> None:
    widget = _pane(qtbot, stages, 1.0)
    widget.set_focus(Focus(_history(stages).steps // 2))
    widget.resize(600, 600)
    before = [hit.path.boundingRect() for hit in widget.hits()]
    widget.resize(widget.minimumSizeHint())
    _assert_readable(widget)
    widget.resize(600, 600)
    assert [hit.path.boundingRect() for hit in widget.hits()] == before


def test_where_two_stages_have_cards_they_are_those_in_question(qtbot: QtBot) -> None:
    widget = _pane(qtbot, 8, 1.0)
    widget.resize(widget.minimumSizeHint())
    history = _history(8)
    for step in range(0, history.steps, 9):
        widget.set_focus(Focus(step))
        (picture,) = widget.pictures()
        assert picture.layout.few
        carded = set(picture.shapes.card_of)
        assert len(carded) == 2
        assert {cursor.index for cursor in picture.ring.producers} <= carded
        focused = [stage.index for stage in picture.ring.stages if stage.focused]
        assert not focused or set(focused) <= carded
        others = [hit for hit in widget.hits() if hit.kind == "stage" and hit.stage not in carded]
        assert len(others) == 6
        assert all(f"full[{hit.stage}]: phase" in hit.help for hit in others), "their barriers are told on hovering"


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_title_of_a_cta_keeps_off_the_cards(qtbot: QtBot, scale: float) -> None:
    widget = _pane(qtbot, 8, scale)
    widget.set_history(History(simulate(lesson(LessonConfig(stages=8, tiles=4, ctas=2)))))
    widget.set_focus(Focus(60))
    for wide, high in SHAPES:
        smallest = widget.minimumSizeHint()
        widget.resize(QSize(round(smallest.width() * wide), round(smallest.height() * high)))
        (picture,) = widget.pictures()
        title = picture.shapes.title_box()
        assert title.height() >= QFontMetricsF(picture.sizes.bold).height()
        assert all(hit.path.boundingRect().top() > title.bottom() for hit in widget.hits() if hit.kind == "barrier")


def test_what_warps_do_is_told_in_the_language() -> None:
    cursor = RingCursor("consumer", (("w1 w2", "running"), ("w3", "reading")), ("w1", "w3"), 0, 0, 3, focused=False)
    with speaking("zh"):
        assert consumer_lines(cursor, 2) == ("w1 w2", "运行中", "w3", "读取中")
