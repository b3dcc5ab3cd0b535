"""The pipeline of an attention kernel (FlashAttention-3's shape): kernels/attention.cu, forward.

A producer warp loads Q once, then the tiles of K and V in turn, each through a ring of its own as soon as that has
room. Two consumer warpgroups have one half of Q's rows each; each reads every tile of K for S = QK^T, then, a softmax
later, the tile of V for O = PV. The rings need not be equally long: here V's is longer, as V is wanted later than K. An
ordered sequence of barriers gives the tensor cores to the warpgroups in turns, so that one's softmax runs beside the
other's wgmma; and a warpgroup has the products of the next K and of the last V under way together.
"""

from __future__ import annotations

from visualizer.language import mark, tr
from visualizer.programs.agent_builder import AgentBuilder, BarrierHandle
from visualizer.programs.builder import Builder
from visualizer.programs.cursor import Cursor
from visualizer.programs.errors import ProgramError
from visualizer.programs.parameters import BOX_COLUMNS, ELEMENT_BYTES, check_tile, of_lesson
from visualizer.programs.program import Parameter, Program
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES

NAME = "attention"
TILES, TILE_ROWS, TILE_COLUMNS = 8, 128, 64
K_STAGES = 2
V_STAGES = 3
PARAMETERS = (
    of_lesson("tiles", default=TILES),
    of_lesson("tile_rows", default=TILE_ROWS),
    of_lesson("tile_columns", default=TILE_COLUMNS),
    Parameter("k_stages", mark("Stages of K"), 1, 8, "", mark("stages of K's ring"), K_STAGES, ring="k"),
    Parameter("v_stages", mark("Stages of V"), 1, 8, "", mark("stages of V's ring"), V_STAGES, ring="v"),
)
WARPGROUPS = 2
WARPS = 4
"""Of a warpgroup; one lane of each arrives."""
_WARPGROUP_ROWS = 64  # rows of Q that one warpgroup's wgmma takes
_SOFTMAX_NS = 200

Barriers = list[BarrierHandle]


def check(tiles: int, tile_rows: int, tile_columns: int, k_stages: int, v_stages: int) -> None:
    """ProgramError if a CTA has not the shared memory for the tiles of its rings, or no TMA could bring one."""
    check_tile(tile_rows, tile_columns)
    needed = _q_bytes(tile_columns) + (k_stages + v_stages) * _tile_bytes(tile_rows, tile_columns)
    if needed > MAX_DYNAMIC_BYTES:
        raise ProgramError(
            tr(
                "--k-stages {k_stages} and --v-stages {v_stages} with --tile {tile_rows}x{tile_columns}: {name} needs"
                " {needed} bytes of shared memory for Q and its rings; a CTA has {max_dynamic_bytes}: use fewer stages"
                " or a smaller tile",
                k_stages=k_stages,
                v_stages=v_stages,
                tile_rows=tile_rows,
                tile_columns=tile_columns,
                name=NAME,
                needed=needed,
                max_dynamic_bytes=MAX_DYNAMIC_BYTES,
            )
        )


def attention(
    tiles: int = TILES,
    tile_rows: int = TILE_ROWS,
    tile_columns: int = TILE_COLUMNS,
    k_stages: int = K_STAGES,
    v_stages: int = V_STAGES,
) -> Program:
    """Agents producer, consumer.wg1, consumer.wg2 and tma; rings k, v and q.

    Each consumer stands for the four warps of its warpgroup.
    """
    tile_bytes, q_bytes = _tile_bytes(tile_rows, tile_columns), _q_bytes(tile_columns)
    sizes = {"tiles": tiles, "tile_rows": tile_rows, "tile_columns": tile_columns}
    b = Builder(NAME, config=sizes | {"k_stages": k_stages, "v_stages": v_stages}, registers=168)
    k_full = b.barriers("k_full", k_stages, count=1, kind="full", ring="k")
    k_empty = b.barriers("k_empty", k_stages, count=WARPGROUPS * WARPS, kind="empty", ring="k")
    v_full = b.barriers("v_full", v_stages, count=1, kind="full", ring="v")
    v_empty = b.barriers("v_empty", v_stages, count=WARPGROUPS * WARPS, kind="empty", ring="v")
    (q_full,) = b.barriers("q_full", 1, count=1, kind="full", ring="q")
    turn = [b.barrier(f"turn[{number}]", count=WARPS) for number in range(WARPGROUPS)]

    p = b.agent("producer", role="producer", stages=k_stages, phase=1, warpgroup=0, threads=128)
    v = p.cursor("v", stages=v_stages, phase=1)
    q = p.cursor("q", stages=1, phase=1)
    p.init_all()
    p.sync()
    p.setmaxnreg_dec(40)
    p.arrive_expect_tx(q_full, q_bytes)  # its buffer is filled once, so nobody has to say that it is empty
    boxes = tile_columns // BOX_COLUMNS
    for _ in range(WARPGROUPS * boxes):
        p.copy(q_full, q.index, q_bytes // (WARPGROUPS * boxes))
    for _ in p.tiles(tiles):
        _load(p, p, k_full, k_empty, tile_bytes, boxes)
        _load(p, v, v_full, v_empty, tile_bytes, boxes)
    _tail(p, p, k_empty)
    _tail(p, v, v_empty)

    for number in range(WARPGROUPS):
        w = b.agent(f"consumer.wg{number + 1}", role="consumer", stages=k_stages, warpgroup=number + 1, threads=128)
        v = w.cursor("v", stages=v_stages)
        q = w.cursor("q", stages=1)
        w.sync()
        w.setmaxnreg_inc(232)
        w.wait(q_full, q.phase)
        for tile in range(tiles + 1):
            if tile < tiles:  # S = QK^T
                w.tile = tile
                w.wait(k_full[w.index], w.phase)
                w.wait(turn[number], (tile + 1 - number) & 1)  # a fresh barrier lets parity 1 pass: the first warpgroup
                w.read_async(q.index, q_bytes // WARPGROUPS, ring="q")
                w.read_async(w.index, tile_bytes, ring="k")
                w.wgmma_commit()
            if tile > 0:  # O = PV, of the tile before
                w.tile = tile - 1
                w.wait(v_full[v.index], v.phase)
                w.read_async(v.index, tile_bytes, ring="v")
                w.wgmma_commit()
            if tile < tiles:
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


def _q_bytes(tile_columns: int) -> int:
    return WARPGROUPS * _WARPGROUP_ROWS * tile_columns * ELEMENT_BYTES


def _tile_bytes(rows: int, columns: int) -> int:
    return rows * columns * ELEMENT_BYTES


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
