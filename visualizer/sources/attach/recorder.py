"""Chosen launches: gives each its twin and its log, and keeps what became of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from visualizer.language import tr
from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace
from visualizer.sources.attach.instrument import Instrument, Twin
from visualizer.sources.attach.kernels import NEVER, Kernel
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import LogLayout
from visualizer.sources.attach.options import HOST_LOG_BYTES, AttachOptions
from visualizer.sources.attach.recorded_launch import Origin, RecordedLaunch
from visualizer.sources.errors import SourceError


@dataclass(frozen=True, slots=True)
class Chosen:
    """A launch and what it is launched with."""

    launch: RecordedLaunch
    twin: Twin
    layout: LogLayout
    memory: str  # "device" or "host": where the log is to be


class Recorder:
    """Safe to use from several threads."""

    def __init__(self, options: AttachOptions, instrument: Instrument, say: Callable[[str], None]) -> None:
        self._options = options
        self._instrument = instrument
        self._say = say
        self._lock = threading.Lock()
        self._twins: dict[Kernel, Twin] = {}
        self._excused: set[Kernel] = set()
        self._chosen: list[Chosen] = []
        self.hangs_repeated = False  # a launch hangs that was recorded and is repeated to time it

    @property
    def running(self) -> list[RecordedLaunch]:
        """Those that have begun and not ended; what is only repeated has."""
        return [launch for launch in self._open() if launch.started and not launch.is_timed]

    @property
    def rounds(self) -> str:
        """How often to repeat a launch, and after how many ms one that is repeated hangs, as a message says it."""
        return f"{self._options.rounds} {round(self._options.stall_s * 1000)}"

    def of(self, origin: Origin) -> list[RecordedLaunch]:
        """The launches of a process that have not ended."""
        return [launch for launch in self._open() if launch.origin == origin]

    def __getitem__(self, number: int) -> RecordedLaunch:
        return self._chosen[number].launch

    def window(self, kernel: Kernel, origin: Origin) -> tuple[int, int]:
        """The first and last launch of a kernel that a process should ask about."""
        left_out = bool(self._options.ranks) and origin.rank not in self._options.ranks
        if self._options.list_only or left_out or not kernel.recordable:
            return NEVER
        return self._options.launches

    def choose(self, kernel: Kernel, origin: Origin, index: int, shape: Shape) -> Chosen | None:
        """Make ready what a launch needs; None if it cannot be recorded, and why has been said."""
        try:
            twin = self._twin(kernel, shape)
            layout = self._instrument.layout(twin, shape)
        except SourceError as problem:
            self.refuse(kernel, str(problem))
            return None
        with self._lock:
            launch = RecordedLaunch(len(self._chosen), kernel, origin, index, shape, layout.nbytes)
            chosen = Chosen(launch, twin, layout, self._memory(layout.nbytes))
            self._chosen.append(chosen)
        try:
            launch.make_log(layout.beginning())
        except OSError as problem:
            launch.is_over = True
            self.refuse(
                kernel,
                tr(
                    "there is no memory for its log of {bytes} bytes ({problem}); record fewer CTAs",
                    bytes=layout.nbytes,
                    problem=problem.strerror,
                ),
            )
            return None
        return chosen

    def progress(self, launch: RecordedLaunch) -> int:
        """A number that changes with every record; 0 before the first."""
        chosen = self._chosen[launch.id]
        return self._instrument.progress(chosen.twin, chosen.layout, launch)

    def trace(self, launch: RecordedLaunch, ending: Ending) -> Trace:
        """What its log says now. SourceError if it says nothing."""
        chosen = self._chosen[launch.id]
        return self._instrument.trace(chosen.twin, chosen.layout, launch, ending)

    def end(self, launch: RecordedLaunch) -> bool:
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

    def excuse_rounds(self, launch: RecordedLaunch, why: str) -> None:
        """Say why a launch was not repeated as often as was asked for: "stuck", "memory" or an error of the driver."""
        self.hangs_repeated = self.hangs_repeated or why == "stuck"
        reasons = {"stuck": tr("it hangs"), "memory": tr("there is no memory for another log")}
        self._say(
            tr(
                "launch {index} of {kernel} is recorded, but cannot be repeated to time it ({why}): what it wrote is"
                " not restored in between; leave out --time",
                index=launch.index,
                kernel=launch.kernel.short,
                why=reasons.get(why, why),
            )
        )

    def _memory(self, log_bytes: int) -> str:
        if self._options.log_memory == "auto":
            return "host" if log_bytes <= HOST_LOG_BYTES else "device"
        return self._options.log_memory

    def _open(self) -> list[RecordedLaunch]:
        with self._lock:
            return [chosen.launch for chosen in self._chosen if not chosen.launch.is_over]

    def _twin(self, kernel: Kernel, shape: Shape) -> Twin:
        with kernel.lock:
            if kernel not in self._twins:
                self._twins[kernel] = self._instrument.twin(kernel, shape)
            return self._twins[kernel]
