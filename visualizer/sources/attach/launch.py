"""The shape of a launch, as the program asked for it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from visualizer.sources.attach.messages import Message

Three = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Shape:
    """How many CTAs and threads, and what each of them needs."""

    grid: Three  # CTAs
    block: Three  # threads
    cluster: Three = (1, 1, 1)  # CTAs
    static_shared: int = 0  # bytes of a CTA
    dynamic_shared: int = 0
    registers: int = 0  # of a thread of the original; 0: not known
    local: int = 0  # bytes of a thread of the original, spills among them

    @property
    def ctas(self) -> int:
        return math.prod(self.grid)

    @property
    def threads(self) -> int:
        """Of a CTA."""
        return math.prod(self.block)

    @property
    def warps(self) -> int:
        """Of a CTA."""
        return -(-self.threads // 32)

    def whole_clusters(self, ctas: Iterable[int]) -> tuple[int, ...]:
        """The linear ids of all CTAs in the clusters of these, ascending. CTAs of a cluster arrive on each other's
        barriers, so that one alone is half a picture. Those outside the grid stay as they are."""
        found: set[int] = set()
        (width, height, depth), size = self.grid, self.cluster
        for cta in ctas:
            if not 0 <= cta < self.ctas:
                found.add(cta)
                continue
            place = (cta % width, cta // width % height, cta // (width * height))
            first = [at // n * n for at, n in zip(place, size, strict=True)]
            found |= {
                x + width * (y + height * z)
                for x in range(first[0], min(first[0] + size[0], width))
                for y in range(first[1], min(first[1] + size[1], height))
                for z in range(first[2], min(first[2] + size[2], depth))
            }
        return tuple(sorted(found))

    @classmethod
    def of(cls, message: Message) -> Shape:
        """The shape that a message tells."""
        static, dynamic = (*message.numbers("shared"), 0, 0)[:2]
        return cls(
            _three(message, "grid"),
            _three(message, "block"),
            _three(message, "cluster"),
            static,
            dynamic,
            message.number("registers"),
            message.number("local"),
        )


def _three(message: Message, key: str) -> Three:
    x, y, z = (*message.numbers(key), 1, 1, 1)[:3]
    return x, y, z
