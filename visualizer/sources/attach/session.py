"""One session: a program is watched, and its chosen launches become recordings."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Protocol

from visualizer import __version__
from visualizer.language import tr
from visualizer.language.endings import NO_RECORD
from visualizer.recording.facts import Cost, Source
from visualizer.recording.file import save
from visualizer.recording.tables import Ending
from visualizer.recording.trace import Trace, TraceError
from visualizer.sources.attach.board import Board
from visualizer.sources.attach.connection import Connection
from visualizer.sources.attach.environment import SOCKET, session_folder, watched_environment
from visualizer.sources.attach.instrument import Instrument
from visualizer.sources.attach.kernel_symbols import read_symbols, symbols_files
from visualizer.sources.attach.kernels import Kernel, KernelBook
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.output_names import OutputNames
from visualizer.sources.attach.program import Program
from visualizer.sources.attach.recorded_launch import RecordedLaunch
from visualizer.sources.attach.recorder import Recorder
from visualizer.sources.attach.server import Server
from visualizer.sources.attach.shim_library import shim_library
from visualizer.sources.errors import SourceError
from visualizer.sources.progress import CancelCheck
from visualizer.sources.runner.cost import LEAST_PAIRS, slowdown

LOOK_S = 0.1
"""How often a session looks at its launches."""


REST = 10
"""A look reads the whole log: it rests for so many times as long as the look took."""


@dataclass(frozen=True, slots=True)
class _Progress:
    """What a log said when it was looked at last."""

    since: float  # time.monotonic() of when it said so first
    records: int = 0
    copies: int = 0
    due: float = 0.0  # when to look again


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording that was written."""

    path: Path
    launch: RecordedLaunch
    trace: Trace


