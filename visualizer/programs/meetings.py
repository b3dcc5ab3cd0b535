"""The operations at which agents wait for each other or for what all of a CTA share: syncs, and registers.

Who has left the kernel is waited for nowhere: PTX counts the threads that have not exited.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sync:
    """The __syncthreads that publishes what a Fence is for: every agent of the CTA that has not left passes together.

    It leaves no event, FENCE stands for both; BarSync is the one that does. `cluster`: barrier.cluster, at which every
    agent of the CTA's cluster meets.
    """

    cluster: bool = False
    site: int = -1


@dataclass(frozen=True, slots=True)
class BarSync:
    """bar.sync: passes once `threads` threads of the CTA have come to named barrier `id`, this agent's counted.

    `threads` 0: those of every agent of the CTA that has not left; with `id` 0 that is __syncthreads.
    """

    id: int = 0
    threads: int = 0
    site: int = -1


@dataclass(frozen=True, slots=True)
class BarArrive:
    """bar.arrive: the agent's threads come to named barrier `id`, as with BarSync, and it goes on at once."""

    id: int
    threads: int
    site: int = -1


@dataclass(frozen=True, slots=True)
class SyncWarp:
    """__syncwarp: every agent that is lanes of the same warp and has not left passes together."""

    site: int = -1


@dataclass(frozen=True, slots=True)
class SetMaxNReg:
    """setmaxnreg: each thread of the agent has `registers` from now on, `change` more than before.

    What .dec frees goes to the CTA; .inc waits until the CTA has as many for all threads of the agent.
    """

    registers: int
    change: int
    site: int = -1


Meeting = Sync | BarSync | BarArrive | SyncWarp
