"""Lanes that are built in a thread: every one that is wanted is built, whenever it is wanted, or given up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from PySide6.QtCore import QObject
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from visualizer.views.timeline.lanes import builder_widget
from visualizer.views.timeline.lanes.builder_widget import LaneBuilder
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.lanes import Lane

LANES = [Lane(name, name, "agent", 0, row, "") for row, name in enumerate("abcd")]


class _Store:
    """Notes which lanes are built."""

    def __init__(self, build: Callable[[Lane], None] = lambda lane: None) -> None:
        self.built: list[Lane] = []
        self._build = build

    def build(self, lane: Lane) -> None:
        self._build(lane)
        self.built.append(lane)


def _want(builder: LaneBuilder, store: _Store, *lanes: Lane) -> None:
    builder.want(cast(LaneStore, store), lanes)


class _Kind:
    """Has the store itself build the lane."""

    @staticmethod
    def build(store: _Store, lane: Lane) -> None:
        store.build(lane)


@pytest.fixture
def builder(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[LaneBuilder]:
    monkeypatch.setattr(builder_widget, "kind_of", lambda lane: _Kind)
    parent = QObject()
    made = LaneBuilder(parent)
    yield made
    made.stop()


def test_lanes_are_built_in_their_order_and_what_is_wanted_last_counts(builder: LaneBuilder, qtbot: QtBot) -> None:
    go = threading.Event()
    store = _Store(lambda lane: cast(None, go.wait(30)))
    _want(builder, store, *LANES[:2])
    _want(builder, store, LANES[2], LANES[3])
    go.set()
    qtbot.waitUntil(lambda: builder.waiting == 0)
    assert store.built[-2:] == LANES[2:]


def test_what_is_wanted_while_the_thread_ends_is_built(
    builder: LaneBuilder, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has found nothing left, and is still running."""
    found_nothing, go, following = threading.Event(), threading.Event(), builder._next

    def slow_to_end() -> Any:
        task = following()
        if task is None and not found_nothing.is_set():
            found_nothing.set()
            go.wait(0.3)
        return task

    monkeypatch.setattr(builder, "_next", slow_to_end)
    store = _Store()
    _want(builder, store, LANES[0])
    assert found_nothing.wait(30)
    _want(builder, store, LANES[1])
    qtbot.waitUntil(lambda: builder.waiting == 0)
    assert store.built == LANES[:2]


def test_a_lane_that_cannot_be_built_keeps_nobody_waiting(builder: LaneBuilder, qtbot: QtBot) -> None:
    def fail(lane: Lane) -> None:
        raise ZeroDivisionError(lane.key)

    with capture_exceptions() as raised:
        _want(builder, _Store(fail), *LANES)
        qtbot.waitUntil(lambda: builder.waiting == 0 and len(raised) == 1)
    sound = _Store()
    _want(builder, sound, *LANES)
    qtbot.waitUntil(lambda: builder.waiting == 0)
    assert sound.built == LANES
