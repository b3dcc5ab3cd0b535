"""The kernels as data: what each takes, how it is launched, and what it should come to. Knows no CUDA."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES
from visualizer.sources.errors import SourceError
from visualizer.sources.pipelines.reference import (
    CONSUMER_THREADS,
    attention_error,
    multiply_transposed,
    tile_words,
    walk_sums,
)
from visualizer.sources.pipelines.storage import (
    BOX_BYTES,
    BOX_COLUMNS,
    TILE_ROWS,
    attention_bytes,
    gemm_bytes,
    multicast_bytes,
    pingpong_bytes,
)

COMMON_FAULTS = ("F01", "F03", "F06", "F20")
MOST_STAGES = 8
LATE_STAGES = 2
"""The fewest with which a stage can be released one tile late, when the next is being waited for."""
HEAD = 128
_WARPGROUPS_THREADS = 384  # a producer warpgroup and two that consume
_ATTENTION_TOLERANCE = 0.01  # of the greatest value: weights are rounded to halves


@dataclass(frozen=True, slots=True)
class Parameter:
    """A size that can be chosen: a multiple of `multiple` up to `most`, or one of `choices`."""

    default: int
    recorded: int  # the default where it is recorded: a recording of some hundred kilobytes tells as much
    multiple: int = 1
    choices: tuple[int, ...] = ()
    most: int = 1 << 14
    least: int = 1


@dataclass(frozen=True, slots=True)
class Boxes:
    """An argument: the tensor map of a matrix, in boxes of `rows` rows of 64 halves."""

    array: str
    rows: int


@dataclass(frozen=True, eq=False)
class Launch:
    """A launch on given data."""

    arrays: Mapping[str, NDArray[Any]]  # copied to the GPU
    arguments: tuple[Boxes | str | int, ...]  # a tensor map, the address of an array, a 32-bit number
    result: str  # the array that the kernel writes
    wrong: Callable[[NDArray[Any]], int]  # how many of the result's values are not what they should be
    grid: tuple[int, int]
    threads: int
    shared_bytes: int
    defines: tuple[str, ...] = ()
    flop: float = 0.0
    bytes_loaded: float = 0.0  # into shared memory


@dataclass(frozen=True, slots=True)
class PipelineKernel:
    """kernels/NAME.cu, whose kernel has the file's name."""

    name: str
    parameters: Mapping[str, Parameter]
    faults: tuple[str, ...]  # that can be compiled in; all of them hang
    prepare: Callable[[Mapping[str, int]], Launch]
    shared_bytes: Callable[[Mapping[str, int]], int]  # of its SharedStorage
    tiles: Callable[[Mapping[str, int]], int]  # that go through a ring of a CTA
    rings: Mapping[str, str]  # by the parameter that counts its stages, a ring as attach names it: by who loads it
    library: Literal["", "matmul", "attention"] = ""  # what torch has of the same

    def check(self, values: Mapping[str, int]) -> None:
        """SourceError names the parameter that is wrong; nothing is prepared."""
        for name, value in values.items():
            if name not in self.parameters:
                raise SourceError(tr("{name} has no parameter {parameter}", name=self.name, parameter=f"--{name}"))
            self._check(name, value)
        complete = self.complete(values)
        ctas, cluster = complete.get("ctas", 1), complete.get("cluster", 1)
        if ctas % cluster:
            raise SourceError(
                tr("--ctas is {ctas}, which is no multiple of the cluster's {cluster} CTAs", ctas=ctas, cluster=cluster)
            )
        if (needed := self.shared_bytes(complete)) > MAX_DYNAMIC_BYTES:
            raise SourceError(
                tr(
                    "{stages}: {name} needs {needed} bytes of shared memory for so many stages, and a CTA has {most}:"
                    " use fewer",
                    stages=" ".join(f"--{one} {complete[one]}" for one in self.rings),
                    name=self.name,
                    needed=needed,
                    most=MAX_DYNAMIC_BYTES,
                )
            )

    def launch(self, values: Mapping[str, int]) -> Launch:
        """With the defaults for what `values` leaves out. SourceError as of `check`."""
        self.check(values)
        complete = self.complete(values)
        return replace(self.prepare(complete), defines=self.defines(complete))

    def defines(self, values: Mapping[str, int]) -> tuple[str, ...]:
        """The options of the compiler that say what is fixed in a build, of complete values."""
        return tuple(
            f"-DPHASESCOPE_{name.replace('-', '_').upper()}={values[name]}"
            for name in ("cluster", *self.rings)
            if name in values
        )

    def stages_of(self, ring: str) -> str:
        """The parameter that counts the stages of this ring; "": the only one. SourceError: there is none."""
        for name, title in self.rings.items():
            if ring in ("", title) and (ring or len(self.rings) == 1):
                return name
        raise SourceError(
            tr(
                "{name} cannot be run with other stages of ring {ring!r}; of its rings it can choose those of {rings}",
                name=self.name,
                ring=ring,
                rings=", ".join(self.rings.values()),
            )
        )

    def recorded(self, values: Mapping[str, int]) -> dict[str, int]:
        """With the sizes of a recording for what is left out."""
        return {name: one.recorded for name, one in self.parameters.items()} | dict(values)

    def complete(self, values: Mapping[str, int]) -> dict[str, int]:
        """With the defaults for what is left out."""
        return {name: one.default for name, one in self.parameters.items()} | dict(values)

    def _check(self, name: str, value: int) -> None:
        wanted = self.parameters[name]
        if wanted.choices and value not in wanted.choices:
            raise SourceError(
                tr(
                    "--{parameter} is {value}; {name} takes {choices}",
                    parameter=name,
                    value=value,
                    name=self.name,
                    choices=", ".join(map(str, wanted.choices)),
                )
            )
        if wanted.multiple == 1 and not wanted.least <= value <= wanted.most:
            raise SourceError(
                tr(
                    "--{parameter} is {value}; {name} takes {least} to {most}",
                    parameter=name,
                    value=value,
                    name=self.name,
                    least=wanted.least,
                    most=wanted.most,
                )
            )
        if not 1 <= value <= wanted.most or value % wanted.multiple:
            raise SourceError(
                tr(
                    "--{parameter} is {value}; {name} takes multiples of {multiple}, from {multiple} to {most}",
                    parameter=name,
                    value=value,
                    name=self.name,
                    multiple=wanted.multiple,
                    most=wanted.most,
                )
            )


