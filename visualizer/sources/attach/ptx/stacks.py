"""Which source lines an instruction comes from: the inline stack that `.loc` directives of `-lineinfo` tell.

    .loc 10 588 15, function_name $L__info_string94, inlined_at 10 546 5

says file 10, line 588, of the function whose mangled name is the string, inlined at a place that an earlier `.loc`
has told of, and so on outwards. A `.loc` without `inlined_at` is in the entry itself.
"""

from __future__ import annotations

import re

from visualizer.recording.tables import Frame
from visualizer.sources.attach.kernel_names import demangled

_FILE = re.compile(r'^[ \t]*\.file\s+(\d+)\s+"([^"\n]*)"', re.MULTILINE)
_LOC = re.compile(
    r"\.loc\s+(\d+)\s+(\d+)\s+(\d+)"
    r"(?:\s*,\s*function_name\s+([\w$]+)(?:\s*\+\s*(\d+))?\s*,\s*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?"
)
_BYTES = re.compile(r"\.b8\s+([^\n;/]*)")
_DEEPEST = 200

Place = tuple[int, int, int]  # file, line, column


class Stacks:
    """Follows the `.loc` directives of functions of the module `text`."""

    def __init__(self, text: str) -> None:
        self._files = {int(number): name for number, name in _FILE.findall(text)}
        self._function_name = ""
        self._text = text
        self._debug = text.rfind(".debug_str")
        self._strings: dict[str, str] = {}
        self._known: dict[Place, tuple[str, Place | None]] = {}
        self._current: Place | None = None

    def begin(self, function: str) -> None:
        """A function begins, of this mangled name."""
        self._function_name = demangled(function)
        self._known.clear()
        self._current = None

    def follow(self, directive: str) -> None:
        """Take note of a `.loc`: what comes behind it is there."""
        found = _LOC.match(directive)
        if found is None:
            return
        place = (int(found[1]), int(found[2]), int(found[3]))
        if found[4]:
            name = found[4] if not found[5] else f"{found[4]}+{found[5]}"
            self._known[place] = name, (int(found[6]), int(found[7]), int(found[8]))
        else:
            self._known[place] = "", None
        if place[1]:  # line 0: of no line; what was said last still holds
            self._current = place

    def here(self) -> tuple[Frame, ...]:
        """The stack of the instruction that comes next, innermost first; () if nothing was told."""
        frames: list[Frame] = []
        place = self._current
        while place is not None and len(frames) < _DEEPEST:
            file, line, _ = place
            name, place = self._known.get(place, ("", None))
            frames.append(Frame(self._files.get(file, ""), line, self._function(name) if name else self._function_name))
        return tuple(frames)

    def _function(self, name: str) -> str:
        if name not in self._strings:
            self._strings[name] = demangled(_string(self._text, *_split(name), self._debug))
        return self._strings[name]


def _split(name: str) -> tuple[str, int]:
    label, _, offset = name.partition("+")
    return label, int(offset or 0)


def _string(text: str, label: str, offset: int, debug: int) -> str:
    """The string at a label of the debug section, which begins at `debug`; the label itself if there is none."""
    found = re.compile(rf"^[ \t]*{re.escape(label)}\s*:", re.MULTILINE).search(text, debug) if debug >= 0 else None
    if found is None:
        return label
    values: list[int] = []
    for line in _BYTES.finditer(text, found.end()):
        values += [int(value, 0) & 0xFF for value in line[1].split(",") if value.strip()]
        if 0 in values[offset:]:
            return bytes(values[offset : values.index(0, offset)]).decode(errors="replace")
    return label
