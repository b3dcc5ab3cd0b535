"""Which of the writes that agents make themselves lack a fence.proxy.async at first sight.

TMA stores, wgmma and the tensor core read through the asynchronous proxy, for which a fence.proxy.async must lie
between the write and the read. Nearly always the writer executes it before anybody can know of the write; then nothing
can go wrong, and the fence is no step. Other writes are open, and fences are followed where there are such.
"""

from __future__ import annotations

from visualizer.programs.accesses import (
    ProxyFence,
    Read,
    ReadAsync,
    RetireReads,
    Store,
    StoreWait,
    WaitStores,
    WgmmaWait,
    Write,
)
from visualizer.programs.operations import Advance, Delay, Operation, TryWait, Wait
from visualizer.programs.program import Program, ProgramAgent
from visualizer.sources.explorer.places import Places

_TELLS_NOBODY = (Write, Read, Wait, TryWait, Delay, Advance, RetireReads, WgmmaWait, WaitStores, StoreWait)


def is_asynchronous(agent: ProgramAgent, operation: Operation) -> bool:
    """Whether it reads a buffer through the asynchronous proxy."""
    by_core = agent.agent.role == "tensor_core" and isinstance(operation, Read)
    return by_core or isinstance(operation, ReadAsync | Store)


def open_writes(program: Program, places: Places) -> set[tuple[int, int]]:
    """(agent, operation) of the writes that somebody may read through the asynchronous proxy, by way of no fence."""
    read = {
        places.of(thread, operation)
        for thread, agent in enumerate(program.agents)
        for operation in agent.operations
        if isinstance(operation, Read | ReadAsync | Store) and is_asynchronous(agent, operation)
    }
    found = set()
    for thread, agent in enumerate(program.agents):
        if agent.agent.role == "tensor_core":
            continue  # its writes are part of what it multiplies, through the same proxy
        fenced = False  # whether a fence comes next of what may let others know of a write
        for number in range(len(agent.operations) - 1, -1, -1):
            operation = agent.operations[number]
            if isinstance(operation, Write) and not fenced and places.of(thread, operation) in read:
                found.add((thread, number))
            if not isinstance(operation, _TELLS_NOBODY):
                fenced = isinstance(operation, ProxyFence)
    return found
