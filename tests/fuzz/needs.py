"""What must be there before a case is tried: without it stages would end in a sentence, and count as passed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent
_LIBRARIES = ("numpy", "babel", "tomli_w", "perfetto", "vcd")


def missing() -> str:
    """The sentence that says what is missing; "" if nothing is. PySide6 may be: what needs it is then left out."""
    if gone := [name for name in _LIBRARIES if find_spec(name) is None]:
        return f"tests.fuzz needs {', '.join(gone)}: install phasescope with all it uses, pip install -e '.[test]'"
    found = find_spec("visualizer")
    if found is None or found.origin is None or _ROOT not in Path(found.origin).resolve().parents:
        return f"tests.fuzz would try another phasescope than the one beside it: run it in {_ROOT}"
    return ""
