"""Chosen launches: gives each its twin and its log, and keeps what became of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from visualizer.language import tr
from visualizer.sources.attach.instrument import Instrument, Twin
from visualizer.sources.attach.kernels import NEVER, Kernel
from visualizer.sources.attach.launch import Launch, Origin, Shape
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.errors import SourceError


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a process needs to launch a twin."""

    launch: Launch
    twin: Twin
    control_block: bytes
    log_address_at: int


class Recorder:
    """Safe to use from several threads."""

    def __init__(self, options: AttachOptions, instrument: Instrument, say: Callable[[str], None]) -> None:
        self._options = options
        self.instrument = instrument
        self._say = say
        self._lock = threading.Lock()
        self._twins: dict[Kernel, Twin] = {}
        self._excused: set[Kernel] = set()
        self._launches: list[Launch] = []

    @property
    def running(self) -> list[Launch]:
        """Those that have begun and not ended."""
        with self._lock:
            return [launch for launch in self._launches if launch.started and not launch.is_over]

    def of(self, origin: Origin) -> list[Launch]:
        """The launches of a process that have not ended."""
        with self._lock:
            return [launch for launch in self._launches if launch.origin == origin and not launch.is_over]

    def __getitem__(self, number: int) -> Launch:
        return self._launches[number]

    def window(self, kernel: Kernel, origin: Origin) -> tuple[int, int]:
        """The first and last launch of a kernel that a process should ask about."""
        left_out = bool(self._options.ranks) and origin.rank not in self._options.ranks
        if self._options.list_only or left_out or not kernel.recordable:
            return NEVER
        return self._options.launches

    def choose(self, kernel: Kernel, origin: Origin, index: int, shape: Shape) -> Chosen | None:
        """Make ready what this launch needs; None if it cannot be recorded, and why has been said."""
        try:
            twin = self._twin(kernel, shape)
            log_bytes = self.instrument.log_bytes(twin, shape)
            control, at = self.instrument.control_block(twin, shape)
        except SourceError as problem:
            self.refuse(kernel, str(problem))
            return None
        with self._lock:
            launch = Launch(len(self._launches), kernel, origin, index, shape, log_bytes)
            self._launches.append(launch)
        try:
            launch.make_log()
        except OSError as problem:
            launch.is_over = True
            self.refuse(
                kernel,
                tr("there is no memory for its log of {bytes} bytes: {problem}", bytes=log_bytes, problem=problem),
            )
            return None
        return Chosen(launch, twin, control, at)

    def twin_of(self, launch: Launch) -> Twin:
        return self._twins[launch.kernel]

    def end(self, launch: Launch) -> bool:
        """Note that a launch is over. False: it was already."""
        with self._lock:
            was_over, launch.is_over = launch.is_over, True
            return not was_over

    def refuse(self, kernel: Kernel, why: str) -> None:
        """A kernel's launches are not recorded from now on."""
        kernel.refusal = kernel.refusal or why
        self.excuse(kernel)

    def excuse(self, kernel: Kernel) -> None:
        """Say, once, why a kernel that was asked for is not recorded."""
        with self._lock:
            if not kernel.refusal or kernel in self._excused:
                return
            self._excused.add(kernel)
        self._say(tr("{kernel} is not recorded: {why}", kernel=kernel.short, why=kernel.refusal))

    def miss(self, kernel: Kernel, index: int) -> None:
        """Say that a launch was not recorded because another one of its kernel still was."""
        self._say(
            tr(
                "launch {index} of {kernel} is not recorded: another one was being recorded meanwhile",
                index=index,
                kernel=kernel.short,
            )
        )

    def _twin(self, kernel: Kernel, shape: Shape) -> Twin:
        with kernel.lock:
            if kernel not in self._twins:
                self._twins[kernel] = self.instrument.twin(kernel, shape)
            return self._twins[kernel]
