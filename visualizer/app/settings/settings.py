"""What the window remembers between runs: geometry, docks, theme, UI scale, reduced motion, recent files."""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, QStandardPaths

from visualizer.app.settings.workspace_table import WORKSPACES
from visualizer.language import LANGUAGES
from visualizer.views.look.theme import theme_names

RECENT_LIMIT = 10
SCALES = (100, 125, 150, 175, 200, 250, 300)
"""UI scales in percent that Ctrl+= and Ctrl+- step through."""
LAYOUT_VERSION = 6
"""Raise when docks are added or renamed, so that an old window state is not forced on the new docks."""


class Settings:
    """Typed access to the file of settings; a value that makes no sense reads as the default.

    The file holds text alone: Qt's own notations for typed values are decoded without checks, and a flipped bit in one
    can end the process. A file with anything else in it is put aside, and `damaged` is where.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or _default_path()
        self.damaged = _put_aside(self._path)
        self._store = QSettings(str(self._path), QSettings.Format.IniFormat)

    @property
    def geometry(self) -> QByteArray:
        return _opened(self._text("window/geometry"))

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("window/geometry", _sealed(value))

    def window_state(self, place: str) -> QByteArray:
        """How the panes stood, by workspace and size of text; empty if that is not known."""
        return _opened(self._text(f"window/state/{place}"))

    def set_window_state(self, place: str, value: QByteArray) -> None:
        self._store.setValue(f"window/state/{place}", _sealed(value))

    @property
    def workspace(self) -> str:
        """The workspace the window was left in, or "" if never chosen."""
        value = self._text("workspace")
        return value if value in WORKSPACES else ""

    @workspace.setter
    def workspace(self, value: str) -> None:
        self._store.setValue("workspace", value)

    @property
    def theme(self) -> str:
        """One of theme_names(), or "" if never chosen."""
        value = self._text("theme")
        return value if value in theme_names() else ""

    @theme.setter
    def theme(self, value: str) -> None:
        self._store.setValue("theme", value)

    @property
    def language(self) -> str:
        """A code of LANGUAGES, or "" if never chosen in the window."""
        value = self._text("language")
        return value if value in LANGUAGES else ""

    @language.setter
    def language(self, value: str) -> None:
        self._store.setValue("language", value)

    @property
    def scale(self) -> int:
        """UI scale in percent."""
        return next((scale for scale in SCALES if str(scale) == self._text("scale")), SCALES[0])

    @scale.setter
    def scale(self, value: int) -> None:
        self._store.setValue("scale", str(value))

    @property
    def reduced_motion(self) -> bool:
        """Whether nothing shall move by itself."""
        return self._text("reducedMotion") == "true"

    @reduced_motion.setter
    def reduced_motion(self, value: bool) -> None:
        self._store.setValue("reducedMotion", "true" if value else "false")

    @property
    def first_steps(self) -> bool:
        """Whether the first steps are offered: until somebody dismisses them."""
        return self._text("firstSteps") != "dismissed"

    @first_steps.setter
    def first_steps(self, value: bool) -> None:
        self._store.setValue("firstSteps", "" if value else "dismissed")

    @property
    def recent(self) -> list[Path]:
        """Files opened or saved, newest first; those that are gone are left out."""
        try:
            names = json.loads(self._text("recent") or "[]")
        except (ValueError, RecursionError):
            names = []
        paths = [Path(name) for name in names if isinstance(name, str)] if isinstance(names, list) else []
        return [path for path in paths[:RECENT_LIMIT] if _exists(path)]

    def add_recent(self, path: Path) -> None:
        newest = str(path.resolve())
        others = [str(known) for known in self.recent if str(known) != newest]
        self._store.setValue("recent", json.dumps([newest, *others][:RECENT_LIMIT]).replace("@", "\\u0040"))

    def clear_recent(self) -> None:
        self._store.remove("recent")

    @property
    def attach(self) -> dict[str, str]:
        """What the fields of *Record your own kernel* said the last time, by name."""
        try:
            texts = json.loads(self._text("attach") or "{}")
        except (ValueError, RecursionError):
            return {}
        return {name: text for name, text in texts.items() if isinstance(text, str)} if isinstance(texts, dict) else {}

    @attach.setter
    def attach(self, value: Mapping[str, str]) -> None:
        self._store.setValue("attach", json.dumps(dict(value)).replace("@", "\\u0040"))

    @property
    def directory(self) -> Path:
        """Where settings lie, and what else the window keeps for a person."""
        return self._path.parent

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """The keys of the commands a person chose others for, by command id."""
        self._store.beginGroup("keys")
        names = self._store.childKeys()
        self._store.endGroup()
        return {name: tuple(self._text(f"keys/{name}").split()) for name in names}

    @keys.setter
    def keys(self, value: Mapping[str, Sequence[str]]) -> None:
        self._store.remove("keys")
        for command_id, keys in value.items():
            self._store.setValue(f"keys/{command_id}", " ".join(keys))

    def flush(self) -> None:
        self._store.sync()

    def _text(self, key: str) -> str:
        value = self._store.value(key, "")
        return value if isinstance(value, str) else ""


def _default_path() -> Path:
    """Where Qt keeps the settings of this user's applications."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Path(place) / "phasescope" / "phasescope.ini"


_LONGEST = 1 << 20  # bytes; what the window writes has some thousand
_TYPED = re.compile(r"@(?!ByteArray\(|Invalid\()\w+\(|\0")
"""How Qt writes a value that is no text. The two it leaves out were written by earlier versions and are harmless."""


def _put_aside(path: Path) -> Path | None:
    """Move a file that holds more than text out of the way; its new place, None if there was nothing to move."""
    try:
        with open(path, "rb") as file:
            content = file.read(_LONGEST + 1)
        if len(content) <= _LONGEST and not _TYPED.search(content.decode()):
            return None
    except OSError:
        return None  # Qt, too, reads none
    except UnicodeDecodeError:
        pass
    aside = path.with_name(f"{path.name}.damaged")
    os.replace(path, aside)
    return aside


def _sealed(value: QByteArray) -> str:
    """Bytes as text that shows whether it was changed."""
    content = value.data()
    return f"{zlib.crc32(content):08x}:{base64.b64encode(content).decode()}"


def _opened(text: str) -> QByteArray:
    """What was sealed; empty if it was changed since."""
    seal, _, encoded = text.partition(":")
    try:
        content = base64.b64decode(encoded, validate=True)
    except ValueError:
        return QByteArray()
    return QByteArray(content) if seal == f"{zlib.crc32(content):08x}" else QByteArray()


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or with a NUL
        return False
