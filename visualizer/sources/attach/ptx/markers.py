"""Names in a kernel's source (kernels/phasescope.cuh): registers that it declares and nothing uses. They are read as if
they were instructions. Comments would do as well, but nvcc takes them out of the PTX that it puts into programs."""

from __future__ import annotations

import re

_PREFIX = "phasescope_"
_MARKER = re.compile(rf"\.reg\s*\.b32\s+{_PREFIX}(barrier|role|begin|end)_([A-Za-z_]\w{{0,59}})\s*;")


def as_statements(text: str) -> str:
    """PTX in which markers are statements. Everything stays at its place: ".reg .b32 phasescope_role_x;" becomes
    "phasescope.role x;" and spaces."""
    if _PREFIX not in text:
        return text
    return _MARKER.sub(lambda found: f"phasescope.{found[1]} {found[2]};".ljust(len(found[0])), text)
