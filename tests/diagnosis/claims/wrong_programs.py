"""Programs and recordings that are wrong in ways no named fault is, so that each sentence of a diagnosis is said."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
from advised import programs
from alike_ctas import tilelang
from first_turn import EACH, first_turn
from hung_kernels import hung
from ring_programs import BYTES, Barriers, fill, left_out, only_arrive, ring, use
from single_changes import single_changes
from written_programs import epilogue, filled_by_warps, still_read

from visualizer.programs.accesses import WaitStores
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.builder import Builder
from visualizer.programs.faults import FAULTS
from visualizer.programs.operations import Init
from visualizer.programs.program import Program
from visualizer.programs.registry import find_program
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.sources.explorer import explore, witness_trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

Runs = Iterator[tuple[Trace, Program | None]]


def _runs(program: Program, *, seeds: int = 3, schedules: int = 0, told: bool = True) -> Runs:
    for seed in range(seeds):
        yield simulate(program if told else replace(program, name="mine"), seed=seed), program if told else None
    found = explore(program, schedules=schedules) if schedules else None
    for witness in found.witnesses.values() if found is not None else ():
        yield witness_trace(found, witness), program if told else None


def _fault(name: str, **options: int) -> Runs:
    return _runs(find_program(FAULTS[name].base, fault=name), **options)


def _single(name: str, agent: str, number: int, what: str) -> Runs:
    for change in single_changes(programs()[name]):
        if (change.agent, change.number, change.what) == (agent, number, what):
            yield from _runs(change.program, seeds=2)


def _copied_elsewhere(p: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    """Into the next stage, whose barrier gets the bytes."""
    p.wait(empty[p.index], p.phase)
    p.arrive_expect_tx(full[p.index], BYTES)
    p.copy(full[1 - p.index], 1 - p.index, BYTES)
    p.advance()


def _skips(agent: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    """As if the tile were none of its own, and the cursor goes on with the next."""


def _only_waits(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    """As where reads are not recorded, and the release is left out."""
    c.wait(full[c.index], c.phase)
    c.advance()


def _waits(consumers: int, *, stages: int, until: int = 6, left_out: Collection[int] = range(6)) -> Program:
    """Consumers that do not release the tiles in `left_out`, and leave out those from `until` on."""
    own = {tile: _only_waits if tile in left_out else only_arrive for tile in range(until)}
    own |= dict.fromkeys(range(until, 6), _skips)
    names = [f"C{n}" for n in range(consumers)]
    return ring(consumers, stages=stages, change={(name, tile): do for name in names for tile, do in own.items()})


def _restarts(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    """A new PipelineState, and on with it."""
    c.restart()
    use(c, tile, full, empty)


def _tries(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    """Goes on whatever try_wait says."""
    c.try_wait(full[c.index], c.phase)
    c.read(c.index, BYTES)
    c.arrive(empty[c.index])
    c.advance()


def _only_tries(c: AgentBuilder, tile: int, full: Barriers, empty: Barriers) -> None:
    c.try_wait(full[c.index], c.phase)
    c.advance()


def _odd_init(count: int) -> Program:
    """One of the empty barriers is initialised for one arrival more, and is used once."""
    program = ring(stages=4, tiles=4)
    row = next(n for n, barrier in enumerate(program.barriers) if barrier.name == "empty[3]")
    agents = []
    for agent in program.agents:
        own = tuple(
            replace(o, count=count) if isinstance(o, Init) and o.barrier == row else o for o in agent.operations
        )
        agents.append(replace(agent, operations=own))
    return replace(program, agents=tuple(agents))


def _armed_at_the_end() -> Program:
    """The producer arms a stage once more and copies nothing."""
    full: Barriers = []

    def arm(agent: AgentBuilder) -> None:
        if agent.agent.name == "P":
            agent.wait(full[agent.index + 2], agent.phase)
            agent.arrive_expect_tx(full[agent.index], BYTES)

    def keep(p: AgentBuilder, tile: int, fulls: Barriers, empties: Barriers) -> None:
        full[:] = [*fulls, *empties]
        fill(p, tile, fulls, empties)

    return ring(change={("P", tile): keep for tile in range(6)}, end=arm)


def _without(fault: str, *kinds: type) -> Program:
    """The fault's program without the operations of these kinds."""
    program = find_program(FAULTS[fault].base, fault=fault)
    kept = [
        replace(agent, operations=tuple(o for o in agent.operations if not isinstance(o, kinds)))
        for agent in program.agents
    ]
    return replace(program, agents=tuple(kept))


def _written_by_others() -> Program:
    """A consumer reads what another agent writes, and waits for nobody."""
    b = Builder("unordered")
    b.barriers("empty", 1, count=1, kind="empty", ring="out")
    writer, reader = b.agent("W", role="producer"), b.agent("R", role="consumer")
    writer.init_all()
    for agent in (writer, reader):
        agent.sync()
    for _ in writer.tiles(3):
        writer.write(0, BYTES, ring="out")
    for _ in reader.tiles(3):
        reader.read(0, BYTES, ring="out")
    return b.build()