def find_kernel(name: str) -> PipelineKernel:
    """SourceError if there is none of that name."""
    for kernel in KERNELS:
        if kernel.name == name:
            return kernel
    raise SourceError(
        tr("there is no kernel {name}; there are {names}", name=name, names=", ".join(one.name for one in KERNELS))
    )


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
        multicast_bytes(values),
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
        pingpong_bytes(values) if persistent else gemm_bytes(values),
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
        attention_bytes(values),
        flop=4.0 * heads * length * length * HEAD,
    )


KERNELS = (
    PipelineKernel(
        "multicast",
        {
            "cluster": Parameter(2, 4, choices=(1, 2, 4)),
            "ctas": Parameter(128, 4),
            "tiles": Parameter(256, 12),
            "source-tiles": Parameter(64, 64, most=1 << 10),
            "stages": Parameter(3, 3, most=MOST_STAGES),
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
            "m": Parameter(4096, 256, TILE_ROWS),
            "n": Parameter(4096, 512, 256),
            "k": Parameter(4096, 1024, BOX_COLUMNS),
            "stages": Parameter(4, 4, least=LATE_STAGES, most=MOST_STAGES),
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
            "m": Parameter(4096, 512, TILE_ROWS),
            "n": Parameter(4096, 256, TILE_ROWS),
            "k": Parameter(4096, 1024, BOX_COLUMNS),
            "ctas": Parameter(132, 2),
            "stages": Parameter(5, 5, least=LATE_STAGES, most=MOST_STAGES),
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
            "heads": Parameter(16, 1, most=256),
            "length": Parameter(4096, 1024, TILE_ROWS),
            "k-stages": Parameter(2, 2, most=MOST_STAGES),
            "v-stages": Parameter(3, 3, most=MOST_STAGES),
        },
        (*COMMON_FAULTS, "F48"),
        _attention,
        attention_bytes,
        lambda values: values["length"] // TILE_ROWS,
        {"k-stages": "load_k", "v-stages": "load_v"},
        "attention",
    ),
)
