"""Charts as they are drawn: in a theme's colours, zoomed, saved, with a twin in words; pyqtgraph is imported late."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from visualizer.views.charts.chart_grid_widget import ChartGrid
from visualizer.views.charts.chart_model import Axis, Boxes, Chart, Curve, Diamonds, Note, Rule, Spans, floats
from visualizer.views.charts.chart_widget import ChartWidget
from visualizer.views.look.theme import load_theme, theme_names

ZERO = floats([0, 0])
HISTOGRAM = Chart(
    "copy latency",
    "median 2 ns",
    Axis("time (ns)"),
    Axis("copies", whole=True),
    (
        Boxes("copies", "filling", floats([0, 50]), floats([50, 100]), ZERO, floats([3, 1])),
        Boxes("late", "waiting", floats([0, 50]), floats([50, 100]), floats([3, 1]), floats([4, 2])),
        Curve("most", "tx", floats([0, 50, 100]), floats([4, 2]), steps=True),
        Spans("spread", floats([25]), floats([2]), floats([3])),
        Diamonds("measured", "accent", floats([75]), floats([3])),
        Rule("median", 40, thick=True),
    ),
    (Note(25, 4, "four", strong=True),),
)
BARS = Chart(
    "roles",
    "producer: busy 60%, waits 40%",
    Axis("share of time (%)"),
    Axis("", ((0.0, ("producer",)),), (-0.5, 0.5), down=True),
    (
        Boxes("busy", "running", floats([0]), floats([60]), floats([-0.4]), floats([0.4]), (("busy 60%", "60%"),)),
        Boxes("waits", "waiting", floats([60]), floats([100]), floats([-0.4]), floats([0.4]), (("waits 40%", "40%"),)),
    ),
    rows=1,
)
NOTHING = Chart("copies", "none in this range", Axis("time (ns)"), Axis("copies"))


@pytest.fixture
def widget(qtbot: QtBot) -> ChartWidget:
    widget = ChartWidget()
    qtbot.addWidget(widget)
    widget.resize(420, 260)
    widget.set_chart(HISTOGRAM)
    widget.show()
    return widget


def _colours(image: QImage) -> set[str]:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32) & 0xFFFFFF
    return {f"#{pixel:06x}" for pixel in np.unique(pixels).tolist()}


def _view(widget: ChartWidget) -> tuple[list[float], list[float]]:
    x, y = widget.plot.box.viewRange()
    return x, y


def _wheel(widget: ChartWidget, modifiers: Qt.KeyboardModifier) -> QWheelEvent:
    place = QPointF(widget.plot.viewport().rect().center())
    event = QWheelEvent(
        place,
        QPointF(widget.plot.viewport().mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget.plot.viewport(), event)
    return event


@pytest.mark.parametrize("name", theme_names())
def test_the_plot_has_the_themes_colours_and_the_whole_of_the_chart(widget: ChartWidget, name: str) -> None:
    theme = load_theme(name)
    widget.set_theme(theme)
    seen = _colours(widget.plot.grab().toImage())
    assert {theme.panel, theme.filling.fill, theme.waiting.fill, theme.tx, theme.accent, theme.text} <= seen
    (left, right), (low, high) = _view(widget)
    assert left <= 0
    assert right >= 100
    assert low == 0
    assert high > 4


def test_axes_name_units_and_whole_numbers_only(widget: ChartWidget) -> None:
    plot = widget.plot
    assert [plot.axes[side].labelText for side in ("bottom", "left")] == ["time (ns)", "copies"]
    assert [plot.axes[side].labelUnits for side in ("bottom", "left")] == ["", ""]
    spacings = plot.axes["left"].tickSpacing(0, 2, 600)
    assert min(spacing for spacing, _ in spacings) == 1
    assert min(spacing for spacing, _ in plot.axes["bottom"].tickSpacing(0, 2, 600)) < 1


def test_ctrl_and_the_wheel_zoom_along_and_the_wheel_alone_is_the_panes(widget: ChartWidget) -> None:
    before, heights = _view(widget)
    assert not _wheel(widget, Qt.KeyboardModifier.NoModifier).isAccepted()
    assert _view(widget)[0] == before
    _wheel(widget, Qt.KeyboardModifier.ControlModifier)
    after, same = _view(widget)
    assert after[1] - after[0] == pytest.approx((before[1] - before[0]) / 1.25)
    assert same == heights


def test_keys_zoom_pan_and_show_all(widget: ChartWidget, qtbot: QtBot) -> None:
    whole = _view(widget)
    qtbot.keyClick(widget.plot, Qt.Key.Key_Plus)
    qtbot.keyClick(widget.plot, Qt.Key.Key_Plus)
    near = _view(widget)
    assert near[0][1] - near[0][0] == pytest.approx((whole[0][1] - whole[0][0]) / 1.25**2)
    qtbot.keyClick(widget.plot, Qt.Key.Key_Right)
    assert _view(widget)[0][0] > near[0][0]
    qtbot.keyClick(widget.plot, Qt.Key.Key_Minus)
    assert np.ptp(_view(widget)[0]) > np.ptp(near[0])
    qtbot.keyClick(widget.plot, Qt.Key.Key_Home)
    assert np.array(_view(widget)) == pytest.approx(np.array(whole))
    # Nothing lies beyond the chart.
    qtbot.keyClick(widget.plot, Qt.Key.Key_Left)
    assert np.array(_view(widget)) == pytest.approx(np.array(whole))


def test_a_double_click_shows_all(widget: ChartWidget, qtbot: QtBot) -> None:
    whole = _view(widget)
    widget.plot.zoom(0.5)
    qtbot.mouseDClick(widget.plot.viewport(), Qt.MouseButton.LeftButton)
    assert np.array(_view(widget)) == pytest.approx(np.array(whole))


def test_texts_stand_in_bars_that_have_room(widget: ChartWidget, qtbot: QtBot) -> None:
    widget.set_chart(BARS)
    seen = []
    for width in range(420, 60, -4):
        widget.resize(width, 260)
        QApplication.processEvents()
        label = widget.plot._labels[0][0]
        text = label.toPlainText() if label.isVisible() else ""
        seen += [text] if text not in seen else []
    assert seen == ["busy 60%", "60%", ""]


@pytest.mark.parametrize("height", [190, 240, 500])
def test_what_stands_above_the_highest_value_is_whole(widget: ChartWidget, height: int) -> None:
    for high in (height + 120, height):
        widget.resize(300, high)
        QApplication.processEvents()
    plot = widget.plot
    (note,) = plot._notes
    assert note.isVisible()
    top = plot.mapFromScene(note.sceneBoundingRect().topLeft()).y()
    frame = plot.mapFromScene(plot.box.sceneBoundingRect().topLeft()).y()
    assert top >= frame - 1


def test_the_words_beside_it_are_the_charts(widget: ChartWidget) -> None:
    assert widget.caption.text() == "median 2 ns"
    assert widget.accessibleName() == "copy latency"
    assert widget.plot.accessibleDescription() == "copy latency: median 2 ns"
    widget.set_chart(NOTHING)
    assert (widget.caption.text(), widget.plot.isVisible(), widget.key.isVisible()) == (
        "none in this range",
        False,
        False,
    )
    widget.set_chart(BARS)
    assert widget.plot.isVisible()


def test_the_key_shows_each_name_once_and_breaks_its_lines(widget: ChartWidget) -> None:
    assert list(widget.key._series) == ["copies", "late", "most", "spread", "measured", "median"]
    assert widget.key.heightForWidth(120) > 2 * widget.key.heightForWidth(1000)
    assert load_theme("dark").waiting.fill in _colours(widget.key.grab().toImage())


def test_fonts_scale_everywhere(widget: ChartWidget) -> None:
    before = widget.plot.height()
    font = widget.font()
    font.setPointSizeF(2 * font.pointSizeF())
    widget.setFont(font)
    QApplication.processEvents()
    assert widget.plot.height() > 1.7 * before
    assert widget.plot.axes["bottom"].style["tickFont"].pointSizeF() == pytest.approx(0.88 * font.pointSizeF())
    assert widget.key.font().pointSizeF() == font.pointSizeF()
    assert widget.minimumSizeHint().width() < 300  # nothing in it holds a narrow pane open


def test_a_png_has_the_chart_at_twice_its_size(widget: ChartWidget, tmp_path: Path) -> None:
    widget.set_theme(load_theme("light"))
    path = tmp_path / "chart.png"
    widget.save(path)
    image = QImage(str(path))
    assert image.size() == widget.size() * 2
    assert {load_theme("light").filling.fill, load_theme("light").accent} <= _colours(image)


def test_an_svg_has_shapes_and_words(widget: ChartWidget, tmp_path: Path) -> None:
    path = tmp_path / "chart.svg"
    widget.save(path)
    text = path.read_text()
    root = ET.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text == "copy latency"
    words = {"".join(node.itertext()).strip() for node in root.iter(f"{space}text")}
    assert {"copy latency", "median 2 ns", "copies", "measured", "100", "four"} <= words
    assert not list(root.iter(f"{space}image"))
    assert load_theme("dark").filling.fill in text


def test_the_menu_shows_all_and_saves(widget: ChartWidget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "saved"
    proposed: list[str] = []

    def choose(parent: object, title: str, name: str, kinds: str) -> tuple[str, str]:
        proposed.append(Path(name).name)
        return str(path), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    widget.plot.zoom(0.5)
    widget.plot.menu_wanted.emit(QPoint(10, 10))
    (menu,) = widget.findChildren(QMenu)
    everything, save = menu.actions()
    everything.trigger()
    assert _view(widget)[0][1] >= 100
    save.trigger()
    menu.close()
    assert proposed == ["copy latency.png"]
    assert not QImage(str(path.with_suffix(".png"))).isNull()


def test_charts_stand_side_by_side_where_there_is_room(qtbot: QtBot) -> None:
    grid = ChartGrid("charts")
    qtbot.addWidget(grid)
    grid.set_charts([BARS, HISTOGRAM, HISTOGRAM, NOTHING])
    grid.resize(1000, 900)
    grid.show()
    QApplication.processEvents()
    first, second, third, _ = grid.widgets
    assert first.width() > 1.8 * second.width()
    assert second.y() == third.y()
    grid.resize(300, 1400)
    QApplication.processEvents()
    assert third.y() > second.y() + second.plot.height()
    assert grid.accessibleDescription().splitlines()[0] == "roles: producer: busy 60%, waits 40%"
    kept = grid.widgets[0]
    grid.set_charts([HISTOGRAM])
    assert grid.charts == (HISTOGRAM,)
    assert grid.widgets == [kept]


_START = """
import sys
from pathlib import Path
from visualizer.app.window import start
from visualizer.app.run import run_app
from visualizer.app.settings.settings import Settings
from visualizer.playback.address import Address

open_window = start.open_window

def show_statistics(application, address, together, trace):
    window = open_window(application, address, Settings(Path(sys.argv[2])))
    def look():
        print("pyqtgraph" in sys.modules)
        pane = window.panes["statistics"]
        grid = pane.charts
        set_charts = grid.set_charts
        def shown(charts):
            set_charts(charts)
            if charts:
                print("pyqtgraph" in sys.modules)
                window.close()
        grid.set_charts = shown
        window.show_pane("statistics")
    window.jobs.succeeded.connect(look)
    return window

start.open_window = show_statistics
sys.exit(run_app(Address(Path(sys.argv[1]))))
"""


def test_pyqtgraph_is_imported_when_the_first_chart_is_shown(lesson_file: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _START, str(lesson_file), str(tmp_path / "settings.ini")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.split() == ["False", "True"]
