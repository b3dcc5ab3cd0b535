"""The panes by name: the docks' names, and the timeline."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from visualizer.views.code.code_widget import CodeWidget
from visualizer.views.diagnosis.diagnosis_widget import DiagnosisWidget
from visualizer.views.inspector.explanation_widget import ExplanationWidget
from visualizer.views.inspector.inspector_widget import InspectorWidget
from visualizer.views.notes.breakpoints_widget import BreakpointsWidget
from visualizer.views.notes.notes_widget import NotesWidget
from visualizer.views.ring.memory_map_widget import MemoryMapWidget
from visualizer.views.ring.ring_widget import RingWidget
from visualizer.views.statistics.predict_widget import PredictWidget
from visualizer.views.statistics.statistics_widget import StatisticsWidget
from visualizer.views.structure.structure_widget import StructureWidget
from visualizer.views.tables.barrier_table_widget import BarrierTableWidget
from visualizer.views.tables.event_table_widget import EventTableWidget
from visualizer.views.tables.tile_table_widget import TileTableWidget
from visualizer.views.timeline.timeline_widget import TimelineWidget

_MAKE: dict[str, Callable[[], QWidget]] = {
    "timeline": TimelineWidget,
    "ring": RingWidget,
    "inspector": InspectorWidget,
    "explanation": ExplanationWidget,
    "barriers": BarrierTableWidget,
    "code": CodeWidget,
    "tiles": TileTableWidget,
    "events": EventTableWidget,
    "memory": MemoryMapWidget,
    "diagnosis": DiagnosisWidget,
    "breakpoints": BreakpointsWidget,
    "notes": NotesWidget,
    "structure": StructureWidget,
    "statistics": StatisticsWidget,
    "predict": PredictWidget,
}


def build_pane(name: str) -> QWidget:
    """A new Pane (visualizer.views.look.pane) of that name."""
    return _MAKE[name]()


def build_panes() -> dict[str, QWidget]:
    """One of each that stands in a dock; all of them are Panes."""
    return {name: build_pane(name) for name in _MAKE if name != "timeline"}
