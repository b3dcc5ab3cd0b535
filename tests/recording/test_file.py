"""Recording files: what is saved comes back, all or nothing; events are mapped and stay as they were."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recording_files import assert_equal, members_of

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording import held_bytes, zip_members
from visualizer.recording.file import load, save
from visualizer.recording.schema import EVENT_DTYPE
from visualizer.recording.trace import Trace, TraceError
from visualizer.sources.simulator.simulate import simulate


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"ctas": 2, "tiles": 5, "stages": 2},
        {"producer_phase": 0},
        {"stages": 1, "consumer_warps": 1, "arrive_per_warp": True, "producer_delay": 500},
        {"transaction_bytes": 20000},
    ],
)
def test_a_recording_comes_back_as_it_was(config: dict[str, Any], tmp_path: Path) -> None:
    trace = simulate(lesson(LessonConfig(**config)), seed=7)
    path = tmp_path / "run.pscope"
    save(trace, path)
    assert_equal(load(path), trace)


def test_every_key_of_meta_comes_back(lesson_trace: Trace, tmp_path: Path) -> None:
    meta = replace(
        lesson_trace.meta,
        command="phasescope record --tile 128x64 -o Grüße.pscope",
        records_lost=2**40,
        events_dropped=3,
        clock={"ps_per_cycle": 0.1 + 0.2, "sms": 132},
        reconcile={"moved": 4, "median_ns": 2.5},
        check={"mode": "exact", "checked": 65536, "errors": 0},
        versions={"phasescope": "0", "numpy": "2"},
    )
    trace = replace(lesson_trace, meta=meta)
    save(trace, tmp_path / "run.pscope")
    assert_equal(load(tmp_path / "run.pscope"), trace)


def test_a_recording_without_events_comes_back(lesson_trace: Trace, tmp_path: Path) -> None:
    trace = replace(lesson_trace, events=np.zeros(0, EVENT_DTYPE))
    save(trace, tmp_path / "empty.pscope")
    assert_equal(load(tmp_path / "empty.pscope"), trace)


def test_more_events_than_one_chunk_come_back(
    lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zip_members, "_CHUNK_BYTES", 48 * 100)
    save(lesson_trace, tmp_path / "run.pscope")
    assert_equal(load(tmp_path / "run.pscope"), lesson_trace)


def test_a_large_files_layout_comes_back(lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_members, "_ZIP64_FROM", 100)
    save(lesson_trace, tmp_path / "run.pscope")
    loaded = load(tmp_path / "run.pscope")
    assert_equal(loaded, lesson_trace)
    assert loaded.events.ctypes.data % 64 == 0


@pytest.mark.parametrize("read_up_to", [held_bytes.READ_UP_TO, 0], ids=["read", "mapped"])
def test_events_are_read_only_and_aligned(lesson_file: Path, read_up_to: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_bytes, "READ_UP_TO", read_up_to)
    events = load(lesson_file).events
    assert not events.flags.writeable
    assert events.ctypes.data % 64 == 0
    with pytest.raises(ValueError, match="read-only"):
        events["time"][0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        events.flags.writeable = True


def test_other_tools_can_read_it(lesson_file: Path, lesson_trace: Trace) -> None:
    with np.load(lesson_file, allow_pickle=False) as arrays:
        assert (arrays["events"] == lesson_trace.events).all()
    document = json.loads(members_of(lesson_file)["meta.json"])
    assert (document["format"], document["version"]) == ("phasescope-trace", 3)


def test_saving_over_the_file_that_is_open_leaves_its_recording_valid(lesson_trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "run.pscope"
    save(lesson_trace, path)
    opened = load(path)
    other = simulate(lesson(LessonConfig(tiles=2)))
    save(other, path)
    assert_equal(opened, lesson_trace)
    assert_equal(load(path), other)
    save(opened, path)
    assert_equal(load(path), lesson_trace)


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(
    call: str, lesson_file: Path, lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.pscope"
    path.write_bytes(lesson_file.read_bytes())

    def fail(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(TraceError, match=r"run\.pscope cannot be saved: No space left on device; check that .* room"):
        save(simulate(lesson(LessonConfig(tiles=2))), path)
    assert os.listdir(tmp_path) == ["run.pscope"]
    assert path.read_bytes() == lesson_file.read_bytes()


def test_an_interrupted_save_leaves_nothing(
    lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(lesson_trace, tmp_path / "run.pscope")
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_saved_to_are_named(lesson_trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"no/run\.pscope cannot be saved: No such file or directory; check"):
        save(lesson_trace, tmp_path / "no" / "run.pscope")
    with pytest.raises(TraceError, match="cannot be saved: it is a directory; choose another name"):
        save(lesson_trace, tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TraceError, match="pipe cannot be saved: it is not a regular file"):
        save(lesson_trace, tmp_path / "pipe")
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_link_is_followed(lesson_trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "link.pscope").symlink_to(tmp_path / "real.pscope")
    save(lesson_trace, tmp_path / "link.pscope")
    assert (tmp_path / "link.pscope").is_symlink()
    assert_equal(load(tmp_path / "real.pscope"), lesson_trace)


@pytest.mark.parametrize("value", [float("nan"), np.int64(3), {1, 2}])
def test_meta_that_json_has_no_word_for_is_not_saved(value: object, lesson_trace: Trace, tmp_path: Path) -> None:
    trace = replace(lesson_trace, meta=replace(lesson_trace.meta, clock={"x": value}))
    with pytest.raises(TraceError, match=r"run\.pscope cannot be saved: meta holds a value that JSON cannot"):
        save(trace, tmp_path / "run.pscope")
    assert os.listdir(tmp_path) == []


def test_bytes_of_a_file_name_that_are_no_text_do_not_lose_the_run(lesson_trace: Trace, tmp_path: Path) -> None:
    trace = replace(lesson_trace, meta=replace(lesson_trace.meta, command="record -o \udcff.pscope"))
    save(trace, tmp_path / "run.pscope")
    assert load(tmp_path / "run.pscope").meta.command == "record -o ?.pscope"
