"""What recordings of one session are called: as the user said where there is one, else told apart by what differs."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.recorded_launch import RecordedLaunch

SUFFIX = ".pscope"


class OutputNames:
    """Gives every launch a name that no other of the session has. Safe to ask from several threads."""

    def __init__(self, options: AttachOptions, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self._lock = threading.Lock()
        self._given: set[Path] = set()

    def name(self, launch: RecordedLaunch) -> Path:
        """-o's name as it is for the first one, unless launches or ranks are several by what was asked for."""
        options = self._options
        output = options.output or Path(launch.kernel.short + SUFFIX)
        parts = []
        if options.launches[0] != options.launches[1]:
            parts.append(f"launch{launch.index}")
        if launch.origin.rank is not None:
            parts.append(f"rank{launch.origin.rank}")
        folder, stem = self._folder / output.parent, output.name.removesuffix(SUFFIX)
        for tail in self._tails(launch.kernel.short if options.output else ""):
            path = folder / (".".join([stem, *tail[:1], *parts, *tail[1:]]) + SUFFIX)
            with self._lock:
                if path not in self._given:
                    self._given.add(path)
                    return path
        raise AssertionError  # the tails never end

    @staticmethod
    def _tails(kernel: str) -> Iterator[list[str]]:
        """What tells a name apart: nothing, the kernel, then numbers."""
        yield []
        named = [kernel] if kernel else []
        if named:
            yield named
        for number in itertools.count(2):
            yield [*named, str(number)]
