"""The strip in which a lecturer changes a parameter on stage."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from visualizer.app.lecture.parameter_strip import ON_STAGE, ParameterStrip
from visualizer.language import tr, use
from visualizer.programs.lesson import NAME
from visualizer.programs.registry import PROGRAMS


def test_its_fields_are_called_in_the_language_shown(qtbot: QtBot) -> None:
    use("zh")
    strip = ParameterStrip()
    qtbot.addWidget(strip)
    titles = {parameter.name: parameter.title for parameter in PROGRAMS[NAME].parameters}
    assert {name: box.accessibleName() for name, box in strip.boxes.items()} == {
        name: tr(titles[name]) for name in ON_STAGE
    }
    assert any(tr(titles[name]) != titles[name] for name in ON_STAGE)
