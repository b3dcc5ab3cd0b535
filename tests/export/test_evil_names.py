"""Files for other tools stay files of their format, whatever the names in a recording would mean there."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from vcdvcd import VCDVCD

from visualizer.recording.trace import Trace
from visualizer.replay.history import History

EVIL = "=cmd|'/C calc'!A0 $end\n#1\n\"<script>\x1b\x00\x0b]]>,"


@pytest.fixture(scope="module")
def evil(lesson_trace: Trace) -> History:
    agents = [replace(agent, name=f"{EVIL}{agent.name}") for agent in lesson_trace.agents]
    barriers = [replace(barrier, name=f"{EVIL}{barrier.name}") for barrier in lesson_trace.barriers]
    meta = replace(lesson_trace.meta, program=EVIL)
    return History(replace(lesson_trace, agents=agents, barriers=barriers, meta=meta))


def test_no_cell_of_a_csv_is_a_formula(evil: History, write) -> None:
    with write(evil, ".csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(evil.trace)
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@"))]
    assert rows[0]["agent"] == f"'{evil.trace.agents[evil.trace.events['agent'][0]].name}"


def test_a_vcd_file_ends_where_it_should(evil: History, write) -> None:
    vcd = VCDVCD(str(write(evil, ".vcd")))
    assert len(vcd.signals) > 10
    assert vcd.endtime <= evil.trace.duration_ps


@pytest.mark.usefixtures("qapp")
def test_an_svg_is_xml(evil: History, write) -> None:
    ElementTree.parse(write(evil, ".svg"))


def test_a_chrome_trace_is_json(evil: History, write) -> None:
    assert json.loads(write(evil, ".json").read_text(encoding="utf-8"))["traceEvents"]
