"""The same work done by PyTorch, where it is installed: what a kernel's speed is held against."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from visualizer.sources.pipelines.kernels import HEAD
from visualizer.sources.pipelines.pipeline_kernel import Launch, PipelineKernel


def library_call(kernel: PipelineKernel, launch: Launch) -> Callable[[], None] | None:
    """Enqueues torch's own kernel on the same data, on CuPy's stream; None where there is none, or no torch."""
    if not kernel.library:
        return None
    try:
        import torch
    except ImportError:
        return None
    on_gpu: dict[str, Any] = {name: torch.from_numpy(array).cuda() for name, array in launch.arrays.items()}
    if kernel.library == "matmul":
        return lambda: torch.matmul(on_gpu["a"], on_gpu["b"].T, out=on_gpu["c"])
    heads = launch.grid[1]
    q, k, v = (on_gpu[name].view(1, heads, -1, HEAD) for name in "qkv")
    return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)
