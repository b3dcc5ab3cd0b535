"""The panes around the timeline, by the name of the dock each stands in."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from visualizer.views.barrier_table_widget import BarrierTableWidget
from visualizer.views.code_widget import CodeWidget
from visualizer.views.diagnosis_widget import DiagnosisWidget
from visualizer.views.event_table_widget import EventTableWidget
from visualizer.views.explanation_widget import ExplanationWidget
from visualizer.views.memory_map_widget import MemoryMapWidget
from visualizer.views.predict_widget import PredictWidget
from visualizer.views.ring_widget import RingWidget
from visualizer.views.statistics_widget import StatisticsWidget
from visualizer.views.tile_table_widget import TileTableWidget


def build_panes() -> dict[str, QWidget]:
    """One of each; all of them are Panes (visualizer.views.pane)."""
    return {
        "ring": RingWidget(),
        "explanation": ExplanationWidget(),
        "barriers": BarrierTableWidget(),
        "code": CodeWidget(),
        "tiles": TileTableWidget(),
        "events": EventTableWidget(),
        "memory": MemoryMapWidget(),
        "diagnosis": DiagnosisWidget(),
        "statistics": StatisticsWidget(),
        "predict": PredictWidget(),
    }
