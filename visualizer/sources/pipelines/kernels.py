"""The four kernels as data: the sizes of each, the launch that they make, and what it should come to. Knows no CUDA."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from visualizer.language import tr
from visualizer.programs.kernel_storage import (
    BOX_BYTES,
    TILE_ROWS,
    attention_bytes,
    gemm_bytes,
    multicast_bytes,
    pingpong_bytes,
)
from visualizer.programs.parameters import BOX_COLUMNS
from visualizer.programs.registry import parameters_of
from visualizer.sources.errors import SourceError
from visualizer.sources.pipelines.pipeline_kernel import Boxes, Launch, PipelineKernel, Size
from visualizer.sources.pipelines.reference import (
    CONSUMER_THREADS,
    attention_error,
    multiply_transposed,
    tile_words,
    walk_sums,
)

COMMON_FAULTS = ("F01", "F03", "F06", "F20")
HEAD = 128
_WARPGROUPS_THREADS = 384  # a producer warpgroup and two that consume
_ATTENTION_TOLERANCE = 0.01  # of the greatest value: weights are rounded to halves


def _stages(program: str) -> dict[str, Size]:
    """The counts of stages of its rings, as the program of the same name has them."""
    return {
        one.option[2:]: Size(int(one.default), int(one.default), least=one.low, most=one.high)
        for one in parameters_of(program)
        if one.ring is not None
    }


def _multicast(values: Mapping[str, int]) -> Launch:
    cluster, ctas, tiles, source_tiles = (values[name] for name in ("cluster", "ctas", "tiles", "source-tiles"))
    source = np.random.default_rng(1).integers(0, 0x7C00, (source_tiles * TILE_ROWS, BOX_COLUMNS), np.uint16)
    wanted = walk_sums(tile_words(source), np.arange(ctas) // cluster, tiles)
    return Launch(
        {"source": source.view(np.float16), "sums": np.zeros((ctas, CONSUMER_THREADS), np.uint32)},
        (Boxes("source", TILE_ROWS // cluster), "sums", source_tiles, tiles),
        "sums",
        lambda sums: int((sums != wanted).sum()),
        (ctas, 1),
        32 + CONSUMER_THREADS,
        multicast_bytes(values["stages"]),
        bytes_loaded=float(ctas) * tiles * BOX_BYTES,
    )


def _gemm(values: Mapping[str, int], persistent: bool) -> Launch:
    m, n, k = (values[name] for name in ("m", "n", "k"))
    random = np.random.default_rng(2)
    # Whole numbers whose sums halves can hold: every result must be exactly right.
    a, b = (random.integers(-2, 3, (rows, k)).astype(np.float16) for rows in (m, n))
    tile_n = 128 if persistent else 256
    tiles = m // TILE_ROWS * (n // tile_n)
    sizes = (n // tile_n, tiles, k // BOX_COLUMNS) if persistent else (k // BOX_COLUMNS,)
    return Launch(
        {"a": a, "b": b, "c": np.zeros((m, n), np.float16)},
        (Boxes("a", TILE_ROWS), Boxes("b", tile_n), Boxes("c", 64), *sizes),
        "c",
        lambda c: int((c != multiply_transposed(a, b)).sum()),
        (min(values["ctas"], tiles), 1) if persistent else (n // tile_n, m // TILE_ROWS),
        _WARPGROUPS_THREADS,
        (pingpong_bytes if persistent else gemm_bytes)(values["stages"]),
        flop=2.0 * m * n * k,
    )


def _pingpong_tiles(values: Mapping[str, int]) -> int:
    """Of the CTA that has most tiles of results."""
    results = values["m"] // TILE_ROWS * (values["n"] // TILE_ROWS)
    return -(-results // values["ctas"]) * (values["k"] // BOX_COLUMNS)


def _attention(values: Mapping[str, int]) -> Launch:
    heads, length = values["heads"], values["length"]
    random = np.random.default_rng(3)
    q, k, v = (random.standard_normal((heads * length, HEAD), np.float32).astype(np.float16) for _ in range(3))
    return Launch(
        {"q": q, "k": k, "v": v, "o": np.zeros((heads * length, HEAD), np.float16)},
        (Boxes("q", 64), Boxes("k", TILE_ROWS), Boxes("v", TILE_ROWS), Boxes("o", 64), length // TILE_ROWS),
        "o",
        lambda o: attention_error(q, k, v, o, heads, _ATTENTION_TOLERANCE),
        (length // TILE_ROWS, heads),
        _WARPGROUPS_THREADS,
        attention_bytes(values["k-stages"], values["v-stages"]),
        flop=4.0 * heads * length * length * HEAD,
    )


KERNELS = (
    PipelineKernel(
        "multicast",
        {
            "cluster": Size(2, 4, choices=(1, 2, 4)),
            "ctas": Size(128, 4),
            "tiles": Size(256, 12),
            "source-tiles": Size(64, 64, most=1 << 10),
            **_stages("multicast"),
        },
        (*COMMON_FAULTS, "F31"),
        _multicast,
        multicast_bytes,
        lambda values: values["tiles"],
        {"stages": "load"},
    ),
    PipelineKernel(
        "gemm",
        {
            "m": Size(4096, 256, TILE_ROWS),
            "n": Size(4096, 512, 256),
            "k": Size(4096, 1024, BOX_COLUMNS),
            **_stages("gemm"),
        },
        COMMON_FAULTS,
        partial(_gemm, persistent=False),
        gemm_bytes,
        lambda values: values["k"] // BOX_COLUMNS,
        {"stages": "load"},
        "matmul",
    ),
    PipelineKernel(
        "pingpong",
        {
            "m": Size(4096, 512, TILE_ROWS),
            "n": Size(4096, 256, TILE_ROWS),
            "k": Size(4096, 1024, BOX_COLUMNS),
            "ctas": Size(132, 2),
            **_stages("pingpong"),
        },
        (*COMMON_FAULTS, "F48"),
        partial(_gemm, persistent=True),
        pingpong_bytes,
        _pingpong_tiles,
        {"stages": "load"},
        "matmul",
    ),
    PipelineKernel(
        "attention",
        {
            "heads": Size(16, 1, most=256),
            "length": Size(4096, 1024, TILE_ROWS),
            **_stages("attention"),
        },
        (*COMMON_FAULTS, "F48"),
        _attention,
        attention_bytes,
        lambda values: values["length"] // TILE_ROWS,
        {"k-stages": "load_k", "v-stages": "load_v"},
        "attention",
    ),
)


def find_kernel(name: str) -> PipelineKernel:
    """SourceError if there is none of that name."""
    for kernel in KERNELS:
        if kernel.name == name:
            return kernel
    raise SourceError(
        tr("there is no kernel {name}; there are {names}", name=name, names=", ".join(one.name for one in KERNELS))
    )
