"""What a launcher and its worker say to each other: one job on stdin, one JSON object a line on stdout.

{"progress": 0.4, "message": "running"}      any number of times
{"failed": "no-gpu", "message": "..."}       nothing ran; the message is for the user
{"done": {...}}                              something ran; what it came to is between the launcher and its worker
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from visualizer.language import mark, preferred, use

RUNNING = mark("running the kernel")
"""The message that tells that the kernel is about to be launched."""


class Unable(Exception):
    """Nothing can run here; `kind` is for programs, the message for people."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def serve(work: Callable[[str], dict[str, Any]]) -> int:
    """The main function of a worker module: do the job on stdin and say what came of it. The exit status."""
    use(preferred())
    try:
        say(done=work(sys.stdin.read()))
    except Unable as problem:
        say(failed=problem.kind, message=str(problem))
    return 0


def say(**line: Any) -> None:
    print(json.dumps(line), flush=True)
