"""The untimed machine: which steps are possible in a state, and what each does, races included.

Barriers are tuples (phase, pending, expected, tx, valid). What an operation makes of one is asked of
semantics.Mbarrier once and remembered: it does not depend on the phase. A step that PTX leaves undefined ends its
agent; the others go on, so that what they do besides is still seen.
"""

from __future__ import annotations

from enum import IntFlag

from visualizer.semantics.mbarrier import Mbarrier, UndefinedBehaviour
from visualizer.sources.explorer.compiled import REMOTE, Code, Compiled

BarrierTuple = tuple[int, int, int, int, bool]
StateKey = tuple[object, ...]


class Mark(IntFlag):
    """What has gone wrong so far in a schedule; a step's own marks are in `Machine.latest`."""

    WRITE_AFTER_READ = 1  # a copy is issued into a buffer that an agent is reading
    READ_BEFORE_DATA = 2  # a read begins and its tile's copies have not all landed
    OVERWRITE_UNREAD = 4  # a copy is issued over a tile that a reader still wants, or that is still landing
    STALE = 8  # a read begins and a later tile is in its place
    UNDEFINED = 16  # an operation that PTX leaves undefined


RACES = Mark.WRITE_AFTER_READ | Mark.READ_BEFORE_DATA | Mark.OVERWRITE_UNREAD | Mark.STALE


class Machine:
    """One state, changed in place by `perform`.

    A choice is a thread's index, or the number of threads + a copy's: that copy lands. Copies land in any order.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.threads = compiled.threads
        self.count = len(self.threads)
        self.pcs = [0] * self.count
        self.barriers: list[BarrierTuple] = [(0, 0, 0, 0, False)] * compiled.barriers
        for row, agents in compiled.named.items():
            self.barriers[row] = (0, agents, agents, 0, True)
        self.tokens = [0] * self.count  # phase of the named barrier at which each agent arrived last
        self.version = [-1] * compiled.places
        self.landed = [0] * compiled.places
        self.in_flight: list[int] = []
        self.stopped: list[int] = []  # threads that did something undefined
        self.marks = 0
        self.latest = 0  # marks of the step performed last, even if the schedule already had them
        self.rule = ""  # of the UndefinedBehaviour met last
        self._results: dict[tuple[int, ...], tuple[int, int, int, int, bool] | str] = {}

    def copy(self) -> Machine:
        other = object.__new__(Machine)
        other.__dict__.update(self.__dict__)
        for name in ("pcs", "barriers", "tokens", "version", "landed", "in_flight", "stopped"):
            setattr(other, name, list(getattr(self, name)))
        return other

    def key(self) -> StateKey:
        """All that decides the future, and the marks; hashable."""
        return (
            tuple(self.pcs),
            tuple(self.barriers),
            tuple(self.tokens),
            tuple(self.version),
            tuple(self.landed),
            tuple(sorted(self.in_flight)),
            tuple(sorted(self.stopped)),
            self.marks,
        )

    @property
    def unfinished(self) -> list[int]:
        """Threads that have steps left."""
        return [thread for thread in range(self.count) if self.pcs[thread] < len(self.threads[thread])]

    def choices(self) -> list[int]:
        """Everything that can happen next."""
        possible = [thread for thread in range(self.count) if self.possible(thread)]
        return possible + [self.count + copy for copy in self.in_flight]

    def possible(self, choice: int) -> bool:
        """Whether a thread's next step can be performed, or a copy land."""
        if choice >= self.count:
            return choice - self.count in self.in_flight
        pc, steps = self.pcs[choice], self.threads[choice]
        if pc >= len(steps) or (self.stopped and choice in self.stopped):
            return False
        code, target, amount, _, _, group = steps[pc]
        if code == Code.WAIT:
            phase, _, _, _, valid = self.barriers[target]
            return not valid or amount >= REMOTE or phase & 1 != amount
        if code == Code.NAMED_WAIT:
            return self.barriers[target][0] != self.tokens[choice]
        if code == Code.SYNC:
            return all(self.pcs[thread] >= at for thread, at in group)
        return True

    def perform(self, choice: int) -> None:
        """Do a possible step and record the marks it earns."""
        self.latest = 0
        if choice >= self.count:
            self._land(choice - self.count)
        else:
            self._step(choice)
        self.marks |= self.latest

    def _step(self, thread: int) -> None:
        pc = self.pcs[thread]
        code, target, amount, _, _, _ = self.threads[thread][pc]
        self.pcs[thread] = pc + 1
        if code <= Code.COMPLETE_TX:
            if target in self.compiled.named:
                self.tokens[thread] = self.barriers[target][0]
            self._apply(code, target, amount, thread)
        elif code == Code.READ_BEGIN:
            if amount >= 0:
                self._check_read(target, amount)
        elif code == Code.COPY:
            for copy in range(target, target + amount):
                self._issue(copy, thread)
        elif code == Code.WAIT:
            if not self.barriers[target][4]:
                self._undefined("invalid-object", thread)
            elif amount >= REMOTE:
                self._undefined("remote-wait", thread)

    def _apply(self, code: int, target: int, amount: int, thread: int) -> None:
        barrier = self.barriers[target]
        phase, pending, expected, tx, valid = barrier
        question = (code, amount, pending, expected, tx, valid)
        result = self._results.get(question)
        if result is None:
            result = self._results[question] = _ask(*question)
        if isinstance(result, str):
            self._undefined(result, thread)
        else:
            flips = result[0]
            after = (phase + flips if code != Code.INIT else 0, *result[1:])
            self.barriers[target] = after

    def _issue(self, copy: int, thread: int) -> None:
        place, barrier, _, version, _, increments, _, _ = self.compiled.copies[copy]
        for other, pc in enumerate(self.pcs):
            if place in self.compiled.open_at[other][pc]:
                self.latest |= Mark.WRITE_AFTER_READ
        held = self.version[place]
        if held != version:
            if held >= 0 and (self._is_wanted(held) or self._is_landing(held, place)):
                self.latest |= Mark.OVERWRITE_UNREAD
            self.version[place] = version
            self.landed[place] = 0
        if increments:
            self._apply(Code.INCREASE_PENDING, barrier, increments, thread)
        self.in_flight.append(copy)

    def _land(self, copy: int) -> None:
        place, barrier, size, version, arrivals, _, _, _ = self.compiled.copies[copy]
        self.in_flight.remove(copy)
        if self.version[place] == version:
            self.landed[place] += 1
        code, amount = (Code.ARRIVE, arrivals) if arrivals else (Code.COMPLETE_TX, size)
        self._apply(code, barrier, amount, -1)

    def _is_wanted(self, version: int) -> bool:
        return any(self.pcs[thread] <= pc for thread, pc in self.compiled.readers[version])

    def _is_landing(self, version: int, place: int) -> bool:
        copies = self.compiled.copies
        return any(copies[copy].version == version and copies[copy].place == place for copy in self.in_flight)

    def _check_read(self, place: int, version: int) -> None:
        held = self.version[place]
        if held == version:
            if self.landed[place] < self.compiled.pieces[version]:
                self.latest |= Mark.READ_BEFORE_DATA
        elif held < version:  # each issuer's versions are numbered in the order it writes them
            self.latest |= Mark.READ_BEFORE_DATA
        else:
            self.latest |= Mark.STALE

    def _undefined(self, rule: str, thread: int) -> None:
        self.latest |= Mark.UNDEFINED
        self.rule = rule
        if thread >= 0:
            self.stopped.append(thread)


