"""What has come of a phase, in figures and in words."""

from __future__ import annotations

import pytest
from pane_testing import BYTES, EMPTY0, FULL0, hand_history

from visualizer.diagnosis.arrived import Landed, arrived_of, bytes_of, bytes_text, cursor_text, landed_at
from visualizer.replay.history import BarrierState


@pytest.mark.parametrize(
    ("step", "landed", "total", "text"),
    [
        (8, Landed(0, 0), 0, ""),
        (8, Landed(0, BYTES), BYTES, "0/16 KiB"),
        (9, Landed(0, BYTES), 0, "0/16 KiB"),
        (18, Landed(4096, BYTES), 0, "4/16 KiB"),
        (19, Landed(BYTES, BYTES), 0, "16/16 KiB"),
        (20, Landed(0, 0), 0, ""),
    ],
)
def test_bytes_rise_to_the_flip_and_begin_anew(step: int, landed: Landed, total: int, text: str) -> None:
    found = landed_at(hand_history(), FULL0, step, total)
    assert (found, found.text) == (landed, text)
    assert found.share == (landed.landed / landed.expected if landed.expected else 0.0)


def test_arrivals() -> None:
    history = hand_history()
    told = [arrived_of(history.barrier_at(EMPTY0, step)) for step in (0, 2, 27, 31, 32)]
    assert told == ["-", "0/64", "32/64", "64/64", "0/64"]
    assert arrived_of(BarrierState(valid=True)) == "0/?"


def test_bytes_are_never_rounded() -> None:
    assert bytes_of(8192, 16384) == "8/16 KiB"
    assert bytes_of(100, 16384) == "100/16,384 B"
    assert bytes_of(0, 48) == "0/48 B"
    assert (bytes_text(0), bytes_text(100), bytes_text(65536)) == ("0 B", "100 B", "64 KiB")


def test_a_cursor_in_words() -> None:
    assert cursor_text(2, 1, 5) == "stage 2, phase 1, tile 5"
