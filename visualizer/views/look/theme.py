"""Themes as data: every colour the window uses, read from assets/themes/, so that contrast can be tested without Qt.

Colours are "#rrggbb". States follow Okabe-Ito, which stays apart for colour-blind readers; meaning is never by
colour alone, so each state also has a hatch, a glyph or a digit where it is drawn.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from visualizer.resources import resource_dir

GLYPHS = {"empty": "○", "filling": "↓", "full": "●", "reading": "→"}
"""What stands beside a buffer's state for whoever cannot tell its colour; waiting has a hatch, an error an icon."""

HATCHED = ("waiting", "error")
"""Roles that are told apart by a hatch as well."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class ThemeError(ValueError):
    """A theme file that cannot be used; the message names the file, the key and what was expected."""


@dataclass(frozen=True, slots=True)
class Paint:
    """How one kind of thing is drawn: its fill, the outline that sets it off the panel, and text on the fill."""

    fill: str
    outline: str
    text: str


@dataclass(frozen=True, slots=True)
class Theme:
    """All colours of the window. `Paint` for things with a body, a plain colour for surfaces, text and lines."""

    name: str
    dark: bool
    high_contrast: bool  # 7:1 for text on surfaces and 4.5:1 for graphics, instead of 4.5:1 and 3:1
    # Surfaces, from the back to the front
    window: str  # behind everything
    panel: str  # where panes draw
    panel_alternate: str  # every second row or group
    header: str  # headings of tables, the timeline's name column
    raised: str  # tooltips, badges
    border: str
    grid: str
    # Text
    text: str
    text_muted: str
    text_disabled: str
    # Interaction
    accent: str  # the focus: cursor line, current row marker
    accent_text: str  # text on accent
    selection: str  # background of the current row or lane, under `text`
    hover: str  # hover cursor
    # Stage buffers and agents
    empty: Paint
    filling: Paint
    full: Paint
    reading: Paint
    waiting: Paint  # always with a hatch
    running: Paint
    error: Paint  # always with an icon
    # Who acts
    producer: Paint
    consumer: Paint
    tma: Paint
    # Barriers
    phase_even: Paint  # parity 0
    phase_odd: Paint  # parity 1
    probe: Paint  # what a probe saw
    pending: str  # the pending count's curve
    tx: str  # the transaction bytes' curve
    # Why: arrows from what released the focused wait, and to whom the focused event woke
    released_by: str
    wakes: str
    # Source code
    code_comment: str
    code_keyword: str
    code_string: str
    code_number: str
    code_current_line: str

    def paint(self, role: str) -> Paint:
        """The Paint called `role` ("full", "waiting", "producer", ...)."""
        value = getattr(self, role)
        if not isinstance(value, Paint):
            raise KeyError(f"{role} is a plain colour, not a Paint")
        return value

    def colour(self, role: str) -> str:
        """The plain colour called `role` ("text", "grid", "accent", ...)."""
        value = getattr(self, role)
        if not isinstance(value, str):
            raise KeyError(f"{role} is not a plain colour")
        return value


PAINT_ROLES = tuple(field.name for field in fields(Theme) if field.type == "Paint")
COLOUR_ROLES = tuple(field.name for field in fields(Theme) if field.type == "str" and field.name != "name")


def theme_names() -> list[str]:
    """The themes there are, by name."""
    return sorted(path.stem for path in (resource_dir("assets") / "themes").glob("*.json"))


def theme_name(*, dark: bool, high_contrast: bool) -> str:
    """The name of our own theme of that kind."""
    return f"{'high-contrast-' if high_contrast else ''}{'dark' if dark else 'light'}"


def load_theme(name: str) -> Theme:
    """The theme assets/themes/<name>.json. Raises ThemeError if it does not exist or is not a theme."""
    return _read(resource_dir("assets") / "themes" / f"{name}.json")


@cache
def _read(path: Path) -> Theme:
    """Once for every pane of every window."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        names = ", ".join(theme_names())
        raise ThemeError(f"there is no theme {path.stem!r}; choose one of {names}") from None
    except ValueError as error:
        raise ThemeError(f"{path}: not JSON ({error})") from None
    return _theme(document, str(path))


def contrast(a: str, b: str) -> float:
    """WCAG contrast ratio of two colours, 1 (same) to 21 (black on white)."""
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


def mix(a: str, b: str, share: float) -> str:
    """The colour `share` (0..1) of the way from `a` to `b`."""
    pairs = zip(_channels(a), _channels(b), strict=True)
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in pairs)


def _theme(document: Any, where: str) -> Theme:
    if not isinstance(document, dict):
        raise ThemeError(f"{where}: expected one JSON object of colours")
    known = {field.name for field in fields(Theme)}
    for key in sorted(known - document.keys()):
        raise ThemeError(f"{where}: the colour {key!r} is missing")
    for key in sorted(document.keys() - known):
        raise ThemeError(f"{where}: unknown colour {key!r}")
    if not isinstance(document["name"], str):
        raise ThemeError(f"{where}: 'name' must be a string")
    for key in ("dark", "high_contrast"):
        if not isinstance(document[key], bool):
            raise ThemeError(f"{where}: {key!r} must be true or false")
    values: dict[str, Any] = {key: document[key] for key in ("name", "dark", "high_contrast")}
    values |= {key: _colour(document[key], f"{where}: {key}") for key in COLOUR_ROLES}
    values |= {key: _paint(document[key], f"{where}: {key}") for key in PAINT_ROLES}
    return Theme(**values)


def _paint(value: Any, where: str) -> Paint:
    if not isinstance(value, dict) or value.keys() != {"fill", "outline", "text"}:
        raise ThemeError(f'{where}: expected {{"fill", "outline", "text"}}')
    return Paint(**{key: _colour(colour, f"{where}.{key}") for key, colour in value.items()})


def _colour(value: Any, where: str) -> str:
    if not isinstance(value, str) or not _COLOUR.fullmatch(value):
        raise ThemeError(f'{where}: expected a colour like "#56b4e9", not {value!r}')
    return value.lower()


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.x."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _channels(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
