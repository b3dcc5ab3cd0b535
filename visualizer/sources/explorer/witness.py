"""Turns a schedule into a Trace like any other source's, one nanosecond a step, so that it can be stepped through."""

from __future__ import annotations

from datetime import UTC, datetime

from visualizer import __version__
from visualizer.language import endings
from visualizer.programs.accesses import ProxyFence, StoreCommit, StoreWait, WgmmaCommit, WgmmaWait
from visualizer.programs.meetings import Meeting, SetMaxNReg
from visualizer.programs.operations import Advance, CpAsync, Exit, Fence, Operation, Wait
from visualizer.programs.tensor import MmaIssue, TensorCommit
from visualizer.recording.facts import Source
from visualizer.recording.schema import EventFlag, EventKind
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.semantics.mbarrier import Mbarrier
from visualizer.sources.explorer.compiled import compile_program
from visualizer.sources.explorer.machine import BarrierTuple, Machine
from visualizer.sources.explorer.marks import Mark
from visualizer.sources.explorer.operate import operate, parts
from visualizer.sources.explorer.outcome import Exploration, Witness
from visualizer.sources.explorer.steps import Code, CopyPart
from visualizer.sources.explorer.undefined import why_undefined
from visualizer.sources.simulator.accesses import group_events
from visualizer.sources.simulator.event_log import EventLog
from visualizer.sources.simulator.syncs import sync_events

_PS_PER_STEP = 1000
_KINDS = {
    Code.INIT: EventKind.INIT,
    Code.INVAL: EventKind.INVAL,
    Code.ARRIVE: EventKind.ARRIVE,
    Code.ARRIVE_NO_COMPLETE: EventKind.ARRIVE,
    Code.ARRIVE_DROP: EventKind.ARRIVE_DROP,
    Code.ARRIVE_EXPECT_TX: EventKind.ARRIVE_EXPECT_TX,
    Code.EXPECT_TX: EventKind.EXPECT_TX,
    Code.COMPLETE_TX: EventKind.COMPLETE_TX,
}
_ON_BUFFERS = {
    Code.READ_BEGIN: EventKind.READ_BEGIN,
    Code.READ_END: EventKind.READ_END,
    Code.WRITE: EventKind.WRITE,
}


def witness_trace(exploration: Exploration, witness: Witness) -> Trace:
    """The witness's schedule. `source["step"]` is the last event of the step that shows the outcome.

    After a race the schedule goes on to its end, in any way, so that what comes of it can be seen and diagnosed.
    """
    recorder = _Recorder(exploration)
    machine = recorder.machine
    for choice in witness.choices:
        recorder.perform(choice)
    step = recorder.events - 1
    while not machine.marks & Mark.UNDEFINED and (choices := machine.choices()):
        recorder.perform(choices[0])
    program = exploration.program
    shown = f"{witness.outcome} at step {step}: {witness.detail}"
    if machine.marks & Mark.UNDEFINED:
        ending = Ending("crash", recorder.crash)
    elif machine.unfinished:
        ending = Ending("deadlock", witness.detail if witness.outcome == "deadlock" else shown)
    else:
        ending = Ending("completed", shown)
    source: Source = {
        "kind": "explorer",
        "exhaustive": exploration.exhaustive,
        "outcome": witness.outcome,
        "step": step,
    }
    if witness.seed is not None:
        source["seed"] = witness.seed
    meta = Meta(
        program=program.name,
        config=dict(program.config),
        source=source,
        ending=ending,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={"phasescope": __version__},
    )
    events = recorder.log.events()
    files = dict(program.source_files)
    return Trace(meta, recorder.agents, program.barriers, program.sites, events, files, rings=program.rings)


