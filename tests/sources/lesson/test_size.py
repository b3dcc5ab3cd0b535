"""A recording that cannot fit is refused before the run, with its size and what to record instead."""

from __future__ import annotations

import pytest

from visualizer.programs.parameters import LessonConfig
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson.size import PEAK_BYTES, check_size, recording_size
from visualizer.sources.lesson.window import Window

LONG = LessonConfig(tiles=1_000_000, ctas=132)


def test_a_hundred_million_events_are_counted_before_the_run() -> None:
    size = recording_size(LessonConfig(tiles=28_000, ctas=132), Window())
    assert size.events == pytest.approx(100e6, rel=0.01)
    assert size.file_bytes == size.events * 48


def test_what_is_too_large_is_refused_with_a_way_out() -> None:
    with pytest.raises(SourceError) as refused:
        check_size(LONG, Window(), available=8 << 30)
    words = str(refused.value)
    assert "3,564 million events" in words
    assert "a file of 171.1 GB" in words
    assert "8.6 GB are free" in words
    assert "--window" in words
    assert "--keep-last" in words
    assert "--every-cta" in words


def test_the_way_out_fits() -> None:
    with pytest.raises(SourceError, match=r"about ([\d,]+) tiles") as refused:
        check_size(LONG, Window(), available=8 << 30)
    tiles = int(str(refused.value).split("about ")[1].split(" tiles")[0].replace(",", ""))
    check_size(LONG, Window(keep_last=tiles - 1), available=8 << 30)
    with pytest.raises(SourceError):
        check_size(LONG, Window(keep_last=2 * tiles), available=8 << 30)


def test_a_window_of_a_long_run_is_small() -> None:
    assert recording_size(LONG, Window(500_000, 500_099, every_cta=4)).peak_bytes < PEAK_BYTES * 100_000
