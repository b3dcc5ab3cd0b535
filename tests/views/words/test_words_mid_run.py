"""Every pane calls the phases of a recording that begins in the middle of the run by what is known of them."""

from __future__ import annotations

import pytest
from mid_run import FULL, mid_run
from timeline_pictures import hover_note, lane_picture, lane_value

from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.views.inspector.inspector_model import inspect
from visualizer.views.ring.ring_model import ring
from visualizer.views.tables.barrier_table_model import COLUMNS, BarrierRows
from visualizer.views.timeline.lanes.lane_store import LaneStore
from visualizer.views.timeline.lanes.text import Value
from visualizer.views.timeline.time.scale import fit

KNOWN, UNKNOWN = "CTA0.0x400", "CTA0.0x410"


@pytest.fixture(scope="module")
def history() -> History:
    return mid_run()


def test_the_inspector_says_what_phases_count_from(history: History) -> None:
    step = history.steps - 1
    phase = history.barrier_at(FULL, step).phase
    (known,) = [one for one in inspect(history, Focus(step, KNOWN), None, ()) if one.title.startswith("Barrier")]
    assert known.lines[0].text == f"#?+{phase} (parity {phase & 1})"
    assert known.text.startswith("The recording begins in the middle of the run and counts phases from there")
    (unknown,) = [one for one in inspect(history, Focus(step, UNKNOWN), None, ()) if one.title.startswith("Barrier")]
    assert [line.text for line in unknown.lines[:2]] == ["#? (parity ?)", "?"]
    assert unknown.text.startswith("Nothing in the recording tells how many arrivals a phase takes")
    assert "last flip" in {line.label for line in known.lines}
    assert {line.label for line in unknown.lines} <= {"phase", "arrived", "waits"}


def test_lanes_have_no_phase_that_nobody_counted(history: History) -> None:
    store = LaneStore(history)
    known, unknown = (store.lanes[store.row_of[name]] for name in (KNOWN, UNKNOWN))
    state = history.state_at(history.steps - 1)
    phase = history.barrier_at(FULL, history.steps - 1).phase
    assert lane_value(store, state, known).text.startswith(f"phase #?+{phase} ({phase & 1})")
    assert lane_value(store, state, unknown) == Value("phase not known", "")
    view = fit(history.trace.duration_ps, 800)
    assert "phase #?+" in hover_note(store, known, view, 400.0, 0.0)[0]
    assert hover_note(store, unknown, view, 400.0, 0.0)[0].endswith("phase not known")
    assert {label.text for label in lane_picture(store, UNKNOWN, view).labels} == {"phase #? (?)"}
    assert "phase #?+1 (1)" in {label.text for label in lane_picture(store, KNOWN, view).labels}


def test_the_ring_and_the_table_leave_open_what_is_not_known(history: History) -> None:
    step = history.steps - 1
    boxes = {box.name: box for stage in ring(history, step).stages for box in stage.barriers}
    assert (boxes[UNKNOWN].digit, boxes[UNKNOWN].arrived_text) == ("?", "?")
    assert boxes[KNOWN].number.startswith("?+")
    rows = BarrierRows(history, step)
    columns = [column.key for column in COLUMNS]
    cells = {
        rows.lane(row): [rows.cell(row, columns.index(key)).text for key in ("phase", "parity")]
        for row in range(rows.rows())
    }
    assert cells[UNKNOWN] == ["#?", "?"]
    assert cells[KNOWN][0].lstrip("* ").startswith("#?+")