def _other_data() -> Runs:
    """The kernel's own check found something."""
    trace = simulate(ring())
    yield replace(trace, meta=replace(trace.meta, check={"errors": 3})), None


def _no_init() -> Runs:
    """Blocked on a barrier whose init is not recorded."""
    for trace, _ in _fault("F21", told=False):
        empty = np.array([barrier.kind == "empty" for barrier in trace.barriers])
        init = (trace.events["kind"] == EventKind.INIT) & empty[trace.events["barrier"]]
        tables = [replace(barrier, init_count=0) for barrier in trace.barriers]
        yield replace(trace, events=trace.events[~init], barriers=tables), None


def _twice_in_the_recording() -> Runs:
    """An arrival that comes twice in a log."""
    trace = simulate(ring())
    step = int(np.flatnonzero(trace.events["kind"] == EventKind.ARRIVE_EXPECT_TX)[0])
    yield replace(trace, events=np.insert(trace.events, step, trace.events[step])), None


def _hangs_at_its_start() -> Runs:
    """Strangers' kernels that have used no barrier yet."""
    for name in ("baseline", "gemm"):
        yield forget(simulate(find_program(name, fault="F06"))), None


def _late_arrival() -> Runs:
    """A peer's last arrival comes when a CTA's agents have left."""
    trace = simulate(replace(find_program("baseline", fault="F50"), name="mine"))
    events, of_cta = trace.events, trace.barrier_cta[trace.events["barrier"]]
    remote = (events["kind"] == EventKind.ARRIVE) & (of_cta == 1) & (trace.agent_cta[events["agent"]] == 0)
    exits = (events["kind"] == EventKind.EXIT) & (trace.agent_cta[events["agent"]] == 1)
    last = int(np.flatnonzero(remote)[-1])
    late = np.concatenate((events[:last][~exits[:last]], events[exits], events[last:][~exits[last:]]))
    late["time"] = late["measured"] = np.sort(events["time"])
    yield replace(trace, events=late), None


_NO_FILLS = {("P", tile): _skips for tile in range(3)}
_TWO = (("C0", 0), ("C0", 1))

WRONG: Mapping[str, Callable[[], Runs]] = {
    "threads": lambda: _runs(ring(2, end=lambda agent: agent.bar_sync(1, 128))),
    "copied elsewhere": lambda: _runs(ring(change={("P", 2): _copied_elsewhere})),
    "restarts": lambda: _runs(ring(tiles=8, change={("C0", 5): _restarts})),
    "left out": lambda: _runs(ring(tiles=8, change={("C0", 2): left_out})),
    "nobody releases": lambda: _runs(_waits(2, stages=3), told=False),
    "nobody releases the only stage": lambda: _runs(_waits(1, stages=1), told=False),
    "nobody releases, and all leave": lambda: _runs(_waits(2, stages=2, until=2), told=False),
    "left out by each": lambda: _runs(_waits(2, stages=2, left_out=[2]), told=False),
    "skips": lambda: _runs(ring(tiles=8, change={("C0", 3): _skips})),
    "a late waiter": lambda: _fault("F12", seeds=1, schedules=400),
    "other data": _other_data,
    "an odd init": lambda: _runs(_odd_init(2)),
    "armed at the end": lambda: _runs(_armed_at_the_end()),
    "a late arrival": _late_arrival,
    "a sync too late": lambda: _single("lesson", "consumer.w1", 0, "after the next"),
    "an init of a peer": lambda: _single("cluster", "CTA1.P", 2, "one more in the count"),
    "ahead": lambda: _runs(ring(stages=1, tiles=4, change={("C0", 0): _tries}), seeds=1, schedules=50),
    "far ahead": lambda: _runs(ring(stages=1, tiles=3, change=_NO_FILLS | dict.fromkeys(_TWO, _only_tries))),
    "written by others": lambda: _runs(_written_by_others()),
    "no init": _no_init,
    "at its start": _hangs_at_its_start,
    "never retired": lambda: _runs(_without("F52", WaitStores), seeds=1),
    "twice in the recording": _twice_in_the_recording,
    "no fence": lambda: _runs(filled_by_warps(fence=False)),
    "a kernel's producer": lambda: iter([(hung("gemm", "F06"), None)]),
    "a kernel's turns": lambda: iter([(hung("pingpong", "F48", named=True), None)]),
    "another count than beside it": lambda: iter([(tilelang(), None)]),
    "too many in the first turn": lambda: iter([(first_turn(), None)]),
    "left out in the first turn": lambda: iter([(first_turn(count=EACH, leave_out=(7,)), None)]),
    "still read": lambda: _runs(epilogue(still_read, writers=1)),
}
