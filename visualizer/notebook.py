"""For notebooks and tests: record kernels that this very process launches.

from visualizer.notebook import record_kernel

with record_kernel(kernel="fmha", launch=0) as recording:
    run_my_kernel()
recording.trace, recording.show()
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from visualizer.children import child_command, child_environment
from visualizer.language import ENVIRONMENT, current, tr
from visualizer.recording.file import load
from visualizer.recording.trace import Trace
from visualizer.sources.attach.notebook_server import options_line
from visualizer.sources.attach.options import AttachOptions, Level
from visualizer.sources.attach.shim_library import shim_library
from visualizer.sources.errors import SourceError


@dataclass
class KernelRecording:
    """What was recorded, complete once the `with` block has ended."""

    paths: list[Path] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)  # why a kernel was not recorded, and the like

    @property
    def traces(self) -> list[Trace]:
        """The recordings, in the order in which they ended."""
        return [load(path) for path in self.paths]

    @property
    def trace(self) -> Trace:
        """The first recording. SourceError if nothing was recorded, and why."""
        if not self.paths:
            raise SourceError(
                " ".join(self.sentences)
                or tr("no such kernel was launched: launch it within the block, for the first time if it is CUDA C++")
            )
        return load(self.paths[0])

    def show(self) -> None:
        """Open the recordings in the window, in a process of its own."""
        if not self.paths:
            raise SourceError(" ".join(self.sentences) or tr("nothing was recorded"))
        for path in self.paths:
            subprocess.Popen(child_command("visualizer", "open", str(path)), env=_environment())


@contextlib.contextmanager
def record_kernel(
    kernel: str = "",
    launch: int | tuple[int, int] = 0,
    *,
    ctas: Sequence[int] = (),
    level: Level = "barriers",
    keep_first: int = 0,
    keep_last: int = 0,
    stall_s: float = 5.0,
    output: str | os.PathLike[str] | None = None,
) -> Iterator[KernelRecording]:
    """Record launches that happen within the block, of kernels in whose name the regular expression `kernel` is found.

    `launch` counts from 0 within the block, or is a first and a last one. The libraries that launch must be imported,
    and the kernel not yet loaded, when the block begins: a module that was loaded before cannot be read any more. The
    recordings are files: beside `output`, or in a folder that goes with this process. SourceError without a compiler.
    """
    first, last = (launch, launch) if isinstance(launch, int) else launch
    target = Path(output) if output is not None else None
    options = AttachOptions(
        kernel=kernel,
        launches=(first, last),
        ctas=tuple(ctas),
        level=level,
        keep_first=keep_first,
        keep_last=keep_last,
        stall_s=stall_s,
        on_hang="leave",
        output=target,
    )
    library = ctypes.CDLL(str(shim_library()))
    recording = KernelRecording()
    server = subprocess.Popen(
        child_command("visualizer.sources.attach.notebook_server", str(Path.cwd() if target else _own_folder())),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=_environment(),
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        server.stdin.write(options_line(options))
        server.stdin.flush()
        first_line = server.stdout.readline()
        if not first_line:
            raise SourceError(tr("the server that records did not start"))
        listener = threading.Thread(target=_listen, args=(server.stdout, recording), daemon=True)
        listener.start()
        library.phasescope_watch(json.loads(first_line)["socket"].encode())
        try:
            yield recording
        finally:
            library.phasescope_leave()
            server.stdin.close()
            listener.join()
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def _listen(lines: Iterator[str], recording: KernelRecording) -> None:
    for line in lines:
        told = json.loads(line)
        if "recorded" in told:
            recording.paths.append(Path(told["recorded"]))
        elif "said" in told:
            recording.sentences.append(told["said"])
        elif "hung" in told:
            print(tr("phasescope: a launch hangs: phasescope diagnose {path}", path=told["hung"]), file=sys.stderr)


_folders: list[tempfile.TemporaryDirectory[str]] = []


def _own_folder() -> str:
    """Of this block; removed when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="phasescope-", ignore_cleanup_errors=True)
    _folders.append(folder)
    return folder.name


def _environment() -> dict[str, str]:
    return child_environment(**{ENVIRONMENT: current()})
