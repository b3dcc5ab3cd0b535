"""What can happen in a state while some of its steps stand still, and which of that interferes with one of them.

It is what partial-order reduction asks (reduction.py), whose set T stands still.

**What can happen without T** is over-approximated: the agents of T stand still, the others run on as far as they might.
A wait is taken to pass if it would pass now, or if its barrier may complete; a barrier may complete only if the
arrivals still within reach suffice for its pending count, and the bytes within reach for its tx count. Ever more
within reach, until nothing changes.

**What interferes** with a step:
- wait: whatever may complete the barrier's phase, if it can complete at all without T (the wait would be lapped);
- arrivals and bytes on one barrier: they add up in any order. They interfere only if the phase may complete with them
  and (a) a wait on the barrier passes now that would not pass afterwards, or (b) the order could decide which phase
  they count in: more arrivals than pending, expect_tx that is no arrival, or more bytes than expected;
- wait that is not repeated: what may make it undefined, since nobody can notice its outcome;
- copy or write into a buffer: reads of the buffer, and copies and writes of another tile into it; landing: the same;
- read: copies and writes into the buffer, landings included;
- fence.proxy.async: writes that are open, and asynchronous reads where there are such; and they with it;
- init, inval, arrive_drop, no_complete, the increments of cp.async.mbarrier.arrive: everything on that barrier;
- landing of its arrival: what the landing of each cp.async that it tells of interferes with;
- the last agent's leaving of a CTA that others reach into: what reaches into it;
- passing a CTA-wide sync or a named barrier: nothing, since that cannot be undone;
- freeing registers: nothing, since more of them stop nobody; taking them: who else may take some.
"""

from __future__ import annotations

from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.sources.explorer.machine import Machine
from visualizer.sources.explorer.steps import REMOTE, Code, Step

_READS = (Code.READ_BEGIN, Code.READ_END)
_ORDERED = (Code.INIT, Code.INVAL, Code.ARRIVE_DROP, Code.ARRIVE_NO_COMPLETE)


class _Use:
    """What lies within reach on one barrier; owners are choices: threads, or copies in flight."""

    __slots__ = ("arrivals", "bytes", "expected", "expecters", "ordered", "others", "testers", "waiters")

    def __init__(self) -> None:
        self.arrivals = 0
        self.bytes = 0  # that complete_tx may take off
        self.expected = 0  # bytes of arrive.expect_tx
        self.ordered: set[int] = set()  # owners of operations that do not commute
        self.expecters: set[int] = set()  # owners of an expect_tx that is no arrival
        self.waiters: set[int] = set()  # owners of waits that pass
        self.testers: set[int] = set()  # owners of waits that are not repeated
        self.others: set[int] = set()  # owners of arrivals and bytes


