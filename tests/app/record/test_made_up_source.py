"""The window and a source it never heard of: it is offered with its fields, refused in its words, and recorded from."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from made_up_source import made_up_source
from pytestqt.qtbot import QtBot
from recording_fields import choose, offered

from visualizer.app.window.main_window import MainWindow
from visualizer.cli.main import main
from visualizer.sources.registry import SOURCES
from visualizer.sources.source import Request


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    requests: list[Request] = []
    monkeypatch.setitem(SOURCES, "bench", made_up_source(requests))
    return requests


def test_the_window_records_from_it(
    asked: list[Request],
    make_window: Callable[[], MainWindow],
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window = make_window()
    panel = window.experiment
    assert panel.source.itemText(panel.source.findData("bench")) == "Bench"
    panel.form.field("tiles").setValue(4)
    choose(window, "bench", {"boards": 3, "mood": "wild"})
    assert panel.recording.summary.text() == "Boards: 3 · Mood: very wild"
    assert not panel.seed.isEnabled()
    with qtbot.waitSignal(window.jobs.succeeded):
        panel.run_button.click()
    (request,) = asked
    assert (request.program, request.parameters["tiles"], request.fault) == ("lesson", 4, None)
    assert request.options == {"boards": 3, "mood": "wild"}
    meta = window.document.history.trace.meta
    assert meta.command == (
        "phasescope record --source bench --program lesson --boards 3 --mood wild --tiles 4 -o lesson.pscope"
    )
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(meta.command)[1:]) == 0
    assert asked[1].options == request.options


def test_only_its_own_fields_are_shown_and_what_it_refuses_is_said_with_their_titles(
    asked: list[Request], make_window: Callable[[], MainWindow]
) -> None:
    window = make_window()
    window.show_pane("experiment")
    panel = window.experiment
    panel.recording.header.click()
    choose(window, "bench", {"boards": 5})
    assert offered(window) == []
    assert panel.recording.field("boards").isVisible()
    assert panel.problem.text() == "Boards is 5; the bench has 4"
    assert not panel.run_button.isEnabled()
    choose(window, "simulator", {})
    assert not panel.recording.field("boards").isVisible()
    assert panel.run_button.isEnabled()
    assert asked == []