@dataclass(frozen=True, slots=True)
class Launches:
    """How often a kernel was launched, by all processes together."""

    kernel: Kernel
    launches: int
    captured: int  # those that went into CUDA graphs, which are not recorded


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a session."""

    status: int  # of the program, as a shell has it
    recorded: tuple[Recorded, ...]
    kernels: tuple[Launches, ...]
    hung: bool  # a launch hung, and the program was ended for it


class Listener(Protocol):
    """Told what happens while the program runs, by whichever thread notices."""

    def said(self, sentence: str) -> None:
        """Something that the user should know, such as why a kernel is not recorded."""

    def recorded(self, recorded: Recorded) -> None:
        """A recording was written."""

    def hung(self, recorded: Recorded) -> None:
        """A launch makes no progress; this is what its log says while it still hangs."""


class Session:
    """Watches one program, or one process that runs already."""

    def __init__(
        self,
        options: AttachOptions,
        instrument: Instrument,
        listener: Listener,
        *,
        command: str = "",
        folder: Path | None = None,
    ) -> None:
        """`command`: the command line that recordings tell; `folder`: where they go."""
        self._options = options
        self._listener = listener
        self._command = command
        self._job = secrets.token_hex(6)  # what was recorded together says so
        self._names = OutputNames(options, folder or Path.cwd())
        self._recorder = Recorder(options, instrument, listener.said)
        self._lock = threading.Lock()
        self._recorded: list[Recorded] = []
        self._progress: dict[RecordedLaunch, _Progress] = {}
        self._server: Server | None = None
        self._began = time.time()
        self._symbols: tuple[Path, ...] = ()  # where a program of CuTe DSL may tell its barriers' names

    @property
    def launches(self) -> tuple[Launches, ...]:
        """How often which kernel has been launched until now; none while no program runs. Any thread may ask."""
        server = self._server
        if server is None:
            return ()
        boards = [connection.board for connection in server.connections]
        return tuple(
            Launches(
                kernel,
                sum(board.launches(kernel.id) for board in boards),
                sum(board.captured(kernel.id) for board in boards),
            )
            for kernel in server.kernels.kernels
        )

    def run(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        output: IO[bytes] | None = None,
        cancelled: CancelCheck | None = None,
    ) -> Outcome:
        """Run `command` in `folder`, and end it when told to. SourceError if it cannot be watched."""
        library = shim_library()
        with session_folder() as private, self._serving(private) as server:
            given = os.environ if environment is None else environment
            watched = watched_environment(given, library, private)
            self._symbols = symbols_files(given, watched, folder or Path.cwd())
            program = Program(command, watched, folder or Path.cwd(), output)
            hung = False
            try:
                while (status := program.wait(LOOK_S)) is None:
                    hung = bool(self._look(server)) or hung or self._recorder.hangs_repeated
                    if (hung and self._options.on_hang == "end") or (cancelled and cancelled()):
                        status = program.end()
                        break
            except BaseException:
                program.end()
                raise
            return self._outcome(server, status, hung=hung)

    def serve(self, ready: Callable[[Path], None], left: Callable[[float], bool]) -> Outcome:
        """Watch whoever connects to the socket that `ready` is told, until `left` says that nobody will any more.

        `left` waits for so many seconds at most.
        """
        with session_folder() as private, self._serving(private) as server:
            ready(private / SOCKET)
            hung = False
            while not left(LOOK_S):
                for launch in self._look(server):
                    hung = True
                    if self._options.on_hang == "end":
                        with contextlib.suppress(OSError):
                            os.kill(launch.origin.pid, signal.SIGKILL)
            return self._outcome(server, 0, hung=hung)

    @contextlib.contextmanager
    def _serving(self, private: Path) -> Iterator[Server]:
        kernels = KernelBook(self._options, private)

        def connect(accepted: socket.socket) -> Connection:
            return Connection(accepted, kernels, self._recorder, self._conclude)

        server = self._server = Server(private / SOCKET, kernels, connect)
        try:
            yield server
        finally:
            server.close()
            self._server = None

    def _conclude(self, launch: RecordedLaunch, ending: Ending) -> Recorded | None:
        """Make the recording of a launch that is over, or is taken for it; None if it has been made, or cannot be."""
        if not self._recorder.end(launch):
            return None
        try:
            trace = self._recorder.trace(launch, ending)
            meta = replace(
                trace.meta,
                source={**trace.meta.source, "job": self._job, **_circumstances(launch), **self._symbols_told()},
                command=self._command,
                cost={**trace.meta.cost, **_cost(launch)},
                created=datetime.now(UTC).isoformat(timespec="seconds"),
                versions={"phasescope": __version__, **trace.meta.versions},
            )
            trace = trace.with_meta(meta, _with_sources(trace, launch))
            recorded = Recorded(self._names.name(launch), launch, trace)
            save(recorded.trace, recorded.path)
        except (SourceError, TraceError) as problem:
            self._listener.said(
                tr("launch {index} of {kernel}: {why}", index=launch.index, kernel=launch.kernel.short, why=problem)
            )
            return None
        finally:
            launch.close()
        with self._lock:
            self._recorded.append(recorded)
        self._listener.recorded(recorded)
        return recorded

    def _symbols_told(self) -> Source:
        """Names for barriers, from a file that the program may have written by now."""
        try:
            symbols = read_symbols(self._symbols, self._began)
        except SourceError as problem:
            self._listener.said(str(problem))
            return {}
        return {"symbols": symbols} if symbols else {}

    def _look(self, server: Server) -> list[RecordedLaunch]:
        """Launches that are found to hang. They have been told by then, and nobody need wait for them any longer."""
        hung = []
        for launch in self._recorder.running:
            board = next((one.board for one in server.connections if one.origin == launch.origin), None)
            if board is not None and self._stands_still(launch, board):
                hung.append(launch)
                stalled = NO_RECORD.format(seconds=f"{self._options.stall_s:g}", records=self._progress[launch].records)
                if (recorded := self._conclude(launch, Ending("timeout", stalled))) is not None:
                    self._listener.hung(recorded)
                board.release(launch.id)
        return hung

    def _stands_still(self, launch: RecordedLaunch, board: Board) -> bool:
        """Whether a launch has made records, and none for as long as was asked."""
        now = time.monotonic()
        seen = self._progress.setdefault(launch, _Progress(now))
        copies = board.copies(launch.id)
        # Of a log that is copied only a further copy tells anything: without one, nothing stands still.
        if now < seen.due or (launch.is_copied and copies == seen.copies):
            return False
        records = self._recorder.progress(launch)
        end = time.monotonic()
        stands = records == seen.records > 0
        self._progress[launch] = _Progress(seen.since if stands else now, records, copies, end + REST * (end - now))
        return stands and now - seen.since >= self._options.stall_s > 0

    def _outcome(self, server: Server, status: int, *, hung: bool) -> Outcome:
        """What came of it, once every conversation is over."""
        server.close()
        return Outcome(status, tuple(self._recorded), self.launches, hung)


def _circumstances(launch: RecordedLaunch) -> Source:
    """Where and how a launch was recorded, for Meta.source."""
    told: Source = {
        "process": launch.origin.pid,
        "log_bytes": launch.log_bytes,
        "log_memory": "device" if launch.is_copied else "host",
    }
    if launch.origin.rank is not None:
        told["rank"] = launch.origin.rank
    if launch.elapsed_ms:
        told["elapsed_ms"] = launch.elapsed_ms  # on the GPU, from before the launch to behind it
    return told


def _cost(launch: RecordedLaunch) -> Cost:
    """What recording did to its time, where it was repeated often enough to tell."""
    if len(launch.rounds_ns) < LEAST_PAIRS:
        return {}
    original, recorded = zip(*launch.rounds_ns, strict=True)
    return slowdown(original, recorded)


def _with_sources(trace: Trace, launch: RecordedLaunch) -> dict[str, str]:
    """The recording's sources, and those that were compiled while the program ran and are no files."""
    named = {frame.file for site in trace.sites for frame in site.stack} - trace.source_files.keys()
    compiled = launch.kernel.sources
    return {**trace.source_files, **{file: compiled[file] for file in named if file in compiled}}
