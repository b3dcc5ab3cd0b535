"""Registered names go to the rings that alone can be meant."""

from __future__ import annotations

from dataclasses import replace

from visualizer.programs.registry import find_program
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of
from visualizer.structure.forget import forget
from visualizer.structure.symbols import registered_names

LESSON = forget(simulate(find_program("lesson")))  # one ring of three stages


def test_a_name_is_given_where_it_can_be_but_one() -> None:
    symbols = [{"name": "load_q", "stages": 2}, {"name": "load_kv", "stages": 3}, {"name": "s", "stages": 1}]
    assert registered_names(symbols, {0x400: 3, 0x500: 2, 0x600: 2}) == {0x400: "load_kv"}
    assert registered_names([*symbols, {"name": "o", "stages": 3}], {0x400: 3}) == {}
    assert registered_names([], {0x400: 3}) == {}


def test_a_recording_that_tells_names() -> None:
    source = {**LESSON.meta.source, "symbols": [{"name": "mainloop", "stages": 3, "type": "PipelineTmaAsync"}]}
    named = replace(LESSON, meta=replace(LESSON.meta, source=source))
    assert {ring.name for ring in structure_of(LESSON).rings} == {"ring0"}
    assert {ring.name for ring in structure_of(named).rings} == {"mainloop"}
