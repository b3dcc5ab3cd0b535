"""Starting and leaving for good, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_OPEN_AND_LEAVE = """
import sys
from pathlib import Path
from visualizer.app.window import start
from visualizer.app.run import run_app
from visualizer.app.settings.settings import Settings
from visualizer.playback.address import Address

open_window = start.open_window

def open_and_leave(application, address, together, trace):
    window = open_window(application, address, Settings(Path(sys.argv[2])))
    window.jobs.succeeded.connect(lambda: print(window.windowTitle()))
    window.jobs.succeeded.connect(window.close)
    return window

start.open_window = open_and_leave
sys.exit(run_app(Address(Path(sys.argv[1]))))
"""


def test_the_whole_way_from_start_to_exit(lesson_file: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.ini"
    done = subprocess.run(
        [sys.executable, "-c", _OPEN_AND_LEAVE, str(lesson_file), str(settings)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == "lesson.pscope[*] - phasescope\n"
    assert "geometry" in settings.read_text()


_LEAVE_WHILE_AT_WORK = """
import sys, time
from pathlib import Path
from visualizer.app.window import start
from visualizer.app.settings.settings import Settings
from visualizer.playback.address import Address

open_window = start.open_window

def open_and_leave(application, address, together, trace):
    window = open_window(application, address, Settings(Path(sys.argv[2])))
    window.jobs.succeeded.connect(lambda: window.comparing.jobs.start(lambda progress, cancelled: time.sleep(1000)))
    window.jobs.succeeded.connect(window.close)
    return window

start.open_window = open_and_leave
print("over")
sys.exit(start.start(Address(Path(sys.argv[1]))))
"""


def test_leaving_waits_for_no_computation(lesson_file: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LEAVE_WHILE_AT_WORK, str(lesson_file), str(tmp_path / "settings.ini")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "QThread" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == "over\n"
    assert "geometry" in (tmp_path / "settings.ini").read_text()
