"""How long a start takes: from the new process to the first painted window, and to the first painted recording.

Run: python -m benchmarks.startup [TRACE] [--runs N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

_CHILD = "--child"


def main() -> None:
    if sys.argv[1:2] == [_CHILD]:
        child(Path(sys.argv[2]) if len(sys.argv) > 2 else None)
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", nargs="?", type=Path, help="the recording to open (default: the lesson)")
    parser.add_argument("--runs", type=int, default=7, help="starts to measure after one to warm up (default: 7)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    measure(args.trace)
    runs = [measure(args.trace) for _ in range(args.runs)]
    figures = {
        name: {"median": median(run[name] for run in runs), "worst": max(run[name] for run in runs)}
        for name in ("window", "recording")
    }
    print(f"{'s from start of process':28} {'median':>8} {'worst':>8}")
    for name, figure in figures.items():
        print(f"first paint of the {name:10} {figure['median']:8.2f} {figure['worst']:8.2f}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


def measure(trace: Path | None) -> dict[str, float]:
    """One start in a process of its own; seconds until each paint."""
    command = [sys.executable, "-m", "benchmarks.startup", _CHILD, *([str(trace)] if trace else [])]
    begin = time.time()
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    painted = json.loads(done.stdout)
    return {name: at - begin for name, at in painted.items()}


def child(trace: Path | None) -> None:
    """Start as `phasescope` does, note when the timeline is painted, and leave."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QEvent, QObject, QTimer

    from visualizer.app.settings.settings import Settings
    from visualizer.app.window.start import make_application, open_window
    from visualizer.playback.address import Address

    painted: dict[str, float] = {}
    application = make_application()
    with tempfile.TemporaryDirectory() as directory:
        window = open_window(application, Address(trace), Settings(Path(directory) / "settings.toml"))
        window.resize(1600, 900)

        class Watch(QObject):
            """Sees each paint of the timeline as it begins; a timer without delay runs when it is done."""

            def eventFilter(self, watched: QObject, event: QEvent) -> bool:
                if event.type() == QEvent.Type.Paint:
                    QTimer.singleShot(0, self.note)
                return False

            def note(self) -> None:
                painted.setdefault("window", time.time())
                if window.document is not None:
                    painted.setdefault("recording", time.time())
                    window.close()

        watch = Watch()
        window.timeline.viewport().installEventFilter(watch)
        application.exec()
    print(json.dumps(painted))


if __name__ == "__main__":
    main()
