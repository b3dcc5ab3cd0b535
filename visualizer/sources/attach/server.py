"""Listens for the processes of a watched program, each of which is served by a thread of its own."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from visualizer.sources.attach.connection import Connection
from visualizer.sources.attach.kernels import KernelBook


class Server:
    """Listens from its making to `close`, which returns once every conversation is over."""

    def __init__(self, path: Path, kernels: KernelBook, connect: Callable[[socket.socket], Connection]) -> None:
        self.kernels = kernels
        self._connect = connect
        self._lock = threading.Lock()
        self._connections: list[Connection] = []
        self._threads: list[threading.Thread] = []
        self._closing = False
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(str(path))
        self._listener.listen(64)
        self._acceptor = threading.Thread(target=self._accept, name="attach-accept", daemon=True)
        self._acceptor.start()

    @property
    def connections(self) -> list[Connection]:
        """All there have been."""
        with self._lock:
            return list(self._connections)

    def close(self) -> None:
        """End every conversation; the processes go on without us."""
        self._closing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()
        for connection in self.connections:
            connection.hang_up()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while not self._closing:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            connection = self._connect(accepted)
            thread = threading.Thread(target=connection.serve, name=f"attach-{connection.origin.pid}", daemon=True)
            with self._lock:
                self._connections.append(connection)
                self._threads.append(thread)
            thread.start()
