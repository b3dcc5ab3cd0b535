"""Playing: a timer that moves the focus at the Player's pace. The pace itself knows nothing of Qt."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from visualizer.app.navigator import Navigator
from visualizer.playback.player import Player

_FRAME_MS = 16
