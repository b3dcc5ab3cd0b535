"""The cp.async pipeline on a real SM90 GPU: every value right, every event there, and it opens like any recording."""

from __future__ import annotations

import pytest

from visualizer.programs.cp_async import WARPS
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.cp_async.record import record_cp_async


@pytest.mark.parametrize(("stages", "tiles"), [(2, 8), (3, 8), (4, 64), (8, 5)])
def test_it_is_recorded_whole(stages: int, tiles: int) -> None:
    trace = record_cp_async(LessonConfig(stages=stages, tiles=tiles))
    assert trace.meta.check == {"mode": "exact", "checked": tiles * 128 * 64, "errors": 0}
    assert trace.meta.records_lost == 0
    kinds = trace.events["kind"]
    once_a_tile = ("COPY_ISSUE", "COPY_DONE", "WAIT_END", "READ_BEGIN", "READ_END")
    for kind in map(EventKind.__getitem__, once_a_tile):
        assert int((kinds == kind).sum()) == tiles * WARPS
    history = History(trace)
    assert trace.stages == stages
    history.state_at(history.steps - 1)
