"""What launcher and worker say to each other: one job as JSON on stdin, one JSON object a line on stdout.

{"progress": 0.4, "message": "running"}      any number of times
{"failed": "no-gpu", "message": "..."}       nothing ran; the message is for the user
{"done": {...Outcome...}}                    a kernel ran; its log lies in the job's output file unless it crashed
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

CheckMode = Literal["exact", "checksum", "off"]
RUNNING = "running the kernel"
"""The message that tells that the kernel is about to be launched."""


@dataclass(frozen=True, slots=True)
class Job:
    """One recording to make. `output` is where the worker saves the RawLog."""

    config: dict[str, Any]  # LessonConfig.as_dict()
    check: CheckMode
    log_capacity: int  # records per warp
    watchdog_ms: int
    output: str

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a kernel that ran came to."""

    source: dict[str, Any]  # goes into Trace.meta.source
    versions: dict[str, str]
    crash: str = ""  # the CUDA error's name; then there is no log
    checked: int = 0  # values compared (exact) or CTAs summed (checksum)
    errors: int = 0  # of these, wrong ones

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