def _ask(
    code: int, amount: int, pending: int, expected: int, tx: int, valid: bool
) -> tuple[int, int, int, int, bool] | str:
    """What Mbarrier does: phases completed and the state after, or the rule that was broken.

    Lanes arrive one by one, so a warp's arrivals may complete a phase and go on into the next one.
    """
    barrier = Mbarrier(valid, 0, expected, pending, tx)
    left = amount
    try:
        while True:
            lanes = min(left, max(barrier.pending, 1)) if code == Code.ARRIVE else left
            operate(barrier, code, lanes)
            left -= lanes
            if left <= 0:
                break
    except UndefinedBehaviour as error:
        return error.rule
    return barrier.phase, barrier.pending, barrier.expected, barrier.tx, barrier.valid


def operate(barrier: Mbarrier, code: int, amount: int) -> None:
    """Perform one operation; raises what Mbarrier raises."""
    if code == Code.INIT:
        barrier.init(amount)
    elif code == Code.INVAL:
        barrier.inval()
    elif code == Code.ARRIVE:
        barrier.arrive(amount)
    elif code == Code.ARRIVE_NO_COMPLETE:
        barrier.arrive(amount, no_complete=True)
    elif code == Code.ARRIVE_DROP:
        barrier.arrive_drop(amount)
    elif code == Code.ARRIVE_EXPECT_TX:
        barrier.arrive_expect_tx(amount)
    elif code == Code.EXPECT_TX:
        barrier.expect_tx(amount)
    elif code == Code.COMPLETE_TX:
        barrier.complete_tx(amount)
    else:
        barrier.increase_pending(amount)
