"""Random sound programs with all that programs can say; nothing may be found in any of them.

python -m tests.random_programs --count 20000     says how many were tried, and what was found in which
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from random import Random
from time import perf_counter

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.schedules import judged
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.cursor import Cursor
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.sources.explorer import explore
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate

FILLS = ("expect", "copy_first", "split", "pieces", "two_copies", "cp_async", "write", "plain")
READS = ("read", "wgmma", "store", "late", "two_waits", "try_wait")
_BYTES = 4096


@dataclass(frozen=True)
class Ring:
    """One ring of the program, the same in each CTA."""

    name: str
    stages: int
    fill: str
    reads: str
    full: list[list[BarrierHandle]]  # by CTA and stage
    empty: list[list[BarrierHandle]]


@dataclass(frozen=True)
class Shape:
    """What was drawn for the whole program."""

    tiles: int
    consumers: int
    ctas: int
    cluster: int
    turns: str  # "", "named" or "mbarrier"
    registers: bool
    blackwell: bool
    epilogue: bool
    sync_at: int  # the tile before which all agents of a CTA meet; -1: none
    lanes: bool  # one lane of each consumer arrives for the others
    accumulators: bool
    k_tiles: int  # of A and B for each accumulator

    @property
    def loads(self) -> int:
        """CTAs that load a share of each tile for all of their cluster."""
        return self.cluster


def random_program(seed: int) -> Program:
    """The program of this seed; it has some thousand operations at most."""
    random = Random(seed)
    shape = _shape(random)
    b = Builder(
        f"random{seed}",
        ctas=shape.ctas,
        cluster=shape.cluster if shape.ctas > 1 else None,
        registers=168 if shape.registers else None,
    )
    rings = [_ring(b, random, shape, number) for number in range(1 if shape.blackwell else random.randint(1, 3))]
    for cta in range(shape.ctas):
        _CtaProgram(b, random, shape, rings, cta).describe()
    return b.build()


def _shape(random: Random) -> Shape:
    cluster = random.choice((1, 1, 1, 2, 2, 4))
    blackwell = random.random() < 0.25
    accumulators = blackwell and random.random() < 0.7
    lanes = not blackwell and random.random() < 0.2
    consumers = random.randint(1, 3)
    return Shape(
        tiles=random.randint(1, 8),
        consumers=consumers,
        ctas=cluster * random.choice((1, 1, 2)) if cluster < 4 else 4,
        cluster=cluster,
        turns=random.choice(("", "named", "mbarrier")) if consumers == 2 and not (blackwell or lanes) else "",
        registers=not lanes and random.random() < 0.3,
        blackwell=blackwell,
        epilogue=not (blackwell or lanes) and random.random() < 0.4,
        sync_at=random.choice((-1, -1, 0, 2)),
        lanes=lanes,
        accumulators=accumulators,
        k_tiles=random.randint(1, 3) if accumulators else 1,
    )


def _ring(b: Builder, random: Random, shape: Shape, number: int) -> Ring:
    name = f"r{number}"
    own = range(shape.ctas)
    stages = random.randint(1, 3)
    fills = FILLS if shape.cluster == 1 else ("expect",)
    reads = ("read",) if shape.lanes else READS if stages > 1 else READS[:3]
    releases = 1 if shape.blackwell else shape.consumers
    return Ring(
        name,
        stages,
        random.choice(fills if not shape.blackwell else ("expect", "two_copies") if shape.cluster == 1 else fills),
        random.choice(reads),
        [b.barriers(f"full_{name}", stages, count=1, cta=cta, kind="full", ring=name) for cta in own],
        [
            b.barriers(f"empty_{name}", stages, count=releases * shape.cluster, cta=cta, kind="empty", ring=name)
            for cta in own
        ],
    )


class _CtaProgram:
    """The agents of one CTA."""

    def __init__(self, b: Builder, random: Random, shape: Shape, rings: list[Ring], cta: int) -> None:
        self.b, self.random, self.shape, self.rings, self.cta = b, random, shape, rings, cta
        first = cta - cta % shape.cluster
        self.peers = range(first, first + shape.cluster)
        self.k_tiles = shape.k_tiles
        self.turn = [b.barrier(f"turn[{n}]", count=1, cta=cta) for n in range(2)] if shape.turns == "mbarrier" else []
        self.out = b.barriers("out_empty", 2, count=1, cta=cta, kind="empty", ring="out") if shape.epilogue else []
        accumulators = shape.accumulators
        self.acc_full = b.barriers("acc_full", 2, count=1, cta=cta, kind="full", ring="acc") if accumulators else []
        self.acc_empty = (
            b.barriers("acc_empty", 2, count=shape.consumers, cta=cta, kind="empty", ring="acc") if accumulators else []
        )

    def describe(self) -> None:
        shape = self.shape
        producer = self.agent("producer", "producer", 1, threads=128 if shape.registers else 32)
        producer.init_all()
        agents = [producer]
        if shape.blackwell:
            agents.append(mma := self.agent("mma", "mma", 0))
            agents += (epilogue := [self.agent(f"e{n}", "epilogue", None) for n in range(shape.consumers)])
        else:
            size = 128 if shape.registers or shape.turns == "named" else 32
            agents += (consumers := [self.consumer(n, size) for n in range(shape.consumers)])
        every = range(shape.consumers) if shape.lanes else ()
        self.helpers = helpers = [self.b.agent(f"c{n}.rest", cta=self.cta, warp=28 + n, threads=31) for n in every]
        for agent in (*agents, *helpers):
            agent.cluster_sync() if shape.cluster > 1 else agent.sync()
        if shape.registers:
            producer.setmaxnreg_dec(40)
            if not shape.blackwell and shape.consumers < 3:
                for consumer in consumers:
                    consumer.setmaxnreg_inc(232)
        self.produce(producer)
        if shape.blackwell:
            self.multiply(mma)
            for agent in epilogue:
                self.empty_accumulators(agent)
        else:
            for number, agent in enumerate(consumers):
                self.consume(agent, number)
        if self.random.random() < 0.3:
            for agent in (*agents, *helpers):
                agent.syncthreads()
        if shape.cluster > 1:
            for agent in (*agents, *helpers):
                agent.cluster_sync()

    def agent(self, name: str, role: str, phase: int | None, *, threads: int = 32) -> AgentBuilder:
        """An agent with a cursor over the first ring, or over none."""
        stages = None if phase is None else self.rings[0].stages
        return self.b.agent(name, role=role, cta=self.cta, stages=stages, phase=phase or 0, threads=threads)  # type: ignore[arg-type]

    def consumer(self, number: int, threads: int) -> AgentBuilder:
        if not self.shape.lanes:
            return self.agent(f"c{number}", "consumer", 0, threads=threads)
        stages = self.rings[0].stages
        lane = {"warp": 28 + number, "threads": 1}
        return self.b.agent(f"c{number}", role="consumer", cta=self.cta, stages=stages, **lane)

    def cursors(self, agent: AgentBuilder, phase: int) -> list[AgentBuilder | Cursor]:
        return [agent, *(agent.cursor(ring.name, stages=ring.stages, phase=phase) for ring in self.rings[1:])]

    def meet(self, agent: AgentBuilder, tile: int) -> None:
        """All agents of the CTA, before the tile. Those of Blackwell do not all count the same tiles."""
        if tile == self.shape.sync_at and tile < self.shape.tiles and not self.shape.blackwell:
            agent.syncthreads()

    def produce(self, p: AgentBuilder) -> None:
        cursors = self.cursors(p, 1)
        for tile in p.tiles(self.shape.tiles * self.k_tiles):
            self.meet(p, tile)
            for ring, at in zip(self.rings, cursors, strict=True):
                p.wait(ring.empty[self.cta][at.index], at.phase)
                self.fill(p, ring, at.index)
                at.advance()
        if self.shape.blackwell and self.shape.cluster > 1:  # its tail: peers' tensor cores arrive when they are done
            for _ in range(self.rings[0].stages):
                p.wait(self.rings[0].empty[self.cta][p.index], p.phase)
                p.advance()

    def fill(self, p: AgentBuilder, ring: Ring, stage: int) -> None:
        full, name = ring.full[self.cta][stage], ring.name
        if self.shape.cluster > 1:
            p.arrive_expect_tx(full, _BYTES * self.shape.loads)
            p.copy(full, stage, _BYTES, multicast=[ring.full[peer][stage] for peer in self.peers])
        elif ring.fill == "expect":
            p.arrive_expect_tx(full, _BYTES)
            p.copy(full, stage, _BYTES)
        elif ring.fill == "copy_first":
            p.copy(full, stage, _BYTES)
            p.arrive_expect_tx(full, _BYTES)
        elif ring.fill == "split":
            p.expect_tx(full, _BYTES)
            p.copy(full, stage, _BYTES)
            p.arrive(full)
        elif ring.fill == "pieces":
            p.arrive_expect_tx(full, _BYTES)
            p.copy(full, stage, _BYTES, pieces=[1024, 3072])
        elif ring.fill == "two_copies":
            p.arrive_expect_tx(full, 2 * _BYTES)
            p.copy(full, stage, _BYTES)
            p.copy(full, stage, _BYTES)
        elif ring.fill == "cp_async":
            p.cp_async_arrive(full, stage, _BYTES)
        elif ring.fill == "write":
            p.write(stage, _BYTES, ring=name)
            p.fence_proxy()
            p.arrive(full)
        else:
            p.arrive(full)

    def consume(self, c: AgentBuilder, number: int) -> None:
        cursors, held = self.cursors(c, 0), dict.fromkeys(range(len(self.rings)), -1)
        out = c.cursor("out", stages=2, phase=1) if self.out else None
        rest = self.helpers[number] if self.helpers else None
        if self.shape.turns == "named" and number == 1:
            c.bar_arrive(1, 256)
        for tile in c.tiles(self.shape.tiles):
            self.meet(c, tile)
            if rest is not None:
                rest.tile = tile
                self.meet(rest, tile)
            if self.shape.turns == "named":
                c.bar_sync(1 + number, 256)
            elif self.turn:
                c.wait(self.turn[number], (tile & 1) ^ (number == 0))
            for row, (ring, at) in enumerate(zip(self.rings, cursors, strict=True)):
                self.use(c, ring, at, rest)
                released = held[row] if ring.reads == "late" else at.index
                if ring.reads == "late":
                    held[row] = at.index
                if released >= 0:
                    self.release(c, ring, released)
                at.advance()
            if self.shape.turns == "named" and (number == 0 or tile + 1 < self.shape.tiles):
                c.bar_arrive(2 - number, 256)
            elif self.turn:
                c.arrive(self.turn[1 - number])
            if out is not None:
                self.store(c, number, out)
        for row, ring in enumerate(self.rings):
            if held[row] >= 0:
                self.finish(c, ring)
                self.release(c, ring, held[row])

    def use(self, c: AgentBuilder, ring: Ring, at: AgentBuilder | Cursor, rest: AgentBuilder | None) -> None:
        full, size = ring.full[self.cta][at.index], _BYTES // 2
        if ring.reads == "try_wait":
            c.try_wait(full, at.phase)
        c.wait(full, at.phase)
        if ring.reads == "two_waits":
            c.wait(full, at.phase)
        if ring.fill == "plain":
            return
        if rest is not None:
            rest.wait(full, at.phase)
            rest.read(at.index, size, ring=ring.name, ns=40)
            rest.syncwarp()
            c.read(at.index, size, ring=ring.name, ns=30)
            c.syncwarp()
        elif ring.reads == "wgmma":
            c.read_async(at.index, size, ring=ring.name, ns=60)
            c.wgmma_commit()
            c.wgmma_wait()
        elif ring.reads == "late":
            c.read_async(at.index, size, ring=ring.name, ns=60)
            c.retire_reads(keep=sum(other.reads == "late" and other.fill != "plain" for other in self.rings))
        elif ring.reads == "store":
            c.store(at.index, size, ring=ring.name)
            c.store_commit()
            c.store_wait()
        else:
            c.read(at.index, size, ring=ring.name, ns=50)

    def finish(self, c: AgentBuilder, ring: Ring) -> None:
        if ring.fill != "plain":
            c.retire_reads()

    def release(self, c: AgentBuilder, ring: Ring, stage: int) -> None:
        for peer in self.peers:
            c.arrive(ring.empty[peer][stage])

    def store(self, c: AgentBuilder, number: int, out: Cursor) -> None:
        """The consumers write a tile together, and the first stores it."""
        c.wait(self.out[out.index], out.phase)
        c.write(out.index, 1024, ring="out")
        c.fence_proxy()
        c.named_sync(5, self.shape.consumers)
        if number == 0:
            c.store(out.index, 1024 * self.shape.consumers, ring="out")
            c.store_commit()
            c.store_wait()
            c.arrive(self.out[out.index])
        out.advance()

    def multiply(self, m: AgentBuilder) -> None:
        (ring,) = self.rings
        acc = m.cursor("acc", stages=2, phase=1) if self.acc_full else None
        for tile in range(self.shape.tiles):
            if acc is not None:
                m.wait(self.acc_empty[acc.index], acc.phase)
                m.accumulate(acc.index, 8192, tile=tile, ring="acc")
            for _ in m.tiles(self.k_tiles, first=tile * self.k_tiles):
                m.wait(ring.full[self.cta][m.index], m.phase)
                m.mma(m.index, _BYTES, ring=ring.name)
                m.commit(*(ring.empty[peer][m.index] for peer in self.peers))
                m.advance()
            if acc is not None:
                m.commit(self.acc_full[acc.index])
                acc.advance()

    def empty_accumulators(self, e: AgentBuilder) -> None:
        if not self.acc_full:
            return
        acc = e.cursor("acc", stages=2)
        for _ in e.tiles(self.shape.tiles):
            e.wait(self.acc_full[acc.index], acc.phase)
            e.read(acc.index, 2048, ring="acc", ns=80)
            e.arrive(self.acc_empty[acc.index])
            acc.advance()


def problems(seed: int, *, schedules: int = 0) -> list[str]:
    """What is wrong with the program of this seed: nothing, or what is said of it is."""
    program = random_program(seed)
    history = History(simulate(program, seed=seed, latencies=Latencies(jitter=0.9)))
    ending = history.trace.meta.ending
    said = [] if ending.kind == "completed" else [f"{ending.kind}: {ending.detail}"]
    for given in (program, None):
        said += [f"{finding.verdict}: {finding.cause}" for finding in diagnose(history, given).findings]
    if schedules:
        found = explore(program, schedules=schedules)
        said += [*found.not_judged, *([] if found.is_clean else [found.statement])]
        said += [f"{finding.verdict}: {finding.cause}" for one in judged(found).values() for finding in one.findings]
    return said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    began, wrong = perf_counter(), Counter[str]()
    for done, seed in enumerate(range(asked.first, asked.first + asked.count), 1):
        if done % 1000 == 0:
            print(f"{done} programs", file=sys.stderr, flush=True)
        for said in problems(seed, schedules=5 if seed % 50 == 0 else 0):
            wrong[said.split(":")[0]] += 1
            print(f"{seed}: {said}", flush=True)
    print(f"{asked.count} programs, {sum(wrong.values())} findings {dict(wrong)}, {perf_counter() - began:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
