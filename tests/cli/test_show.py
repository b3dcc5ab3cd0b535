"""`phasescope show`: the summary, a step and the table, as text and as the JSON that scripts rely on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from two_ring_traces import two_rings

from visualizer.cli.show_text import aligned, summary_text
from visualizer.playback.notes_file import notes_path
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import save
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.resources import shipped_recording
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of
from visualizer.structure.forget import forget

Command = Callable[..., Any]


def recorded(path: Path, **config: Any) -> Path:
    save(simulate(lesson(LessonConfig(**config))), path)
    return path


def test_the_summary_says_what_was_recorded_and_how_it_ended(phasescope: Command, lesson_file: Path) -> None:
    outcome = phasescope("show", lesson_file)
    assert outcome.status == 0
    facts = dict(line.split(maxsplit=1) for line in outcome.out.splitlines())
    assert facts["program"] == "lesson"
    assert facts["ended"] == "completed"
    assert facts["events"].startswith("262 in ")
    assert facts["size"] == "1 CTA, 5 agents, 6 barriers"
    assert facts["lost"] == "0 events lost"
    assert "kind simulator, seed 0" in facts["source"]
    assert "stages 3, tiles 8" in facts["config"]


def test_the_summary_as_json_has_every_fact(phasescope: Command, lesson_file: Path) -> None:
    document = json.loads(phasescope("show", lesson_file, "--json").out)
    assert document["ended"] == "completed"
    assert document["steps"] == 262
    assert document["records_lost"] == document["events_dropped"] == 0
    assert {"config", "source", "clock", "reconcile", "check", "command"} <= set(document)


def test_losses_clock_and_check_of_a_gpu_recording_are_told(lesson_trace: Trace) -> None:
    from visualizer.cli.show import summary

    meta = replace(
        lesson_trace.meta,
        records_lost=3,
        events_dropped=1,
        clock={"error_ns": 16.5, "per_sm": [1, 2]},
        reconcile={"moved": 4, "median_ns": 2.25, "maximum_ns": 31.0},
        check={"mode": "exact", "checked": 65536, "errors": 0},
    )
    text = summary_text(summary(replace(lesson_trace, meta=meta), structure_of(lesson_trace)))
    assert "4 events lost, 1 of them left out with those that did not fit in the log" in text
    assert "error ns 16.5" in text
    assert "moved 4, median ns 2.25, maximum ns 31" in text
    assert "mode exact, checked 65536, errors 0" in text


def test_a_deadlock_names_who_waits_for_what(phasescope: Command, tmp_path: Path) -> None:
    path = recorded(tmp_path / "hang.pscope", producer_phase=0)
    outcome = phasescope("show", path)
    assert outcome.status == 0
    assert "deadlock: " in outcome.out
    assert "empty[0]" in outcome.out


def test_a_step_as_json_is_the_state_with_its_explanation(phasescope: Command, lesson_file: Path) -> None:
    document = json.loads(phasescope("show", lesson_file, "--step", 12, "--json").out)
    assert (document["step"], document["steps"]) == (12, 262)
    assert document["event"]["kind"] == "arrive_expect_tx"
    assert document["event"]["site"]["op"] == "producer_acquire"
    assert document["barriers"]["full[0]"]["tx"] == 16384
    assert document["agents"]["producer"]["cursor"] == {"index": 0, "phase": 1, "count": 0}
    assert document["stages"][0] == {"stage": 0, "state": "empty", "tile": None}
    assert "arrived 0 -> 1 of 1 and landed 0/16 KiB" in document["explanation"]


def test_a_step_as_text(phasescope: Command, lesson_file: Path) -> None:
    outcome = phasescope("show", lesson_file, "--step", 12)
    assert outcome.status == 0
    assert "step 12 of 0..261" in outcome.out
    assert "producer: arrive_expect_tx (barrier full[0], stage 0, tile 0, amount 16384)" in outcome.out
    assert "no flip, because bytes are outstanding" in outcome.out
    lines = outcome.out.splitlines()
    assert lines[4].split() == ["barrier", "phase", "parity", "arrived", "landed"]
    assert "full[0]   0      0       1/1      0/16 KiB" in lines
    assert any(line.endswith("stage 0, phase 1, tile 0") for line in lines)
    assert next(line for line in lines if line.startswith("consumer.w1")).split()[1:4] == [
        "waiting",
        "consumer_wait",
        "full[0]",
    ]


def test_every_step_can_be_shown(phasescope: Command, lesson_file: Path) -> None:
    for step in (0, 1, 100, 260, 261):
        assert phasescope("show", lesson_file, "--step", step).status == 0


def test_the_lessons_table_as_text(phasescope: Command, lesson_file: Path) -> None:
    lines = phasescope("show", lesson_file, "--table").out.splitlines()
    assert lines[0].split()[:3] == ["tile", "stage", "pipe_write"]
    assert [line.split()[:2] for line in lines[1:]] == [[str(tile), str(tile % 3)] for tile in range(8)]
    assert lines[1].startswith("0     0      stage 0, phase 1  wait(1) passes  0->1        stage 0, phase 0  wait(0) ")
    assert lines[4].startswith("3     0      stage 0, phase 0  wait(0) ")
    assert lines[4].endswith("1->0")


def test_the_table_as_json_has_the_documented_keys(phasescope: Command, lesson_file: Path) -> None:
    rows = json.loads(phasescope("show", lesson_file, "--table", "--json").out)
    assert len(rows) == 8
    assert rows[3]["pipe_write"] == {"index": 0, "phase": 0, "count": 3}
    assert rows[3]["full_phase"] == [1, 0]
    assert rows[3]["full_wait"]["parity"] == 1
    assert set(rows[0]) == {
        "tile",
        "stage",
        "pipe_write",
        "empty_wait",
        "full_phase",
        "full_wait",
        "empty_phase",
        "pipe_read",
    }


def test_a_hangs_table_has_dashes_and_nulls(phasescope: Command, tmp_path: Path) -> None:
    path = recorded(tmp_path / "hang.pscope", producer_phase=0)
    line = phasescope("show", path, "--table").out.splitlines()[1]
    cursor = ["stage", "0,", "phase", "0"]
    assert line.split() == ["0", "0", *cursor, "wait(0)", "blocks", "-", *cursor, "wait(0)", "blocks", "-"]
    assert json.loads(phasescope("show", path, "--table", "--json").out)[0]["full_phase"] is None


def test_each_ctas_table_can_be_asked_for(phasescope: Command, tmp_path: Path) -> None:
    path = recorded(tmp_path / "ctas.pscope", ctas=2, tiles=4)
    assert len(json.loads(phasescope("show", path, "--table", "--cta", 1, "--json").out)) == 4
    assert "CTA1.stage[2]" in phasescope("show", path, "--step", 3).out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--step", 262), "--step 262 is outside 0..261"),
        (("--step", -1), "--step -1 is outside 0..261"),
        (("--table", "--cta", 1), "--cta 1 is outside 0..0"),
        (("--cta", 0), "--cta applies to --table only"),
        (("--step", 1, "--table"), "not allowed with argument"),
        (("--step", "x"), "invalid int value"),
    ],
)
def test_wrong_options_are_one_sentence_and_status_2(
    phasescope: Command, lesson_file: Path, options: tuple[object, ...], words: str
) -> None:
    outcome = phasescope("show", lesson_file, *options)
    assert outcome.status == 2
    assert outcome.out == ""
    assert words in outcome.err
    assert "Traceback" not in outcome.err


def test_a_file_that_is_missing_or_damaged_is_named(phasescope: Command, lesson_file: Path, tmp_path: Path) -> None:
    missing = phasescope("show", tmp_path / "no.pscope")
    assert missing.status == 2
    assert "no.pscope" in missing.err
    damaged = tmp_path / "half.pscope"
    damaged.write_bytes(lesson_file.read_bytes()[:200])
    outcome = phasescope("show", damaged)
    assert outcome.status == 2
    assert "half.pscope" in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_aligned_columns() -> None:
    assert aligned([("a", "long"), (None, 1), ("xyz", "")]) == "a    long\n-    1\nxyz"


def test_rings_are_told_as_json_and_as_text_only_where_nobody_told_them(
    phasescope: Command, lesson_file: Path, lesson_trace: Trace, tmp_path: Path
) -> None:
    (ring,) = json.loads(phasescope("show", lesson_file, "--json").out)["rings"]
    assert (ring["full"][1], ring["empty"][2], ring["producers"]) == (["full[1]"], ["empty[2]"], ["producer"])
    assert "because" not in phasescope("show", lesson_file).out
    path = tmp_path / "stranger.pscope"
    save(forget(lesson_trace), path)
    assert "95%" in phasescope("show", path).out
    notes_path(path).write_text('{"structure": [{"ring": "ring0", "name": "kv"}, 1]}', encoding="utf-8")
    assert "\nkv " in phasescope("show", path).out
    notes_path(path).write_text("{", encoding="utf-8")
    assert phasescope("show", path).status == 2


def test_stages_and_cursors_of_several_rings_have_their_names(phasescope: Command, tmp_path: Path) -> None:
    path = tmp_path / "rings.pscope"
    trace = two_rings()
    save(trace, path)
    step = int(np.flatnonzero((trace.events["kind"] == EventKind.READ_BEGIN) & (trace.events["ring"] == 1))[0])
    text = phasescope("show", path, "--step", str(step)).out
    assert "ring V" in text.splitlines()[1]
    assert "V.stage[0]" in text
    assert "  V stage 0, phase 0, tile 0" in text
    event = json.loads(phasescope("show", path, "--step", str(step), "--json").out)["event"]
    assert (event["stage"], event["ring"]) == (0, "V")


@pytest.mark.parametrize("command", ["show", "diagnose", "stats"])
def test_a_recording_that_comes_along_is_meant_by_its_name(
    phasescope: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    named = phasescope(command, "multicast")
    assert named.out
    assert named == phasescope(command, shipped_recording("multicast"))
    assert phasescope(command, "multicast.pscope").status == 2
