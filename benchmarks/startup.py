"""How long a start takes: from the new process to the first painted window, and to the first painted recording.

Run: python -m benchmarks.startup [TRACE] [--runs N] [--against CHECKOUT] [--json FILE]

Each start is the `phasescope` command in a process of its own, with its bytecode compiled as an installed one has it,
and settings nobody has written to. Beside seconds, which a busy machine stretches, the CPU's seconds in user and system
of all threads until then. `--against` starts another checkout in turns, so that both meet the same moments.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

_CHILD = "--child"
_HERE = Path(__file__).resolve().parents[1]
_FIGURES = ("window (s)", "window (CPU s)", "recording (s)", "recording (CPU s)", "page faults", "modules", "widgets")

Figures = dict[str, float]


def main() -> None:
    if sys.argv[1:2] == [_CHILD]:
        child(sys.argv[2:])
        return
    import argparse  # here: what measures a start must not be part of it
    import tempfile
    from statistics import median

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", nargs="?", type=Path, help="the recording to open (default: the lesson)")
    parser.add_argument("--runs", type=int, default=7, help="starts to measure after one to warm up (default: 7)")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="the same of another checkout, in turns")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()

    checkouts = {"here": _HERE}
    if args.against:
        checkouts["against"] = args.against.resolve()
    with tempfile.TemporaryDirectory() as bytecode:
        for checkout in checkouts.values():
            measure(args.trace, Path(bytecode), checkout)
        runs = [
            {name: measure(args.trace, Path(bytecode), checkout) for name, checkout in checkouts.items()}
            for _ in range(args.runs)
        ]
    medians = {name: {key: median(run[name][key] for run in runs) for key in _FIGURES} for name in checkouts}
    print(f"{'median of ' + str(args.runs):20}" + "".join(f"{name:>12}" for name in medians))
    for key in _FIGURES:
        print(f"{key:20}" + "".join(f"{figures[key]:12.6g}" for figures in medians.values()) + _ratio(medians, key))
    if args.json:
        args.json.write_text(json.dumps({"medians": medians, "runs": runs}, indent=1) + "\n")


def _ratio(medians: dict[str, Figures], key: str) -> str:
    return f"  x{medians['here'][key] / medians['against'][key]:.3f}" if "against" in medians else ""


def measure(trace: Path | None, bytecode: Path, checkout: Path = _HERE) -> Figures:
    """One start of a checkout; what it took until each paint. The folder `bytecode` keeps what is compiled: the first
    start that uses it takes longer."""
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as settings:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {
            "PYTHONPATH": str(checkout),
            "PYTHONPYCACHEPREFIX": str(bytecode),
            "XDG_CONFIG_HOME": settings,
        }
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        command = [
            sys.executable,
            "-P",
            str(Path(__file__).resolve()),
            _CHILD,
            *([str(trace.resolve())] if trace else []),
        ]
        begin = time.time()
        done = subprocess.run(
            command, env=environment, cwd=settings, stdout=subprocess.PIPE, text=True, check=True, timeout=120
        )
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return {key: value - begin if key.endswith(" (s)") else value for key, value in figures.items()}


def child(arguments: list[str]) -> None:
    """Start as `phasescope` does, note what it took until the timeline is painted, and leave."""
    import resource

    from PySide6.QtCore import QEvent, QObject, Qt, Signal
    from PySide6.QtWidgets import QApplication

    figures: Figures = {}
    run = QApplication.exec

    class Watch(QObject):
        """Sees each paint of the timeline as it begins; a queued signal comes when it is done, before any timer."""

        begun = Signal()

        def __init__(self, window: Any) -> None:
            super().__init__(window)
            self.window_ = window
            window.resize(1600, 900)
            self.begun.connect(self.note, Qt.ConnectionType.QueuedConnection)
            window.timeline.viewport().installEventFilter(self)

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                self.begun.emit()
            return False

        def note(self) -> None:
            self.reached("window")
            if self.window_.document is not None and self.reached("recording"):
                self.window_.close()

        def reached(self, what: str) -> bool:
            """Note it, the first time."""
            if f"{what} (s)" in figures:
                return False
            spent = resource.getrusage(resource.RUSAGE_SELF)
            figures.update(
                {
                    f"{what} (s)": time.time(),
                    f"{what} (CPU s)": spent.ru_utime + spent.ru_stime,
                    "page faults": spent.ru_minflt,
                    "modules": len(sys.modules),
                    "widgets": len(QApplication.allWidgets()),
                }
            )
            return True

    def watched(application: QApplication) -> int:
        Watch(next(one for one in QApplication.topLevelWidgets() if hasattr(one, "timeline")))
        return run()

    QApplication.exec = watched
    sys.argv = ["phasescope", *arguments]
    from visualizer.__main__ import main as phasescope

    phasescope()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
