"""What the window remembers, and that nonsense in the file is not believed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from visualizer.app.settings.settings import RECENT_LIMIT, SCALES, Settings
from visualizer.app.settings.workspace_table import WORKSPACES
from visualizer.app.window.main_window import MainWindow
from visualizer.language import LANGUAGES
from visualizer.views.look.theme import theme_names


def test_values_survive_in_the_file(tmp_path: Path) -> None:
    ini = tmp_path / "settings.ini"
    recording = tmp_path / "a.pscope"
    recording.touch()
    first = Settings(ini)
    assert (first.theme, first.scale, first.recent) == ("", 100, [])
    first.theme = "dark"
    first.scale = 150
    first.add_recent(recording)
    first.flush()
    second = Settings(ini)
    assert (second.theme, second.scale, second.recent) == ("dark", 150, [recording])


@pytest.mark.parametrize("scale", ["huge", "-5", "101"])
def test_nonsense_reads_as_the_default(tmp_path: Path, scale: str) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    store.setValue("theme", "plaid")
    store.setValue("scale", scale)
    store.setValue("window/geometry", "not bytes")
    store.sync()
    settings = Settings(tmp_path / "settings.ini")
    assert (settings.theme, settings.scale, settings.geometry.size()) == ("", SCALES[0], 0)


def _read_all(settings: Settings) -> None:
    """Everything the window reads at its start."""
    assert settings.theme in ("", *theme_names())
    assert settings.scale in SCALES
    assert all(path.exists() for path in settings.recent)
    assert settings.language in ("", *LANGUAGES)
    assert all(isinstance(key, str) for keys in settings.keys.values() for key in keys)
    assert settings.geometry.size() in (0, 300)
    assert all(settings.window_state(f"{name}-100").size() in (0, 900) for name in WORKSPACES)
    assert settings.workspace in ("", *WORKSPACES)
    assert settings.reduced_motion in (True, False)


def _written(directory: Path) -> Path:
    """The file as a window leaves it."""
    path = directory / "settings.ini"
    settings = Settings(path)
    settings.theme, settings.scale, settings.language, settings.reduced_motion = "dark", 150, "zh", True
    settings.geometry, settings.workspace = QByteArray(bytes(range(100)) * 3), "teach"
    state = QByteArray(b"\0\xff@" * 300)
    settings.set_window_state("look-100", state)
    settings.keys = {"view.fit": ("F", "Home")}
    recording = directory / "@Variant(a).pscope"
    recording.touch()
    settings.add_recent(recording)
    settings.flush()
    read = Settings(path)
    assert read.damaged is None
    assert (read.geometry, read.window_state("look-100"), read.workspace) == (settings.geometry, state, "teach")
    assert read.recent == [recording]
    return path


_INSERTED = [
    b"recent=@Variant(\\0\\0\\0\\xb\\xff\\xff\\xff\\xff)\n",
    b"@Variant(",
    b"recent=7\n",
    b'recent="[[[[[[1]]]]]"\n',
    b'recent="[\\"a\\\\u0000b\\", 4, null]"\n',
    b"\0",
    b"\xff",
    b"[keys]\nx=@DateTime(\\0\\0)\n",
    b"=",
    b"[",
]


@given(
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255) | st.sampled_from(_INSERTED)), min_size=1, max_size=4)
)
def test_no_damage_to_the_file_matters(
    tmp_path_factory: pytest.TempPathFactory, damages: list[tuple[int, int | bytes]]
) -> None:
    path = _written(tmp_path_factory.mktemp("damaged"))
    content = bytearray(path.read_bytes())
    for at, new in damages:
        place = at % len(content)
        content[place : place + isinstance(new, int)] = bytes([new]) if isinstance(new, int) else new
    path.write_bytes(content)
    settings = Settings(path)
    _read_all(settings)
    assert settings.damaged is None or settings.damaged.read_bytes() == content


def test_a_file_that_is_no_text_is_put_aside_and_said(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    path = tmp_path / "settings.ini"
    path.write_text("recent=@Variant(\\0\\0\\0\\t\\xff\\xff\\xff\\xff)\n")
    window = MainWindow(qapp, Settings(path))
    qtbot.addWidget(window)
    aside = tmp_path / "settings.ini.damaged"
    assert aside.read_text().startswith("recent=@Variant(")
    assert not path.exists()
    assert window.messages.text == f"The settings were damaged and are as at first now; the old file is {aside}"


def test_the_recent_list_is_short_and_has_no_file_twice(settings: Settings, tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.pscope" for n in range(RECENT_LIMIT + 3)]
    for path in [*paths, paths[-2]]:
        path.touch()
        settings.add_recent(path)
    recent = settings.recent
    assert recent[:2] == [paths[-2], paths[-1]]
    assert len(recent) == len(set(recent)) == RECENT_LIMIT


def test_the_window_comes_back_as_it_was_left(make_window: Callable[[], MainWindow], qtbot: QtBot) -> None:
    first = make_window()
    first.resize(701, 555)
    first.docks["ring"].hide()
    first.appearance.set_theme("dark")
    first.appearance.set_scale(125)
    first.close()
    second = make_window()
    assert (second.width(), second.height()) == (701, 555)
    assert not second.docks["ring"].isVisible()
    assert second.appearance.theme.name == "dark"
    assert second.appearance.scale == 125
    second.appearance.set_scale(100)
