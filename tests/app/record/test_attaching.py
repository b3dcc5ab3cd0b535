"""File > Record your own kernel: a program without a GPU is recorded from the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QPushButton
from pytestqt.qtbot import QtBot

from tests.sources.attach.conftest import FakeInstrument, build_machine
from visualizer.app.record.attach_dialog import AttachDialog
from visualizer.app.record.attach_form import TIMED_ROUNDS
from visualizer.app.session import record_job
from visualizer.app.settings.settings import Settings
from visualizer.app.window.main_window import MainWindow
from visualizer.recording.file import load
from visualizer.recording.file_tables import encode_tables
from visualizer.recording.trace import Trace
from visualizer.sources.attach.option_table import KEEP_FIRST, KEEP_LAST, LAUNCHES, LEVEL, STALL
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.request import AttachRequest

LOADED = "load module.ptx"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_machine(tmp_path_factory.mktemp("machine"))


@pytest.fixture
def dialog(
    window: MainWindow,
    machine: Path,
    lesson_trace: Trace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> AttachDialog:
    """The dialog as it is first seen, but for the program's folder and what makes its libraries be found."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(machine / "cache"))
    monkeypatch.setattr(window.attaching, "instrument", lambda options: FakeInstrument(lesson_trace))
    window.actions_by_id["file.attach"].trigger()
    dialog = window.attaching.dialog
    qtbot.waitUntil(dialog.isVisible)
    dialog.form.folder.setText(str(machine))
    dialog.form.environment.setText(f"LD_LIBRARY_PATH={machine}")
    dialog.form.output.setText(str(tmp_path / "run.pscope"))
    return dialog


def _type(dialog: AttachDialog, words: str, qtbot: QtBot) -> None:
    dialog.form.command.clear()
    qtbot.keyClicks(dialog.form.command, words)


def _record(window: MainWindow, button: QPushButton, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.attaching.jobs.succeeded, timeout=20_000):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_one_recording_is_opened(
    window: MainWindow,
    dialog: AttachDialog,
    tmp_path: Path,
    qtbot: QtBot,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record_job, "read_recording", None)  # what was written just now is not read again
    _type(dialog, f"./host proc {LOADED} launch plain launch gemm", qtbot)
    printed: list[str] = []
    dialog.finished.connect(lambda: printed.append(dialog.printed.toPlainText()))
    with qtbot.waitSignal(window.jobs.succeeded, timeout=20_000):
        _record(window, dialog.start, qtbot)
    assert window.document.path == tmp_path / "run.pscope"
    assert window.document.saved
    shown, written = window.document.history.trace, load(tmp_path / "run.pscope")
    assert encode_tables(shown) == encode_tables(written)
    assert shown.events.tobytes() == written.events.tobytes()
    assert window.document.history.trace.meta.program == "gemm"
    assert window.document.history.trace.meta.command.endswith(f"-- ./host proc {LOADED} launch plain launch gemm")
    assert window.attaching.dialog is None
    qtbot.waitUntil(window.recordings.isHidden)
    lines = printed[0].splitlines()
    assert lines[:2] == ["original plain count 1 shared 0", "twin gemm count 2 shared 0"]
    assert lines[2:] == ["phasescope: gemm: 1 launch"]
    window.actions_by_id["file.attach"].trigger()
    assert window.attaching.dialog.form.command.text() == f"./host proc {LOADED} launch plain launch gemm"
    assert settings.attach["output"] == str(tmp_path / "run.pscope")
    window.attaching.dialog.reject()


