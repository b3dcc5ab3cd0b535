"""The loads of an attention kernel (FlashAttention-3's shape): Q once, then K and V, each through a ring of its own.

A producer warp loads the tiles of K and V in turn, each into its ring as soon as that has room. Two consumer warpgroups
have one half of Q's rows each; each reads every tile of K for S = QK^T, then the tile of V for O = PV. The rings need
not be equally long: here V's is longer, as V is wanted a softmax later than K. Named barriers give the tensor cores to
the warpgroups in turns, so that one's softmax runs beside the other's wgmma.
"""

from __future__ import annotations

from visualizer.language import tr
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.cursor import Cursor
from visualizer.programs.parameters import ELEMENT_BYTES, LessonConfig
from visualizer.programs.program import Program, ProgramError
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES

NAME = "attention"
K_STAGES = 2
V_STAGES = 3
WARPGROUPS = 2
"""Consumer warpgroups; one thread of each arrives."""
_WARPGROUP_ROWS = 64  # rows of Q that one warpgroup's wgmma takes
_SOFTMAX_NS = 200
_TURN = 1
"""The named barrier of the first warpgroup's turn; the second's follows."""

Barriers = list[BarrierHandle]


def attention(config: LessonConfig | None = None) -> Program:
    """Agents producer, consumer.wg1, consumer.wg2 and tma; rings k, v and q. ProgramError if the tiles do not fit."""
    c = config or LessonConfig()
    q_bytes = WARPGROUPS * _WARPGROUP_ROWS * c.tile_columns * ELEMENT_BYTES
    needed = q_bytes + (K_STAGES + V_STAGES) * c.tile_bytes
    if needed > MAX_DYNAMIC_BYTES:
        raise ProgramError(
            tr(
                "--tile {tile_rows}x{tile_columns}: {name} needs {needed} bytes of shared memory for Q and its rings; a"
                " CTA has {max_dynamic_bytes}: use a smaller tile",
                tile_rows=c.tile_rows,
                tile_columns=c.tile_columns,
                name=NAME,
                needed=needed,
                max_dynamic_bytes=MAX_DYNAMIC_BYTES,
            )
        )
    sizes = {"tiles": c.tiles, "tile_rows": c.tile_rows, "tile_columns": c.tile_columns}
    b = Builder(NAME, config=sizes | {"k_stages": K_STAGES, "v_stages": V_STAGES})
    k_full = b.barriers("k_full", K_STAGES, count=1, kind="full", ring="k")
    k_empty = b.barriers("k_empty", K_STAGES, count=WARPGROUPS, kind="empty", ring="k")
    v_full = b.barriers("v_full", V_STAGES, count=1, kind="full", ring="v")
    v_empty = b.barriers("v_empty", V_STAGES, count=WARPGROUPS, kind="empty", ring="v")
    (q_full,) = b.barriers("q_full", 1, count=1, kind="full", ring="q")

    p = b.agent("producer", role="producer", stages=K_STAGES, phase=1, warpgroup=0)
    v = p.cursor("v", stages=V_STAGES, phase=1)
    q = p.cursor("q", stages=1, phase=1)
    p.init_all()
    p.sync()
    p.arrive_expect_tx(q_full, q_bytes)  # its buffer is filled once, so nobody has to say that it is empty
    p.copy(q_full, q.index, q_bytes)
    for _ in p.tiles(c.tiles):
        _load(p, p, k_full, k_empty, c.tile_bytes)
        _load(p, v, v_full, v_empty, c.tile_bytes)
    p.exit()

    for number in range(1, WARPGROUPS + 1):
        w = b.agent(f"consumer.wg{number}", role="consumer", stages=K_STAGES, warpgroup=number, threads=128)
        v = w.cursor("v", stages=V_STAGES)
        q = w.cursor("q", stages=1)
        w.sync()
        w.wait(q_full, q.phase)
        w.read(q.index, q_bytes // WARPGROUPS, ring="q")  # into registers
        own, other = _TURN + number - 1, _TURN + WARPGROUPS - number
        threads = WARPGROUPS * w.threads
        if number > 1:
            w.bar_arrive(other, threads)  # the first turn is the first warpgroup's
        for tile in w.tiles(c.tiles):
            w.bar_sync(own, threads)
            _use(w, w, "k", k_full, k_empty, c.tile_bytes)
            if number == 1 or tile + 1 < c.tiles:
                w.bar_arrive(other, threads)
            w.delay(_SOFTMAX_NS)
            _use(w, v, "v", v_full, v_empty, c.tile_bytes)
        w.exit()
    return b.build()


def _load(p: AgentBuilder, at: AgentBuilder | Cursor, full: Barriers, empty: Barriers, size: int) -> None:
    p.wait(empty[at.index], at.phase)
    p.arrive_expect_tx(full[at.index], size)
    p.copy(full[at.index], at.index, size)
    at.advance()


def _use(w: AgentBuilder, at: AgentBuilder | Cursor, ring: str, full: Barriers, empty: Barriers, size: int) -> None:
    """Both warpgroups need the whole tile: each multiplies its own rows with it."""
    w.wait(full[at.index], at.phase)
    w.read_async(at.index, size, ring=ring)
    w.wgmma_commit()
    w.wgmma_wait()
    w.arrive(empty[at.index])
    at.advance()
