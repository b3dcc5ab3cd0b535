"""What a window looks like, widget by widget: the proof that one shared by the tests of a module is as it was."""

from __future__ import annotations

from PySide6.QtCore import QMetaProperty
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QScrollBar, QTextEdit, QWidget

from visualizer.app.window.main_window import MainWindow

Standing = dict[object, tuple[object, ...]]
"""By widget or action, or what it is of the window as a whole."""


def standing(window: MainWindow) -> Standing:
    """Every visible widget's place, text and value, every action's state, the settings, and what is chosen."""
    looks, settings = window.appearance, window.settings
    widgets = {widget: _seen(widget) for widget in window.findChildren(QWidget) if widget.isVisibleTo(window)}
    actions = {
        action: (action.text(), action.isEnabled(), action.isChecked(), action.shortcut().toString())
        for action in window.findChildren(QAction)
    }
    return {
        **widgets,
        **actions,
        "arranged": (window.workspaces.name, window.docks.open, window.timeline.view, window.playback.speed),
        "looks": (looks.theme.name, looks.scale, looks.reduced_motion),
        "settings": (settings.theme, settings.scale, settings.language, settings.first_steps, *settings.recent),
        "document": (window.navigator.focus, len(window.runs.all), *window.breakpoints.all, window.noting.notes),
    }


def changes(before: Standing, now: Standing) -> list[str]:
    """What is otherwise, in words of the test's author."""
    return [f"{before.get(one)} is now {now.get(one)}" for one in {**before, **now} if before.get(one) != now.get(one)]


def _seen(widget: QWidget) -> tuple[object, ...]:
    value = widget.metaObject().userProperty()
    if isinstance(widget, QScrollBar):  # a text is scrolled no further than the line looked at asks for
        value = QMetaProperty()
    text = ""
    if isinstance(widget, QLabel | QAbstractButton):
        text = widget.text()
    elif isinstance(widget, QTextEdit):
        text = widget.toPlainText()
    return (
        type(widget).__name__, widget.objectName(), widget.accessibleName(), widget.isEnabled(), widget.hasFocus(),
        widget.geometry().getRect(), text, value.read(widget) if value.isValid() else None,
    )  # fmt: skip
