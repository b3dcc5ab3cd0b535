"""GPU tests run where a Hopper GPU and CuPy are, and say elsewhere why they do not."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import pytest

from visualizer.sources.errors import SourceError
from visualizer.sources.runner.find_gpu import find_gpu

sys.path.insert(0, str(Path(__file__).parents[1]))  # helpers shared with the other tests; pytest.ini here is the root


@functools.cache
def _why_not() -> str:
    try:
        find_gpu()
    except SourceError as problem:
        return str(problem)
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and _why_not():
            item.add_marker(pytest.mark.skip(reason=f"needs an SM90 GPU: {_why_not()}"))
