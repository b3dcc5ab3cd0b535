"""How other Pythons of ours are started: with what this one found, and nothing from the folder it happens to be in."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def child_command(module: str, *arguments: str) -> list[str]:
    """The words that run a module in a process of its own.

    -P: the current folder is not on its path, so that no file there is imported instead of a library's.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


def child_environment(**more: str) -> dict[str, str]:
    """The environment in which it finds this very phasescope, installed or not."""
    root = str(Path(__file__).resolve().parent.parent)
    # An empty entry would mean the current folder.
    path = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), **more}
