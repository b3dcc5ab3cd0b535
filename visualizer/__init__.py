"""phasescope: a time-travel debugger for Hopper (SM90) asynchronous pipelines.

The package is a stack of rooms; imports go downward only (see docs/architecture.md). For notebooks and scripts it is
what docs/api.md promises, imported when it is first asked for: `import visualizer as ps; ps.load("run.pscope")`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_API = {
    **dict.fromkeys(("PhasescopeError", "Recording", "decode", "load", "simulate"), "visualizer.api"),
    "record_kernel": "visualizer.notebook",
}
"""What docs/api.md promises, and where it is. By name only: every room imports this package."""


def __getattr__(name: str) -> Any:
    if name not in _API:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_API[name]), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_API))
