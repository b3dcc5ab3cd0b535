"""What the window remembers between runs: geometry, docks, theme, UI scale, reduced motion, recent files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from visualizer.language import LANGUAGES
from visualizer.views.theme import theme_names

RECENT_LIMIT = 10
SCALES = (100, 125, 150, 175, 200, 250, 300)
"""UI scales in percent that Ctrl+= and Ctrl+- step through."""
LAYOUT_VERSION = 5
"""Raise when docks are added or renamed, so that an old window state is not forced on the new docks."""


class Settings:
    """Typed access to a QSettings store; a value that makes no sense reads as the default."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store or QSettings(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, "phasescope", "phasescope"
        )

    @property
    def geometry(self) -> QByteArray:
        return self._bytes("window/geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("window/geometry", value)

    @property
    def window_state(self) -> QByteArray:
        return self._bytes("window/state")

    @window_state.setter
    def window_state(self, value: QByteArray) -> None:
        self._store.setValue("window/state", value)

    @property
    def theme(self) -> str:
        """One of theme_names(), or "" if never chosen."""
        value = self._store.value("theme", "")
        return value if value in theme_names() else ""

    @theme.setter
    def theme(self, value: str) -> None:
        self._store.setValue("theme", value)

    @property
    def language(self) -> str:
        """A code of LANGUAGES, or "" if never chosen in the window."""
        value = self._store.value("language", "")
        return value if value in LANGUAGES else ""

    @language.setter
    def language(self, value: str) -> None:
        self._store.setValue("language", value)

    @property
    def scale(self) -> int:
        """UI scale in percent."""
        try:
            value = int(str(self._store.value("scale", SCALES[0])))
        except ValueError:
            return SCALES[0]
        return value if value in SCALES else SCALES[0]

    @scale.setter
    def scale(self, value: int) -> None:
        self._store.setValue("scale", value)

    @property
    def reduced_motion(self) -> bool:
        """Whether nothing shall move by itself."""
        return str(self._store.value("reducedMotion", "false")) == "true"

    @reduced_motion.setter
    def reduced_motion(self, value: bool) -> None:
        self._store.setValue("reducedMotion", "true" if value else "false")

    @property
    def recent(self) -> list[Path]:
        """Files opened or saved, newest first; those that are gone are left out."""
        value = self._store.value("recent", [])
        names = [value] if isinstance(value, str) else list(value or [])
        return [Path(name) for name in names if name and Path(name).exists()]

    def add_recent(self, path: Path) -> None:
        newest = str(path.resolve())
        others = [str(known) for known in self.recent if str(known) != newest]
        self._store.setValue("recent", [newest, *others][:RECENT_LIMIT])

    def clear_recent(self) -> None:
        self._store.setValue("recent", [])

    @property
    def directory(self) -> Path:
        """Where settings lie, and what else the window keeps for a person."""
        return Path(self._store.fileName()).parent

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """The keys of the commands a person chose others for, by command id."""
        self._store.beginGroup("keys")
        chosen = {name: self._store.value(name) for name in self._store.childKeys()}
        self._store.endGroup()
        return {name: tuple(str(value).split()) for name, value in chosen.items()}

    @keys.setter
    def keys(self, value: Mapping[str, Sequence[str]]) -> None:
        self._store.remove("keys")
        for command_id, keys in value.items():
            self._store.setValue(f"keys/{command_id}", " ".join(keys))

    def flush(self) -> None:
        self._store.sync()

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()