class _Recorder:
    """Performs choices and logs what happens, in each agent's program order."""

    def __init__(self, exploration: Exploration) -> None:
        program = exploration.program
        self.machine = Machine(compile_program(program))
        self.log = EventLog(program.barriers, program.rings)
        warps = [agent.agent for agent in program.agents]
        self.agents = tuple(sorted([*warps, *program.copy_engines], key=lambda agent: agent.cta))
        names = {agent.name: row for row, agent in enumerate(self.agents)}
        self._rows = [names[warp.name] for warp in warps]
        self._engines = {a.cta: row for row, a in enumerate(self.agents) if a.role == "copy_engine"}
        self._ctas = [warp.cta for warp in warps]
        self._operations = [agent.operations for agent in program.agents]
        self._told = [0] * len(warps)  # operations of each agent whose events are logged
        # Operations of each agent that are waits for groups and see reads done: they are told with the first of these.
        self._retiring = [
            {s.operation for s in steps if s.code != Code.EXIT and isinstance(own[s.operation], WgmmaWait | StoreWait)}
            for steps, own in zip(self.machine.threads, self._operations, strict=True)
        ]
        self._blocked = [False] * len(warps)
        self.events = 0
        self.crash = ""  # what the first undefined operation was
        for thread in range(len(warps)):
            self._settle(thread)

    def perform(self, choice: int) -> None:
        machine = self.machine
        if choice >= machine.count:
            self._land(choice)
            return
        step = machine.threads[choice][machine.pcs[choice]]
        operations = self._operations[choice]
        operation = (
            operations[step.operation] if step.code != Code.EXIT else Exit()
        )  # a tensor core has none of its own
        before = machine.barriers[step.target] if step.code <= Code.WAIT else None
        machine.perform(choice)
        if machine.latest & Mark.UNDEFINED:
            self._crash(choice, self._rows[choice])
            return
        row, tile, site = self._rows[choice], getattr(operation, "tile", -1), getattr(operation, "site", -1)
        if step.code == Code.WAIT:
            flags = int(EventFlag.BLOCKED) if self._blocked[choice] else 0
            self._add(EventKind.WAIT_END, row, step.target, tile, site, parity=step.amount & 1, flags=flags)
        elif before is not None and step.target not in machine.compiled.named:
            self._operate(step.code, step.target, step.amount, before, row, tile, site)
        elif step.code == Code.TEST:
            passed = machine.barriers[step.target][0] & 1 != step.amount
            for kind in (EventKind.WAIT_BEGIN, EventKind.WAIT_END) if passed else (EventKind.TEST_FAILED,):
                self._add(kind, row, step.target, tile, site, parity=step.amount)
        elif step.code == Code.COPY:
            parts = machine.compiled.copies[step.target : step.target + step.amount]
            for number, part in enumerate(parts):
                self._issue(part, operation, row, before=number)
        elif step.code in _ON_BUFFERS:
            if isinstance(operation, WgmmaWait | StoreWait) and machine.is_first_step(choice):
                self._groups(row, operation)
            ring, stage = machine.compiled.buffer(step.target)
            size = getattr(operation, "bytes", 0) if step.code == Code.WRITE else 0
            self._add(_ON_BUFFERS[Code(step.code)], row, -1, step.tile, site, stage=stage, ring=ring, amount=size)
        if isinstance(operation, Meeting):
            self._meet(row, operation, has_passed=step.code != Code.ARRIVE)
        if isinstance(operation, SetMaxNReg):
            asked = step.code == Code.TAKE
            kind = EventKind.SETMAXNREG_INC_END if asked else EventKind.SETMAXNREG_DEC
            self._add(kind, row, -1, -1, site, amount=operation.registers)
        self._settle(choice)

    def _issue(self, part: CopyPart, operation: Operation, row: int, *, before: int) -> None:
        """Log that a copy is issued, `before` destinations of it already, or a cp.async.mbarrier.arrive."""
        tile, site = getattr(operation, "tile", -1), getattr(operation, "site", -1)
        if part.arrivals:
            kind = EventKind.CP_ASYNC_ARRIVE if part.increments else EventKind.CP_ASYNC_ARRIVE_NOINC
            self._add(kind, row, part.barrier, tile, site, amount=part.arrivals)
            return
        ring, stage = self.machine.compiled.buffer(part.place)
        barrier, flags = _bound(part, operation)
        flags |= EventFlag.SAME_COPY if before else 0
        where = {"stage": stage, "ring": ring, "amount": part.bytes, "flags": flags}
        self._add(EventKind.COPY_ISSUE, row, barrier, tile, site, **where)

    def _land(self, choice: int) -> None:
        machine = self.machine
        copy, is_part = machine.copy_of(choice), machine.is_part(choice)
        part = machine.compiled.copies[copy]
        operation = self._operations[part.thread][part.operation]
        tile = getattr(operation, "tile", -1)
        before = machine.barriers[part.barrier]
        size = before[3] if is_part else machine.bytes_left(copy)
        landing = [] if is_part else [machine.compiled.copies[with_it] for with_it in machine.landing_with(copy)]
        row = self._engines[self._ctas[part.thread]]
        machine.perform(choice)
        if machine.latest & Mark.UNDEFINED:
            self._crash(choice, row)
            return
        if not part.arrivals:
            self._operate(Code.COMPLETE_TX, part.barrier, size, before, row, tile, -1)
        for landed in (other for other in landing if other.place >= 0):
            copied = self._operations[landed.thread][landed.operation]
            ring, stage = machine.compiled.buffer(landed.place)
            barrier, flags = _bound(landed, copied)
            where = {"stage": stage, "ring": ring, "amount": landed.bytes, "flags": flags}
            self._add(EventKind.COPY_DONE, row, barrier, getattr(copied, "tile", -1), -1, **where)
        if part.arrivals:
            self._operate(Code.ARRIVE, part.barrier, part.arrivals, before, row, tile, getattr(operation, "site", -1))

    def _operate(
        self, code: int, target: int, amount: int, before: BarrierTuple, row: int, tile: int, site: int
    ) -> None:
        """Log an operation on a barrier, lane by lane where a warp's arrivals go on into the next phase."""
        phase, pending, expected, tx, valid = before
        barrier = Mbarrier(valid, phase, expected, pending, tx)
        for part in parts(barrier, code, amount):
            phase = barrier.phase
            operate(barrier, code, part)
            self._add(_KINDS[Code(code)], row, target, tile, site, amount=part)
            if barrier.phase != phase and code != Code.INIT:
                self._add(EventKind.PHASE_COMPLETE, row, target, tile, site, amount=phase, parity=phase & 1)

    def _crash(self, choice: int, row: int) -> None:
        barrier, what = why_undefined(self.machine, choice)
        name = self.machine.compiled.program.barriers[barrier].name
        self.crash = self.crash or endings.UNDEFINED.format(agent=self.agents[row].name, barrier=name, what=what)

    def _settle(self, thread: int) -> None:
        """Log what the agent does by itself until its next step, and that it begins to wait if that is a wait."""
        machine, row = self.machine, self._rows[thread]
        steps, operations = machine.threads[thread], self._operations[thread]
        is_done = machine.pcs[thread] >= len(steps)
        step = None if is_done else steps[machine.pcs[thread]]
        upto = len(operations) if step is None else step.operation
        for number, operation in enumerate(operations[self._told[thread] : upto], self._told[thread]):
            if number not in self._retiring[thread]:
                self._tell(row, operation)
            if isinstance(operation, Exit):
                break
        self._told[thread] = upto
        if step is not None and step.code == Code.WAIT:
            wait = operations[step.operation]
            assert isinstance(wait, Wait)
            self._blocked[thread] = not machine.possible(thread)
            self._add(EventKind.WAIT_BEGIN, row, wait.barrier, wait.tile, wait.site, parity=wait.parity & 1)
        if step is not None and step.code == Code.SYNC:
            sync = operations[step.operation]
            if isinstance(sync, Meeting):  # else the tensor core takes what it is handed, which leaves no event
                self._meet(row, sync, has_passed=False)
        if step is not None and step.code == Code.TAKE:
            asking = operations[step.operation]
            assert isinstance(asking, SetMaxNReg)
            self._add(EventKind.SETMAXNREG_INC_BEGIN, row, -1, -1, asking.site, amount=asking.registers)

    def _groups(self, row: int, operation: WgmmaCommit | WgmmaWait | StoreCommit | StoreWait) -> None:
        for kind in group_events(operation):
            self._add(kind, row, -1, -1, operation.site, amount=getattr(operation, "keep", 0))

    def _meet(self, row: int, sync: Meeting, *, has_passed: bool) -> None:
        """Log that an agent has come to where it meets others, or that it has passed."""
        come, passed, token, amount = sync_events(sync, self.agents[row].warp)
        for kind in passed if has_passed else come:
            self._add(kind, row, -1, -1, sync.site, token=token, amount=amount)

    def _tell(self, row: int, operation: Operation) -> None:
        if isinstance(operation, Advance):
            state = operation.state
            self._add(
                EventKind.ADVANCE,
                row,
                -1,
                operation.tile,
                operation.site,
                stage=state.index,
                ring=operation.ring,
                parity=state.phase,
                amount=state.count,
            )
        elif isinstance(operation, Fence):
            self._add(EventKind.FENCE, row, -1, -1, operation.site)
        elif isinstance(operation, ProxyFence):
            self._add(EventKind.PROXY_FENCE, row, -1, -1, operation.site)
        elif isinstance(operation, WgmmaCommit | WgmmaWait | StoreCommit | StoreWait):
            self._groups(row, operation)
        elif isinstance(operation, MmaIssue):
            where = {"stage": operation.stage, "ring": operation.ring, "amount": operation.bytes}
            self._add(EventKind.MMA_ISSUE, row, -1, operation.tile, operation.site, **where)
        elif isinstance(operation, TensorCommit):
            self._add(EventKind.TENSOR_COMMIT, row, operation.barrier, operation.tile, operation.site, amount=1)
        elif isinstance(operation, Exit):
            self._add(EventKind.EXIT, row, -1, -1, operation.site)

    def _add(self, kind: EventKind, row: int, barrier: int, tile: int, site: int, **columns: int) -> None:
        self.log.add(self.events * _PS_PER_STEP, kind, row, barrier, tile, site, **columns)
        self.events += 1


def _bound(part: CopyPart, operation: Operation) -> tuple[int, int]:
    """The barrier that a copy is bound to (a cp.async: that of the arrival which is to tell of it), and its flags."""
    if not isinstance(operation, CpAsync):
        return part.barrier, 0
    return operation.barrier, int(EventFlag.BY_ARRIVAL) if operation.barrier >= 0 else 0
