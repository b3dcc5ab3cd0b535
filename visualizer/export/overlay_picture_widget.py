"""Two runs laid over each other as a picture in a file: what the compare window shows, with all lanes at once."""

from __future__ import annotations

from pathlib import Path

from visualizer.diagnosis.comparison.compare import Comparison
from visualizer.diagnosis.comparison.compare_overlay import Overlay
from visualizer.export.writing import written_whole
from visualizer.views.compare.overlay_pane_widget import OverlayPane
from visualizer.views.look.theme import load_theme
from visualizer.views.look.widget_picture_widget import png_of, svg_of

_WIDTH = 1600  # pixels


def write_overlay(comparison: Comparison, overlay: Overlay, names: tuple[str, str], path: Path, theme: str) -> None:
    """Write the overlay to `path`, a PNG or an SVG, whole or not at all. ExportError; needs a QApplication."""
    pane = OverlayPane()
    pane.set_theme(load_theme(theme))
    pane.show_for_picture(comparison, overlay, names, _WIDTH)
    content = svg_of(pane, f"{names[0]} · {names[1]}") if path.suffix.lower() == ".svg" else png_of(pane)
    with written_whole(path) as file:
        file.write(content)
