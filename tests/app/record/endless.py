"""Work in a thread that goes on until it is told to stop."""

from __future__ import annotations

import threading
from typing import NoReturn

from visualizer.sources.errors import Cancelled
from visualizer.sources.progress import CancelCheck, Progress


class Endless:
    """Called in place of a recording or an exploration, it says `what` it does, and a quarter of it is done."""

    def __init__(self, what: str) -> None:
        self.started = threading.Event()
        self._what = what

    def __call__(self, *_: object, progress: Progress, cancelled: CancelCheck, **__: object) -> NoReturn:
        progress(0.25, self._what)
        while not cancelled():
            self.started.set()
        raise Cancelled
