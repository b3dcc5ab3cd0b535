"""What the kernels are launched with and held against, without a GPU."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from visualizer.children import child_command, child_environment
from visualizer.programs.faults import find_fault
from visualizer.semantics.shared_storage import MAX_DYNAMIC_BYTES
from visualizer.sources.errors import SourceError
from visualizer.sources.pipelines.__main__ import Figures
from visualizer.sources.pipelines.kernels import KERNELS, find_kernel
from visualizer.sources.pipelines.pipeline_kernel import Boxes
from visualizer.sources.pipelines.reference import attend, attention_error, multiply_transposed, tile_words, walk_sums

SMALL = {
    "multicast": {"ctas": 4, "tiles": 5, "source-tiles": 3},
    "gemm": {"m": 256, "n": 512, "k": 192},
    "pingpong": {"m": 256, "n": 384, "k": 192, "ctas": 4},
    "attention": {"heads": 2, "length": 256},
}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_a_launch_fits_its_kernel(kernel) -> None:
    launch = kernel.launch(SMALL[kernel.name])
    assert launch.result in launch.arrays
    assert launch.shared_bytes <= MAX_DYNAMIC_BYTES
    for argument in launch.arguments:
        if isinstance(argument, Boxes):
            assert launch.arrays[argument.array].shape[0] % argument.rows == 0
    assert (launch.flop > 0) != (launch.bytes_loaded > 0)
    assert all(find_fault(fault) for fault in kernel.faults)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_a_result_never_written_is_wrong_almost_everywhere(kernel) -> None:
    launch = kernel.launch(SMALL[kernel.name])
    result = launch.arrays[launch.result]
    assert launch.wrong(result) > 0.9 * result.size


def test_the_right_results_are_right() -> None:
    gemm = find_kernel("gemm").launch(SMALL["gemm"])
    a, b = (gemm.arrays[name].astype(np.float64) for name in "ab")
    product = a @ b.T
    assert np.abs(product).max() <= 2048, "halves hold these exactly"
    assert gemm.wrong(product.astype(np.float16)) == 0
    swapped = product.astype(np.float16)
    swapped[0, :2] = swapped[0, 1::-1] + 1
    assert gemm.wrong(swapped) == 2

    attention = find_kernel("attention").launch(SMALL["attention"])
    q, k, v = (attention.arrays[name].astype(np.float64).reshape(2, 256, 128) for name in "qkv")
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(128)
    weights = np.exp(scores) / np.exp(scores).sum(axis=2, keepdims=True)
    out = (weights @ v).reshape(512, 128).astype(np.float16)
    assert attention.wrong(out) == 0
    out[5, 7] = np.nan
    assert attention.wrong(out) == 1
    assert attention.wrong(out[::-1]) > 0.5 * out.size


def test_the_walk_over_tiles_is_that_of_each_thread() -> None:
    source = np.random.default_rng(0).integers(0, 0x7C00, (2 * 128, 64), np.uint16)
    words = source.view(np.uint32).astype(object).reshape(2, 128, 32)

    def read(tile: int, thread: int) -> int:
        warp, lane = divmod(thread, 32)
        rows = (warp * 32 + step * 4 + lane // 8 for step in range(8))
        places = [(row, lane % 8 * 4 + word) for row in rows for word in range(4)]
        return sum(int(words[tile, row, column]) * (2 * (row * 32 + column) + 1) for row, column in places) % 2**32

    values = tile_words(source)
    assert values[1, 77] == read(1, 77)
    (sums,) = walk_sums(values, np.array([1]), 3)
    assert sums[3] == (read(1, 3) * 9 + read(0, 3) * 3 + read(1, 3)) % 2**32


def test_references_take_rows_in_parts() -> None:
    random = np.random.default_rng(0)
    a, b = (random.integers(-2, 3, (rows, 64)).astype(np.float16) for rows in (1100, 8))
    assert (multiply_transposed(a, b) == a.astype(int) @ b.astype(int).T).all()
    q, k, v = (random.standard_normal((rows, 128)).astype(np.float16) for rows in (1100, 128, 128))
    assert np.allclose(attend(q, k, v)[600:601], attend(q[600:601], k, v), atol=1e-5)
    assert attention_error(k, k, v, attend(k, k, v).astype(np.float16), 1, 0.01) == 0


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("gemm", {"m": 100}, "--m is 100; gemm takes multiples of 128"),
        ("pingpong", {"k": 0}, "--k is 0; pingpong takes multiples of 64"),
        ("multicast", {"cluster": 3}, "--cluster is 3; multicast takes 1, 2, 4"),
        ("multicast", {"cluster": 4, "ctas": 6}, "--ctas is 6, which is no multiple of the cluster's 4 CTAs"),
        ("attention", {"m": 128}, "attention has no parameter --m"),
        ("pingpong", {"stages": 6}, "--stages 6: pingpong needs 263168 bytes of shared memory"),
        ("multicast", {"stages": 9}, "--stages is 9; multicast takes 1 to 8"),
    ],
)
def test_sizes_that_cannot_be_are_told(name: str, values: dict[str, int], message: str) -> None:
    with pytest.raises(SourceError, match=message):
        find_kernel(name).launch(values)


def test_the_parameter_that_counts_a_rings_stages() -> None:
    attention = find_kernel("attention")
    assert [attention.stages_of(ring) for ring in ("load_k", "load_v")] == ["k-stages", "v-stages"]
    assert [find_kernel("gemm").stages_of(ring) for ring in ("", "load")] == ["stages", "stages"]
    for ring in ("", "ring2"):
        with pytest.raises(SourceError, match=f"attention cannot be run with other stages of ring '{ring}'; .*load_v"):
            attention.stages_of(ring)


def test_a_kernel_that_is_not_there_is_told() -> None:
    with pytest.raises(
        SourceError, match="there is no kernel blackwell; there are multicast, gemm, pingpong, attention"
    ):
        find_kernel("blackwell")


def test_figures_are_one_line() -> None:
    figures = Figures("gemm", {"m": 128}, 100, wrong=0, ms=0.5, tflops=600.4, library_ms=0.4)
    assert (
        figures.in_words() == "gemm ran; 0 of 100 values wrong; 0.5000 ms a launch; 600 TFLOP/s; "
        "torch 0.4000 ms: 1.25 times its time"
    )
    assert json.loads(json.dumps(figures.as_dict()))["wrong"] == 0
    assert "gbytes_per_s" not in figures.as_dict()


def test_it_runs_as_a_program_of_its_own(tmp_path: Path) -> None:
    done = subprocess.run(
        child_command("visualizer.sources.pipelines", "gemm", "--k", "63"),
        env=child_environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "--k is 63; gemm takes multiples of 64, from 64 to 16384\n"
