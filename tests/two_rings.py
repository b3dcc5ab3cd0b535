"""Random pipelines with a K and a V ring of their own, for the tests of rings."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from visualizer.programs.agent_builder import AgentBuilder
from visualizer.programs.builder import Builder
from visualizer.programs.cursor import Cursor
from visualizer.programs.program import Program

BYTES = 4096


@dataclass(frozen=True)
class TwoRings:
    """Sizes and habits of one such pipeline, each sound in every schedule."""

    k_stages: int = 2
    v_stages: int = 3
    tiles: int = 4
    consumers: int = 2
    is_asynchronous: bool = False  # consumers read as wgmma does
    tries: bool = False  # each wait is tried once before
    writes: bool = False  # the producer writes V itself, after a proxy fence
    split: bool = False  # expect_tx, then a plain arrive

    def program(self) -> Program:
        b = Builder("two-rings")
        stages = {"k": self.k_stages, "v": self.v_stages}
        full = {ring: b.barriers(f"{ring}_full", n, count=1, kind="full", ring=ring) for ring, n in stages.items()}
        empty = {
            ring: b.barriers(f"{ring}_empty", n, count=self.consumers, kind="empty", ring=ring)
            for ring, n in stages.items()
        }
        p = b.agent("P", role="producer", stages=self.k_stages, phase=1)
        cursors: dict[str, AgentBuilder | Cursor] = {"k": p, "v": p.cursor("v", stages=self.v_stages, phase=1)}
        p.init_all()
        p.sync()
        for _ in p.tiles(self.tiles):
            for ring, at in cursors.items():
                if self.tries:
                    p.try_wait(empty[ring][at.index], at.phase)
                p.wait(empty[ring][at.index], at.phase)
                if ring == "v" and self.writes:
                    p.write(at.index, BYTES, ring=ring)
                    p.fence_proxy()
                    p.arrive(full[ring][at.index])
                else:
                    if self.split:
                        p.expect_tx(full[ring][at.index], BYTES)
                        p.arrive(full[ring][at.index])
                    else:
                        p.arrive_expect_tx(full[ring][at.index], BYTES)
                    p.copy(full[ring][at.index], at.index, BYTES)
                at.advance()
        for number in range(self.consumers):
            c = b.agent(f"C{number}", role="consumer", stages=self.k_stages)
            cursors = {"k": c, "v": c.cursor("v", stages=self.v_stages)}
            c.sync()
            for _ in c.tiles(self.tiles):
                for ring, at in cursors.items():
                    if self.tries:
                        c.try_wait(full[ring][at.index], at.phase)
                    c.wait(full[ring][at.index], at.phase)
                    if self.is_asynchronous:
                        c.read_async(at.index, BYTES, ring=ring)
                        c.retire_reads()
                    else:
                        c.read(at.index, BYTES, ring=ring)
                    c.arrive(empty[ring][at.index])
                    at.advance()
        return b.build()


two_rings = st.builds(
    TwoRings,
    k_stages=st.integers(1, 4),
    v_stages=st.integers(1, 4),
    tiles=st.integers(1, 9),
    consumers=st.integers(1, 3),
    is_asynchronous=st.booleans(),
    tries=st.booleans(),
    writes=st.booleans(),
    split=st.booleans(),
)
