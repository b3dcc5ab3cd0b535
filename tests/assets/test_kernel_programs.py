"""Each kernel's program does what the kernel was recorded to do: each agent's operations in order, barrier by barrier.

A program's consumer may stand for a warpgroup. Each of its four warps was recorded then: it waits as the program's
agent does, and arrives with one lane, so that the four together make the agent's arrivals. Stores are one thread's.
"""

from __future__ import annotations

import pytest
from recording_files import shipped_history

from visualizer.programs.attention import attention
from visualizer.programs.gemm import program as gemm
from visualizer.programs.multicast import multicast
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.pingpong import program as pingpong
from visualizer.programs.program import Program
from visualizer.recording.schema import EventKind as E
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

PROGRAMS = {
    "multicast": lambda: multicast(LessonConfig(tiles=12, consumer_warps=4)),
    "gemm": lambda: gemm(k_tiles=16),
    "pingpong": lambda: pingpong(k_tiles=16),
    "attention": lambda: attention(tile_columns=128),
}
STORING = (E.STORE_COMMIT, E.STORE_WAIT_BEGIN)
ON_BARRIERS = (E.INIT, E.WAIT_BEGIN, E.ARRIVE, E.ARRIVE_EXPECT_TX, E.COPY_ISSUE)
BY_THEMSELVES = (E.FENCE, E.WGMMA_COMMIT, E.WGMMA_WAIT_BEGIN, E.PROXY_FENCE, *STORING)
Done = tuple[E, tuple[object, ...], int, int]
"""Kind, barrier, parity, and how many of what: arrivals, bytes, groups left."""


def barrier_names(history: History) -> list[tuple[object, ...]]:
    """What tells a barrier, whatever it is called: its kind, the number of its ring and its stage, or its turn."""
    structure = history.structure
    numbers = {name: number for number, name in enumerate(structure.names)}
    names: list[tuple[object, ...]] = []
    for row, barrier in enumerate(history.trace.barriers):
        ring = int(structure.ring_of[row])
        if ring >= 0:
            names.append((structure.kinds[row], numbers[structure.rings[ring].name], int(structure.stage_of[row])))
        else:
            others = [name for name in names if name[0] == "turn" and name[1] == barrier.cta]
            names.append(("turn", barrier.cta, len(others)))
    return [name if name[0] != "turn" else ("turn", name[2]) for name in names]


def done_by(history: History, row: int) -> list[Done]:
    """The operations of an agent, in its own order. CTAs are counted from its own."""
    trace = history.trace
    names, own = barrier_names(history), trace.agents[row].cta
    done: list[Done] = []
    for event in trace.events[trace.events["agent"] == row]:
        kind, barrier = E(event["kind"]), int(event["barrier"])
        if kind in ON_BARRIERS:
            place = (*names[barrier], trace.barriers[barrier].cta - own)
            done.append((kind, place, int(event["parity"]), int(event["amount"])))
        elif kind in BY_THEMSELVES or (kind is E.SYNC_BEGIN and event["amount"]):  # bar.sync of so many threads
            done.append((kind, (), -1, int(event["amount"])))
    return done


def one_of(done: list[Done], warps: int) -> list[Done]:
    """What one of so many warps does of what an agent that stands for them all does."""
    return [(kind, *rest, amount // warps if kind is E.ARRIVE else amount) for kind, *rest, amount in done]  # type: ignore[misc]


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_program_and_recording_do_the_same(name: str) -> None:
    program: Program = PROGRAMS[name]()
    simulated, recorded = History(simulate(program)), shipped_history(name)
    ctas = simulated.trace.ctas
    compared = 0
    for agent in program.agents:
        table = agent.agent
        expected = done_by(simulated, simulated.trace.agent_index[table.name])
        warps = agent.threads // 32 if table.role == "consumer" else 1
        for row, other in enumerate(recorded.trace.agents):
            if other.cta % ctas != table.cta or not table.warp <= other.warp < table.warp + warps:
                continue
            wanted = one_of(expected, warps)
            if other.warp > table.warp:
                wanted = [done for done in wanted if done[0] not in STORING]
            assert done_by(recorded, row) == wanted, other.name
            compared += 1
    # All that were recorded, but the copy engines and the three warps beside the producer that have nothing to do.
    idle = {"multicast": 0, "gemm": 3, "pingpong": 3, "attention": 3}[name]
    assert compared == len(recorded.trace.agents) - (1 + idle) * recorded.trace.ctas


def test_a_difference_is_seen() -> None:
    recorded = shipped_history("gemm")
    producer = done_by(recorded, recorded.trace.agent_index["CTA0.warp0"])
    simulated = History(simulate(gemm(k_tiles=15)))
    assert done_by(simulated, 0) != producer
    assert [done for done in producer if done[0] is E.COPY_ISSUE] == [
        (E.COPY_ISSUE, ("full", 0, tile % 4, 0), -1, size) for tile in range(16) for size in (16384, 32768)
    ]
