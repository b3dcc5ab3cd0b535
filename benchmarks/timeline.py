"""How fast the timeline draws: pan, zoom and step at 1600 x 900, on the lesson and on millions of events.

Run: python -m benchmarks.timeline [--events N] [--ctas N] [--frames N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from benchmarks.long_trace import long_trace
from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator import simulate
from visualizer.trace.trace import Trace
from visualizer.views.timeline_widget import TimelineWidget

SIZE = (1600, 900)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=4_000_000, help="at least so many events (default: 4 million)")
    parser.add_argument("--ctas", type=int, default=132)
    parser.add_argument("--frames", type=int, default=120, help="frames of each kind (default: 120)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    _application = QApplication.instance() or QApplication([])
    figures: dict[str, dict[str, float]] = {}
    measure("lesson", simulate(lesson(LessonConfig())), args.frames, figures)
    measure("long", long_trace(args.events, args.ctas), args.frames, figures)
    print(f"{'ms a frame':28} {'median':>8} {'p95':>8} {'worst':>8}")
    for name, figure in figures.items():
        print(f"{name:28} " + " ".join(f"{figure[key]:8.2f}" for key in ("median", "p95", "worst")))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


def measure(name: str, trace: Trace, frames: int, figures: dict[str, dict[str, float]]) -> None:
    """Draw `frames` frames of each kind on one recording; figures in milliseconds."""
    widget = TimelineWidget()
    widget.resize(*SIZE)
    widget.show()
    image = QImage(*SIZE, QImage.Format.Format_ARGB32_Premultiplied)

    def frame(change: Callable[[], object]) -> float:
        start = perf_counter()
        change()
        widget.render(image)
        return 1e3 * (perf_counter() - start)

    def series(kind: str, changes: list[Callable[[], object]]) -> None:
        taken = [frame(change) for change in changes]
        figures[f"{name}: {kind}"] = {
            "median": float(np.median(taken)),
            "p95": float(np.percentile(taken, 95)),
            "worst": max(taken),
        }

    history = History(trace)
    series("first frame", [lambda: (widget.set_history(history), widget.set_focus(Focus(0)))])
    steps = np.linspace(0, history.steps - 1, frames).astype(int).tolist()
    series("step, everything in view", [lambda step=step: widget.set_focus(Focus(step, "tma")) for step in steps])
    middle = history.steps // 2
    series("zoom in to the closest", [widget.zoom_in for _ in range(frames)])
    series("zoom out to everything", [widget.zoom_out for _ in range(frames)])
    series("pan, everything in view", [widget.pan_left, widget.pan_right] * (frames // 2))
    widget.set_focus(Focus(middle))
    while widget.view.span * 8 > trace.duration_ps or widget.view.span > 40e6:
        widget.zoom_in()
    series("pan, zoomed in", [widget.pan_right, widget.pan_left] * (frames // 2))
    ahead = range(middle, min(middle + frames, history.steps))
    series("step, zoomed in", [lambda step=step: widget.set_focus(Focus(step)) for step in ahead])
    bar = widget.verticalScrollBar()
    widget.fit_all()
    down = np.linspace(0, bar.maximum(), frames).astype(int).tolist()
    series("scroll through all lanes", [lambda value=value: bar.setValue(value) for value in down])
    widget.close()


if __name__ == "__main__":
    main()
