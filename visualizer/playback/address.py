"""The address of a view, to copy, send and open again: `run.pscope#step=120&lane=full[1]`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote

from visualizer.language import tr
from visualizer.playback.focus import Focus

_STEP = re.compile(r"\d{1,18}", re.ASCII)
_PLAIN = "[]./:"
"""Signs that may stand in an address as they are; everything that ends a part of it may not."""


class AddressError(ValueError):
    """An address that cannot be read; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class Address:
    """A recording and where to look in it; no `path` means the one that is open, no `focus` its start."""

    path: Path | None
    focus: Focus | None = None

    def __str__(self) -> str:
        place = ""
        if self.focus is not None:
            lane = f"&lane={quote(self.focus.lane, _PLAIN)}" if self.focus.lane is not None else ""
            place = f"#step={self.focus.step}{lane}"
        return f"{self.path or ''}{place}"


def parse_address(text: str) -> Address:
    """The address in `text`: FILE, FILE#step=N&lane=NAME, #step=N or plain N. Raises AddressError.

    A file whose own name holds the # is taken as it is.
    """
    text = text.strip()
    if _STEP.fullmatch(text):
        return Address(None, Focus(int(text)))
    name, sign, place = text.rpartition("#")
    # Unlike Path.exists, this says no to what cannot be a name.
    if not sign or os.path.exists(text):
        return Address(Path(text)) if text else Address(None)
    return Address(Path(name) if name else None, _focus(place, text))


def _focus(place: str, text: str) -> Focus:
    parts = dict(parse_qsl(place, keep_blank_values=True))
    step, lane = parts.pop("step", ""), parts.pop("lane", None)
    if not _STEP.fullmatch(step) or parts:
        raise AddressError(
            tr("{address} is no address: after the # comes step=N, and &lane=NAME if a lane is selected.", address=text)
        )
    return Focus(int(step), lane or None)
