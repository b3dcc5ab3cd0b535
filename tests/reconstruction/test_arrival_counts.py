"""What hardware did is derived from what agents logged: no more of it than so many records can have caused."""

from __future__ import annotations

from pathlib import Path

import pytest

from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.sources.errors import SourceError
from visualizer.sources.imports.registry import import_trace


def _imported(folder: Path, *rows: str) -> Trace:
    path = folder / "log.csv"
    path.write_text("\n".join(["agent,time,kind,barrier,amount", "a,0,init,full[0],1", *rows]) + "\n")
    return import_trace(path)


@pytest.mark.parametrize("amount", [1000, 1_000_000, 2**31 - 1])
def test_arrivals_without_bounds_are_no_phases_without_bounds(amount: int, tmp_path: Path) -> None:
    """20 lines were 20 million phases, and 8 GB."""
    rows = [f"b,{10 + row},arrive,full[0],{amount}" for row in range(20)]
    said = rf"full\[0\] would complete {20 * amount} phases with 20 arrivals"
    with pytest.raises(SourceError, match=said):
        _imported(tmp_path, *rows)
    with pytest.raises(SourceError, match=r"would complete \d+ phases with 21 arrivals"):
        _imported(tmp_path, "b,5,arrive_drop,full[0],0", *rows)


def test_the_lanes_of_a_warp_arrive_as_one(tmp_path: Path) -> None:
    trace = _imported(tmp_path, *(f"b,{10 + row},arrive,full[0],32" for row in range(20)))
    assert int((trace.events["kind"] == EventKind.PHASE_COMPLETE).sum()) == 640
