"""How a source tells what it is doing and learns that it should stop. Plain callables, so no source knows Qt."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, str], None]
"""Called with the fraction done, 0..1, and what is happening now ("compiling the kernel")."""

CancelCheck = Callable[[], bool]
"""True once the user asked to stop; sources ask it often and then raise Cancelled."""
