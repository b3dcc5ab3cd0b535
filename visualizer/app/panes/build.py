"""The panes by name: the docks' names, and the timeline. Each is imported when one is built, so that a start pays for
those it shows.
"""

from __future__ import annotations

from importlib import import_module

from PySide6.QtWidgets import QWidget

_PLACES = {
    "timeline": ("views.timeline.timeline_widget", "TimelineWidget"),
    "ring": ("views.ring.ring_widget", "RingWidget"),
    "inspector": ("views.inspector.inspector_widget", "InspectorWidget"),
    "explanation": ("views.inspector.explanation_widget", "ExplanationWidget"),
    "barriers": ("views.tables.barrier_table_widget", "BarrierTableWidget"),
    "code": ("views.code.code_widget", "CodeWidget"),
    "tiles": ("views.tables.tile_table_widget", "TileTableWidget"),
    "events": ("views.tables.event_table_widget", "EventTableWidget"),
    "memory": ("views.ring.memory_map_widget", "MemoryMapWidget"),
    "diagnosis": ("views.diagnosis.diagnosis_widget", "DiagnosisWidget"),
    "breakpoints": ("views.notes.breakpoints_widget", "BreakpointsWidget"),
    "notes": ("views.notes.notes_widget", "NotesWidget"),
    "structure": ("views.structure.structure_widget", "StructureWidget"),
    "statistics": ("views.statistics.statistics_widget", "StatisticsWidget"),
    "predict": ("views.statistics.predict_widget", "PredictWidget"),
}
"""The module below `visualizer`, and the class in it."""

DOCKED = tuple(name for name in _PLACES if name != "timeline")
"""Those that stand in docks."""


def build_pane(name: str) -> QWidget:
    """A new Pane (visualizer.views.look.pane) of that name."""
    module, kind = _PLACES[name]
    pane: QWidget = getattr(import_module(f"visualizer.{module}"), kind)()
    return pane
