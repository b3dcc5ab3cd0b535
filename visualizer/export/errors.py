"""What an export says when it cannot be made: one sentence for a person, with what to do instead."""

from __future__ import annotations

from types import ModuleType

from visualizer.language import tr


class ExportError(Exception):
    """The file cannot be written; the message names the file, option or package, and what to do."""


def needed(module: str, package: str, what: str, extra: str = "export") -> ModuleType:
    """Import `module`, or say which package `what` ("VCD files") needs and with which extra it is installed."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise ExportError(
            tr(
                "{what} need the package {package}, which is not installed; run: pip install 'phasescope[{extra}]'",
                what=tr(what),
                package=package,
                extra=extra,
            )
        ) from None
