"""The ring pane: clicks and keys ask for the right focus; every recording can be painted at every size."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from pane_testing import LAST, hand_history, hand_trace, requested, two_cta_history
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.structure.find import structure_of
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme
from visualizer.views.ring import ring_model
from visualizer.views.ring.ring_shapes_widget import Hit
from visualizer.views.ring.ring_widget import RingWidget


@pytest.fixture
def pane(qtbot: QtBot) -> RingWidget:
    widget = RingWidget()
    qtbot.addWidget(widget)
    widget.resize(560, 560)
    widget.set_theme(load_theme("light"))
    widget.set_history(hand_history())
    widget.set_focus(Focus(LAST, None))
    return widget


def hit_of(pane: RingWidget, kind: str, lane: str) -> Hit:
    return next(hit for hit in pane.hits() if (hit.kind, hit.lane) == (kind, lane))


def click(qtbot: QtBot, pane: RingWidget, kind: str, lane: str) -> None:
    if kind == "stage":
        layout = pane.pictures()[0].layout
        stage = hit_of(pane, kind, lane).stage
        x, y = layout.point(layout.angles[stage], (layout.inner + layout.outer) / 2)
        place = QPoint(round(x), round(y))
    else:
        place = hit_of(pane, kind, lane).path.boundingRect().center().toPoint()
    qtbot.mouseClick(pane, Qt.MouseButton.LeftButton, pos=place)


def test_is_a_pane(pane: RingWidget) -> None:
    assert isinstance(pane, Pane)


@pytest.mark.parametrize(
    ("step", "lane", "expected"),
    [
        (LAST, "full[0]", 20),  # the latest change of full[0]
        (19, "full[0]", 19),
        (12, "empty[0]", 2),
        (0, "empty[1]", 3),  # nothing yet: the next one
    ],
)
def test_click_on_a_barrier_goes_to_its_latest_event(
    qtbot: QtBot, pane: RingWidget, step: int, lane: str, expected: int
) -> None:
    pane.set_focus(Focus(step, None))
    wishes = requested(pane)
    click(qtbot, pane, "barrier", lane)
    assert wishes == [Focus(expected, lane)]


@pytest.mark.parametrize(
    ("step", "lane", "expected"), [(LAST, "stage[1]", 36), (23, "stage[0]", 20), (3, "stage[0]", 10)]
)
def test_click_on_a_segment_goes_to_its_latest_event(
    qtbot: QtBot, pane: RingWidget, step: int, lane: str, expected: int
) -> None:
    pane.set_focus(Focus(step, None))
    wishes = requested(pane)
    click(qtbot, pane, "stage", lane)
    assert wishes == [Focus(expected, lane)]


def test_click_on_a_cursor_goes_to_its_agents_latest_event(qtbot: QtBot, pane: RingWidget) -> None:
    wishes = requested(pane)
    click(qtbot, pane, "agent", "producer")
    click(qtbot, pane, "agent", "consumer.w1")
    assert wishes == [Focus(34, "producer"), Focus(29, "consumer.w1")]


def test_click_beside_everything_asks_for_nothing(qtbot: QtBot, pane: RingWidget) -> None:
    wishes = requested(pane)
    qtbot.mouseClick(pane, Qt.MouseButton.LeftButton, pos=QPoint(1, pane.height() // 2))
    assert wishes == []


def test_keys_walk_the_parts_and_return_chooses(qtbot: QtBot, pane: RingWidget) -> None:
    wishes = requested(pane)
    qtbot.keyClick(pane, Qt.Key.Key_Down)
    qtbot.keyClick(pane, Qt.Key.Key_Down)
    qtbot.keyClick(pane, Qt.Key.Key_Return)
    assert wishes == [Focus(20, "full[0]")]
    qtbot.keyClick(pane, Qt.Key.Key_Up)
    qtbot.keyClick(pane, Qt.Key.Key_Return)
    assert wishes[-1].lane == "stage[0]"


def test_description_follows_the_focus(pane: RingWidget) -> None:
    pane.set_focus(Focus(18, None))
    assert "stage 0 filling, tile 0" in pane.accessibleDescription()
    pane.set_history(None)
    assert pane.accessibleDescription() == ""


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [(420, 420), (700, 700), (120, 90)])
def test_paints_every_step_at_any_size(qtbot: QtBot, theme: str, size: tuple[int, int]) -> None:
    widget = RingWidget()
    qtbot.addWidget(widget)
    widget.resize(*size)
    widget.set_theme(load_theme(theme))
    history = two_cta_history()
    widget.set_history(history)
    pictures = set()
    for step in range(0, history.steps, 5):
        widget.set_focus(Focus(step, None))
        image = widget.grab().toImage()  # owns the pixels while they are copied
        pictures.add(bytes(image.constBits()))
    assert len(pictures) > 8


def test_text_grows_with_the_widgets_font(pane: RingWidget) -> None:
    before = pane.pictures()[0].sizes.card
    font = pane.font()
    font.setPointSizeF(font.pointSizeF() * 0.5)
    pane.setFont(font)
    assert pane.pictures()[0].sizes.card[0] < before[0]


def test_without_events_there_is_nothing_to_click(qtbot: QtBot) -> None:
    widget = RingWidget()
    qtbot.addWidget(widget)
    trace = hand_trace()
    widget.set_history(History(replace(trace, events=trace.events[:0])))
    assert widget.hits() == ()
    assert not widget.grab().isNull()


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("MOST_STAGES", "2 stages are too many to draw; Barriers and Shared memory list them."),
        ("MOST_BARRIERS", "4 barriers of a ring are too many to draw; Barriers lists them."),
    ],
)
def test_more_than_can_be_drawn_is_said(
    qtbot: QtBot, pane: RingWidget, monkeypatch: pytest.MonkeyPatch, limit: str, said: str
) -> None:
    before = pane.grab().toImage()
    monkeypatch.setattr(ring_model, limit, 1)
    pane.set_history(hand_history())
    pane.set_focus(Focus(LAST, None))
    assert pane.hits() == ()
    assert pane._why_empty() == pane.accessibleDescription() == said
    assert pane.grab().toImage() != before


def test_every_barrier_of_a_stage_has_a_box_of_its_own(qtbot: QtBot, pane: RingWidget) -> None:
    trace = hand_trace()
    parts = [{"ring": "one", "full": [["full[0]", "full[1]"]], "empty": [["empty[0]", "empty[1]"]]}]
    pane.set_history(History(trace, structure_of(trace, parts)))
    pane.set_focus(Focus(LAST, None))
    boxes = [hit.path.boundingRect() for hit in pane.hits() if hit.kind == "barrier"]
    assert len(boxes) == 4
    assert all(not a.intersects(b) for a, b in itertools.combinations(boxes, 2))
    assert all(pane.rect().contains(box.toAlignedRect().adjusted(1, 1, -1, -1)) for box in boxes)
    wishes = requested(pane)
    click(qtbot, pane, "barrier", "empty[1]")
    assert [wish.lane for wish in wishes] == ["empty[1]"]
