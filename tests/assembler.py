"""Whether there is a ptxas, and PTX as any of them takes it."""

from __future__ import annotations

import re

import pytest

from visualizer.sources.attach.ptxas import find_ptxas
from visualizer.sources.errors import SourceError


def has_ptxas() -> bool:
    try:
        find_ptxas()
    except SourceError:
        return False
    return True


needs_ptxas = pytest.mark.skipif(not has_ptxas(), reason="no ptxas here: pip install nvidia-cuda-nvcc")


def for_any_ptxas(ptx: str) -> str:
    """The same PTX, said to be of CUDA 12.9: the compiler here may be newer than the assembler."""
    return re.sub(r"(?m)^\.version .*$", ".version 8.8", ptx)
