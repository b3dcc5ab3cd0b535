"""Legal kernels of many shapes, simulated, and what their barriers are for; as a stranger's recording would show them.

Shapes: one or two rings that take turns or go at their own pace, in the layouts that libraries use; a load of its own;
consumers that share every tile, or each take their own (ping-pong) in ordered turns; rings without empty barriers;
rings that no copy fills; a tensor core with accumulators.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from visualizer.programs.agent_builder import BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.recording.schema import EventKind
from visualizer.recording.tables import AgentRole, Site
from visualizer.recording.trace import Trace
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

Stages = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Kernel:
    """A recording that tells nothing, and the truth about it. Barriers are rows."""

    trace: Trace
    rings: frozenset[tuple[int, Stages, Stages]]  # CTA, full and empty by stage
    turns: frozenset[tuple[int, ...]]
    roles: tuple[AgentRole, ...]
    shape: str
    decidable: bool  # instructions or sizes tell rings apart that are used in step


def random_kernel(seed: int) -> Kernel:
    """The kernel of this number."""
    random = Random(seed)
    make = random.choice((_loads, _loads, _loads, _ping_pong, _tensor_core, _no_empties, _signals))
    b = Builder("random", ctas=random.choice((1, 1, 2)))
    shape = make(b, random)
    trace = simulate(b.build(), seed=seed)
    assert trace.meta.ending.kind == "completed", (seed, shape, trace.meta.ending)
    if make is _tensor_core:
        trace = _with_commits(trace)
    sites = random.choice(("inlined", "inlined", "shared", "none"))
    return Kernel(
        forget(_with_sites(trace, sites)),
        _rings(trace),
        _turns(trace),
        tuple("mma" if agent.name.endswith("mma") else _role(agent.name, agent.role) for agent in trace.agents),
        f"{make.__name__[1:]}, {shape}, sites {sites}",
        sites == "inlined" or "'v': 2048" not in shape or "'q': 1024" in shape,
    )


def _array(b: Builder, layout: str, cta: int, rings: dict[str, tuple[int, int, int]]) -> dict[str, list[BarrierHandle]]:
    """Full and empty barriers of rings of (stages, counts of full and of empty; 0: none), in an order of addresses."""
    kinds = ("full", "empty")
    wanted = [
        (ring, kind, stage)
        for ring, (stages, *counts) in rings.items()
        for kind, count in zip(kinds, counts, strict=True)
        for stage in range(stages if count else 0)
    ]
    if layout == "fulls first":
        wanted.sort(key=lambda one: (kinds.index(one[1]), list(rings).index(one[0]), one[2]))
    elif layout == "by stage":
        wanted.sort(key=lambda one: (list(rings).index(one[0]), one[2], kinds.index(one[1])))
    made: dict[str, list[BarrierHandle]] = {f"{ring}_{kind}": [] for ring in rings for kind in kinds}
    for ring, kind, stage in wanted:
        count = rings[ring][1 + kinds.index(kind)]
        made[f"{ring}_{kind}"].append(b.barrier(f"{ring}_{kind}[{stage}]", count=count, cta=cta))
    return made


def _layout(random: Random) -> str:
    return random.choice(("ring by ring", "fulls first", "by stage"))


def _loads(b: Builder, random: Random) -> str:
    """K, perhaps V beside it or at its own pace, perhaps Q once or per tile."""
    stages = {"k": random.randint(1, 5), "v": random.randint(1, 4)}
    rings = ["k"] if random.random() < 0.4 else ["k", "v"]
    same = random.random() < 0.5
    if same:
        stages["v"] = stages["k"]
    per_lap = {"k": 1, "v": random.choice((1, 1, 2))}
    consumers, tiles = random.randint(1, 3), random.randint(1, 14)
    q = random.choice(("no", "once", "per tile"))
    inner = random.randint(1, 6) if q == "per tile" else tiles
    layout = _layout(random)
    q_first = random.random() < 0.5
    sizes_of = random.choice(({"k": 4096, "v": 2048, "q": 1024}, dict.fromkeys("kvq", 2048)))
    early_v = random.random() < 0.3  # V is waited for before K is filled
    for cta in range(b._ctas):
        sizes = {ring: (stages[ring], 1, consumers) for ring in rings}
        if q != "no":
            first = {"q": (1, 1, consumers if q == "per tile" else 0)}
            sizes = first | sizes if q_first else sizes | first
        at = _array(b, layout, cta, sizes)
        p = b.agent("producer", role="producer", cta=cta)
        p.init_all()
        p.sync()
        used = dict.fromkeys(sizes, 0)

        def cursor(used: dict[str, int], ring: str, sizes: dict[str, tuple[int, int, int]] = sizes) -> tuple[int, int]:
            return used[ring] % sizes[ring][0], used[ring] // sizes[ring][0] & 1

        def fill(ring: str, p=p, at=at, used=used, cursor=cursor) -> None:  # type: ignore[no-untyped-def]
            stage, _ = cursor(used, ring)
            p.arrive_expect_tx(at[f"{ring}_full"][stage], sizes_of[ring])
            p.copy(at[f"{ring}_full"][stage], 0, sizes_of[ring])
            used[ring] += 1

        def acquire(ring: str, p=p, at=at, used=used, cursor=cursor) -> None:  # type: ignore[no-untyped-def]
            stage, phase = cursor(used, ring)
            if at[f"{ring}_empty"]:
                p.wait(at[f"{ring}_empty"][stage], phase ^ 1)

        for tile in range(tiles):
            if q != "no" and tile % inner == 0 and (q == "per tile" or tile == 0):
                acquire("q")
                fill("q")
            if early_v and rings == ["k", "v"] and per_lap["v"] == 1:
                acquire("k"), acquire("v"), fill("k"), fill("v")
                continue
            for ring in rings:
                for _ in range(per_lap[ring]):
                    acquire(ring), fill(ring)
        for n in range(consumers):
            c = b.agent(f"consumer{n}", role="consumer", cta=cta)
            c.sync()
            used = dict.fromkeys(sizes, 0)
            for tile in range(tiles):
                loads = ["q"] if q != "no" and tile % inner == 0 and (q == "per tile" or tile == 0) else []
                loads += [ring for ring in rings for _ in range(per_lap[ring])]
                for ring in loads:
                    stage, phase = cursor(used, ring)
                    c.wait(at[f"{ring}_full"][stage], phase)
                    c.read(0, 64)
                    used[ring] += 1
                    if ring != "q":
                        c.arrive(at[f"{ring}_empty"][stage])
                if q == "per tile" and (tile % inner == inner - 1 or tile == tiles - 1):
                    c.arrive(at["q_empty"][0])
    return f"{rings} of {stages}, {per_lap}, q {q} per {inner}, {tiles} tiles, {layout}, early {early_v}, {sizes_of}"


def _ping_pong(b: Builder, random: Random) -> str:
    """Consumers each take their own tiles of several blocks, in ordered turns of one or two parts."""
    stages, blocks, tiles = random.randint(2, 5), random.randint(1, 5), random.randint(2, 8)
    consumers, depth = random.choice((2, 2, 3)), random.choice((1, 2))
    layout, first = _layout(random), random.random() < 0.5
    for cta in range(b._ctas):
        turns = []

        def order(cta: int = cta) -> list[list[BarrierHandle]]:
            return [
                [b.barrier(f"turn{part}[{n}]", count=1, cta=cta) for n in range(consumers)] for part in range(depth)
            ]

        if first:
            turns = order()
        at = _array(b, layout, cta, {"k": (stages, 1, 1)})
        turns = turns or order()
        p = b.agent("producer", role="producer", cta=cta)
        p.init_all()
        p.sync()
        for use in range(tiles * blocks):
            p.wait(at["k_empty"][use % stages], use // stages & 1 ^ 1)
            p.arrive_expect_tx(at["k_full"][use % stages], 2048)
            p.copy(at["k_full"][use % stages], 0, 2048)
        for n in range(consumers):
            c = b.agent(f"consumer{n}", role="consumer", cta=cta)
            c.sync()
            for own, tile in enumerate(range(n, tiles, consumers)):
                for part in range(depth):
                    c.wait(turns[part][n], own & 1 ^ (n == 0))
                    for use in range(tile * blocks, (tile + 1) * blocks) if part == 0 else ():
                        c.wait(at["k_full"][use % stages], use // stages & 1)
                        c.read(0, 64)
                        c.arrive(at["k_empty"][use % stages])
                    c.arrive(turns[part][(n + 1) % consumers])
    return f"{stages} stages, {tiles} tiles of {blocks}, {consumers} consumers, {depth} turns, {layout}"


def _tensor_core(b: Builder, random: Random) -> str:
    """A producer, one warp that feeds the tensor core, and epilogue warps on the accumulators."""
    stages, accs, blocks, tiles = (random.randint(1, high) for high in (5, 2, 5, 8))
    warps, layout = random.randint(1, 4), _layout(random)
    for cta in range(b._ctas):
        at = _array(b, layout, cta, {"k": (stages, 1, 1), "acc": (accs, 1, warps)})
        p = b.agent("producer", role="producer", cta=cta)
        p.init_all()
        p.sync()
        for use in range(tiles * blocks):
            p.wait(at["k_empty"][use % stages], use // stages & 1 ^ 1)
            p.arrive_expect_tx(at["k_full"][use % stages], 2048)
            p.copy(at["k_full"][use % stages], 0, 2048)
        m = b.agent("mma", cta=cta)
        m.sync()
        for tile in range(tiles):
            m.wait(at["acc_empty"][tile % accs], tile // accs & 1 ^ 1)
            for use in range(tile * blocks, (tile + 1) * blocks):
                m.wait(at["k_full"][use % stages], use // stages & 1)
                m.arrive(at["k_empty"][use % stages])
            m.arrive(at["acc_full"][tile % accs])
        for n in range(warps):
            e = b.agent(f"epilogue{n}", cta=cta)
            e.sync()
            for tile in range(tiles):
                e.wait(at["acc_full"][tile % accs], tile // accs & 1)
                e.arrive(at["acc_empty"][tile % accs])
    return f"{stages} stages, {accs} accumulators, {tiles} tiles of {blocks}, {warps} warps, {layout}"


def _no_empties(b: Builder, random: Random) -> str:
    """One warp loads, all read, and a bar.sync says that a stage is free: Triton on sm_90."""
    stages, tiles, readers = random.randint(1, 5), random.randint(1, 12), random.randint(1, 3)
    for cta in range(b._ctas):
        at = _array(b, "fulls first", cta, {"k": (stages, 1, 0)})["k_full"]
        agents = [b.agent(f"warp{n}", cta=cta) for n in range(readers + 1)]
        agents[0].init_all()
        for agent in agents:
            agent.sync()
        for tile in range(tiles):
            agents[0].arrive_expect_tx(at[tile % stages], 2048)
            agents[0].copy(at[tile % stages], 0, 2048)
            for agent in agents[1:]:
                agent.wait(at[tile % stages], tile // stages & 1)
                agent.read(0, 64)
            for agent in agents:
                agent.named_sync(1, readers + 1)
    return f"{stages} stages, {tiles} tiles, {readers} readers"


def _signals(b: Builder, random: Random) -> str:
    """Warps fill the stages themselves and arrive."""
    stages, tiles, consumers, layout = (
        random.randint(1, 4),
        random.randint(1, 12),
        random.randint(1, 3),
        _layout(random),
    )
    for cta in range(b._ctas):
        at = _array(b, layout, cta, {"k": (stages, 1, consumers)})
        p = b.agent("producer", role="producer", cta=cta)
        p.init_all()
        p.sync()
        for use in range(tiles):
            p.wait(at["k_empty"][use % stages], use // stages & 1 ^ 1)
            p.arrive(at["k_full"][use % stages])
        for n in range(consumers):
            c = b.agent(f"consumer{n}", role="consumer", cta=cta)
            c.sync()
            for use in range(tiles):
                c.wait(at["k_full"][use % stages], use // stages & 1)
                c.arrive(at["k_empty"][use % stages])
    return f"{stages} stages, {tiles} tiles, {consumers} consumers, {layout}"


def _role(name: str, told: AgentRole) -> AgentRole:
    kind = re.sub(r"CTA\d+\.|\d+$", "", name)
    by_name: dict[str, AgentRole] = {"epilogue": "epilogue", "warp": "consumer"}
    return "producer" if name.endswith("warp0") else by_name.get(kind, told)


def _rings(trace: Trace) -> frozenset[tuple[int, Stages, Stages]]:
    stages: dict[tuple[int, str], dict[str, dict[int, int]]] = {}
    for row, barrier in enumerate(trace.barriers):
        if match := re.search(r"(k|v|q|acc)_(full|empty)\[(\d+)\]$", barrier.name):
            kinds = stages.setdefault((barrier.cta, match[1]), {"full": {}, "empty": {}})
            kinds[match[2]][int(match[3])] = row
    return frozenset(
        (
            cta,
            tuple((kinds["full"][stage],) for stage in range(len(kinds["full"]))),
            tuple((kinds["empty"][stage],) if kinds["empty"] else () for stage in range(len(kinds["full"]))),
        )
        for (cta, _), kinds in stages.items()
    )


def _turns(trace: Trace) -> frozenset[tuple[int, ...]]:
    of: dict[tuple[int, str], list[int]] = {}
    for row, barrier in enumerate(trace.barriers):
        if match := re.search(r"(turn\d)\[", barrier.name):
            of.setdefault((barrier.cta, match[1]), []).append(row)
    return frozenset(map(tuple, of.values()))


def _with_commits(trace: Trace) -> Trace:
    """The warp that feeds the tensor core arrives by tcgen05.commit."""
    events = np.array(trace.events)
    mma = [row for row, agent in enumerate(trace.agents) if agent.name.endswith("mma")]
    events["kind"][(events["kind"] == EventKind.ARRIVE) & np.isin(events["agent"], mma)] = EventKind.TENSOR_COMMIT
    return replace(trace, events=events)


def _with_sites(trace: Trace, how: str) -> Trace:
    """Instructions as a compiler leaves them: one for every ring where all is inlined, or one for all, or unknown."""
    if how == "shared":
        return trace
    events = np.array(trace.events)
    if how == "none":
        events["site"] = -1
        return replace(trace, events=events)
    arrays: dict[str, int] = {}
    of = [arrays.setdefault(re.sub(r"CTA\d+\.|\[.*", "", barrier.name), len(arrays)) for barrier in trace.barriers]
    at = events["barrier"] >= 0
    own = np.array(of)[events["barrier"][at]]
    events["site"][at] = np.where(events["site"][at] < 0, -1, events["site"][at] * len(arrays) + own)
    sites = [Site("kernel.cu", 1 + row, "") for row in range(len(trace.sites) * max(len(arrays), 1))]
    return replace(trace, events=events, sites=sites)
