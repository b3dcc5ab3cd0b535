"""The conversation with one watched process: what it loads and launches, and what it is told to do about it."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable

from visualizer.language import tr
from visualizer.language.endings import PROCESS_ENDED
from visualizer.recording.tables import Ending
from visualizer.sources.attach.board import Board
from visualizer.sources.attach.kernels import Kernel, KernelBook
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import ADDRESS_AT, CONTROL_SYMBOL
from visualizer.sources.attach.messages import PROTOCOL, Message, memory_file, read_file, receive, send
from visualizer.sources.attach.recorded_launch import Origin, RecordedLaunch
from visualizer.sources.attach.recorder import Recorder

Conclude = Callable[[RecordedLaunch, Ending], object]
_CREDENTIALS = struct.Struct("3i")  # process, user, group


class Connection:
    """One process. `serve` returns when it is gone."""

    def __init__(
        self,
        connection: socket.socket,
        kernels: KernelBook,
        recorder: Recorder,
        conclude: Conclude,
    ) -> None:
        self._socket = connection
        self._kernels = kernels
        self._recorder = recorder
        self._conclude = conclude
        self._asked: Message | None = None  # about this kernel, whose image comes next
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        self.origin = Origin(_CREDENTIALS.unpack(credentials)[0])
        self.board = Board()

    def serve(self) -> None:
        try:
            while (message := receive(self._socket)) is not None:
                try:
                    self._answer(message)
                finally:
                    for fd in message.fds:
                        os.close(fd)
        finally:
            self._socket.close()
            self.board.close_file()
        for launch in self._recorder.of(self.origin):
            self._conclude(launch, Ending("completed") if launch.is_timed else Ending("crash", PROCESS_ENDED))

    def hang_up(self) -> None:
        """Have the process go on as if nobody watched; `serve` returns."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it is gone already

    def _answer(self, message: Message) -> None:
        match message.word:
            case "hello":
                self._greet(message)
            case "kernel":
                self._consider(message)
            case "image":
                self._examine(message)
            case "launch":
                self._choose(message)
            case "start":
                self._recorder[message.number("recording")].start(message)
            case "timing":
                self._recorder[message.number("recording")].is_timed = True
            case "end":
                self._end(message)
            case "failed":
                self._fail(message)
            case "busy":
                self._recorder.miss(self._kernels[message.number("kernel")], message.number("index"))
            case "ptx":
                self._kernels.keep_ptx(*(read_file(fd) for fd in message.fds[:2]))
            case "source":
                self._kernels.sources[message.text("name")] = read_file(message.fds[0]).decode(errors="replace")

    def _greet(self, message: Message) -> None:
        if message.number("protocol") != PROTOCOL:
            self.hang_up()
            return
        rank = message.numbers("rank")
        self.origin = Origin(self.origin.pid, rank[0] if rank else None)
        send(self._socket, "welcome", fds=[self.board.fd])
        self.board.close_file()

    def _consider(self, message: Message) -> None:
        name, origin = message.text("name"), message.text("origin")
        kernel = self._kernels.without_image(name, origin)
        if kernel is None and message.numbers("image")[0] < 0:
            kernel = self._kernels.unknown(name, origin)
        if kernel is None:
            self._asked = message
            send(self._socket, "kernel", [("wanted", "image")])
        else:
            self._tell_window(kernel)

    def _examine(self, message: Message) -> None:
        asked, self._asked = self._asked, None
        if asked is None or not message.fds:
            send(self._socket, "kernel")
            return
        image = read_file(message.fds[0])
        kernel = self._kernels.with_image(
            asked.text("name"), asked.text("origin"), image, asked.number("sm"), asked.text("gpu")
        )
        self._tell_window(kernel)

    def _tell_window(self, kernel: Kernel) -> None:
        self._recorder.excuse(kernel)
        first, last = self._recorder.window(kernel, self.origin)
        send(self._socket, "kernel", [("watch", f"{kernel.id} {first} {last}")])

    def _choose(self, message: Message) -> None:
        kernel = self._kernels[message.number("kernel")]
        chosen = None
        if not kernel.refusal:
            chosen = self._recorder.choose(kernel, self.origin, message.number("index"), Shape.of(message))
        if chosen is None:
            send(self._socket, "skip")
            return
        layout = chosen.layout
        where = f"{layout.headers_at} {layout.counts_at} {layout.streams_at} {layout.stream_bytes} {layout.keep:d}"
        has_twin = message.number("twin")
        twin = None if has_twin else memory_file(chosen.twin.cubin)
        send(
            self._socket,
            "record",
            [
                ("recording", chosen.launch.id),
                ("entry", chosen.twin.entry),
                ("log", f"{chosen.launch.log_bytes} {len(layout.beginning())} {chosen.memory} {where}"),
                ("control", f"{CONTROL_SYMBOL} {ADDRESS_AT}"),
                ("bytes", layout.control().hex()),
                ("rounds", self._recorder.rounds),
                *(("variable", f"{space} {name}") for space, name in chosen.twin.variables),
            ],
            [chosen.launch.log_fd, *([] if twin is None else [twin])],
        )
        if twin is not None:
            os.close(twin)

    def _end(self, message: Message) -> None:
        launch = self._recorder[message.number("recording")]
        launch.elapsed_ms = float(message.text("ms") or 0)
        times = message.numbers("rounds")
        launch.rounds_ns = tuple(zip(times[::2], times[1::2], strict=False))
        if why := message.text("unrepeated"):
            self._recorder.excuse_rounds(launch, why)
        result, _, error = message.text("result").partition(" ")
        ending = Ending("completed") if result == "0" else Ending("crash", error or tr("error {number}", number=result))
        self._conclude(launch, ending)

    def _fail(self, message: Message) -> None:
        """The process could not launch the twin and launched the original."""
        launch = self._recorder[message.number("recording")]
        if self._recorder.end(launch):
            launch.close()
        _, _, error = message.text("result").partition(" ")
        self._recorder.refuse(
            launch.kernel,
            tr("{step} failed ({error}), so the original was launched", step=message.text("step"), error=error),
        )
