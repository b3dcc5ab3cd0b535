"""The GPU as a worker finds it: which one, and whether our kernels run on it. Imports CuPy; for worker processes only.

python -m visualizer.sources.runner.device           only says which GPU there is
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from visualizer.language import mark, tr
from visualizer.sources.runner.protocol import Unable, serve

SM90 = (9, 0)
INSTALL = mark(
    'install the extra that matches the driver: pip install "phasescope[gpu-cuda13]" or "phasescope[gpu-cuda12]"'
)


def examine_gpu() -> dict[str, Any]:
    """Which GPU, driver and packages there are. Raises Unable if the lesson cannot run on them."""
    try:
        import cupy
    except ImportError as problem:
        raise Unable(
            "no-cupy", tr("CuPy cannot be imported ({problem}): {install}", problem=problem, install=tr(INSTALL))
        ) from None
    try:
        from cuda.bindings import driver  # noqa: F401
    except ImportError as problem:
        raise Unable(
            "no-cuda-bindings",
            tr("cuda-bindings cannot be imported ({problem}): {install}", problem=problem, install=tr(INSTALL)),
        ) from None
    runtime = cupy.cuda.runtime
    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as problem:
        raise Unable(
            "no-driver",
            tr("no NVIDIA driver answers ({problem}): install one, or record with --source simulator", problem=problem),
        ) from None
    if count == 0:
        raise Unable("no-gpu", tr("this machine has no NVIDIA GPU: record with --source simulator"))
    properties = runtime.getDeviceProperties(0)
    name = properties["name"].decode()
    capability = (properties["major"], properties["minor"])
    if capability != SM90:
        raise Unable(
            "not-sm90",
            tr(
                "{name} has compute capability {capability}; the lesson's kernel needs Hopper (9.0): record with"
                " --source simulator",
                name=name,
                capability=".".join(map(str, capability)),
            ),
        )
    return {
        "gpu": name,
        "driver": _driver_version(),
        "cuda": _cuda_version(runtime.driverGetVersion()),
        "cupy": cupy.__version__,
        "sm_count": int(properties["multiProcessorCount"]),
    }


@contextmanager
def compiling() -> Iterator[None]:
    """A kernel that does not compile is the user's to know of, in the compiler's first line."""
    import cupy

    try:
        yield
    except cupy.cuda.compiler.CompileException as problem:
        raise Unable(
            "compile",
            tr("the kernel does not compile here: {problem}", problem=str(problem).strip().splitlines()[0]),
        ) from None


def tensor_map(matrix: Any, box: tuple[int, int]) -> np.void:
    """The TMA descriptor of a CuPy matrix of halves: 128 bytes, an argument of a kernel.

    Boxes of (rows, columns) with the 128-byte swizzle. RuntimeError if the driver refuses them.
    """
    from cuda.bindings import driver

    (rows, columns), (box_rows, box_columns) = matrix.shape, box
    unsigned, long = driver.cuuint32_t, driver.cuuint64_t
    error, encoded = driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        2,
        matrix.data.ptr,
        [long(columns), long(rows)],
        [long(matrix.strides[0])],
        [unsigned(box_columns), unsigned(box_rows)],
        [unsigned(1), unsigned(1)],
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
        driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(tr("cuTensorMapEncodeTiled refused the tile: {name}", name=error.name))
    descriptor: np.void = np.array([int(word) for word in encoded.opaque], dtype=np.uint64).view("V128")[0]
    return descriptor


def _cuda_version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _driver_version() -> str:
    """The driver's own version as the kernel module tells it; "" where it does not."""
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8")
    except OSError:
        return ""
    words = text.split()
    return next((word for word in words if word[0].isdigit() and "." in word), "")


if __name__ == "__main__":
    sys.exit(serve(lambda job: examine_gpu()))
