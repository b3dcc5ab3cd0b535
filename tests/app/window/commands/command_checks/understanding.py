"""Checks of the commands of the Statistics and Predict panes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from command_checks.check import Check, Trigger
from visualizer.app.window.main_window import MainWindow


def _brings_to_front(name: str) -> Check:
    def check(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        assert window.panes[name].visibleRegion().isEmpty()
        run()
        QApplication.processEvents()
        assert not window.panes[name].visibleRegion().isEmpty()

    return check


def _critical_path(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.analysis.overlay.isVisible()
    assert len(window.analysis.overlay.rectangles())
    run()
    assert not window.analysis.overlay.isVisible()


def _play_verify(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[bool] = []
    window.panes["predict"].verify_requested.connect(lambda: asked.append(True))
    monkeypatch.setattr(window.analysis.verifying, "start", lambda work: None)
    run()
    assert asked == [True]


def _first_steps(window: MainWindow, run: Trigger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run()
    assert window.first_steps.isVisible()
    assert window.settings.first_steps
    run()
    assert not window.first_steps.isVisible()
    assert not window.settings.first_steps


CHECKS: dict[str, Check] = {
    "window.statistics": _brings_to_front("statistics"),
    "window.predict": _brings_to_front("predict"),
    "window.structure": _brings_to_front("structure"),
    "view.critical_path": _critical_path,
    "play.verify": _play_verify,
    "help.first_steps": _first_steps,
}
