"""Where in a recording each operation of its program was performed: what leaves no event lies between those that do."""

from __future__ import annotations

import numpy as np

from visualizer.programs import accesses, meetings, tensor
from visualizer.programs import operations as ops
from visualizer.programs.operations import Operation
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History

LEAVES: dict[type, EventKind] = {
    ops.Init: EventKind.INIT,
    ops.Inval: EventKind.INVAL,
    meetings.BarSync: EventKind.SYNC_BEGIN,
    meetings.BarArrive: EventKind.SYNC_ARRIVE,
    meetings.SyncWarp: EventKind.SYNC_BEGIN,
    ops.Wait: EventKind.WAIT_BEGIN,
    ops.Arrive: EventKind.ARRIVE,
    ops.ArriveDrop: EventKind.ARRIVE_DROP,
    ops.ArriveExpectTx: EventKind.ARRIVE_EXPECT_TX,
    ops.ExpectTx: EventKind.EXPECT_TX,
    ops.Copy: EventKind.COPY_ISSUE,
    ops.CpAsync: EventKind.COPY_ISSUE,
    accesses.Write: EventKind.WRITE,
    accesses.Read: EventKind.READ_BEGIN,
    accesses.ReadAsync: EventKind.READ_BEGIN,
    accesses.Store: EventKind.READ_BEGIN,
    tensor.MmaIssue: EventKind.MMA_ISSUE,
    tensor.TensorCommit: EventKind.TENSOR_COMMIT,
    ops.Advance: EventKind.ADVANCE,
    ops.Exit: EventKind.EXIT,
}
"""The first event of an operation. Those that are not here leave none, or one that not every source logs."""


def first_event(operation: Operation) -> EventKind | None:
    """The kind of the operation's first event that every source logs; None: there is none."""
    if isinstance(operation, meetings.Sync) and operation.cluster:
        return EventKind.CLUSTER_WAIT_BEGIN
    return LEAVES.get(type(operation))


def steps_of_operations(history: History, program: Program, agent: int) -> dict[int, int]:
    """Operation of the agent (by its place in the program's list) -> the step of its first event; those that were
    performed and leave one, in order."""
    operations = _operations(history, program, agent)
    events = history.trace.events
    own = np.flatnonzero(events["agent"] == agent)
    kinds, barriers = history.kinds[own].tolist(), events["barrier"][own].tolist()
    counts = events["amount"][own].tolist()
    found: dict[int, int] = {}
    at = 0
    for number, operation in enumerate(operations):
        kind = first_event(operation)
        if kind is None:
            continue
        barrier = getattr(operation, "barrier", -1)
        while at < len(own) and (kinds[at] != kind or (barrier >= 0 and barriers[at] != barrier)):
            at += 1
        if at == len(own):
            break
        found[number] = int(own[at])
        at = _behind(operation, at, kinds, counts)
    return found


def next_operation(history: History, program: Program, agent: int) -> Operation | None:
    """What the agent would have done after its last event of the recording, of what leaves one; None: nothing."""
    operations = _operations(history, program, agent)
    done = max(steps_of_operations(history, program, agent), default=-1)
    return next((o for o in operations[done + 1 :] if first_event(o) is not None), None)


def operations_to_come(history: History, program: Program, agent: int) -> list[int]:
    """What the agent would have done after its last event of the recording, by its place in the program's list: an
    advice names the n-th of them as step `history.steps` + n."""
    operations = _operations(history, program, agent)
    done = max(steps_of_operations(history, program, agent), default=-1)
    return [n for n, o in enumerate(operations) if n > done and not isinstance(o, ops.Advance | ops.Delay | ops.Fence)]


def _operations(history: History, program: Program, agent: int) -> tuple[Operation, ...]:
    name = history.trace.agents[agent].name
    return next((a.operations for a in program.agents if a.agent.name == name), ())


def _behind(operation: Operation, at: int, kinds: list[int], counts: list[int]) -> int:
    """The first event after those of the operation: a warp's arrivals may be several events, one for each phase."""
    if not isinstance(operation, ops.Arrive):
        return at + 1
    left = operation.count
    while at < len(kinds) and left > 0:
        if kinds[at] == EventKind.ARRIVE:
            left -= counts[at]
        elif kinds[at] != EventKind.PHASE_COMPLETE:
            break
        at += 1
    return at
