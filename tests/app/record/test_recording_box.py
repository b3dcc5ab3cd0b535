"""The Recording section itself: folded and unfolded, told in short, in both languages, at every scale, by keys."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFormLayout, QScrollArea
from pytestqt.qtbot import QtBot
from recording_fields import OF_GPU, OF_WINDOW, SIZES, choose, offered

from visualizer.app.window.main_window import MainWindow
from visualizer.language import tr


def test_it_is_folded_until_a_key_unfolds_it(window: MainWindow, qtbot: QtBot) -> None:
    window.show_pane("experiment")
    box = window.experiment.recording
    assert offered(window) == []
    assert not box.summary.isVisible()
    box.header.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(box.header, Qt.Key.Key_Space)
    assert offered(window) == list(OF_WINDOW)
    scroll = window.experiment.findChild(QScrollArea)
    qtbot.waitUntil(lambda: not box.header.visibleRegion().isEmpty())
    assert (
        scroll.viewport()
        .rect()
        .contains(scroll.viewport().mapFromGlobal(box.header.mapToGlobal(box.header.rect().center())))
    )
    choose(window, "gpu", {})
    assert offered(window) == [*OF_WINDOW, *OF_GPU]
    reached = []
    for _ in offered(window):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert reached == [box.field(name) for name in (*OF_WINDOW, *OF_GPU)]
    box.header.setFocus()
    qtbot.keyClick(box.header, Qt.Key.Key_Space)
    assert offered(window) == []


def test_folded_it_says_what_is_not_as_usual(window: MainWindow) -> None:
    window.show_pane("experiment")
    box = window.experiment.recording
    choose(window, "gpu", {"first": 2, "level": "standard", "probe": "off"})
    assert box.summary.text() == "Window from: tile 2 · Level: standard"
    assert box.summary.isVisible()
    window.languages.toggle()
    assert box.summary.text() == "窗口起始：tile 2 · 日志级别：standard"
    window.languages.toggle()
    choose(window, "simulator", {})
    assert box.summary.text() == "Window from: tile 2"
    box.header.click()
    assert not box.summary.isVisible()


def test_what_the_simulator_has_no_use_for_stays_for_the_gpu(window: MainWindow) -> None:
    choose(window, "gpu", {"level": "phases", "ab_pairs": 20, "probe": "off"})
    choose(window, "simulator", {})
    assert window.experiment.experiment().request.options == {"seed": 0}
    window.languages.toggle()
    window.experiment.reset_button.click()
    window.languages.toggle()
    choose(window, "gpu", {})
    assert window.experiment.experiment().request.options == {"level": "phases", "ab_pairs": 20}


def test_what_differs_from_the_usual_is_marked(window: MainWindow) -> None:
    box = window.experiment.recording
    for name, changed, usual in (("last", 3, -1), ("probe", "words", "off")):
        choose(window, "gpu", {name: changed})
        assert box.field(name).property("changed") is True
        choose(window, "gpu", {name: usual})
        assert box.field(name).property("changed") is False


def test_every_field_has_its_name_its_option_and_each_level_what_it_logs(window: MainWindow) -> None:
    box = window.experiment.recording
    form = box.body.layout()
    assert isinstance(form, QFormLayout)
    for chinese in (False, True):
        if chinese:
            window.languages.toggle()
        for name in (*OF_WINDOW, *OF_GPU):
            field = box.field(name)
            label = form.labelForField(field)
            assert field.accessibleName() == label.text()
            assert label.buddy() is field
            option = {"first": "window", "last": "window", "ab_pairs": "ab"}.get(name, name.replace("_", "-"))
            assert f"--{option}" in field.toolTip()
        level = box.field("level")
        help_of = {
            level.itemText(row): level.itemData(row, Qt.ItemDataRole.ToolTipRole) for row in range(level.count())
        }
        assert help_of["standard"] == tr("the end of each wait")
        assert all(help_of.values())
    window.languages.toggle()
    assert "PTX does not provide" in box.field("probe").toolTip()


@pytest.mark.parametrize("chinese", [False, True])
@pytest.mark.parametrize(
    ("scale", "size"), [(100, (1280, 800)), (100, (1600, 900)), (200, (1280, 800)), (300, (1600, 900))]
)
def test_nothing_is_clipped(window: MainWindow, qtbot: QtBot, scale: int, size: tuple[int, int], chinese: bool) -> None:
    if chinese:
        window.languages.toggle()
    window.appearance.set_scale(scale)
    qtbot.waitUntil(lambda: window.fontMetrics().height() >= 13 * scale // 100)
    window.resize(*size)
    window.workspaces.reset()
    window.show_pane("experiment")
    box, scroll = window.experiment.recording, window.experiment.findChild(QScrollArea)
    box.header.click()
    choose(window, "gpu", {"probe": "words", "level": "standard"})
    names = (*OF_WINDOW, *OF_GPU)
    qtbot.waitUntil(lambda: offered(window) == list(names) and scroll.widget().width() == scroll.viewport().width())
    for name in names:
        field, label = box.field(name), box.body.layout().labelForField(box.field(name))
        assert label.width() >= label.sizeHint().width(), name
        assert field.width() >= field.minimumSizeHint().width(), name
        assert field.height() >= field.fontMetrics().height(), name
        assert label.geometry().right() < field.geometry().left(), name
        assert box.body.rect().contains(field.geometry()), name
    assert (window.width(), window.height()) == size
    window.appearance.set_scale(100)
    if chinese:
        window.languages.toggle()


def test_the_wheel_passes_over_a_choice_unless_it_has_the_focus(window: MainWindow) -> None:
    field = window.experiment.recording.field("level")
    choose(window, "gpu", {"level": "standard"})
    assert field.focusPolicy() == Qt.FocusPolicy.StrongFocus
    event = _wheel()
    QApplication.sendEvent(field, event)
    assert not event.isAccepted()
    assert field.currentData() == "standard"
    window.show_pane("experiment")
    window.experiment.recording.header.click()
    field.setFocus()
    QApplication.sendEvent(field, _wheel())
    assert field.currentData() == "full"


def _wheel() -> QWheelEvent:
    at, down = QPointF(3, 3), QPoint(0, -120)
    none, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
    return QWheelEvent(at, at, QPoint(), down, Qt.MouseButton.NoButton, none, phase, False)


def test_a_kernels_sizes_are_offered_with_it_alone(window: MainWindow) -> None:
    window.show_pane("experiment")
    panel = window.experiment
    panel.recording.header.click()
    for program, sizes in SIZES.items():
        choose(window, "gpu", {})
        panel.program.choose(program)
        assert offered(window) == [*OF_WINDOW, *OF_GPU, *sizes]
        assert panel.experiment().request.options == {}
        choose(window, "simulator", {})
        assert offered(window) == list(OF_WINDOW)
    panel.program.choose("gemm")
    choose(window, "gpu", {"size_k": 128})
    assert panel.run_button.isEnabled()
    assert panel.experiment().request.options == {"size_k": 128}
    assert panel.experiment().command() == ("phasescope record --source gpu --program gemm --k 128 -o gemm.pscope")
    panel.recording.field("size_m").stepUp()
    assert panel.recording.field("size_m").value() == 128
    choose(window, "gpu", {"size_n": 100})
    assert panel.problem.text() == "Columns N is 100; gemm takes multiples of 256, from 256 to 16384"
    assert not panel.run_button.isEnabled()
    panel.program.choose("lesson")
    assert panel.run_button.isEnabled()
    assert panel.experiment().request.options == {}
