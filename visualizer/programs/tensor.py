"""Blackwell's tensor core: what a warp hands to it, and what it does with that by itself, in order.

A CTA's tensor core is an agent of the program with a list of operations of its own: for each thing that its warp hands
over a Take, and what follows from it: Read and Write, or Arrive.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MmaIssue:
    """tcgen05.mma: the warp hands `bytes` of stage `stage` to the tensor core to read, and goes on at once."""

    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    ring: int = 0


@dataclass(frozen=True, slots=True)
class TensorCommit:
    """tcgen05.commit: the tensor core arrives on `barrier` once all that the warp handed to it before is done."""

    barrier: int
    tile: int = -1
    site: int = -1
    is_further: bool = False  # a further barrier of the same instruction (multicast)


@dataclass(frozen=True, slots=True)
class Take:
    """The tensor core goes on once the agent `warp` has handed over the next thing. Leaves no event."""

    warp: str
