"""Where the parameters of an entry lie, as far as its text tells.

They lie one behind the other, each aligned - in the GPU's constant memory, of which the text does not say where they
begin [seen on H200]. So it tells how far they are apart only if none is aligned more than the first.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(?P<align>\d+)\s+)?\.(?P<type>[a-z]\w*)\b[^,()]*?(?P<name>[\w$%]+)\s*"
    r"(?:\[\s*(?P<many>\d+)\s*\])?\s*(?=[,)])"
)
_BITS = re.compile(r"[a-z]+(\d+)")


def parameters(header: str) -> dict[str, int | None]:
    """Bytes from the first parameter to each, in their order; None: not told. `header`: the entry up to its body."""
    found = list(_PARAMETER.finditer(_COMMENT.sub(" ", header)))
    sizes = [_bytes(one["type"]) for one in found]
    aligned = [int(one["align"] or 0) or size for one, size in zip(found, sizes, strict=True)]
    places: dict[str, int | None] = {}
    end: int | None = 0
    for one, size, step in zip(found, sizes, aligned, strict=True):
        if not size or step > aligned[0]:
            end = None
        begin = None if end is None else -(-end // step) * step
        places[one["name"]] = begin
        end = None if begin is None else begin + size * int(one["many"] or 1)
    return places


def _bytes(kind: str) -> int:
    """Of a type such as "b32"; 0: not known."""
    bits = _BITS.fullmatch(kind)
    return int(bits[1]) // 8 if bits else 0
