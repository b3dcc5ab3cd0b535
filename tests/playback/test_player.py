"""The player's pace, direction and ends."""

from __future__ import annotations

import pytest

from visualizer.playback.player import DEFAULT_SPEED, SPEEDS, Player


def test_paused_it_stays_where_it_is() -> None:
    player = Player()
    assert not player.playing
    assert player.advance(10.0, 3, 100) == 3


def test_it_keeps_its_pace_whatever_the_frames_are() -> None:
    player = Player(speed=10)
    player.play()
    step = 0
    for _ in range(125):
        step = player.advance(0.016, step, 1000)
    assert step in (19, 20)
    assert player.playing


def test_backward_and_the_ends() -> None:
    player = Player(speed=100)
    player.play(-1)
    assert player.direction == -1
    assert player.advance(0.05, 20, 100) == 15
    assert player.advance(1.0, 15, 100) == 0
    assert not player.playing
    player.play()
    assert player.advance(0.5, 60, 100) == 99
    assert not player.playing


def test_toggle_resumes_in_the_same_direction() -> None:
    player = Player()
    player.toggle()
    assert (player.playing, player.direction) == (True, 1)
    player.play(-1)
    player.toggle()
    assert not player.playing
    player.toggle()
    assert (player.playing, player.direction) == (True, -1)


def test_an_empty_recording_stops_it() -> None:
    player = Player()
    player.play()
    assert player.advance(0.0, 0, 0) == 0
    assert not player.playing


def test_speeds() -> None:
    assert DEFAULT_SPEED in SPEEDS
    assert list(SPEEDS) == sorted(SPEEDS)
    player = Player()
    player.set_speed(50)
    assert player.speed == 50
    for speed in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="above 0"):
            player.set_speed(speed)
