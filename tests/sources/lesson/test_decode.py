"""Raw records become events of the right agents, barriers, sites and times; the log from an H200 as well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from visualizer.programs.kernel_source import find_sites, kernel_text
from visualizer.programs.lesson import agents_of, barriers_of
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Site
from visualizer.recording.trace import TraceError
from visualizer.sources.lesson.decode import Decoded, decode
from visualizer.sources.lesson.raw_log import ANCHOR_DTYPE, NO_TILE, NONE, RECORD_DTYPE, RawLog

CONFIG = LessonConfig(ctas=2, consumer_warps=2)
PS_PER_CYCLE = 500


def log(capacity: int = 2) -> RawLog:
    """Two CTAs of three warps on two SMs whose counters differ; each warp holds `capacity` records 10 cycles apart."""
    records = np.zeros((6, capacity), dtype=RECORD_DTYPE)
    for slice_ in range(6):
        for row in range(capacity):
            records[slice_, row] = (
                1000 * (slice_ // 3) + 100 + 10 * row + slice_,
                0,
                NO_TILE,
                0,
                0,
                17,
                NONE,
                0,
                NONE,
                0,
                0,
            )
    anchors = np.zeros((2, 2), dtype=ANCHOR_DTYPE)
    for cta in range(2):
        for end in range(2):
            anchors[cta, end] = (1000 * cta + 10_000_000 * end, 10**18 + 5_000_000 * end, 7 - cta, 4)
    return RawLog(
        records=records,
        attempted=np.full(6, capacity, dtype=np.uint32),
        anchors=anchors,
        calibration=np.zeros((0, 2), dtype=ANCHOR_DTYPE),
        status=np.ones(2, dtype=np.uint32),
    )


def decoded(raw: RawLog, config: LessonConfig = CONFIG) -> Decoded:
    return decode(raw, agents_of(config), barriers_of(config), find_sites(kernel_text()))


def test_each_slice_is_its_warps() -> None:
    events = decoded(log()).events
    assert events["agent"].tolist() == [0, 0, 1, 1, 2, 2, 4, 4, 5, 5, 6, 6]  # rows 3 and 7 are copy engines
    cycles = np.array([10 * row + slice_ for slice_ in range(6) for row in range(2)])
    assert np.abs(events["time"] - cycles * PS_PER_CYCLE).max() <= 1
    assert (events["measured"] == events["time"]).all()


def test_every_column_is_carried_over() -> None:
    raw = log()
    line = find_sites(kernel_text())[2].line
    raw.records[4, 1] = (1200, 0xFFFE0000_00000418, 5, 32, line, EventKind.ARRIVE, 1, 2, NONE, EventFlag.HAS_TOKEN, 0)
    raw.records[4, 0] = (1190, 0, 5, 0, line, EventKind.WAIT_END, 2, 1, 1, EventFlag.BLOCKED, 0)
    wait, arrive = decoded(raw).events[8:10]
    names = [barrier.name for barrier in barriers_of(CONFIG)]
    assert names[arrive["barrier"]] == "CTA1.empty[1]"
    assert names[wait["barrier"]] == "CTA1.full[2]"
    for column, value in {
        "token": 0xFFFE0000_00000418,
        "tile": 5,
        "amount": 32,
        "site": 2,
        "stage": 1,
        "parity": -1,
    }.items():
        assert arrive[column] == value
    assert arrive["flags"] == EventFlag.HAS_TOKEN
    assert (wait["parity"], wait["flags"]) == (1, EventFlag.BLOCKED)


def test_none_values_and_unknown_lines_are_minus_one() -> None:
    first = decoded(log()).events[0]
    assert [first[column] for column in ("tile", "barrier", "site", "stage", "parity")] == [-1] * 5


def test_losses_belong_to_their_agent() -> None:
    raw = replace(log(), attempted=np.array([2, 5, 1, 2, 2, 2], dtype=np.uint32))
    found = decoded(raw)
    assert found.lost.tolist() == [0, 3, 0, 0, 0, 0, 0, 0]
    assert len(found.events) == 11


def test_a_log_of_another_program_is_refused() -> None:
    with pytest.raises(TraceError, match="6 slices"):
        decoded(log(), LessonConfig(ctas=2, consumer_warps=3))
    raw = log()
    raw.records["barrier"][0, 0] = 1
    raw.records["stage"][0, 0] = 3
    with pytest.raises(TraceError, match="stage that the program does not have"):
        _ = decoded(raw).events
    raw.records["barrier"][0, 0] = 9
    with pytest.raises(TraceError, match="barrier that the program does not have"):
        _ = decoded(raw).events


def test_a_log_survives_its_file(tmp_path: Path) -> None:
    raw = log()
    raw.save(tmp_path / "raw.npz")
    again = RawLog.load(tmp_path / "raw.npz")
    assert all(np.array_equal(getattr(raw, name), getattr(again, name)) for name in ("records", "anchors", "status"))
    np.savez(tmp_path / "other.npz", records=raw.records)
    with pytest.raises(ValueError, match="is not a raw log"):
        RawLog.load(tmp_path / "other.npz")


def test_the_h200s_log_decodes() -> None:
    raw = RawLog.load(Path(__file__).parents[2] / "data" / "lesson-h200.raw.npz")
    config = LessonConfig()
    # The lines are those of the kernel that made it.
    lines = np.unique(raw.records["line"][np.arange(raw.capacity) < raw.stored[:, None]])
    sites = [Site("kernels/async_pipeline.cu", int(line), "") for line in lines]
    found = decode(raw, agents_of(config), barriers_of(config), sites)
    assert len(found.events) == int(raw.attempted.sum())
    assert (lines[found.events["site"]] > 0).all()
    assert len(lines) == len(find_sites(kernel_text())), "each record was made at one of the kernel's sites"
    assert found.clock.ps_per_cycle[0] == pytest.approx(505.05, abs=0.1)  # 1.98 GHz
    for row in range(4):
        times = found.events["time"][found.events["agent"] == row]
        assert (np.diff(times) > 0).all()
