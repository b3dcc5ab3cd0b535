"""How long a step takes in the whole window: from the key press to the painted frame, all panes visible.

Run: python -m benchmarks.step_key [TRACE] [--steps N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from visualizer.app.session.document import Document
from visualizer.app.settings.settings import Settings
from visualizer.app.window.main_window import MainWindow
from visualizer.app.window.start import make_application
from visualizer.playback.focus import Focus
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import load
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", nargs="?", type=Path, help="the recording (default: the simulated lesson)")
    parser.add_argument("--steps", type=int, default=200, help="key presses to measure (default: 200)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    application = make_application()
    trace = load(args.trace) if args.trace else simulate(lesson(LessonConfig()))
    with tempfile.TemporaryDirectory() as directory:
        window = MainWindow(application, Settings(Path(directory) / "settings.toml"))
        window.resize(1600, 900)
        window.workspaces.reset()
        window.show()
        window.show_document(Document(History(trace), path=None, saved=True))
        application.processEvents()
        begin = max(0, (len(trace) - args.steps) // 2)
        window.navigator.go_to(Focus(begin, None))
        application.processEvents()
        milliseconds = [press(window) for _ in range(min(args.steps, len(trace) - 1 - begin))]
        window.close()
    figures = {
        "median": float(np.median(milliseconds)),
        "p95": float(np.percentile(milliseconds, 95)),
        "worst": max(milliseconds),
    }
    print(f"{'ms from key to frame':28} " + " ".join(f"{name} {value:.2f}" for name, value in figures.items()))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


def press(window: MainWindow) -> float:
    begin = perf_counter()
    QTest.keyClick(window.timeline, Qt.Key.Key_Period)
    # Paints everything that the step made stale, as the event loop would before it waits.
    QApplication.processEvents()
    return (perf_counter() - begin) * 1000


if __name__ == "__main__":
    main()