def test_several_recordings_are_a_list_and_then_one_document(
    window: MainWindow, dialog: AttachDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    _type(dialog, f"./host proc {LOADED} launch gemm launch attention", qtbot)
    _record(window, dialog.start, qtbot)
    names = [path.name for path in dialog.recorded]
    assert names == ["run.pscope", "run.attention.pscope"]
    assert "Choose which recording to open." in dialog.note.text()
    assert dialog.focusWidget() is dialog.recordings
    dialog.recordings.setCurrentRow(1)
    asked: list[AttachRequest] = []
    dialog.requested.connect(asked.append)
    with qtbot.waitSignal(window.jobs.succeeded):
        qtbot.keyClick(dialog.recordings, Qt.Key.Key_Return)
    assert asked == []  # Return is not also Record
    choice = window.recordings
    qtbot.waitUntil(choice.isVisible)
    assert [choice.itemText(row) for row in range(choice.count())] == names
    assert choice.currentText() == window.document.path.name == "run.attention.pscope"
    jobs = {window.document.history.trace.meta.source["job"]}
    with qtbot.waitSignal(window.jobs.succeeded):
        qtbot.keyClick(choice, Qt.Key.Key_Up)
    assert window.document.path.name == "run.pscope"
    assert jobs == {window.document.history.trace.meta.source["job"]}
    dialog.reject()


def test_where_nothing_was_recorded_return_tries_again(window: MainWindow, dialog: AttachDialog, qtbot: QtBot) -> None:
    _type(dialog, f"./host proc {LOADED} launch plain", qtbot)
    _record(window, dialog.start, qtbot)
    assert dialog.recorded == []
    assert dialog.focusWidget() is dialog.start
    dialog.reject()


def test_another_file_belongs_to_no_job(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    from visualizer.app.files.files import lesson_path

    paths = [tmp_path / name for name in ("a.pscope", "b.pscope")]
    for path in paths:
        path.write_bytes(lesson_path().read_bytes())
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open(paths[0], together=paths)
    qtbot.waitUntil(window.recordings.isVisible)
    with qtbot.waitSignal(window.jobs.succeeded):
        window.files.open_lesson()
    qtbot.waitUntil(window.recordings.isHidden)


def test_kernels_are_listed_and_one_is_chosen(window: MainWindow, dialog: AttachDialog, qtbot: QtBot) -> None:
    _type(dialog, f"./host proc {LOADED} launch plain launch gemm launch gemm launch attention", qtbot)
    _record(window, dialog.form.list_kernels, qtbot)
    kernel = dialog.form.kernel
    assert [kernel.itemText(row) for row in range(kernel.count())] == ["gemm  x 2", "attention  x 1"]
    assert dialog.recorded == []
    assert dialog.focusWidget() is kernel
    assert all(line.startswith(("original", "phasescope")) for line in dialog.printed.toPlainText().splitlines())
    kernel.setCurrentIndex(1)
    kernel.activated.emit(1)
    assert dialog.form.request().options.kernel == "attention"
    with qtbot.waitSignal(window.jobs.succeeded, timeout=20_000):
        _record(window, dialog.start, qtbot)
    assert window.document.history.trace.meta.program == "attention"


def test_all_that_can_be_asked(dialog: AttachDialog, machine: Path, tmp_path: Path, qtbot: QtBot) -> None:
    _type(dialog, "./host 'two words'", qtbot)
    dialog.form.kernel.setEditText("ge.m")
    dialog.form.field(LAUNCHES).setText("2:3")
    level = dialog.form.field(LEVEL)
    level.setCurrentIndex(level.findData("waits"))
    dialog.form.field(KEEP_LAST).setText("500")
    dialog.form.field(STALL).setText("0.5")
    dialog.form.timed.setChecked(True)
    request = dialog.form.request()
    assert request == AttachRequest(
        ("./host", "two words"),
        AttachOptions(
            kernel="ge.m",
            launches=(2, 3),
            level="waits",
            keep_last=500,
            stall_s=0.5,
            rounds=TIMED_ROUNDS,
            output=tmp_path / "run.pscope",
        ),
        machine,
        {"LD_LIBRARY_PATH": str(machine)},
    )
    assert request.told == (
        f"env LD_LIBRARY_PATH={machine} phasescope attach --kernel ge.m --launch 2:3 --level waits --keep-last 500"
        f" --stall 0.5 --time 20 -o {tmp_path / 'run.pscope'} -- ./host 'two words'"
    )
    dialog.reject()


def test_what_cannot_be_is_said_at_once(dialog: AttachDialog, qtbot: QtBot) -> None:
    form = dialog.form
    assert dialog.note.text().startswith("attach needs the program to watch")
    assert not dialog.start.isEnabled()
    for change, sentence in (
        (lambda: form.command.setText("./no-such-program"), "./no-such-program: no such program"),
        (lambda: form.command.setText("./host 'open"), "Command: a quote is not closed"),
        (lambda: form.command.setText("./host"), ""),
        (lambda: form.environment.setText("two words"), "'two' is not a variable: write NAME=value"),
        (lambda: form.environment.clear(), ""),
        (lambda: form.kernel.setEditText("("), "Kernel (: not a regular expression"),
        (lambda: form.kernel.setEditText(""), ""),
        (lambda: form.field(LAUNCHES).setText("5:3"), "Launch: '5:3' is not N or N:M"),
        (lambda: form.field(LAUNCHES).clear(), ""),
        (lambda: form.field(KEEP_FIRST).setText("5"), ""),
        (lambda: form.field(KEEP_LAST).setText("5"), "Keep first and Keep last exclude each other"),
        (lambda: form.field(KEEP_LAST).clear(), ""),
        (lambda: form.output.setText("/no/such/folder/x.pscope"), "does not exist"),
        (lambda: form.output.clear(), ""),
        (lambda: form.folder.setText("/no/such/folder"), "/no/such/folder: no such folder to run the program in"),
    ):
        change()
        assert sentence in dialog.note.text()
        assert dialog.start.isEnabled() == form.list_kernels.isEnabled() == (not sentence)
        assert bool(dialog.note.text()) == bool(sentence)
    dialog.reject()


def test_a_hang_is_told_and_opens_with_its_diagnosis(window: MainWindow, dialog: AttachDialog, qtbot: QtBot) -> None:
    dialog.form.field(STALL).setText("0.3")
    _type(dialog, f"./host proc {LOADED} launch stuck sync", qtbot)
    heard: list[str] = []
    dialog.finished.connect(lambda: heard.append(dialog.printed.toPlainText()))
    with qtbot.waitSignal(window.jobs.succeeded, timeout=20_000):
        _record(window, dialog.start, qtbot)
    assert "phasescope: a launch hangs; what its log says is in run.pscope" in heard[0]
    assert window.document.history.trace.meta.ending.kind == "timeout"


def test_what_is_not_recorded_is_excused(
    window: MainWindow, dialog: AttachDialog, lesson_trace: Trace, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    instrument = FakeInstrument(lesson_trace)
    instrument.problem = "it is too large"
    monkeypatch.setattr(window.attaching, "instrument", lambda options: instrument)
    _type(dialog, f"./host proc {LOADED} launch gemm", qtbot)
    _record(window, dialog.start, qtbot)
    assert "phasescope: gemm is not recorded: it is too large" in dialog.printed.toPlainText()
    assert "Nothing was recorded; above is why." in dialog.note.text()
    dialog.reject()


def _running(dialog: AttachDialog, qtbot: QtBot) -> list[Path]:
    """Start a program with a child, and tell both processes."""
    _type(dialog, "sh -c 'sleep 1000 & echo $$ $!; wait'", qtbot)
    qtbot.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(dialog.printed.toPlainText().split()) == 2, timeout=20_000)
    assert dialog.note.text().startswith("running for ")
    assert not dialog.form.command.isEnabled()
    return [Path("/proc") / pid for pid in dialog.printed.toPlainText().split()]


def _lives(process: Path) -> bool:
    """Whether it is there, and not only waits for its parent to notice its end."""
    return process.exists() and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_cancel_ends_the_program_and_all_it_started(window: MainWindow, dialog: AttachDialog, qtbot: QtBot) -> None:
    processes = _running(dialog, qtbot)
    assert all(_lives(process) for process in processes)
    with qtbot.waitSignal(window.attaching.jobs.cancelled, timeout=20_000):
        qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel), Qt.MouseButton.LeftButton)
    assert not any(_lives(process) for process in processes)
    assert dialog.note.text().startswith("Cancelled: the program was ended")
    assert dialog.form.command.isEnabled()
    dialog.reject()


def test_it_ends_with_the_window(window: MainWindow, dialog: AttachDialog, qtbot: QtBot) -> None:
    processes = _running(dialog, qtbot)
    assert window.close()
    dialog.reject()
    assert not any(_lives(process) for process in processes)


def test_the_dialog_is_there_once(window: MainWindow, dialog: AttachDialog) -> None:
    window.actions_by_id["file.attach"].trigger()
    assert window.attaching.dialog is dialog
    dialog.reject()
