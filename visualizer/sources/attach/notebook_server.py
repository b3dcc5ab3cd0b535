"""Watches a notebook's process, which runs already, from one of its own: a launch may hold the lock that Python threads
share.

python -m visualizer.sources.attach.notebook_server FOLDER, options as JSON in the first line of stdin; ends with stdin.
On stdout one JSON object a line: {"socket": ...} once, {"said": ...}, {"recorded": PATH}, {"hung": PATH},
{"ended": true}.
"""

from __future__ import annotations

import json
import select
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from visualizer.language import preferred, use
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.ptx_instrument import PtxInstrument
from visualizer.sources.attach.session import Recorded, Session


def options_line(options: AttachOptions) -> str:
    """What this process reads."""
    return json.dumps({**asdict(options), "output": str(options.output) if options.output else ""}) + "\n"


def _options(line: str) -> AttachOptions:
    told = json.loads(line)
    for name in ("launches", "ctas", "ranks"):
        told[name] = tuple(told[name])
    told["output"] = Path(told["output"]) if told["output"] else None
    return AttachOptions(**told)


class _Teller:
    """Writes each thing that happens as a line."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def tell(self, **line: Any) -> None:
        with self._lock:
            print(json.dumps(line), flush=True)

    def said(self, sentence: str) -> None:
        self.tell(said=sentence)

    def recorded(self, recorded: Recorded) -> None:
        self.tell(recorded=str(recorded.path))

    def hung(self, recorded: Recorded) -> None:
        self.tell(hung=str(recorded.path))


def main() -> int:
    use(preferred())
    options = _options(sys.stdin.readline())
    teller = _Teller()
    session = Session(options, PtxInstrument(options), teller, command="record_kernel", folder=Path(sys.argv[1]))
    session.serve(
        lambda socket: teller.tell(socket=str(socket)),
        lambda seconds: bool(select.select([sys.stdin], [], [], seconds)[0]),
    )
    teller.tell(ended=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
