"""Names in a kernel's source (kernels/phasescope.cuh): comments in its PTX, read as if they were instructions."""

from __future__ import annotations

import re

_NAME = r"[A-Za-z_][\w.]{0,59}"
_MARKER = re.compile(
    rf"^([ \t]*)//( phasescope\.(?:barrier|role|begin|end) {_NAME})(?=[ \t\r]*$)",
    re.MULTILINE,
)


def as_statements(text: str) -> str:
    """PTX in which markers are statements. Everything stays at its place: "// phasescope.role x" becomes
    " phasescope.role x; "."""
    return _MARKER.sub(r"\1\2; ", text) if "phasescope." in text else text
