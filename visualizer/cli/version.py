"""`phasescope --version`: what is installed, without importing any of it."""

from __future__ import annotations

import argparse
import platform
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from visualizer import __version__
from visualizer.language import tr

_PACKAGES = (
    ("numpy", ("numpy",)),
    ("PySide6", ("PySide6-Essentials", "PySide6")),
    ("CuPy", ("cupy-cuda13x", "cupy-cuda12x", "cupy")),
    ("cuda-bindings", ("cuda-bindings",)),
)
"""What phasescope works with, and the distributions that it may come from."""
_DRIVER = Path("/proc/driver/nvidia/version")
_DRIVER_VERSION = re.compile(r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s")


class VersionAction(argparse.Action):
    """Prints it and ends; it is found out only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=tr("say what is installed, and exit"))

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(version_text())
        parser.exit()


def version_text() -> str:
    """phasescope's version, then a line for each thing that it works with."""
    found = {"Python": platform.python_version(), **{name: _installed(names) for name, names in _PACKAGES}}
    found[tr("NVIDIA driver")] = driver_version()
    missing = tr("not installed")
    lines = [f"  {name} {what or missing}" for name, what in found.items()]
    return "\n".join([f"phasescope {__version__}", *lines])


def driver_version() -> str:
    """Of the kernel module that is loaded; "" if none is."""
    try:
        found = _DRIVER_VERSION.search(_DRIVER.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    return found[1] if found else ""


def _installed(distributions: Sequence[str]) -> str:
    from importlib.metadata import PackageNotFoundError, version

    for name in distributions:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return ""
