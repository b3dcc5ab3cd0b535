"""Names that a program registered for its pipelines, given to the rings that can be meant: CuTe's kernel_symbols.json.

It tells names and how many stages each has, but not where their barriers lie. So a name is given where it can be but
one ring's; rings that could be each other keep the names that were found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from visualizer.recording.facts import Symbol


def registered_names(symbols: Sequence[Symbol], stages: Mapping[int, int]) -> dict[int, str]:
    """Names by where a ring lies; `stages` says of how many stages the ring is that lies there."""
    told = [(symbol.get("stages", 0), name) for symbol in symbols if (name := symbol.get("name", ""))]
    by_stages = dict(told)
    names = Counter(count for count, _ in told)
    rings = Counter(stages.values())
    return {at: by_stages[count] for at, count in stages.items() if names[count] == rings[count] == 1}
