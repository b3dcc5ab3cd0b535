"""The API in which users write pipelines: barriers, agents, and each agent's operations line by line.

docs/programs.md is its manual. Every operation remembers the line of the file that made it, so that the code pane and
a diagnosis can point at it, and so that a mistake is reported with that line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from visualizer.language import tr
from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.buffer_builder import MAX_STAGES
from visualizer.programs.calling_line import calling_line
from visualizer.programs.errors import ProgramError
from visualizer.programs.length import most_operations
from visualizer.programs.meeting_builder import MAX_REGISTERS, MAX_THREADS
from visualizer.programs.program import Program
from visualizer.programs.program_tables import BarrierHandle, TensorCore
from visualizer.programs.stage_check import stage_beyond
from visualizer.recording.invariants import MAX_RINGS
from visualizer.recording.tables import WARP_ROLES, Agent, AgentRole, Barrier, BarrierKind, Site
from visualizer.recording.trace import ONE_RING
from visualizer.semantics.mbarrier import MAX_COUNT
from visualizer.semantics.pipeline_state import PipelineState
from visualizer.semantics.shared_storage import BARRIER_BYTES
from visualizer.semantics.warp import WARP_THREADS

_MAX_SITES = 2**15 - 1  # what an event's site column holds
WARPGROUP_WARPS = 4


class Builder:
    """A program under construction. Anything that makes no sense raises ProgramError "FILE:LINE: what and why"."""

    def __init__(
        self,
        name: str,
        *,
        ctas: int = 1,
        cluster: int | None = None,
        registers: int | None = None,
        config: Mapping[str, Any] | None = None,
        copy_engine: str = "tma",
    ) -> None:
        self._name = name
        self._config = dict(config or {})
        self._ctas = self.whole("ctas", ctas, 1, 1024)
        self._cluster = 0 if cluster is None else self._clusters_of(cluster)
        self._registers = 0 if registers is None else self.whole("registers", registers, 1, MAX_REGISTERS)
        self._tensor_cores: dict[int, TensorCore] = {}  # by CTA
        self._rings: list[str] = []
        self._barriers: list[Barrier] = []
        self._agents: list[AgentBuilder] = []
        self._sites: dict[Site, int] = {}
        self._files: dict[str, Path] = {}
        self._operations = 0
        self._named: dict[tuple[int, int], int] = {}  # threads that the named barrier of a CTA counts
        self._copy_engine = copy_engine

    def barriers(
        self, name: str, stages: int, *, count: int, cta: int = 0, kind: BarrierKind | None = None, ring: str = ""
    ) -> list[BarrierHandle]:
        """One barrier per stage, `name[0]`.., that expects `count` arrivals per phase.

        `kind` says what it is for: "full" and "empty" barriers of stage s guard the stage's buffer. Left out, it is
        the name if that is one of the two, else "other". `ring` is the ring whose stages they are, where there are
        several: K's and V's of an attention kernel.
        """
        self.whole("stages", stages, 1, MAX_STAGES)
        if ring not in self._rings:
            if len(self._rings) == MAX_RINGS:
                self.fail(tr("the program has more than {most} rings", most=MAX_RINGS))
            self._rings.append(ring)
        return [self._barrier(f"{name}[{stage}]", count, cta, kind or name, stage, ring) for stage in range(stages)]

    def barrier(self, name: str, *, count: int, cta: int = 0) -> BarrierHandle:
        """A barrier that belongs to no stage, such as one of an ordered sequence."""
        return self._barrier(name, count, cta, "other", -1, "")

    def agent(
        self,
        name: str,
        *,
        role: AgentRole = "other",
        cta: int = 0,
        stages: int | None = None,
        phase: int = 0,
        warpgroup: int = -1,
        warp: int | None = None,
        threads: int = WARP_THREADS,
    ) -> AgentBuilder:
        """A warp (or whatever acts as one), with a PipelineState cursor over `stages` that starts in `phase`.

        The cursor is one over the program's first ring; `AgentBuilder.cursor` makes those over others. Without `stages`
        it has 1, and in a program of several rings none is told of. `warpgroup` is that of the CTA which the agent
        belongs to, or acts as; -1: not told. `threads` is how many it counts for at a named barrier: 128 for a whole
        warpgroup. With `warp` it is so many lanes of that warp, as other agents may be.
        """
        if role not in WARP_ROLES:
            self.fail(tr("role is {role!r}; it must be one of {names}", role=role, names=", ".join(WARP_ROLES)))
        self._check_cta(cta)
        start = PipelineState(
            1 if stages is None else self.whole("stages", stages, 1, MAX_STAGES), phase=self.whole("phase", phase, 0, 1)
        )
        full_name = self._prefix(cta) + name
        if any(agent.agent.name == full_name for agent in self._agents):
            self.fail(tr("there is an agent {full_name!r} already; give this one another name", full_name=full_name))
        self.whole("warpgroup", warpgroup, -1, 7)
        if warp is None:
            number = self._warp(cta, warpgroup)
            if self.whole("threads", threads, WARP_THREADS, MAX_THREADS) % WARP_THREADS:
                self.fail(tr("threads is {threads}; a warp has 32, so it must be a multiple of that", threads=threads))
        else:
            number = self._lanes(cta, self.whole("warp", warp, 0, 31), self.whole("threads", threads, 1, WARP_THREADS))
        table = Agent(full_name, role, cta, number, start, warpgroup=warpgroup)
        made = AgentBuilder(self, table, stages is not None, threads, self._registers)
        self._agents.append(made)
        return made

    def build(self) -> Program:
        """The finished program. An agent that does not say when it leaves does so at its end."""
        if not self._agents:
            self.fail(tr("the program has no agents; make one with .agent(NAME)"))
        rings = tuple(self._rings) or ONE_RING
        for agent in self._agents:
            if why := stage_beyond(agent.agent.name, agent.largest_stage, self._barriers, rings):
                self.fail(why)
        engines = tuple(
            Agent(self._prefix(cta) + self._copy_engine, "copy_engine", cta, -1) for cta in range(self._ctas)
        )
        return Program(
            name=self._name,
            config=self._config,
            agents=(
                *(agent.finished(len(rings)) for agent in self._agents),
                *(core.finished() for core in self._tensor_cores.values()),
            ),
            copy_engines=engines,
            barriers=tuple(b if b.stage >= 0 else replace(b, ring=rings[0]) for b in self._barriers),
            sites=tuple(self._sites),
            source_files={n: path.read_text(encoding="utf-8") for n, path in self._files.items() if path.is_file()},
            rings=rings,
            cluster=self._cluster,
        )

    def site(self, op: str) -> int:
        """The row of the site that stands for the line of the user's file that is being run, for operation `op`."""
        self._operations += 1
        if self._operations > most_operations():
            self.fail(
                tr(
                    "the program has more than {max_operations} operations; use fewer tiles or agents",
                    max_operations=most_operations(),
                )
            )
        path, line = calling_line()
        site = Site(path.name, line, op)
        if site not in self._sites:
            if len(self._sites) == _MAX_SITES:
                self.fail(
                    tr("operations come from more than {max_sites} lines; write them in loops", max_sites=_MAX_SITES)
                )
            if self._files.setdefault(path.name, path) != path:
                self.fail(tr("two files are called {name}; rename one of them", name=path.name))
            self._sites[site] = len(self._sites)
        return self._sites[site]

    def row_of(self, barrier: object) -> int:
        """The row of a barrier that this builder made."""
        if isinstance(barrier, list):
            self.fail(tr("this is a list of barriers, one per stage; choose one of them, such as full[agent.index]"))
        if not isinstance(barrier, BarrierHandle) or barrier.owner is not self:
            self.fail(
                tr(
                    "{barrier!r} is not a barrier of this program; make one with .barriers(...) or .barrier(...)",
                    barrier=barrier,
                )
            )
        return barrier.row

    def ring_row(self, ring: object) -> int:
        """The row of the ring of this name, which must have barriers; None: the first or only ring's."""
        if ring is None:
            return 0
        if ring not in self._rings:
            self.fail(
                tr(
                    "there is no ring {ring!r}; make its barriers first, with .barriers(..., ring={ring!r})",
                    ring=ring,
                )
            )
        return self._rings.index(str(ring))

    def ring_of(self, row: int) -> str | None:
        """The ring that the barrier belongs to with its stage; None if it has none."""
        barrier = self._barriers[row]
        return barrier.ring if barrier.stage >= 0 else None

    def init_count(self, row: int) -> int:
        return self._barriers[row].init_count

    def cta_of(self, row: int) -> int:
        return self._barriers[row].cta

    def check_reach(self, cta: int, row: int) -> None:
        """Refuse a barrier of another cluster than the CTA's."""
        theirs = self._barriers[row].cta
        if self._cluster and theirs // self._cluster != cta // self._cluster:
            self.fail(tr("{barrier} is of another cluster, which nobody reaches", barrier=self._barriers[row].name))

    def tensor_core(self, cta: int, warp: str) -> TensorCore:
        """The CTA's tensor core, which works for the agent that handed it something first."""
        if cta not in self._tensor_cores:
            table = Agent(self._prefix(cta) + "tensor_core", "tensor_core", cta, -1)
            self._tensor_cores[cta] = TensorCore(table, warp)
        return self._tensor_cores[cta]

    def barriers_of(self, cta: int) -> list[BarrierHandle]:
        """All barriers of a CTA so far, in the order they were made."""
        return [BarrierHandle(self, row) for row, barrier in enumerate(self._barriers) if barrier.cta == cta]

    def whole(self, what: str, value: object, low: int, high: int) -> int:
        """`value` if it is a whole number within limits."""
        if not isinstance(value, int) or isinstance(value, bool):
            self.fail(tr("{what} must be a whole number, not {value!r}", what=what, value=value))
        if not low <= value <= high:
            self.fail(tr("{what} is {value}; it must be {low}..{high}", what=what, value=value, low=low, high=high))
        return value

    def fail(self, why: str) -> NoReturn:
        path, line = calling_line()
        raise ProgramError(f"{path}:{line}: {why}")

    def named_barrier(self, cta: int, id: int, threads: int) -> None:
        """Note how many threads (0: all of the CTA) a named barrier counts: everywhere the same."""
        if threads % WARP_THREADS:
            self.fail(tr("threads is {threads}; a warp has 32, so it must be a multiple of that", threads=threads))
        before = self._named.setdefault((cta, id), threads)
        if before != threads:
            self.fail(
                tr(
                    "named barrier {id} counts {threads} threads here and {before} elsewhere (0: the whole CTA); all"
                    " that meet there must give the same number",
                    id=id,
                    threads=threads,
                    before=before,
                )
            )

    def _clusters_of(self, cluster: object) -> int:
        size = self.whole("cluster", cluster, 1, 16)
        if self._ctas % size:
            self.fail(tr("{ctas} CTAs are no whole number of clusters of {cluster}", ctas=self._ctas, cluster=size))
        self._config["cluster"] = size
        return size

    def _lanes(self, cta: int, warp: int, lanes: int) -> int:
        """The warp, if it has so many lanes that no agent is."""
        taken = sum(other.threads for other in self._agents if (other.agent.cta, other.agent.warp) == (cta, warp))
        if taken + lanes > WARP_THREADS:
            self.fail(tr("warp {warp} has 32 lanes, of which {taken} are agents already", warp=warp, taken=taken))
        return warp

    def _warp(self, cta: int, warpgroup: int) -> int:
        """The warp that the next agent of the CTA is: the next one, in its warpgroup if that is told."""
        if warpgroup < 0:
            taken = {agent.agent.warp for agent in self._agents if agent.agent.cta == cta}
            return next(warp for warp in range(len(taken) + 1) if warp not in taken)
        members = sum((agent.agent.cta, agent.agent.warpgroup) == (cta, warpgroup) for agent in self._agents)
        if members == WARPGROUP_WARPS:
            self.fail(tr("warpgroup {warpgroup} has 4 agents already, as many as it has warps", warpgroup=warpgroup))
        return warpgroup * WARPGROUP_WARPS + members

    def _barrier(self, name: str, count: int, cta: int, kind: str, stage: int, ring: str) -> BarrierHandle:
        self._check_cta(cta)
        self.whole("count", count, 1, MAX_COUNT)
        full_name = self._prefix(cta) + name
        if any(barrier.name == full_name for barrier in self._barriers):
            self.fail(tr("there is a barrier {full_name!r} already; give this one another name", full_name=full_name))
        known: BarrierKind = "full" if kind == "full" else "empty" if kind == "empty" else "other"
        offset = sum(barrier.cta == cta for barrier in self._barriers) * BARRIER_BYTES
        self._barriers.append(Barrier(full_name, cta, known, stage, count, offset, ring=ring))
        return BarrierHandle(self, len(self._barriers) - 1)

    def _check_cta(self, cta: int) -> None:
        self.whole("cta", cta, 0, self._ctas - 1)

    def _prefix(self, cta: int) -> str:
        return f"CTA{cta}." if self._ctas > 1 else ""
