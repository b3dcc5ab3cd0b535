"""Where a recording knows barriers by address alone, people read what they are for; scripts read the recorded name."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from visualizer.cli.show_text import step_text
from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.explanations.explain import explain
from visualizer.diagnosis.report import report_json
from visualizer.diagnosis.report_text import report_text
from visualizer.export.page_model import page_document
from visualizer.export.selection import select
from visualizer.programs.registry import find_program
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget
from visualizer.structure.told import told
from visualizer.views.diagnosis.chain_model import chain
from visualizer.views.ring.ring_model import ring
from visualizer.views.tables.barrier_table_model import BarrierRows
from visualizer.views.tables.event_table_filter import filtered_steps
from visualizer.views.tables.event_table_model import EventRows

ADDRESS = re.compile(r"0x[0-9a-f]")


@pytest.fixture(scope="module")
def stranger() -> History:
    return History(forget(simulate(find_program("lesson", {"ctas": 2, "tiles": 5}))))


def test_sentences(stranger: History) -> None:
    said = [explain(stranger, step) for step in range(stranger.steps)]
    assert not any(ADDRESS.search(text) for text in said)
    assert any("CTA1.full[2]" in text for text in said)


def test_tables_show_the_title_and_lead_to_the_lane_of_the_recorded_name(stranger: History) -> None:
    step = stranger.steps // 2
    rows = BarrierRows(stranger, step)
    assert [rows.cell(row, 0).text for row in range(3)] == [f"CTA0.full[{n}]" for n in range(3)]
    assert [rows.lane(row) for row in range(2)] == ["CTA0.0x0", "CTA0.0x8"]
    assert rows.columns[0].widest == "CTA0.empty[0]"
    events = EventRows(stranger)
    shown = {events.cell(row, 4).text for row in range(events.rows())}
    assert "CTA1.empty[1]" in shown
    assert not any(ADDRESS.search(text) for text in shown)
    assert {box.called for stage in ring(stranger, step).stages for box in stage.barriers} >= {"CTA1.full[0]"}


def test_the_events_are_filtered_by_title_and_by_address(stranger: History) -> None:
    for text in ("full[1] cta:1", "0x8 cta:1", "barrier:full[1] cta:1", "barrier:CTA1.0x8"):
        found = filtered_steps(stranger, text)
        assert found is not None
        assert {stranger.trace.events["barrier"][step] for step in found} == {7}, text
    everywhere = filtered_steps(stranger, "barrier:full[1]")
    assert everywhere is not None
    assert {stranger.trace.events["barrier"][step] for step in everywhere} == {1, 7}


def test_the_page(stranger: History) -> None:
    document = page_document(select(stranger))
    assert document["barriers"][0] == {"name": "CTA0.0x0", "title": "CTA0.full[0]", "kind": "full"}
    steps = json.dumps(document["steps"])
    assert not ADDRESS.search(re.sub(r'"(lane|arrows)": ("[^"]*"|\[.*?\]\]|\[\])', "", steps))
    assert '"barrier": "CTA1.full[0]"' in steps


def test_show_prints_titles_and_tells_scripts_both(stranger: History) -> None:
    step = next(s for s in range(stranger.steps) if stranger.trace.events["barrier"][s] == 1)
    document = {**step_document(stranger, step), "explanation": explain(stranger, step)}
    assert document["event"]["barrier"] == "CTA0.0x8"
    assert document["barriers"]["CTA0.0x8"]["title"] == "CTA0.full[1]"
    assert not ADDRESS.search(step_text(document, stranger))


def test_findings() -> None:
    trace = simulate(find_program(fault="F01"))
    named, stranger = History(trace), History(forget(trace))
    stranger = stranger.with_structure(replace(told(trace), unknown=""))
    report = diagnose(stranger)
    assert report.findings
    assert not ADDRESS.search(report_text(report))
    found = report_json(report)["findings"]
    assert {finding["title"] for finding in found if finding["barrier"]} == {
        finding["barrier"] for finding in report_json(diagnose(named))["findings"] if finding["barrier"]
    }
    assert all(ADDRESS.search(finding["barrier"]) for finding in found if finding["barrier"])
    nodes = chain(stranger.trace, report, report.findings[0]).nodes
    assert [node.title for node in nodes if node.kind == "barrier"]
    assert not any(ADDRESS.search(node.title) for node in nodes)


def test_a_barrier_that_nobody_knows_keeps_its_address() -> None:
    trace = forget(simulate(find_program("lesson")))
    history = History(trace, told(trace))
    assert history.barrier_title(0) == "0x0"
    assert "0x0" in explain(history, int((trace.events["barrier"] == 0).argmax()))
