"""PTX is found in all that a program may load: text, fat binaries compressed or not, cubins with debug information."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from ptx_images import cubin, entry, fat_binary

from visualizer.sources.attach.environment import kept_ptx
from visualizer.sources.attach.ptx_image import NoPtx, Ptx, holds, module_of, modules
from visualizer.sources.errors import SourceError

_SOURCE = """extern "C" __global__ void first(int *p) { p[threadIdx.x] += 1; }
extern "C" __global__ void second(int *p) { p[threadIdx.x] *= 3; }
"""


def text(target: str, *entries: str, lines: bool = False) -> str:
    """A PTX module that defines these kernels."""
    loc = "\t.loc 1 7 0\n" if lines else ""
    return f".version 9.0\n.target {target}\n.address_size 64\n" + "".join(
        f".visible .entry {name}(\n\t.param .u64 p\n)\n{{\n{loc}\tret;\n}}\n" for name in entries
    )


@pytest.mark.parametrize("method", ["", "zstd", "lz4"])
def test_a_fat_binary_holds_a_cubin(method: str) -> None:
    """As CuTe DSL 4.8 wraps what it compiled."""
    one = cubin(text("sm_90a", "gemm")) + b"\1"
    image = fat_binary(entry(1, one), entry(2, b"\x7fELF"), entry(2, one, method))
    assert holds(image, one)
    assert holds(one, one)
    assert not holds(image, one + b"\2")
    assert not holds(image, one[:-1])
    assert not holds(fat_binary(entry(1, one)), one)
    assert not holds(one, one[:-1])


def test_ptx_that_was_kept_beside_a_cubin_which_is_loaded_within_a_fat_binary(tmp_path: Path) -> None:
    cubin = b"\x7fELF and so on"
    (tmp_path / "kernel.cubin").write_bytes(cubin)
    (tmp_path / "kernel.ptx").write_bytes(b"ptx")
    assert kept_ptx(tmp_path, fat_binary(entry(2, cubin))) == b"ptx"
    assert kept_ptx(tmp_path, fat_binary(entry(2, cubin[:-1]))) == b""


@pytest.mark.parametrize("method", ["", "zstd", "lz4"])
def test_ptx_of_a_fat_binary(method: str) -> None:
    ptx = text("sm_90a", "gemm", lines=True)
    found = module_of(modules(fat_binary(entry(2, b"\x7fELF"), entry(1, ptx.encode(), method))), "gemm", 90)
    assert found == Ptx(ptx, "sm_90a", 90)
    assert found.has_lines


def test_ptx_of_a_cubin() -> None:
    ptx = text("sm_90a", "gemm")
    assert module_of(modules(cubin(ptx)), "gemm", 90).text.split() == ptx.split()
    assert module_of(modules(fat_binary(entry(2, cubin(ptx), "zstd"))), "gemm", 90).target == "sm_90a"


def test_the_module_with_line_numbers_is_preferred() -> None:
    with_lines = text("sm_90a", "gemm", lines=True)
    image = fat_binary(entry(2, cubin(text("sm_90a", "gemm"))), entry(1, with_lines.encode()))
    assert module_of(modules(image), "gemm", 90).text == with_lines


@pytest.mark.parametrize(
    ("target", "sm", "runs"),
    [
        ("sm_80", 90, True),
        ("sm_90", 90, True),
        ("sm_90a", 90, True),
        ("sm_90a", 100, False),
        ("sm_100a", 103, False),
        ("sm_100f", 103, True),
        ("sm_100f", 90, False),
        ("sm_120", 90, False),
    ],
)
def test_architectures(target: str, sm: int, runs: bool) -> None:
    image = text(target, "gemm").encode()
    if runs:
        assert module_of(modules(image), "gemm", sm).target == target
    else:
        with pytest.raises(NoPtx, match=f"sm_{sm}a"):
            module_of(modules(image), "gemm", sm)


def test_the_latest_architecture_is_taken() -> None:
    image = fat_binary(*(entry(1, text(target, "gemm").encode()) for target in ("sm_80", "sm_90a", "sm_90")))
    assert module_of(modules(image), "gemm", 90).target == "sm_90a"


def test_a_kernel_of_several_modules() -> None:
    image = fat_binary(entry(1, text("sm_90a", "one", "two").encode()), entry(1, text("sm_90a", "three").encode()))
    assert "three" in module_of(modules(image), "three", 90).text
    module = module_of(modules(image), "one", 90)
    assert module.entry("one").startswith(".entry one")
    assert "two" not in module.entry("one")
    with pytest.raises(NoPtx):
        module_of(modules(image), "tw", 90)


@pytest.mark.parametrize("length", [0, 4, 15, 40, 100])
def test_an_image_that_ends_early_has_no_ptx(length: int) -> None:
    whole = fat_binary(entry(1, text("sm_90a", "gemm").encode()))
    with pytest.raises(NoPtx):
        module_of(modules(whole[:length]), "gemm", 90)
    with pytest.raises(NoPtx):
        module_of(modules(cubin(text("sm_90a", "gemm"))[:length]), "gemm", 90)


def test_damage_is_told() -> None:
    image = bytearray(fat_binary(entry(1, text("sm_90a", "gemm").encode(), "zstd")))
    image[16 + 72 + 8 : 16 + 72 + 24] = bytes(16)
    with pytest.raises(SourceError, match="an image is damaged"):
        list(modules(bytes(image)))


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
@pytest.mark.parametrize("mode", ["default", "size", "speed", "balance", "none"])
def test_what_nvcc_makes(tmp_path: Path, mode: str) -> None:
    (tmp_path / "k.cu").write_text(_SOURCE)
    subprocess.run(
        ["nvcc", "-fatbin", "-lineinfo", f"--compress-mode={mode}", "-arch=sm_90a", "k.cu", "-o", "k.fatbin"],
        cwd=tmp_path,
        check=True,
    )
    found = list(modules((tmp_path / "k.fatbin").read_bytes()))
    assert {module.has_lines for module in found} == {True, False}  # the PTX, and that within the cubin
    assert module_of(found, "second", 90).has_lines
