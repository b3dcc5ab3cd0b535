"""The shared-memory map: places, live state, and clicks on both the bar and the table."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from pane_testing import CONFIG, LAST, hand_history, hand_trace, requested, two_cta_history
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from two_ring_traces import STAGES, two_rings

from visualizer.playback.focus import Focus
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.structure.find import structure_of
from visualizer.structure.forget import forget
from visualizer.structure.told import told
from visualizer.views.look.pane import Pane
from visualizer.views.ring.memory_map_model import memory_map
from visualizer.views.ring.memory_map_widget import MemoryMapWidget


def test_golden_table() -> None:
    shown = memory_map(hand_history(), 18)
    assert [[shown.cell(row, column).text for column in range(6)] for row in range(shown.rows())] == [
        ["0x0", "0", "8", "8", "full[0]", "#0 (parity 0), arrived 1/1, landed 4/16 KiB"],
        ["0x8", "8", "8", "8", "full[1]", "#0 (parity 0), arrived 1/1, landed 0/16 KiB"],
        ["0x10", "16", "8", "8", "empty[0]", "#0 (parity 0), arrived 0/64"],
        ["0x18", "24", "8", "8", "empty[1]", "#0 (parity 0), arrived 0/64"],
        ["0x20", "32", "96", "", "padding", "padding"],
        ["0x80", "128", "16384", "128", "stage[0]", "tile 0, filling"],
        ["0x4080", "16512", "16384", "128", "stage[1]", "tile 1, filling"],
    ]
    assert shown.total_bytes == CONFIG.storage.total_bytes == 32896
    assert shown.headline() == (
        "SharedStorage: 32896 bytes  |  4 barriers, 32 bytes, 8-byte aligned"
        "  |  2 x 16384 bytes of tiles, 128-byte aligned"
    )


def test_regions_cover_every_byte_once() -> None:
    regions = [entry.region for entry in memory_map(hand_history(), 0).regions]
    assert regions[0].offset == 0
    assert all(one.end == other.offset for one, other in itertools.pairwise(regions))


def test_barriers_lie_where_the_recording_has_them() -> None:
    history = hand_history()
    places = {entry.lane: entry.region.offset for entry in memory_map(history, 0).regions}
    assert all(places[barrier.name] == barrier.offset for barrier in history.trace.barriers)


@pytest.mark.parametrize(
    ("step", "lane", "focused"),
    [
        (18, None, "full[0]"),
        (24, None, "stage[0]"),
        (18, "stage[1]", "stage[1]"),
        (18, "producer", "full[0]"),
        (4, None, None),
    ],
)
def test_what_is_focused(step: int, lane: str | None, focused: str | None) -> None:
    shown = memory_map(hand_history(), step, lane)
    names = [entry.region.name for entry in shown.regions if entry.focused]
    assert names == ([focused] if focused else [])


def test_another_cta_has_its_own_lanes() -> None:
    shown = memory_map(two_cta_history(), 38 + 10)
    assert shown.cta == 1
    assert shown.regions[0].lane == "CTA1.full[0]"
    assert shown.regions[5].state == "tile 0, filling"


def test_an_unknown_program_still_shows_its_barriers() -> None:
    shown = memory_map(hand_history(config={"unknown": 1}), LAST)
    names = [entry.region.name for entry in shown.regions]
    assert names == ["full[0]", "full[1]", "empty[0]", "empty[1]", "stage[0]", "stage[1]"]
    assert [shown.cell(5, column).text for column in range(6)] == ["?", "?", "?", "?", "stage[1]", "tile 1, full"]
    assert shown.headline() == (
        "4 barriers, 32 bytes, 8-byte aligned  |  2 stage buffers; the recording does not tell where they lie"
    )


def test_every_ring_of_the_cta_is_there_under_its_name() -> None:
    history = History(two_rings(4, ctas=2))
    step = int(np.flatnonzero(history.trace.agent_cta[history.trace.events["agent"]] == 1)[-1])
    shown = memory_map(history, step)
    assert shown.cta == 1
    rings = [f"{ring}.{kind}[{s}]" for ring, n in STAGES.items() for kind in ("full",) for s in range(n)]
    rings += [f"{ring}.empty[{s}]" for ring, n in STAGES.items() for s in range(n)]
    rings += [f"{ring}.stage[{s}]" for ring, n in STAGES.items() for s in range(n)]
    assert sorted(entry.region.name for entry in shown.regions) == sorted(rings)
    assert [entry.lane for entry in shown.regions] == [f"CTA1.{entry.region.name}" for entry in shown.regions]


def test_the_table_has_room_for_the_longest_name() -> None:
    shown = memory_map(History(two_rings(4)), 0)
    (name,) = [column for column in shown.columns if column.key == "name"]
    assert name.widest == max((entry.region.name for entry in shown.regions), key=len)


def test_of_two_rings_the_touched_stage_alone_is_focused() -> None:
    history = History(two_rings(4))
    kinds, rings = history.kinds, history.trace.events["ring"]
    for row, ring in enumerate(STAGES):
        step = int(np.flatnonzero((kinds == EventKind.READ_BEGIN) & (rings == row))[0])
        shown = memory_map(history, step)
        assert [entry.region.name for entry in shown.regions if entry.focused] == [f"{ring}.stage[0]"]


def test_barriers_known_by_address_alone_are_called_by_what_they_are_for() -> None:
    history = History(forget(two_rings(8)))
    shown = memory_map(history, 0)
    assert [entry.region.name for entry in shown.regions][:3] == ["ring0.full[0]", "ring0.full[1]", "ring0.full[2]"]
    assert [entry.region.offset for entry in shown.regions][:3] == [0, 8, 16]
    assert {entry.lane for entry in shown.regions} >= set(history.trace.barrier_index)
    nothing_known = History(forget(two_rings(8)), structure=told(forget(two_rings(8))))
    assert [entry.region.name for entry in memory_map(nothing_known, 0).regions][:2] == ["0x0", "0x8"]


def test_the_lessons_buffers_go_with_the_rings_that_a_person_made_of_its_barriers() -> None:
    trace = hand_trace()
    split = [{"ring": "b", "full": ["full[1]"], "empty": ["empty[1]"]}]
    shown = memory_map(History(trace, structure=structure_of(trace, split)), LAST)
    assert [(entry.region.name, entry.region.offset) for entry in shown.regions if entry.role == "stage"] == [
        ("stage[0]", 128),
        ("b.stage[0]", 16512),
    ]
    gone = [{"barriers": ["full[0]", "empty[0]"], "kind": "unknown"}]
    shown = memory_map(History(trace, structure=structure_of(trace, gone)), LAST)
    assert [entry.state for entry in shown.regions if entry.role == "stage"] == ["unknown", "tile 1, full"]


@pytest.fixture
def pane(qtbot: QtBot) -> MemoryMapWidget:
    widget = MemoryMapWidget()
    qtbot.addWidget(widget)
    widget.resize(600, 400)
    widget.set_history(hand_history())
    widget.set_focus(Focus(LAST, None))
    widget.grab()  # lays the bar out
    return widget


def test_is_a_pane(pane: MemoryMapWidget) -> None:
    assert isinstance(pane, Pane)


@pytest.mark.parametrize(
    ("row", "expected"), [(0, Focus(20, "full[0]")), (2, Focus(32, "empty[0]")), (6, Focus(36, "stage[1]"))]
)
def test_click_on_a_row_or_a_block_goes_to_its_latest_event(
    qtbot: QtBot, pane: MemoryMapWidget, row: int, expected: Focus
) -> None:
    wishes = requested(pane)
    table = pane.table
    place = table.visualRect(table.model().index(row, 4)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    box, _ = pane.bar.boxes()[row]
    qtbot.mouseClick(pane.bar, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert wishes == [expected, expected]


def test_padding_leads_nowhere(qtbot: QtBot, pane: MemoryMapWidget) -> None:
    wishes = requested(pane)
    box, entry = pane.bar.boxes()[4]
    assert entry.role == "padding"
    qtbot.mouseClick(pane.bar, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert wishes == []


def test_the_focused_object_is_the_current_row(pane: MemoryMapWidget) -> None:
    pane.set_focus(Focus(24, None))
    assert pane.table.cells.current_row == 5


def test_the_bar_fills_its_width_in_address_order(pane: MemoryMapWidget) -> None:
    boxes = [box for box, _ in pane.bar.boxes()]
    assert all(abs(one.right() - other.left()) < 1e-6 for one, other in itertools.pairwise(boxes))
    assert boxes[-1].right() <= pane.bar.width()


def test_no_recording_no_map(pane: MemoryMapWidget) -> None:
    pane.set_history(None)
    pane.set_focus(Focus(0, None))
    assert pane.bar.boxes() == []
    assert pane.table.model().rowCount() == 0
    assert pane.headline.text() == ""


def test_a_buffer_whose_place_is_not_known_leads_to_its_latest_event(qtbot: QtBot, pane: MemoryMapWidget) -> None:
    history = History(two_rings(4))
    pane.set_history(history)
    pane.set_focus(Focus(history.steps - 1, None))
    pane.grab()
    wishes = requested(pane)
    box, entry = pane.bar.boxes()[-1]
    assert entry.region.name == "V.stage[1]"
    qtbot.mouseClick(pane.bar, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    assert [wish.lane for wish in wishes] == ["V.stage[1]"]
    assert history.event_places.at(wishes[0].step) == history.structure.place(0, "V", 1)
