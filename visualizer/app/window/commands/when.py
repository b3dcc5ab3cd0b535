"""When commands make sense, where more than one menu asks."""

from __future__ import annotations

from visualizer.app.commands.command import On
from visualizer.app.session.session import Session

WITH_RECORDING = On(Session, lambda session: session.is_open)
WITH_HISTORY = On(Session, lambda session: session.is_read)
"""The recording is read, so that every state can be asked for."""
