"""Screens with more pixels, whole and fractional ratios: layers have them all, nothing tears, clicks hit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication

from visualizer.views.look.painting import device_pixmap

_SCRIPT = Path(__file__).with_name("scaled_screen.py")
_ROOT = _SCRIPT.parents[3]


def _facts(ratio: float, recording: Path) -> dict[str, Any]:
    environment = os.environ | {"QT_SCALE_FACTOR": str(ratio), "PYTHONPATH": str(_ROOT)}
    run = subprocess.run(
        [sys.executable, str(_SCRIPT), str(recording)], env=environment, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    facts: dict[str, Any] = json.loads(run.stdout)
    assert facts["ratio"] == ratio
    return facts


@pytest.fixture(scope="module")
def plain(lesson_file: Path) -> dict[str, Any]:
    return _facts(1.0, lesson_file)


@pytest.mark.parametrize("ratio", [1.25, 1.5, 2.0])
def test_the_same_picture_with_more_pixels(plain: dict[str, Any], lesson_file: Path, ratio: float) -> None:
    facts = _facts(ratio, lesson_file)
    assert all(abs(size - logical * ratio) <= 1 for size, logical in zip(facts["size"], plain["size"], strict=True))
    assert facts["clicks"] == plain["clicks"]
    assert [step for step, _ in facts["clicks"]]
    assert facts["ring"] == plain["ring"]
    assert len(facts["rows"]) >= 6
    for lane, runs in facts["rows"].items():
        expected = plain["rows"][lane]
        # A seam would cut one state in two; a smoothed picture would have none of the theme's colours at the edges.
        assert [colour for colour, _ in runs] == [colour for colour, _ in expected], lane
        # Each edge may fall a pixel to either side.
        for (_, wide), (_, logical) in zip(runs, expected, strict=True):
            assert abs(wide - logical) < 2, lane


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
def test_a_layer_covers_every_pixel_of_the_screen(qapp: QApplication, ratio: float) -> None:
    layer = device_pixmap(QSize(811, 33), ratio)
    assert (layer.width(), layer.height()) == (ceil(811 * ratio), ceil(33 * ratio))
    assert layer.devicePixelRatio() == ratio
