"""Shows a timeline and a ring on a screen of the ratio in QT_SCALE_FACTOR, and prints what a test compares as JSON.

A process of its own, because Qt reads the ratio once, before the first window. Argument: a recording file.
"""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from visualizer.playback.focus import Focus
from visualizer.recording.file import load
from visualizer.replay.history import History
from visualizer.views.look.theme import load_theme
from visualizer.views.ring.ring_widget import RingWidget
from visualizer.views.timeline.timeline_widget import TimelineWidget

STEP = 100
LEAST = 4  # logical pixels
_THEME = load_theme("dark")
FILLS = {_THEME.paint(role).fill for role in ("filling", "full", "reading")}
CLICKED = (20, 60, 120, 200)


def runs(image: QImage, y: float) -> list[tuple[str, float]]:
    """The states in one row of device pixels, with how many logical pixels wide each is; what a pixel hides is out."""
    ratio = image.devicePixelRatio()
    row = round(y * ratio)
    colours = (image.pixelColor(x, row).name() for x in range(image.width()))
    wide = [(colour, len(list(same)) / ratio) for colour, same in groupby(colours)]
    return [(colour, width) for colour, width in wide if colour in FILLS and width >= LEAST]


def clicked(widget: QWidget, target: QWidget, places: list[QPoint]) -> list[tuple[int, str | None]]:
    """What clicks at these logical pixels ask for."""
    asked: list[Focus] = []
    widget.focus_requested.connect(asked.append)
    for place in places:
        QTest.mouseClick(target, Qt.MouseButton.LeftButton, pos=place)
    return [(focus.step, focus.lane) for focus in asked]


def timeline_facts(history: History) -> dict[str, Any]:
    timeline = TimelineWidget()
    timeline.resize(903, 601)
    timeline.show()
    timeline.set_history(history)
    timeline.set_focus(Focus(0))
    while timeline.busy or not timeline.rests:
        QTest.qWait(20)
    image = timeline.viewport().grab().toImage()
    scene = timeline.scene
    rows = {
        lane.key: runs(image, scene.top(row) + 3)
        for row, lane in enumerate(scene.lanes)
        if lane.key.startswith(("stage", "consumer")) and row in scene.rows()
    }
    events = history.trace.events
    places = []
    for step in CLICKED:
        x = scene.frame.lanes.left() + scene.view.pixel(int(events["time"][step]))
        places.append(QPoint(round(x), round(scene.middle("producer"))))
    facts = {"size": [image.width(), image.height()], "rows": rows}
    timeline.overview.grab()
    facts["clicks"] = clicked(timeline, timeline.viewport(), places)
    timeline.close()
    return facts


def ring_clicks(history: History) -> list[tuple[int, str | None]]:
    ring = RingWidget()
    ring.resize(500, 500)
    ring.show()
    ring.set_history(history)
    ring.set_focus(Focus(STEP))
    places = [hit.path.boundingRect().center().toPoint() for hit in ring.hits()]
    asked = clicked(ring, ring, places)
    ring.close()
    return asked


if __name__ == "__main__":
    application = QApplication([])
    recording = History(load(Path(sys.argv[1])))
    facts = timeline_facts(recording) | {"ring": ring_clicks(recording)}
    facts["ratio"] = application.primaryScreen().devicePixelRatio()
    print(json.dumps(facts))
