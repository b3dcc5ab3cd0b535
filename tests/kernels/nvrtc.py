"""Compiles the kernels without a GPU, with whichever NVRTC the nvidia-cuda-nvrtc package brought."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from pathlib import Path

from visualizer.resources import resource_dir
from visualizer.trace.raw import LOG_LEVELS, LogLevel


@functools.cache
def _library() -> ctypes.CDLL:
    spec = importlib.util.find_spec("nvidia")
    assert spec is not None, "the test extra installs nvidia-cuda-nvrtc"
    assert spec.submodule_search_locations is not None
    found = [path for root in spec.submodule_search_locations for path in Path(root).rglob("libnvrtc.so.*")]
    assert found, "nvidia-cuda-nvrtc is installed without its library"
    return ctypes.CDLL(str(found[0]))


@functools.cache
def compile_ptx(stages: int, *, level: LogLevel, exact: bool, fault: int = 0, probe: int = 0) -> str:
    """The PTX of kernels/async_pipeline.cu for sm_90a, compiled as the worker does. AssertionError with the log."""
    return compile_kernel(
        "async_pipeline.cu",
        f"-DPHASESCOPE_STAGES={stages}",
        f"-DPHASESCOPE_LOG={LOG_LEVELS.index(level)}",
        f"-DPHASESCOPE_EXACT={int(exact)}",
        f"-DPHASESCOPE_FAULT={fault}",
        f"-DPHASESCOPE_PROBE={probe}",
    )


@functools.cache
def compile_kernel(file: str, *defines: str) -> str:
    """The PTX of a file in kernels/ for sm_90a. AssertionError with the log, also for a mere warning."""
    nvrtc = _library()
    kernels = resource_dir("kernels")
    options = ["-arch=sm_90a", "-std=c++20", f"-I{kernels}", *defines]
    program = ctypes.c_void_p()
    source = (kernels / file).read_bytes()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, file.encode(), 0, None, None) == 0
    try:
        arguments = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        status = nvrtc.nvrtcCompileProgram(program, len(options), arguments)
        log = _text(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
        assert status == 0, log
        assert "warning" not in log, log
        return _text(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def entry(ptx: str, name: str) -> str:
    """The body of one kernel."""
    start = ptx.index(f".entry {name}(")
    return ptx[start : ptx.index("\n}", start)]


def _text(size_of: ctypes._CFunctionType, get: ctypes._CFunctionType, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    assert size_of(program, ctypes.byref(size)) == 0
    buffer = ctypes.create_string_buffer(size.value)
    assert get(program, buffer) == 0
    return buffer.value.decode()
