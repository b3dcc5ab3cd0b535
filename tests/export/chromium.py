"""A headless Chromium for tests of pages: opens a file, presses keys, evaluates expressions. DevTools protocol."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
_START_S = 60.0
_KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35}


class Page:
    """One open tab."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.problems: list[str] = []
        """What the page's console and the network said was wrong."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=_START_S))
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            self._note(message)

    def open(self, address: str) -> None:
        """Go there and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + _START_S
        while self.value("document.readyState + location.href.startsWith('file:')") != "completetrue":
            assert time.monotonic() < deadline, "the page did not load"

    def value(self, expression: str) -> Any:
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait_for(self, promise: str) -> Any:
        """What a promise comes to."""
        result = self.call("Runtime.evaluate", expression=promise, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def text(self, element: str) -> str:
        return self.value(f"document.getElementById({element!r}).textContent")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=_KEYS.get(key, ord(key[0])))

    def click(self, element: str, share: float = 0.5) -> None:
        """With the mouse, `share` of the way from its left edge to its right."""
        box = self.value(
            f"(() => {{ const e = document.getElementById({element!r}); e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()"
        )
        at = {"x": box[0] + share * box[2], "y": box[1] + box[3] / 2, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, **at)

    def _note(self, message: dict[str, Any]) -> None:
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown" or (
            method == "Log.entryAdded" and parameters["entry"]["level"] == "error"
        ):
            self.problems.append(json.dumps(parameters))
        if method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith("file:"):
            self.problems.append(parameters["request"]["url"])


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A browser of its own, with a new profile in `profile`; ended when the block ends."""
    assert BROWSER is not None
    # Without its sandbox: containers run tests as root, and a sandbox needs rights they do not have.
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    command += ["--remote-debugging-port=0", f"--user-data-dir={profile}", "--window-size=1400,1000", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        with urlopen(f"http://127.0.0.1:{_port(process)}/json/list", timeout=_START_S) as answer:
            tab = next(target for target in json.load(answer) if target["type"] == "page")
        with connect(tab["webSocketDebuggerUrl"], open_timeout=_START_S, max_size=None) as socket:
            yield Page(socket)
    finally:
        process.terminate()
        process.communicate()


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("DevTools listening on"):
            return int(line.rpartition(":")[2].split("/")[0])
    raise AssertionError("the browser did not start")
