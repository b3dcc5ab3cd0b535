"""The untimed machine: which steps are possible in a state, and what each does, races included.

Barriers are tuples (phase, pending, expected, tx, valid). What an operation makes of one is asked of
semantics.Mbarrier once and remembered: it does not depend on the phase. A step that PTX leaves undefined ends its
agent; the others go on, so that what they do besides is still seen.
"""

from __future__ import annotations

from itertools import accumulate

from visualizer.semantics.word import TX_GRANULE
from visualizer.sources.explorer.marks import EXITED_CTA, Mark
from visualizer.sources.explorer.operate import ask
from visualizer.sources.explorer.steps import REMOTE, Code, Compiled

BarrierTuple = tuple[int, int, int, int, bool]
StateKey = tuple[object, ...]


class Machine:
    """One state, changed in place by `perform`.

    A choice is a thread's index, or the number of threads + a copy's: that copy lands. Copies land in any order, and
    a copy's bytes at once, unless a part of them would complete a phase: then that part may land by itself, which is
    the number of threads and copies + the copy's. Landing in other parts makes no difference to anyone.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.threads = compiled.threads
        self.count = len(self.threads)
        self.pcs = [0] * self.count
        self.barriers: list[BarrierTuple] = [(0, 0, 0, 0, False)] * compiled.barriers
        for row, threads in compiled.named.items():
            self.barriers[row] = (0, threads, threads, 0, True)
        self.tokens = [0] * self.count  # phase of the named barrier at which each agent arrived last
        self.version = [-1] * compiled.places
        self.landed = [0] * compiled.places
        self.unfenced: frozenset[int] = frozenset()  # places with an open write that no fence has followed
        self.in_flight: list[int] = []
        self.part_landed: dict[int, int] = {}  # copy in flight -> bytes of it that have landed
        self.stopped: list[int] = []  # threads that did something undefined
        self.registers = [0] * (1 + max(compiled.ctas, default=0))  # of each CTA, that no thread has
        self.marks = 0
        self.latest = 0  # marks of the step performed last, even if the schedule already had them
        self.rule = ""  # of the UndefinedBehaviour met last
        self._results: dict[tuple[int, ...], tuple[int, int, int, int, bool] | str] = {}

    def copy(self) -> Machine:
        other = object.__new__(Machine)
        other.__dict__.update(self.__dict__)
        for name in ("pcs", "barriers", "tokens", "version", "landed", "in_flight", "stopped", "registers"):
            setattr(other, name, list(getattr(self, name)))
        other.part_landed = dict(self.part_landed)
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
            tuple(sorted(self.part_landed.items())),
            tuple(sorted(self.stopped)),
            tuple(self.registers),
            self.unfenced,
            self.marks,
        )

    @property
    def unfinished(self) -> list[int]:
        """Threads that have steps left."""
        return [thread for thread in range(self.count) if self.pcs[thread] < len(self.threads[thread])]

    def choices(self) -> list[int]:
        """Everything that can happen next."""
        possible = [thread for thread in range(self.count) if self.possible(thread)]
        landings = self.landings()
        parts = [part for landing in landings if (part := self.part_of(landing))]
        return possible + [landing for landing in landings if not self.is_in_pieces(landing)] + parts

    def landings(self) -> list[int]:
        """The choices that land a copy: all in flight but cp.async, which land with an arrival."""
        return [self.count + copy for copy in self.in_flight if self.compiled.copies[copy].barrier >= 0]

    def copy_of(self, choice: int) -> int:
        """The copy that lands, whole or in part."""
        return (choice - self.count) % len(self.compiled.copies)

    def is_part(self, choice: int) -> bool:
        return choice >= self.count + len(self.compiled.copies)

    def part_of(self, landing: int) -> int:
        """The choice that lands only a part of this copy; 0 if no part of it would complete a phase now."""
        copy = landing - self.count
        part = self.compiled.copies[copy]
        _, pending, _, tx, valid = self.barriers[part.barrier]
        if pending or not valid or tx <= 0 or tx >= self.bytes_left(copy):
            return 0
        if part.pieces:
            if self.part_landed.get(copy, 0) + tx not in accumulate(part.pieces):
                return 0
        elif tx % TX_GRANULE:
            return 0
        return landing + len(self.compiled.copies)

    def is_in_pieces(self, landing: int) -> bool:
        """Whether a part of this copy would complete a phase now, and is known to land by itself."""
        return bool(self.compiled.copies[landing - self.count].pieces) and self.part_of(landing) > 0

    def bytes_left(self, copy: int) -> int:
        """Bytes of a copy in flight that have not landed."""
        return self.compiled.copies[copy].bytes - self.part_landed.get(copy, 0)

    def landing_with(self, copy: int) -> list[int]:
        """A copy in flight and, before it, the thread's earlier cp.async if it is the arrival that tells of them."""
        copies = self.compiled.copies
        if not copies[copy].arrivals:
            return [copy]
        thread = copies[copy].thread
        earlier = [c for c in self.in_flight if c < copy and copies[c].barrier < 0 and copies[c].thread == thread]
        return [*earlier, copy]

    def is_gone(self, cta: int) -> bool:
        """Whether every agent of a CTA that others reach into has left."""
        ctas, threads = self.compiled.ctas, self.threads
        return all(self.pcs[t] >= len(threads[t]) for t in range(self.count) if ctas[t] == cta)

    def is_first_step(self, thread: int) -> bool:
        """Whether the step that the thread performed last is the first of its operation."""
        steps, pc = self.threads[thread], self.pcs[thread] - 1
        return pc == 0 or steps[pc - 1].operation != steps[pc].operation

    def possible(self, choice: int) -> bool:
        """Whether a thread's next step can be performed, or a copy land."""
        if choice >= self.count:
            copy = self.copy_of(choice)
            lands = copy in self.in_flight and self.compiled.copies[copy].barrier >= 0
            landing = self.count + copy
            if self.is_part(choice):
                return lands and self.part_of(landing) == choice
            return lands and not self.is_in_pieces(landing)
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
        if code == Code.TAKE:
            return self.registers[target] >= amount
        return True

    def perform(self, choice: int) -> None:
        """Do a possible step and record the marks it earns."""
        self.latest = 0
        if choice >= self.count:
            self._land(self.copy_of(choice), self.is_part(choice))
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
            cta = self.compiled.barrier_ctas[target]
            if cta != self.compiled.ctas[thread] and self.is_gone(cta):
                self._undefined(EXITED_CTA, thread)
            else:
                self._apply(code, target, amount, thread)
        elif code == Code.READ_BEGIN:
            if amount >= 0:
                self._check_read(target, amount)
            if target in self.unfenced and (thread, pc) in self.compiled.asynchronous:
                self.latest |= Mark.UNFENCED
        elif code == Code.COPY:
            for copy in range(target, target + amount):
                self._issue(copy, thread)
        elif code == Code.WRITE:
            self._write(thread, pc, target, amount)
        elif code == Code.PROXY_FENCE:
            self.unfenced = frozenset()
        elif code in (Code.FREE, Code.TAKE):
            self.registers[target] += amount if code == Code.FREE else -amount
        elif code in (Code.WAIT, Code.TEST):
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
            result = self._results[question] = ask(*question)
        if isinstance(result, str):
            self._undefined(result, thread)
        else:
            flips = result[0]
            after = (phase + flips if code != Code.INIT else 0, *result[1:])
            self.barriers[target] = after

    def _issue(self, copy: int, thread: int) -> None:
        place, barrier, _, version, _, increments, _, _, _, _ = self.compiled.copies[copy]
        if place >= 0:
            self._put(place, version)
        if increments:
            self._apply(Code.INCREASE_PENDING, barrier, increments, thread)
        self.in_flight.append(copy)

    def _write(self, thread: int, pc: int, place: int, version: int) -> None:
        self._put(place, version, by=thread)
        if (thread, pc) not in self.compiled.changes:
            self.landed[place] += 1
        if (thread, pc) in self.compiled.open_writes:
            self.unfenced |= {place}

    def _put(self, place: int, version: int, *, by: int = -1) -> None:
        """From now on this version is what is in the place, or on its way there: a copy, or a write by a thread."""
        if place in self.compiled.unjudged:
            return
        apart = by >= 0 and place in self.compiled.parts
        for other, pc in enumerate(self.pcs):
            if place in self.compiled.open_at[other][pc] and (not apart or other == by):
                self.latest |= Mark.WRITE_AFTER_READ
        held = self.version[place]
        if held != version:
            if held >= 0 and (self._is_wanted(held) or self._is_landing(held, place)):
                self.latest |= Mark.OVERWRITE_UNREAD
            self.version[place] = version
            self.landed[place] = 0
            self.unfenced -= {place}

    def _land(self, copy: int, is_part: bool) -> None:
        part = self.compiled.copies[copy]
        size = self.barriers[part.barrier][3] if is_part else self.bytes_left(copy)
        if is_part:
            self.part_landed[copy] = self.part_landed.get(copy, 0) + size
        else:
            for landing in self.landing_with(copy):
                self.in_flight.remove(landing)
                other = self.compiled.copies[landing]
                if other.place >= 0 and self.version[other.place] == other.version:
                    self.landed[other.place] += 1
            self.part_landed.pop(copy, None)
        if part.cta != self.compiled.ctas[part.thread] and self.is_gone(part.cta):
            self._undefined(EXITED_CTA, -1)
        elif part.arrivals:
            self._apply(Code.ARRIVE, part.barrier, part.arrivals, -1)
        else:
            self._apply(Code.COMPLETE_TX, part.barrier, size, -1)

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
