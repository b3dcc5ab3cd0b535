"""How fast the timeline opens and draws at 1600 x 900 with 64 lanes: pan, zoom, scrub and step, to 10 million events.

Run: python -m benchmarks.timeline [--events N ...] [--frames N] [--rounds N] [--json FILE]

Each size runs in a process of its own. A frame is what a key does until the viewport is painted; of several rounds the
one with the best 95th percentile counts, because a shared machine only ever adds time. CPU is the mean of that round.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time, sleep

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from benchmarks.long_trace import long_trace
from visualizer.app.settings.settings import Settings
from visualizer.app.window.main_window import MainWindow
from visualizer.app.window.start import make_application
from visualizer.app.work.job import all_ended
from visualizer.playback.focus import Focus
from visualizer.recording.file import load, save
from visualizer.replay.history import History
from visualizer.views.timeline.timeline_widget import TimelineWidget

SIZE = (1600, 900)
LANES = 64
EVENTS = (10_000, 1_000_000, 10_000_000)
CTAS = 132
_PATIENCE_S = 120

Figures = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, nargs="+", default=EVENTS, help="sizes (default: 10^4, 10^6, 10^7)")
    parser.add_argument("--frames", type=int, default=60, help="frames of each kind and round (default: 60)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each kind (default: 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)  # the size that this process measures
    args = parser.parse_args()
    if args.one is not None:
        print(json.dumps(measure(args.one, args.frames, args.rounds)))
        return
    results = {}
    for events in args.events:
        command = [sys.executable, "-m", "benchmarks.timeline", "--one", str(events)]
        command += ["--frames", str(args.frames), "--rounds", str(args.rounds)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        results[str(events)] = json.loads(done.stdout.splitlines()[-1])
        show(events, results[str(events)])
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


def show(events: int, result: dict[str, dict[str, float]]) -> None:
    print(f"\n{events:,} events: " + ", ".join(f"{name} {value:.4g}" for name, value in result["recording"].items()))
    print(f"{'ms a frame':24} {'median':>8} {'p95':>8} {'worst':>8} {'CPU':>8}")
    for name, figure in result.items():
        if name != "recording":
            print(f"{name:24} " + " ".join(f"{figure[key]:8.2f}" for key in ("median", "p95", "worst", "cpu")))


def measure(events: int, frames: int, rounds: int) -> dict[str, Figures]:
    """All figures of one size: the recording's own, and each kind of frame in milliseconds."""
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pscope"
        save(long_trace(events, CTAS if events > 100_000 else 4), path)
        opened = open_window(application, path, Path(folder))
        before = anonymous_bytes()
        trace = load(path)
        widget = TimelineWidget()
        widget.resize(*SIZE)
        widget.show()
        history = History(trace)
        widget.set_history(history)
        widget.set_focus(Focus(history.steps // 2, widget.scene.lanes[1].key))
        widget.toggle_compact()
        if widget.scene.rows_shown.ctas:
            widget.toggle_all_folds()
            if widget.scene.rows_shown.all_collapsed:
                widget.toggle_all_folds()
        settle(application, widget)
        opened["lanes in view"] = len(widget.scene.rows())
        result = {"recording": {"events": len(trace), **opened}, **frames_of(application, widget, frames, rounds)}
        result["recording"]["own bytes an event"] = (anonymous_bytes() - before) / len(trace)
        result["recording"]["mapped bytes an event"] = trace.events.itemsize
        widget.close()
    return result


def open_window(application: QApplication, path: Path, folder: Path) -> Figures:
    """Seconds from asking a window to open `path` (in the page cache) until things can be seen."""
    load(path)
    window = MainWindow(application, Settings(folder / "settings.toml"))
    window.resize(*SIZE)
    window.workspaces.reset()
    window.show()
    application.processEvents()
    figures: Figures = {}
    begin, cpu = perf_counter(), process_time()

    def reached(name: str) -> None:
        if f"{name} (s)" not in figures:
            window.timeline.viewport().repaint()
            figures[f"{name} (s)"] = perf_counter() - begin
            figures[f"{name} (CPU s)"] = process_time() - cpu

    window.files.open(path)
    while "read (s)" not in figures and perf_counter() - begin < _PATIENCE_S:
        application.processEvents()
        scene = window.timeline.scene
        if scene is not None:
            reached("first paint")
            there = [scene.store.has(scene.lanes[row]) for row in scene.rows()]
            if any(there):
                reached("first lane")
            if all(there):
                reached("all lanes in view")
        if window.document is not None and window.document.read:
            reached("read")
        sleep(0.001)
    window.document = None
    window.close()
    all_ended(_PATIENCE_S)  # closing lets go of the diagnosis, which would go on beside the frames that are measured
    window.deleteLater()
    application.processEvents()
    return figures


def frames_of(application: QApplication, widget: TimelineWidget, frames: int, rounds: int) -> dict[str, Figures]:
    figures: dict[str, Figures] = {}

    def series(kind: str, changes: list[Callable[[], object]], paint: bool = True) -> None:
        """`paint` is False for changes that paint themselves at once, as a step does."""
        taken = []
        for _ in range(rounds):
            cpu = process_time()
            wall = [frame(widget, change, paint) for change in changes]
            taken.append((float(np.percentile(wall, 95)), wall, 1e3 * (process_time() - cpu) / len(wall)))
            settle(application, widget)
        p95, wall, cpu_ms = min(taken)
        figures[kind] = {"median": float(np.median(wall)), "p95": p95, "worst": max(wall), "cpu": cpu_ms}

    def zoomed(times: int) -> None:
        widget.fit_all()
        for _ in range(times):
            widget.zoom_in()
        settle(application, widget)

    steps = widget.scene.history.steps
    lane = widget.scene.focused.focus.lane
    half = frames // 2
    zoomed(0)
    series("zoom in and out", [widget.zoom_in] * half + [widget.zoom_out] * half)
    for times, name in ((3, "pan, a third in view"), (10, "pan, a hundredth in view"), (22, "pan, single events")):
        zoomed(times)
        series(name, [widget.pan_right, widget.pan_left] * half)
    zoomed(0)
    scrubbed = np.linspace(0, steps - 1, frames).astype(int).tolist()
    series("scrub", [lambda step=step: widget.set_focus(Focus(step, lane)) for step in scrubbed], False)
    middle = steps // 2
    ahead = range(middle, min(middle + frames, steps))
    series("step, everything in view", [lambda step=step: widget.set_focus(Focus(step, lane)) for step in ahead], False)
    widget.set_focus(Focus(middle, lane))
    zoomed(14)
    series("step, zoomed in", [lambda step=step: widget.set_focus(Focus(step, lane)) for step in ahead], False)
    bar = widget.verticalScrollBar()
    down = np.linspace(0, min(bar.maximum(), 900), half).astype(int).tolist()
    series("scroll", [lambda value=value: bar.setValue(value) for value in down])
    return figures


def frame(widget: TimelineWidget, change: Callable[[], object], paint: bool) -> float:
    begin = perf_counter()
    change()
    if paint:
        widget.viewport().repaint()
    return 1e3 * (perf_counter() - begin)


def settle(application: QApplication, widget: TimelineWidget) -> None:
    """Wait until all lanes in view are built and the picture rests."""
    begin = perf_counter()
    while perf_counter() - begin < _PATIENCE_S:
        application.processEvents()
        widget.viewport().repaint()
        if not widget.busy and widget.rests:
            return
        sleep(0.005)


def anonymous_bytes() -> int:
    """This process's own memory; a mapped recording is the page cache's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("RssAnon")).split()[1])


if __name__ == "__main__":
    main()
