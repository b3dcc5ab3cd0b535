"""Where the kernel sources, recordings and themes lie: beside the package in a checkout, inside it when installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource_dir(name: str) -> Path:
    """The directory `name` ("kernels" or "assets"), whichever way phasescope was installed."""
    for parent in (_PACKAGE, _PACKAGE.parent):
        if (parent / name).is_dir():
            return parent / name
    raise FileNotFoundError(f"the {name}/ directory is missing beside {_PACKAGE}: install phasescope again")
