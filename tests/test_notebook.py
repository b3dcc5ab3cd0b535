"""record_kernel: a process that runs already is watched for the length of a block, by a server of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parent / "sources" / "attach"
SCRIPT = """
import ctypes
from visualizer.notebook import record_kernel
from visualizer.sources.errors import SourceError

MODULE = b".version 8.8\\n.target sm_90a\\n.entry gemm\\n mbarrier.nonsense\\n"
module, function = ctypes.c_void_p(), ctypes.c_void_p()

def launch():
    driver = ctypes.CDLL("libcuda.so.1")  # ctypes keeps addresses in its objects, where nobody looks for them
    driver.cuModuleLoadData(ctypes.byref(module), MODULE)
    driver.cuModuleGetFunction(ctypes.byref(function), module, b"gemm")
    driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, None, None)

launch()
for kernel in ("gemm", "fmha"):
    with record_kernel(kernel=kernel) as recording:
        launch()
    try:
        recording.trace
    except SourceError as problem:
        print(kernel, len(recording.paths), problem)
launch()
"""


def test_a_block_watches_and_lets_go(tmp_path: Path) -> None:
    """The driver is one without a GPU, whose kernels no instrument can rewrite: it is refused in words."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    driver = tmp_path / "libcuda.so.1"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", driver, SOURCES / "fake_cuda.c", "-ldl"],
        check=True,
    )
    environment = {
        "LD_LIBRARY_PATH": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "XDG_CACHE_HOME": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    printed = done.stdout.splitlines()
    assert sum(line.startswith("original gemm") for line in printed) == 4
    gemm, fmha = (line for line in printed if not line.startswith("original"))
    assert gemm.startswith("gemm 0 gemm is not recorded: ")
    assert fmha.startswith("fmha 0 no such kernel was launched")
