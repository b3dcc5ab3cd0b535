"""The fields of the Recording section, and how tests choose in them."""

from __future__ import annotations

from PySide6.QtWidgets import QSpinBox

from visualizer.app.window.main_window import MainWindow

OF_WINDOW = ("first", "last", "keep_last", "every_cta", "roles")
OF_GPU = ("level", "ab_pairs", "probe")
SIZES = {
    "multicast": ("size_cluster",),
    "gemm": ("size_m", "size_n", "size_k"),
    "pingpong": ("size_m", "size_n", "size_k"),
    "attention": ("size_heads", "size_length"),
}
"""By program: what the window asks of the kernels in kernels/."""


def choose(window: MainWindow, source: str, fields: dict[str, object]) -> None:
    panel = window.experiment
    panel.source.setCurrentIndex(panel.source.findData(source))
    for name, value in fields.items():
        field = panel.recording.field(name)
        if isinstance(field, QSpinBox):
            field.setValue(value)
        else:
            field.setCurrentIndex([field.itemData(index) for index in range(field.count())].index(value))


def offered(window: MainWindow) -> list[str]:
    box = window.experiment.recording
    sizes = dict.fromkeys(name for names in SIZES.values() for name in names)
    return [name for name in (*OF_WINDOW, *OF_GPU, *sizes) if box.field(name).isVisible()]
