"""The pipeline of an attention kernel (FlashAttention-3's shape): kernels/attention.cu, forward.

A producer warp loads Q once, then the tiles of K and V in turn, each through a ring of its own as soon as that has
room. Two consumer warpgroups have one half of Q's rows each; each reads every tile of K for S = QK^T, then, a softmax
later, the tile of V for O = PV. The rings need not be equally long: here V's is longer, as V is wanted later than K. An
ordered sequence of barriers gives the tensor cores to the warpgroups in turns, so that one's softmax runs beside the
other's wgmma; and a warpgroup has the products of the next K and of the last V under way together.
"""

from __future__ import annotations

from visualizer.language import tr
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.cursor import Cursor
from visualizer.programs.errors import ProgramError
from visualizer.programs.parameters import BOX_COLUMNS, ELEMENT_BYTES, LessonConfig
from visualizer.programs.program import Program
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES

NAME = "attention"
K_STAGES = 2
V_STAGES = 3
WARPGROUPS = 2
WARPS = 4
"""Of a warpgroup; one lane of each arrives."""
_WARPGROUP_ROWS = 64  # rows of Q that one warpgroup's wgmma takes
_SOFTMAX_NS = 200

Barriers = list[BarrierHandle]


def attention(config: LessonConfig | None = None) -> Program:
    """Agents producer, consumer.wg1, consumer.wg2 and tma; rings k, v and q. ProgramError if the tiles do not fit.

    Each consumer stands for the four warps of its warpgroup.
    """
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
    b = Builder(NAME, config=sizes | {"k_stages": K_STAGES, "v_stages": V_STAGES}, registers=168)
    k_full = b.barriers("k_full", K_STAGES, count=1, kind="full", ring="k")
    k_empty = b.barriers("k_empty", K_STAGES, count=WARPGROUPS * WARPS, kind="empty", ring="k")
    v_full = b.barriers("v_full", V_STAGES, count=1, kind="full", ring="v")
    v_empty = b.barriers("v_empty", V_STAGES, count=WARPGROUPS * WARPS, kind="empty", ring="v")
    (q_full,) = b.barriers("q_full", 1, count=1, kind="full", ring="q")
    turn = [b.barrier(f"turn[{number}]", count=WARPS) for number in range(WARPGROUPS)]

    p = b.agent("producer", role="producer", stages=K_STAGES, phase=1, warpgroup=0, threads=128)
    v = p.cursor("v", stages=V_STAGES, phase=1)
    q = p.cursor("q", stages=1, phase=1)
    p.init_all()
    p.sync()
    p.setmaxnreg_dec(40)
    p.arrive_expect_tx(q_full, q_bytes)  # its buffer is filled once, so nobody has to say that it is empty
    boxes = c.tile_columns // BOX_COLUMNS
    for _ in range(WARPGROUPS * boxes):
        p.copy(q_full, q.index, q_bytes // (WARPGROUPS * boxes))
    for _ in p.tiles(c.tiles):
        _load(p, p, k_full, k_empty, c.tile_bytes, boxes)
        _load(p, v, v_full, v_empty, c.tile_bytes, boxes)
    _tail(p, p, k_empty)
    _tail(p, v, v_empty)

    for number in range(WARPGROUPS):
        w = b.agent(f"consumer.wg{number + 1}", role="consumer", stages=K_STAGES, warpgroup=number + 1, threads=128)
        v = w.cursor("v", stages=V_STAGES)
        q = w.cursor("q", stages=1)
        w.sync()
        w.setmaxnreg_inc(232)
        w.wait(q_full, q.phase)
        for tile in range(c.tiles + 1):
            if tile < c.tiles:  # S = QK^T
                w.tile = tile
                w.wait(k_full[w.index], w.phase)
                w.wait(turn[number], (tile + 1 - number) & 1)  # a fresh barrier lets parity 1 pass: the first warpgroup
                w.read_async(q.index, q_bytes // WARPGROUPS, ring="q")
                w.read_async(w.index, c.tile_bytes, ring="k")
                w.wgmma_commit()
            if tile > 0:  # O = PV, of the tile before
                w.tile = tile - 1
                w.wait(v_full[v.index], v.phase)
                w.read_async(v.index, c.tile_bytes, ring="v")
                w.wgmma_commit()
            if tile < c.tiles:
                w.tile = tile
                w.arrive(turn[1 - number], WARPS)
                w.wgmma_wait(keep=min(tile, 1))  # the scores are there
                _release(w, w, k_empty)
                w.delay(_SOFTMAX_NS)
            if tile > 0:
                w.tile = tile - 1
                w.wgmma_wait()
                _release(w, v, v_empty)
        w.tile = -1
        w.delay(_SOFTMAX_NS)  # from registers into the buffer of Q's rows, which nobody needs any more
        w.fence_proxy()
        w.bar_sync(number + 1, w.threads)
        w.store_commit()
        w.store_wait()
    return b.build()


def _load(p: AgentBuilder, at: AgentBuilder | Cursor, full: Barriers, empty: Barriers, size: int, boxes: int) -> None:
    p.wait(empty[at.index], at.phase)
    p.arrive_expect_tx(full[at.index], size)
    for _ in range(boxes):
        p.copy(full[at.index], at.index, size // boxes)
    at.advance()


def _tail(p: AgentBuilder, at: AgentBuilder | Cursor, empty: Barriers) -> None:
    for _ in empty:
        p.wait(empty[at.index], at.phase)
        at.advance()


def _release(w: AgentBuilder, at: AgentBuilder | Cursor, empty: Barriers) -> None:
    w.arrive(empty[at.index], WARPS)
    at.advance()
