"""That the harness's person at a window notices what goes wrong there: each fault is planted in a real window."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.batch import ROOT
from visualizer.children import child_environment

_PLANTED = """
import sys
from pathlib import Path
from tests.fuzz import seeds, windows
from tests.fuzz.outcome import Outcome
from visualizer.views.ring.ring_widget import RingWidget
lesson = (seeds.ASSETS / "traces" / "lesson.pscope").read_bytes()
windows.damage.damage = lambda content, random: (lesson, ())
seeds.recordings = lambda: {"lesson": lesson}
def fail(*arguments):
    raise ZeroDivisionError("planted")
PLANT
windows.recording_in_a_window(3, Path(sys.argv[1]), Outcome())
"""


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ("RingWidget.paint = fail", "ZeroDivisionError: planted"),
        ("RingWidget.set_focus = fail", "ZeroDivisionError: planted"),
        ("from PySide6.QtCore import qWarning; RingWidget.set_focus = lambda self, focus: qWarning('x')", "Qt said: "),
        ("RingWidget.set_focus = lambda self, focus: sum(range(10**8))", "the window stood still for"),
        ("from visualizer.diagnosis import diagnose; diagnose.diagnose = fail", "phasescope has a defect"),
        ("from visualizer.app.session import record_job; record_job.read_recording = fail", "phasescope has a defect"),
    ],
)
def test_what_goes_wrong_in_a_window_is_found(plant: str, said: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PLANTED.replace("PLANT", plant), str(tmp_path)],
        env=child_environment(), cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert said in done.stderr
