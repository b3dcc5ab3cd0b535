"""The settings that the palette finds, each with its value: what the window remembers, its switches, the next run's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from PySide6.QtWidgets import QCheckBox, QComboBox, QSpinBox, QWidget

from visualizer.app.commands.actions import Actions
from visualizer.app.commands.command import Parts
from visualizer.app.commands.keys import Keys
from visualizer.app.commands.palette import Entry
from visualizer.app.record.experiment_panel import ExperimentPanel
from visualizer.app.session.panes import Panes
from visualizer.app.settings.appearance import Appearance
from visualizer.app.settings.languages import Languages
from visualizer.app.settings.settings import SCALES
from visualizer.app.window.layout import Docks
from visualizer.app.window.transport_bar import TransportBar
from visualizer.language import LANGUAGES, current, mark, tr
from visualizer.views.look.theme import theme_name

_THEMES = {
    (False, False): mark("light"),
    (True, False): mark("dark"),
    (False, True): mark("light, high contrast"),
    (True, True): mark("dark, high contrast"),
}
"""By whether they are dark, and of high contrast."""
_LANGUAGES = {"en": "English", "zh": "中文"}
_NO_SETTINGS = frozenset({"Play", "Window", "Mark"})
"""Menus whose switches are something else: what is going on, and the workspaces."""
_TOLD_BY_VALUE = frozenset({"view.dark", "view.high_contrast"})


def findable_settings(parts: Parts) -> Iterator[Entry]:
    """An entry for each value that can be chosen, each switch, and each field of the next run, which is gone to."""
    yield from _chosen(parts)
    actions = parts[Actions]
    for command in parts[Keys].commands:
        if command.checked is None or command.group in _NO_SETTINGS or command.id in _TOLD_BY_VALUE:
            continue
        action = actions[command.id]
        if action.isEnabled():
            value = _switch(action.isChecked())
            yield _entry(tr(command.title), value, action.trigger, command.keys, tr(command.help))
    speed = parts[TransportBar].speed
    yield _entry(tr("Speed"), speed.currentText(), speed.setFocus, help=tr("events a second while playing"))
    panel: ExperimentPanel = parts[Panes]["experiment"]
    for title, field in panel.fields():
        yield _entry(title, _value(field), partial(_set, parts[Docks], panel, field), help=field.toolTip())


def _chosen(parts: Parts) -> Iterator[Entry]:
    """Theme, size of text and language: every value there is, with the key that comes to it from here."""
    look, languages, commands = parts[Appearance], parts[Languages], parts[Keys].commands
    for (dark, strong), title in _THEMES.items():
        differs = (dark != look.theme.dark, strong != look.theme.high_contrast)
        by = {(True, False): "view.dark", (False, True): "view.high_contrast"}.get(differs)
        choose = partial(look.set_theme, theme_name(dark=dark, high_contrast=strong))
        yield _entry(tr("Theme"), _now(tr(title), differs == (False, False)), choose, commands[by].keys if by else ())
    at = SCALES.index(look.scale)
    for index, scale in enumerate(SCALES):
        by = {1: "view.larger", -1: "view.smaller"}.get(index - at)
        value = _now(f"{scale} %", index == at)
        yield _entry(tr("Text size"), value, partial(look.set_scale, scale), commands[by].keys if by else ())
    for code in LANGUAGES:
        here = code == current()
        run, keys = (_stay, ()) if here else (languages.toggle, commands["view.language"].keys)
        yield _entry(tr("Language"), _now(_LANGUAGES[code], here), run, keys)


def _entry(name: str, value: str, run: Callable[[], Any], keys: tuple[str, ...] = (), help: str = "") -> Entry:
    return Entry(tr("Setting"), tr("{title}: {value}", title=name, value=value), run, keys, help)


def _now(value: str, chosen: bool) -> str:
    return tr("{value} (now)", value=value) if chosen else value


def _stay() -> None:
    """It is so already."""


def _switch(on: bool) -> str:
    return tr("on") if on else tr("off")


def _value(field: QWidget) -> str:
    if isinstance(field, QCheckBox):
        return _switch(field.isChecked())
    if isinstance(field, QComboBox):
        return field.currentText()
    assert isinstance(field, QSpinBox)
    return field.text() or str(field.value())  # Qt writes no text before a value was set or the field is shown


def _set(docks: Docks, panel: ExperimentPanel, field: QWidget) -> None:
    """Bring the field to the front with the keyboard in it; a box to tick is ticked."""
    docks.bring("experiment")
    panel.go_to(field)
    if isinstance(field, QCheckBox):
        field.click()
