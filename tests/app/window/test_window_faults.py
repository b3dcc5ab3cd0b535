"""Faults that were found in the real window: each stays mended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QTreeWidget, QWidget
from pytestqt.qtbot import QtBot

from visualizer.app.settings.languages import say_again
from visualizer.app.window.main_window import MainWindow
from visualizer.language import tr, use
from visualizer.playback.focus import Focus
from visualizer.playback.stories.load import story_path
from visualizer.resources import resource_dir
from visualizer.views.look.theme import contrast, theme_names

OWN_PROGRAM = """
from visualizer.programs.builder import Builder

def program():
    b = Builder("mine")
    full = b.barriers("full", 1, count=1)
    p = b.agent("producer", role="producer")
    p.init_all()
    p.arrive(full[0])
    return b.build()
"""


def test_an_own_program_stays_chosen_after_its_run(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(OWN_PROGRAM)
    window.experiment.program.choose(str(path))
    for _ in range(2):
        with qtbot.waitSignal(window.jobs.succeeded, timeout=20_000):
            window.experiment.run_button.click()
        assert window.document.history.trace.meta.program == "mine"
        assert window.experiment.program.program() == str(path)


def test_what_ran_stays_on_the_panel(window: MainWindow, qtbot: QtBot) -> None:
    window.experiment.program.choose("baseline")
    window.experiment.fault.choose("F20")
    with qtbot.waitSignal(window.jobs.succeeded):
        window.experiment.run_button.click()
    assert (window.experiment.program.program(), window.experiment.fault.fault()) == ("baseline", "F20")


def test_after_run_space_plays(window: MainWindow, qtbot: QtBot) -> None:
    window.workspaces.go_to("experiment")
    with qtbot.waitSignal(window.jobs.succeeded):
        qtbot.mouseClick(window.experiment.run_button, Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is window.timeline
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    assert window.playback.is_playing
    window.playback.pause()


def test_keys_that_write_no_number_step_from_a_number_field_too(window: MainWindow, qtbot: QtBot) -> None:
    window.workspaces.go_to("experiment")
    window.navigator.first()
    for field in (window.experiment.form.field("stages"), window.experiment.seed):
        field.setFocus()
        qtbot.waitUntil(field.hasFocus)
        step = window.navigator.focus.step
        QTest.keySequence(field, QKeySequence("."))
        assert window.navigator.focus.step == step + 1
    field.selectAll()
    QTest.keyClicks(field, "7")
    assert field.value() == 7


def test_the_wheel_changes_no_choice_in_passing(window: MainWindow) -> None:
    """In no pane, nor in what stands over the timeline."""
    for name in window.docks.names:
        window.show_pane(name)
    window.timeline.setFocus()
    fields = [*window.findChildren(QComboBox), *window.findChildren(QAbstractSpinBox)]
    assert len(fields) > 30
    for field in fields:
        middle = QPointF(field.rect().center())
        before = field.currentIndex() if isinstance(field, QComboBox) else field.value()
        for turn in (120, -120):
            event = QWheelEvent(
                middle, QPointF(field.mapToGlobal(middle.toPoint())), QPoint(), QPoint(0, turn),
                Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(field, event)
            after = field.currentIndex() if isinstance(field, QComboBox) else field.value()
            assert after == before, field.accessibleName()


def _painted(widget: QWidget) -> tuple[str, str]:
    """The background of a widget, and of its other colours the one that stands off it most: its text."""
    image: QImage = widget.grab().toImage()
    colours: dict[str, int] = {}
    for y in range(image.height()):
        for x in range(image.width()):
            name = QColor(image.pixel(x, y)).name()
            colours[name] = colours.get(name, 0) + 1
    back = max(colours, key=lambda name: colours[name])
    return back, max(colours, key=lambda name: contrast(back, name))


@pytest.mark.parametrize("name", theme_names())
def test_an_error_is_painted_so_that_it_can_be_read(window: MainWindow, name: str) -> None:
    window.appearance.set_theme(name)
    window.messages.show_note("a note first, in its own colours")
    window.messages.show_error("something went wrong", ("Do this", lambda: None))
    QApplication.processEvents()
    for part in (window.messages._text, window.messages.offer):
        assert contrast(*_painted(part)) >= 4.5, type(part).__name__


def test_comparing_has_a_window_with_a_frame(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.comparing.jobs.succeeded):
        window.comparing.compare_with(resource_dir("assets") / "traces" / "slow-consumer.pscope")
    qtbot.waitUntil(lambda: window.comparing.shown is not None and window.comparing.shown.isVisible())
    shown = window.comparing.shown
    assert shown.isWindow()
    assert not shown.windowFlags() & Qt.WindowType.FramelessWindowHint
    assert shown.windowType() == Qt.WindowType.Window


def test_files_are_not_offered_among_phasescopes_own(
    window: MainWindow, lesson_file: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open_lesson()
    own = resource_dir("assets")
    assert window.document.path.is_relative_to(own)
    assert not window.files.folder.is_relative_to(own)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open(lesson_file)
    assert window.files.folder == lesson_file.parent


def test_headers_come_back_from_chinese_even_where_two_are_one_there(qtbot: QtBot) -> None:
    tree = QTreeWidget()
    qtbot.addWidget(tree)
    titles = ["Explanation", "Lecture", "lanes"]
    tree.setHeaderLabels([tr(title) for title in titles])
    for before, after in (("en", "zh"), ("zh", "en")):
        use(after)
        say_again(tree, before)
    assert [tree.headerItem().text(column) for column in range(3)] == titles


def test_an_answer_of_what_if_follows_the_language(window: MainWindow, qtbot: QtBot) -> None:
    row = window.experiment.what_if
    with qtbot.waitSignal(row.jobs.succeeded, timeout=30_000):
        row.ask_or_stop()
    english = row.answer.text()
    assert english.startswith("As it is")
    window.languages.toggle()
    assert row.answer.text() not in ("", english)
    window.languages.toggle()
    assert row.answer.text() == english


def test_a_first_window_leaves_room_for_its_frame(make_window: Callable[[], MainWindow]) -> None:
    window = make_window()
    available = window.screen().availableSize()
    assert window.height() + window.fontMetrics().height() <= available.height()
    assert window.statusBar().geometry().bottom() < window.height()


def test_a_note_at_the_pointer_goes_when_the_focus_moves(window: MainWindow, qtbot: QtBot) -> None:
    window.navigator.go_to(Focus(20))
    timeline = window.timeline
    frame = timeline.scene.frame
    place = QPoint(round(frame.lanes.center().x()), round(frame.lanes.top() + 8))
    qtbot.mouseMove(timeline.viewport(), place)
    with_note = timeline.viewport().grab().toImage()
    window.navigator.go_to(Focus(21))
    window.navigator.go_to(Focus(20))
    without = timeline.viewport().grab().toImage()
    assert with_note != without
    qtbot.mouseMove(timeline.viewport(), place + QPoint(1, 0))
    qtbot.mouseMove(timeline.viewport(), place)
    assert timeline.viewport().grab().toImage() == with_note


@pytest.mark.parametrize("name", theme_names())
def test_completions_stand_below_the_line_in_a_frame(window: MainWindow, qtbot: QtBot, name: str) -> None:
    window.appearance.set_theme(name)
    window.find_bar.open_bar()
    line = window.find_bar.line
    qtbot.keyClicks(line, "ki")
    popup = line.completer_.popup()
    assert popup.isVisible()
    assert popup.mapToGlobal(QPoint(0, 0)).y() >= line.mapToGlobal(QPoint(0, line.height())).y() - 2
    image = popup.grab().toImage()
    frame = {image.pixelColor(x, image.height() // 2).name() for x in (0, image.width() - 1)}
    frame |= {image.pixelColor(image.width() // 2, y).name() for y in (0, image.height() - 1)}
    assert len(frame) == 1
    assert contrast(frame.pop(), image.pixelColor(image.width() - 4, image.height() // 2).name()) >= 3
    window.find_bar.close_bar()


def test_times_and_steps_are_whole_in_the_transport_bar(window: MainWindow) -> None:
    """In either language's font and at any size of text."""
    for scale in (100, 200):
        window.appearance.set_scale(scale)
        for _ in range(2):
            window.languages.toggle()
            QApplication.processEvents()
            window.navigator.last()
            label = window.transport.label
            assert label.fontMetrics().horizontalAdvance(label.text()) <= label.contentsRect().width() - 4


def test_no_table_is_empty_without_a_word(window: MainWindow, qtbot: QtBot) -> None:
    window.show_pane("breakpoints")
    hits = window.panes["breakpoints"].hits
    empty = hits.viewport().grab().toImage()
    assert len({empty.pixel(x, y) for x in range(empty.width()) for y in range(min(40, empty.height()))}) > 2


def test_fields_that_do_not_apply_show_no_values(window: MainWindow) -> None:
    window.workspaces.go_to("experiment")
    panel = window.experiment
    assert panel.form.isVisible()
    assert panel.seed.isVisible()
    panel.program.choose("baseline")
    panel.source.setCurrentIndex(panel.source.findData("gpu"))
    assert not panel.form.isVisible()
    assert not panel.reset_button.isVisible()
    assert not panel.seed.isVisible()


def test_a_previewed_stage_has_the_room_of_one(window: MainWindow) -> None:
    window.lectures.present(story_path("lesson"), full_screen=False)
    stage = window.lectures.lecture.stage
    assert stage.width() >= 960
    assert stage.height() >= 600
    window.lectures.leave()