class Reach:
    """How far everyone but `frozen` might get from the machine's state, and what they would do."""

    def __init__(self, machine: Machine, frozen: set[int]) -> None:
        self._machine = machine
        self._uses: dict[int, _Use] = {}
        self._readers: dict[int, set[int]] = {}  # place -> threads that begin or end a read
        self._writers: dict[int, set[tuple[int, int, bool]]] = {}  # place -> (owner, version, is an issue or a write)
        self._intruders: dict[int, set[int]] = {}  # CTA -> owners of what reaches into it from outside
        self._takers: dict[int, set[int]] = {}  # CTA -> threads that take registers of it
        self._fencers: set[int] = set()
        self._unfenced: set[int] = set()  # threads that a fence concerns
        self._at = list(machine.pcs)
        for copy in machine.in_flight:
            for owner in _landers(machine, copy):
                if owner not in frozen:
                    self._will_land(owner, copy)
        running = [thread for thread in range(machine.count) if thread not in frozen | set(machine.stopped)]
        moved = True
        while moved:
            moved = False
            for thread in running:
                steps = machine.threads[thread]
                while self._at[thread] < len(steps) and self._may_pass(thread, steps[self._at[thread]]):
                    self._account(thread, steps[self._at[thread]])
                    self._at[thread] += 1
                    moved = True

    def interfering(self, choice: int) -> set[int]:
        """Owners of steps within reach that interfere with `choice`, which is possible and stands still."""
        machine = self._machine
        if choice >= machine.count:
            copy = choice - machine.count
            part = machine.compiled.copies[copy]
            taken = 0 if part.arrivals else machine.bytes_left(copy)
            found = self._on_barrier(part.barrier, arrivals=part.arrivals, taken=taken)
            if part.cta != machine.compiled.ctas[part.thread]:
                found |= self._leaving(part.cta, -1)
            for landing in machine.landing_with(copy):
                place, version = machine.compiled.copies[landing].place, machine.compiled.copies[landing].version
                found |= self._readers.get(place, set()) | self._other_writers(place, version)
            return found
        code, target, amount, _, _, _ = machine.threads[choice][machine.pcs[choice]]
        if code == Code.WAIT:
            use = self._uses.get(target)
            if use is None or not self._may_complete(target):
                return set()
            return use.others | use.ordered | use.expecters
        if code == Code.TEST:
            use = self._uses.get(target)
            return set(use.ordered) if use else set()
        fencers = self._fencers if self._meets_fences(choice, machine.pcs[choice]) else set()
        if code == Code.WRITE:
            return self._readers.get(target, set()) | self._other_writers(target, amount) | fencers
        if code == Code.COPY:
            found = set()
            for copy in range(target, target + amount):
                part = machine.compiled.copies[copy]
                found |= self._readers.get(part.place, set()) | self._other_writers(part.place, part.version)
                if part.increments:
                    found |= self._everyone_on(part.barrier)
            return found
        if code == Code.READ_BEGIN:
            return {owner for owner, _, _ in self._writers.get(target, ())} | fencers
        if code == Code.PROXY_FENCE:
            return self._unfenced
        if code == Code.READ_END:
            return {owner for owner, _, issue in self._writers.get(target, ()) if issue}
        if code in (Code.SYNC, Code.NAMED_WAIT, Code.FREE):
            return set()
        if code == Code.TAKE:
            return self._takers.get(target, set())
        if code == Code.EXIT:
            return self._intruders.get(target, set()) if self._leaving(target, choice) else set()
        cta = machine.compiled.barrier_ctas[target]
        leaving = self._leaving(cta, -1) if cta != machine.compiled.ctas[choice] else set()
        return leaving | self._of_operation(code, target, amount)

    def _of_operation(self, code: int, target: int, amount: int) -> set[int]:
        if code in _ORDERED:
            return self._everyone_on(target)
        if code == Code.ARRIVE:
            return self._on_barrier(target, arrivals=amount)
        if code == Code.ARRIVE_EXPECT_TX:
            return self._on_barrier(target, arrivals=1, expected=amount)
        if code == Code.EXPECT_TX:
            return self._on_barrier(target, expected=amount, is_ordered=True)
        return self._on_barrier(target, taken=amount)

    def _leaving(self, cta: int, but: int) -> set[int]:
        """Who might leave the CTA, if everyone in it but `but` might have left; otherwise nobody."""
        machine = self._machine
        inside = [t for t in range(machine.count) if machine.compiled.ctas[t] == cta and t != but]
        if any(self._at[thread] < len(machine.threads[thread]) for thread in inside):
            return set()
        return {thread for thread in inside if machine.pcs[thread] < len(machine.threads[thread])} | ({but} - {-1})

    def _on_barrier(
        self, row: int, *, arrivals: int = 0, expected: int = 0, taken: int = 0, is_ordered: bool = False
    ) -> set[int]:
        """Who interferes with adding these to a barrier: rules (a) and (b) of the module's docstring."""
        use = self._uses.get(row)
        if use is None:
            return set()
        _, pending, _, tx, valid = self._machine.barriers[row]
        arrivals += use.arrivals
        expected += use.expected
        taken += use.bytes
        if not valid or use.ordered or max(abs(tx) + expected, taken) > MAX_COUNT or abs(tx) + taken > MAX_COUNT:
            return self._everyone_on(row)
        if arrivals < pending:
            return set()
        found = set(use.waiters) if tx - taken <= 0 else set()
        if arrivals > pending or is_ordered or use.expecters or tx + expected - taken < 0:
            found |= use.others | use.expecters | use.waiters
        return found

    def _everyone_on(self, row: int) -> set[int]:
        use = self._uses.get(row)
        return use.others | use.ordered | use.expecters | use.waiters | use.testers if use else set()

    def _other_writers(self, place: int, version: int) -> set[int]:
        return {owner for owner, other, _ in self._writers.get(place, ()) if other != version}

    def _may_pass(self, thread: int, step: Step) -> bool:
        code, target, amount, _, _, group = step
        if code == Code.WAIT:
            phase, _, _, _, valid = self._machine.barriers[target]
            return not valid or amount >= REMOTE or phase & 1 != amount or self._may_complete(target)
        if code == Code.NAMED_WAIT:
            arrived = self._machine.pcs[thread] == self._at[thread]
            passed = arrived and self._machine.barriers[target][0] != self._machine.tokens[thread]
            return passed or self._may_complete(target)
        if code == Code.SYNC:
            return all(self._at[other] >= at for other, at in group)
        return True

    def _may_complete(self, row: int) -> bool:
        use = self._uses.get(row)
        if use is None:
            return False
        _, pending, _, tx, _ = self._machine.barriers[row]
        return bool(use.ordered) or (use.arrivals >= pending and tx - use.bytes <= 0)

    def _account(self, thread: int, step: Step) -> None:
        code, target, amount, _, _, _ = step
        compiled = self._machine.compiled
        if code == Code.WAIT:
            self._use(target).waiters.add(thread)
        elif code in _READS:
            self._readers.setdefault(target, set()).add(thread)
            if compiled.asynchronous and (thread, self._at[thread]) in compiled.asynchronous:
                self._unfenced.add(thread)
        elif code <= Code.COMPLETE_TX:
            if compiled.exposed and compiled.barrier_ctas[target] != compiled.ctas[thread]:
                self._intruders.setdefault(compiled.barrier_ctas[target], set()).add(thread)
            self._account_operation(thread, code, target, amount)
        elif code == Code.COPY:
            for copy in range(target, target + amount):
                part = compiled.copies[copy]
                self._writers.setdefault(part.place, set()).add((thread, part.version, True))
                if part.increments:
                    self._use(part.barrier).ordered.add(thread)
                self._will_land(thread, copy)
        elif code == Code.WRITE:
            self._writers.setdefault(target, set()).add((thread, amount, True))
            if (thread, self._at[thread]) in compiled.open_writes:
                self._unfenced.add(thread)
        elif code == Code.TEST:
            self._use(target).testers.add(thread)
        elif code == Code.TAKE:
            self._takers.setdefault(target, set()).add(thread)
        elif code == Code.PROXY_FENCE:
            self._fencers.add(thread)

    def _account_operation(self, thread: int, code: int, barrier: int, amount: int) -> None:
        use = self._use(barrier)
        if code in _ORDERED:
            use.ordered.add(thread)
        elif code == Code.EXPECT_TX:
            use.expecters.add(thread)
        else:
            use.others.add(thread)
            if code == Code.COMPLETE_TX:
                use.bytes += amount
            else:
                use.arrivals += amount if code == Code.ARRIVE else 1
                use.expected += amount if code == Code.ARRIVE_EXPECT_TX else 0

    def _meets_fences(self, thread: int, pc: int) -> bool:
        compiled = self._machine.compiled
        return (thread, pc) in compiled.open_writes or (thread, pc) in compiled.asynchronous

    def _will_land(self, owner: int, copy: int) -> None:
        part = self._machine.compiled.copies[copy]
        if part.cta != self._machine.compiled.ctas[part.thread]:
            self._intruders.setdefault(part.cta, set()).add(owner)
        self._writers.setdefault(part.place, set()).add((owner, part.version, False))
        if part.barrier < 0:
            return
        use = self._use(part.barrier)
        use.others.add(owner)
        use.arrivals += part.arrivals
        use.bytes += 0 if part.arrivals else self._machine.bytes_left(copy)

    def _use(self, row: int) -> _Use:
        use = self._uses.get(row)
        if use is None:
            use = self._uses[row] = _Use()
        return use


def _landers(machine: Machine, copy: int) -> list[int]:
    """Whose doing the landing of a copy in flight is: its own; a cp.async's, that of an arrival, or of its thread."""
    copies = machine.compiled.copies
    if copies[copy].barrier >= 0:
        return [machine.count + copy]
    arrivals = [other for other in machine.in_flight if copy in machine.landing_with(other) and other != copy]
    return [machine.count + other for other in arrivals] or [copies[copy].thread]
