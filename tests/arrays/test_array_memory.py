"""Freed memory is taken again instead of being asked of the system once more."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

ROUNDS = 20
COLUMNS, COLUMN_BYTES, PAGE = 8, 1 << 20, 4096
SCRIPT = """
import resource
import numpy as np
from visualizer.arrays.memory import keep_freed_memory

if {kept}:
    keep_freed_memory()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({rounds}):
    columns = [np.ones({size}, np.uint8) for _ in range({columns})]
    del columns
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep what is freed as they see fit")
def test_columns_that_come_and_go_touch_their_memory_once():
    once = COLUMNS * COLUMN_BYTES // PAGE

    touched = _pages_touched(kept=True)

    assert touched < 2 * once
    assert touched < _pages_touched(kept=False)


def _pages_touched(*, kept: bool) -> int:
    script = SCRIPT.format(kept=kept, rounds=ROUNDS, size=COLUMN_BYTES, columns=COLUMNS)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return int(done.stdout)
