"""The operations with which agents use stage buffers themselves: write, read, and have wgmma or a store read them.

`stage` counts in `ring`, as with the other operations; `site` is a row of the program's sites.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Write:
    """The agent itself writes `bytes` of the tile into stage `stage` (st.shared), in `takes` ns (-1: a guess)."""

    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    ring: int = 0
    takes: int = -1


@dataclass(frozen=True, slots=True)
class ProxyFence:
    """fence.proxy.async: what the agent has written is visible to TMA and wgmma."""

    site: int = -1


@dataclass(frozen=True, slots=True)
class Read:
    """The agent reads its share of stage `stage`, `bytes` bytes, in `takes` ns (-1: a guess), and works on it for
    `work` ns more."""

    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    work: int = 0
    ring: int = 0
    takes: int = -1


@dataclass(frozen=True, slots=True)
class ReadAsync:
    """The agent starts an asynchronous reader of stage `stage` (wgmma), as Read in time, and goes on at once.

    The reader counts as done when RetireReads has seen it done: READ_BEGIN here, READ_END there.
    """

    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    work: int = 0
    ring: int = 0
    takes: int = -1


@dataclass(frozen=True, slots=True)
class RetireReads:
    """Wait until at most `keep` of the agent's asynchronous readers, the latest, are not done, each by itself.

    Leaves no event but their READ_END; WgmmaCommit and WgmmaWait are the instructions for it.
    """

    keep: int = 0
    site: int = -1


@dataclass(frozen=True, slots=True)
class WgmmaCommit:
    """wgmma.commit_group: the agent's ReadAsync since the last one are a group."""

    site: int = -1


@dataclass(frozen=True, slots=True)
class WgmmaWait:
    """wgmma.wait_group: wait until at most `keep` of the agent's groups, the latest, are not done; then READ_END for
    each reader of the others."""

    keep: int = 0
    site: int = -1


@dataclass(frozen=True, slots=True)
class Store:
    """A TMA store of stage `stage` to global memory: READ_BEGIN. WaitStores ends it, or StoreWait with its group."""

    stage: int
    bytes: int
    tile: int = -1
    site: int = -1
    ring: int = 0


@dataclass(frozen=True, slots=True)
class WaitStores:
    """Wait until at most `keep` of the agent's stores, the latest, still read, each by itself.

    Leaves no event but their READ_END; StoreCommit and StoreWait are the instructions for it.
    """

    keep: int = 0
    site: int = -1


@dataclass(frozen=True, slots=True)
class StoreCommit:
    """cp.async.bulk.commit_group: the agent's Stores since the last one are a bulk group."""

    site: int = -1


@dataclass(frozen=True, slots=True)
class StoreWait:
    """cp.async.bulk.wait_group.read: wait until at most `keep` of the agent's bulk groups, the latest, still read; then
    READ_END for each store of the others."""

    keep: int = 0
    site: int = -1
