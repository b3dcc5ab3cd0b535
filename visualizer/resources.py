"""Where the kernel sources, recordings and themes lie: beside the package in a checkout, inside it when installed."""

from __future__ import annotations

from pathlib import Path

RECORDING_SUFFIX = ".pscope"
_PACKAGE = Path(__file__).resolve().parent


def resource_dir(name: str) -> Path:
    """The directory `name` ("kernels" or "assets"), whichever way phasescope was installed."""
    for parent in (_PACKAGE, _PACKAGE.parent):
        if (parent / name).is_dir():
            return parent / name
    raise FileNotFoundError(f"the {name}/ directory is missing beside {_PACKAGE}: install phasescope again")


def shipped_recording(name: str) -> Path:
    """Where the recording of this name that comes with phasescope lies, such as "gemm"; it may not be there."""
    return resource_dir("assets") / "traces" / f"{name}{RECORDING_SUFFIX}"


def recording_path(given: Path) -> Path:
    """The file that is meant: a bare name means the recording that comes with phasescope, unless a file has it."""
    is_name = given == Path(given.name) and not given.suffix
    shipped = shipped_recording(given.name)
    return shipped if is_name and not given.exists() and shipped.is_file() else given
