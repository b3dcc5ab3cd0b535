"""Recordings of several rings in other tools' formats: every stage, barrier and cursor has its ring's name."""

from __future__ import annotations

import csv
import json

import pytest
from two_ring_traces import two_rings
from vcdvcd import VCDVCD

from visualizer.export.page_model import page_document
from visualizer.export.selection import select
from visualizer.programs.builder import Builder
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


@pytest.fixture(scope="module", params=[1, 2])
def rings(request: pytest.FixtureRequest) -> History:
    return History(two_rings(tiles=4, ctas=request.param))


def test_waveforms_of_both_rings(rings: History, write) -> None:
    path = write(rings, ".vcd")
    vcd, several = VCDVCD(str(path)), rings.trace.ctas > 1
    scope = "cta1." if several else ""
    for name in ("K_stage_2.tile", "V_stage_1.tile", "V_full_1.phase", "producer.cursor_index"):
        assert f"{scope}{name}" in vcd.references_to_ids or f"{scope}{name}[31:0]" in vcd.references_to_ids, name
    producer = rings.trace.agent_index["CTA1.producer" if several else "producer"]
    found = vcd[f"{scope}producer.cursor_V_index"].tv
    last = rings.cursors_at(rings.steps - 1, "V")[producer, 0]
    assert int(found[-1][1], 2) == last
    text = path.read_text()
    assert "waiting_V_full_0" in text
    assert "waiting_K_full_0" in text


def test_rows_of_events_say_the_ring_of_their_stage(rings: History, write) -> None:
    with write(rings, ".csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, event in zip(rows, rings.trace.events, strict=True):
        assert row["ring"] == (rings.trace.rings[event["ring"]] if event["stage"] >= 0 else "")


def test_tracks_of_stages_have_the_ring_s_name(rings: History, write) -> None:
    written = json.loads(write(rings, ".json").read_text())
    events = written["traceEvents"] if isinstance(written, dict) else written
    names = {event["args"]["name"] for event in events if event.get("ph") == "M" and event["name"] == "thread_name"}
    stages = {name.rpartition("CTA0.")[2] for name in names if "stage[" in name and "tma" not in name}
    assert {"K.stage[0]", "K.stage[2]", "V.stage[1]"} <= stages
    assert not any(name.startswith("stage[") for name in names)


def test_a_page_shows_the_cursors_of_every_ring(rings: History) -> None:
    document = page_document(select(rings))
    assert document["rings"] == ["K", "V"]
    known: dict[int, list[list[int] | None]] = {}
    for step in document["steps"]:
        known |= {row: value["cursors"] for row, value in step["changed"]["agent"].items()}
        now = [rings.cursors_at(step["step"], ring) for ring in ("K", "V")]
        for row, lane in enumerate(lane for lane in select(rings).lanes if lane.kind == "agent"):
            cursors = [found[lane.row].tolist() for found in now]
            assert known[row] == [cursor if cursor[0] >= 0 else None for cursor in cursors]


def test_one_ring_has_no_name_to_tell(recorded: History, write) -> None:
    with write(recorded, ".csv").open(encoding="utf-8", newline="") as file:
        assert {row["ring"] for row in csv.DictReader(file)} == {""}
    assert "cursor_index" in (text := write(recorded, ".vcd").read_text())
    assert "cursor__" not in text


def test_waits_for_other_things_than_mbarriers_are_called_by_their_instruction(write) -> None:
    b = Builder("groups")
    a = b.agent("A")
    a.syncthreads()
    a.wgmma_wait()
    a.store_wait()
    written = json.loads(write(History(simulate(b.build())), ".json").read_text())
    names = [event["name"] for event in written["traceEvents"] if event.get("ph") == "B"]
    assert [name for name in names if name.startswith("waits")] == ["waits bar.sync", "waits wgmma", "waits bulk store"]
