"""One launch that is recorded: what was launched, where its log is, and what became of it."""

from __future__ import annotations

import mmap
import os
import time
from dataclasses import dataclass, field

from visualizer.sources.attach.kernels import Kernel
from visualizer.sources.attach.messages import Message, memory_file

Three = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Shape:
    """A launch as the program asked for it."""

    grid: Three  # CTAs
    block: Three  # threads
    cluster: Three  # CTAs
    static_shared: int = 0  # bytes of a CTA
    dynamic_shared: int = 0
    registers: int = 0  # of a thread of the original
    local: int = 0  # bytes of a thread of the original, spills among them

    @property
    def ctas(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps(self) -> int:
        """Of a CTA."""
        return -(-self.threads // 32)

    @classmethod
    def from_message(cls, message: Message) -> Shape:
        static, dynamic = (*message.numbers("shared"), 0, 0)[:2]
        return cls(
            _three(message, "grid"),
            _three(message, "block"),
            _three(message, "cluster"),
            static,
            dynamic,
            message.number("registers"),
            message.number("local"),
        )


def _three(message: Message, key: str) -> Three:
    x, y, z = (*message.numbers(key), 1, 1, 1)[:3]
    return x, y, z


@dataclass(frozen=True, slots=True)
class TensorMap:
    """A tensor map among the kernel's parameters, as the program had it encoded."""

    offset: int  # of its bytes among the parameters
    address: int  # of the tensor
    type: int  # CUtensorMapDataType
    swizzle: int  # CUtensorMapSwizzle
    dimensions: tuple[int, ...]  # innermost first, elements
    strides: tuple[int, ...]  # bytes, of all dimensions but the innermost
    box: tuple[int, ...]  # elements that one copy brings

    @classmethod
    def parse(cls, text: str) -> TensorMap:
        """From a line of a message: `offset=0 address=1 box=64,128 ...`."""
        words = dict(word.split("=", 1) for word in text.split() if "=" in word)

        def numbers(key: str) -> tuple[int, ...]:
            return tuple(int(number) for number in words.get(key, "").split(",") if number)

        single = {key: (*numbers(key), 0)[0] for key in ("offset", "address", "type", "swizzle")}
        return cls(**single, dimensions=numbers("dimensions"), strides=numbers("strides"), box=numbers("box"))


@dataclass(frozen=True, slots=True)
class Origin:
    """The process that launched."""

    pid: int
    rank: int | None = None  # in a job of many processes


@dataclass(eq=False)
class Launch:
    """A recorded launch, from the answer that chose it to its end."""

    id: int
    kernel: Kernel
    origin: Origin
    index: int  # among this kernel's launches in its process
    shape: Shape
    log_bytes: int
    log_fd: int = -1
    tensor_maps: tuple[TensorMap, ...] = ()
    twin_registers: int = 0
    twin_local: int = 0
    elapsed_ms: float = 0.0  # on the GPU; 0: not known
    started: float = 0.0  # time.monotonic(); 0: not yet
    is_over: bool = False
    _view: mmap.mmap | None = field(default=None, repr=False)

    def make_log(self) -> int:
        """The file behind the log, which the program maps too: it is read while the kernel runs, and outlives it."""
        self.log_fd = memory_file(size=self.log_bytes)
        return self.log_fd

    def log(self) -> mmap.mmap:
        """The log as it is now."""
        if self._view is None:
            self._view = mmap.mmap(self.log_fd, self.log_bytes, mmap.MAP_SHARED, mmap.PROT_READ)
        return self._view

    def start(self, message: Message) -> None:
        self.tensor_maps = tuple(TensorMap.parse(line) for line in message.texts("map"))
        self.twin_registers, self.twin_local = message.number("registers"), message.number("local")
        self.started = time.monotonic()

    def close(self) -> None:
        """Give the log back. An array that still shows it keeps it."""
        if self._view is not None:
            try:
                self._view.close()
            except BufferError:
                pass
            self._view = None
        if self.log_fd >= 0:
            os.close(self.log_fd)
            self.log_fd = -1
