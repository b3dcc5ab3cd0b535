"""The inspector as a pane: what it shows, its links, and its words without a recording."""

from __future__ import annotations

import pytest
from pane_testing import hand_history, requested
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from visualizer.diagnosis.diagnose import diagnose
from visualizer.playback.focus import Focus
from visualizer.programs.registry import find_program
from visualizer.recording.tables import Ending
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.views.inspector.inspector_widget import InspectorWidget
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme


@pytest.fixture
def pane(qtbot: QtBot) -> InspectorWidget:
    widget = InspectorWidget()
    qtbot.addWidget(widget)
    widget.resize(400, 500)
    widget.set_theme(load_theme("light"))
    widget.set_history(hand_history())
    widget.set_focus(Focus(34))
    return widget


def test_is_a_pane(pane: InspectorWidget) -> None:
    assert isinstance(pane, Pane)


def test_it_shows_every_section(pane: InspectorWidget) -> None:
    shown = pane.text.toPlainText()
    for section in pane.sections:
        assert section.title.split()[0] in shown
        assert all(line.text in shown for line in section.lines)


def test_every_link_leads_where_its_line_says(pane: InspectorWidget) -> None:
    wishes = requested(pane)
    wanted = [line.focus for section in pane.sections for line in section.lines if line.focus is not None]
    for number in range(len(wanted)):
        assert f'href="{number}"' in pane.text.toHtml()
        pane.text.anchorClicked.emit(QUrl(str(number)))
    assert wishes == wanted
    assert len(wanted) > 5


def test_how_the_run_ended_stands_above(pane: InspectorWidget) -> None:
    assert not pane.banner.isVisibleTo(pane)
    pane.set_history(hand_history(ending=Ending("deadlock", "the producer waits for ever")))
    assert pane.banner.isVisibleTo(pane)
    assert "deadlock" in pane.banner.text()


def test_where_the_finding_of_a_hang_stands_its_ending_does_not(pane: InspectorWidget) -> None:
    history = History(simulate(find_program("baseline", fault="F21")))
    report = diagnose(history)
    pane.set_report(report)
    pane.set_history(history)
    finding = report.findings[0]
    pane.set_focus(Focus(finding.step or 0, finding.agent))
    assert pane.sections[0].alarm
    assert not pane.banner.isVisibleTo(pane)
    pane.set_focus(Focus(0))
    assert "deadlock" in pane.banner.text()
    assert pane.banner.isVisibleTo(pane)


def test_names_from_a_file_are_shown_as_they_are(pane: InspectorWidget) -> None:
    pane.set_history(hand_history(ending=Ending("deadlock", "<b>bold</b>")))
    assert "<b>bold</b>" in pane.banner.text()


def test_without_a_recording_it_says_what_it_is_for(pane: InspectorWidget) -> None:
    pane.set_history(None)
    pane.set_focus(Focus(3))
    assert "Open or run a recording" in pane.text.toPlainText()


def test_it_stays_where_it_was_scrolled_to(pane: InspectorWidget) -> None:
    pane.resize(300, 120)
    pane.show()
    bar = pane.text.verticalScrollBar()
    bar.setValue(40)
    pane.set_focus(Focus(33))
    assert bar.value() == 40
