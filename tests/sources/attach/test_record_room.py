"""Parts lie one behind another in their order, whichever is decoded first, and whether or not they fit."""

from __future__ import annotations

import threading

import pytest

from visualizer.sources.attach.record_room import RecordRoom


@pytest.mark.parametrize("room_for", [0, 5, 100])
def test_parts_lie_in_their_order(room_for: int) -> None:
    room = RecordRoom(room_for)
    for part, size in enumerate((3, 0, 4, 2)):
        room.take(part, size)["cta"] = part
    assert room.records["cta"].tolist() == [0, 0, 0, 2, 2, 2, 2, 3, 3]


def test_a_part_waits_for_those_before_it() -> None:
    room = RecordRoom(10)

    def later() -> None:
        room.take(1, 2)["cta"] = 1

    thread = threading.Thread(target=later)
    thread.start()
    assert not len(room.records)
    room.take(0, 3)["cta"] = 0
    thread.join()
    assert room.records["cta"].tolist() == [0, 0, 0, 1, 1]
