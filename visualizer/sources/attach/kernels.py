"""The kernels that a session has met, and for each whether it is recorded, and if not, why."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from visualizer.language import tr
from visualizer.sources.attach.compiled import compiled_sources, with_line_numbers
from visualizer.sources.attach.environment import kept_ptx
from visualizer.sources.attach.kernel_names import demangled, short_name
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.ptx_image import NoPtx, Ptx, module_of, modules
from visualizer.sources.errors import SourceError

SM90 = 90
NEVER = (1, 0)
"""The last launch to record is before the first."""
_NVIDIA = re.compile(
    r"lib(cublas|cudnn|cufft|cusparse|cusolver|curand|cutensor|nccl|npp|nvjpeg|nvshmem|nvinfer|cudss|cusparselt)", re.I
)


@dataclass(eq=False)
class Kernel:
    """One kernel of one image."""

    id: int
    name: str  # as the driver has it
    origin: str  # the file it is part of; "": it was compiled while the program ran
    sources: Mapping[str, str] = field(repr=False)  # what was compiled while it ran, by name
    ptx: Ptx | None = None
    refusal: str = ""  # why it is not recorded, one sentence; "": it is, or nobody asked for it
    uses_mbarriers: bool | None = None  # None: not known
    lacks_ptx: bool = False  # for this GPU
    is_wanted: bool = False  # the options mean this kernel
    gpu: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while its twin is made."""

    @property
    def title(self) -> str:
        return demangled(self.name)

    @property
    def short(self) -> str:
        return short_name(self.name)

    @property
    def recordable(self) -> bool:
        return self.is_wanted and not self.refusal and self.ptx is not None


class KernelBook:
    """Kernels by number. Safe to ask from several threads."""

    def __init__(self, options: AttachOptions, folder: Path) -> None:
        self._options = options
        self._pattern = re.compile(options.kernel)
        self._folder = folder
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Kernel] = {}
        self._kernels: list[Kernel] = []
        self.sources: dict[str, str] = {}  # what a compiler in the program was given, by name
        self._ptx: dict[str, bytes] = {}  # by the cubin that a runtime compiler made of it

    @property
    def kernels(self) -> list[Kernel]:
        with self._lock:
            return list(self._kernels)

    def __getitem__(self, number: int) -> Kernel:
        return self._kernels[number]

    def keep_ptx(self, ptx: bytes, cubin: bytes) -> None:
        """What a compiler in the program made: the cubin is loaded later."""
        with self._lock:
            self._ptx[_digest(cubin)] = ptx

    def without_image(self, name: str, origin: str) -> Kernel | None:
        """The kernel if its image need not be read to decide about it; None if it must be."""
        if (library := _NVIDIA.match(Path(origin).name)) is not None:
            kernel = self._entry(name, origin, origin)
            if self._named(name):
                kernel.refusal = tr("it is part of NVIDIA's {library}, which is left alone", library=library[0])
            return kernel
        return None if self._means(name) else self._entry(name, origin, origin)

    def with_image(self, name: str, origin: str, image: bytes, sm: int, gpu: str) -> Kernel:
        """The kernel, and what its image says of it."""
        digest = _digest(image)
        kernel = self._entry(name, origin, digest)
        with kernel.lock:
            if kernel.ptx is None and not kernel.refusal:
                kernel.gpu = gpu
                self._examine(kernel, image, digest, sm)
        return kernel

    def unknown(self, name: str, origin: str) -> Kernel:
        """A kernel whose image was loaded before anybody watched."""
        kernel = self._entry(name, origin, "")
        if self._named(name):
            kernel.refusal = tr("its module was loaded before it was watched: watch the program from its start")
        return kernel

    def _means(self, name: str) -> bool:
        return bool(self._pattern.search(name) or self._pattern.search(demangled(name)))

    def _named(self, name: str) -> bool:
        """Whether the options name it: one that they only fail to exclude needs no excuse."""
        return bool(self._options.kernel) and self._means(name)

    def _entry(self, name: str, origin: str, image: str) -> Kernel:
        with self._lock:
            if (name, image) not in self._known:
                kernel = Kernel(len(self._kernels), name, origin, self.sources)
                self._kernels.append(kernel)
                self._known[name, image] = kernel
            return self._known[name, image]

    def _examine(self, kernel: Kernel, image: bytes, digest: str, sm: int) -> None:
        named = self._named(kernel.name)
        if sm < SM90:
            too_old = tr(
                "{gpu} has compute capability {capability}: recording needs Hopper (9.0) or later",
                gpu=kernel.gpu,
                capability=f"{sm // 10}.{sm % 10}",
            )
            kernel.refusal = too_old if named else ""
            return
        try:
            with self._lock:
                beside = self._ptx.get(digest, b"")
            beside = beside or kept_ptx(self._folder, image)
            ptx, body = _find(beside or image, kernel.name, sm)
        except NoPtx as problem:
            kernel.lacks_ptx = True
            kernel.refusal = str(problem) if named else ""
            return
        except SourceError as problem:
            kernel.refusal = str(problem)
            return
        kernel.uses_mbarriers = "mbarrier." in body
        kernel.ptx = with_line_numbers(ptx, self._folder) if kernel.uses_mbarriers else ptx
        if kernel.ptx is not ptx:
            self.sources.update(compiled_sources(self._folder))
        kernel.is_wanted = kernel.uses_mbarriers
        if named and not kernel.uses_mbarriers:
            kernel.refusal = tr("it uses no mbarriers")


def _digest(image: bytes) -> str:
    return hashlib.sha256(image).hexdigest()


def _find(image: bytes, name: str, sm: int) -> tuple[Ptx, str]:
    ptx = module_of(_modules(image), name, sm)
    return ptx, ptx.entry(name)


@lru_cache(maxsize=4)
def _modules(image: bytes) -> tuple[Ptx, ...]:
    """An image of many kernels is decompressed once."""
    return tuple(modules(image))
