"""Compiles the kernels without a GPU, with whichever NVRTC the nvidia-cuda-nvrtc package brought."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Literal

from visualizer.resources import resource_dir
from visualizer.sources.lesson.raw_log import LOG_LEVELS, LogLevel


@functools.cache
def _library() -> ctypes.CDLL:
    spec = importlib.util.find_spec("nvidia")
    assert spec is not None, "the test extra installs nvidia-cuda-nvrtc"
    assert spec.submodule_search_locations is not None
    found = [path for root in spec.submodule_search_locations for path in Path(root).rglob("libnvrtc.so.*")]
    assert found, "nvidia-cuda-nvrtc is installed without its library"
    return ctypes.CDLL(str(found[0]))


@functools.cache
def compile_ptx(
    stages: int, *, level: LogLevel, exact: bool, fault: int = 0, probe: int = 0, bound: bool = False
) -> str:
    """The PTX of kernels/async_pipeline.cu for sm_90a, compiled as the worker does. AssertionError with the log."""
    return compile_kernel("async_pipeline.cu", *_defines(stages, level, exact, fault, probe, bound))


def disassembler() -> Path | None:
    """nvdisasm of the nvidia-cuda-nvdisasm package, if it is installed."""
    spec = importlib.util.find_spec("nvidia")
    roots = spec.submodule_search_locations if spec and spec.submodule_search_locations else []
    return next((path for root in roots for path in Path(root).rglob("bin/nvdisasm")), None)


@functools.cache
def consumer_loop(level: LogLevel, *, bound: bool = False) -> tuple[str, ...]:
    """The machine instructions of a consumer's loop over its tiles, labels left out, in order of address.

    From the test for its first barrier to the branch back, so without code that was moved out of the loop.
    """
    tool = disassembler()
    assert tool is not None
    cubin = _compile("async_pipeline.cu", _defines(3, level, False, 0, 0, bound), "CUBIN")
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        found = subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=True).stdout
    text = found[found.index(".text.async_pipeline:") :]
    lines = re.findall(r"^(\.L_\w+:)|^\s+/\*[0-9a-f]{4,}\*/\s+(.*?) ;", text, re.MULTILINE)
    code = [label or instruction for label, instruction in lines]
    release = next(row for row, line in enumerate(code) if "SYNCS.ARRIVE.TRANS64.A1T0" in line)
    back, target = next(
        (row, match[1]) for row in range(release, len(code)) if (match := re.search(r"BRA `\((\S+)\)", code[row]))
    )
    loop = code[code.index(f"{target}:") : back + 1]
    return tuple(line for line in loop if not line.endswith(":"))


def _defines(stages: int, level: LogLevel, exact: bool, fault: int, probe: int, bound: bool) -> tuple[str, ...]:
    return (
        f"-DPHASESCOPE_STAGES={stages}",
        "-DPHASESCOPE_CONSUMER_WARPS=3",
        "-DPHASESCOPE_TILE_BYTES=16384",
        f"-DPHASESCOPE_LOG={LOG_LEVELS.index(level)}",
        f"-DPHASESCOPE_EXACT={int(exact)}",
        f"-DPHASESCOPE_FAULT={fault}",
        f"-DPHASESCOPE_BOUND={int(bound)}",
        f"-DPHASESCOPE_PROBE={probe}",
    )


@functools.cache
def compile_kernel(file: str, *defines: str, tail: str = "") -> str:
    """The PTX of a file in kernels/, with `tail` behind it, for sm_90a. AssertionError with the log, also for a mere
    warning."""
    return _compile(file, defines, "PTX", tail).decode().rstrip("\0")


def compile_cubin(file: str, *defines: str) -> bytes:
    """The machine code of such a file."""
    return _compile(file, defines, "CUBIN")


def _compile(file: str, defines: tuple[str, ...], form: Literal["PTX", "CUBIN"], tail: str = "") -> bytes:
    nvrtc = _library()
    kernels = resource_dir("kernels")
    options = ["-arch=sm_90a", "-std=c++20", f"-I{kernels}", *defines]
    program = ctypes.c_void_p()
    source = (kernels / file).read_bytes() + tail.encode()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, file.encode(), 0, None, None) == 0
    try:
        arguments = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        status = nvrtc.nvrtcCompileProgram(program, len(options), arguments)
        log = _read(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program).decode().rstrip("\0")
        assert status == 0, log
        assert "warning" not in log, log
        assert "Performance Loss" not in log, log  # wgmma serialised, setmaxnreg ignored
        return _read(getattr(nvrtc, f"nvrtcGet{form}Size"), getattr(nvrtc, f"nvrtcGet{form}"), program)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def entry(ptx: str, name: str) -> str:
    """The body of one kernel."""
    start = ptx.index(f".entry {name}(")
    return ptx[start : ptx.index("\n}", start)]


def _read(size_of: ctypes._CFunctionType, get: ctypes._CFunctionType, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    assert size_of(program, ctypes.byref(size)) == 0
    buffer = ctypes.create_string_buffer(size.value)
    assert get(program, buffer) == 0
    return buffer.raw[: size.value]
