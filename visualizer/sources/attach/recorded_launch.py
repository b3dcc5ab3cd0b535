"""One launch that is recorded: what was launched, where its log is, and what became of it."""

from __future__ import annotations

import contextlib
import mmap
import os
import time
from dataclasses import dataclass, field

from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.messages import Message, memory_file


@dataclass(frozen=True, slots=True)
class TensorMap:
    """A tensor map among the kernel's parameters, as the program had it encoded."""

    offset: int  # of its bytes from the first parameter's
    type: int  # CUtensorMapDataType
    box: tuple[int, ...]  # elements that one copy brings

    @classmethod
    def parse(cls, text: str) -> TensorMap:
        """From a line of a message: `offset=0 type=6 box=64,128`."""
        words = dict(word.split("=", 1) for word in text.split() if "=" in word)

        def numbers(key: str) -> tuple[int, ...]:
            return tuple(int(number) for number in words.get(key, "").split(",") if number)

        single = {key: (*numbers(key), 0)[0] for key in ("offset", "type")}
        return cls(**single, box=numbers("box"))


@dataclass(frozen=True, slots=True)
class Origin:
    """The process that launched."""

    pid: int
    rank: int | None = None  # in a job of many processes


@dataclass(eq=False)
class RecordedLaunch:
    """From the answer that chose it to its end."""

    id: int
    kernel: Kernel
    origin: Origin
    index: int  # among this kernel's launches in its process
    shape: Shape
    log_bytes: int
    log_fd: int = -1
    tensor_maps: tuple[TensorMap, ...] = ()
    twin_registers: int = 0  # of a thread
    twin_local: int = 0  # bytes of a thread
    is_copied: bool = False  # its log is in the GPU's memory, which the process copies now and then
    elapsed_ms: float = 0.0  # on the GPU; 0: not known
    is_timed: bool = False  # it is recorded, and now repeated to time it
    rounds_ns: tuple[tuple[int, int], ...] = ()  # of the original and of the recorded, each time it was repeated
    started: float = 0.0  # time.monotonic(); 0: not yet
    is_over: bool = False
    _view: mmap.mmap | None = field(default=None, repr=False)

    def make_log(self, head: bytes) -> None:
        """The file behind the log, `head` and then zeros. The program maps it too: it is read while the kernel runs,
        and outlives it. OSError without memory for it."""
        self.log_fd = memory_file(head, self.log_bytes)

    def log(self) -> mmap.mmap:
        """The log as it is now."""
        if self._view is None:
            self._view = mmap.mmap(self.log_fd, self.log_bytes, mmap.MAP_SHARED, mmap.PROT_READ)
        return self._view

    def start(self, message: Message) -> None:
        self.tensor_maps = tuple(TensorMap.parse(line) for line in message.texts("map"))
        self.twin_registers, self.twin_local = message.number("registers"), message.number("local")
        self.is_copied = message.text("memory") == "device"
        self.started = time.monotonic()

    def close(self) -> None:
        """Give the log back. An array that still shows it keeps it."""
        if self._view is not None:
            with contextlib.suppress(BufferError):
                self._view.close()
            self._view = None
        if self.log_fd >= 0:
            os.close(self.log_fd)
            self.log_fd = -1
