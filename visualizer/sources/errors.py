"""What a source raises when it cannot deliver a recording: always one sentence a person can act on."""

from __future__ import annotations


class SourceError(Exception):
    """The source could not record. The message is for the user: what is wrong and what to do or install.

    `kind` is the machine-readable reason where the source has one ("no-driver", "no-gpu", "not-sm90", ...).
    """

    def __init__(self, message: str, kind: str = "source") -> None:
        super().__init__(message)
        self.kind = kind


class Cancelled(Exception):
    """The user asked to stop; nothing was recorded."""
