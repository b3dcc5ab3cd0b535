"""The four kernels at full size: right or not, how fast, and against torch where it is installed. One line each.

Needs a Hopper GPU, CuPy and cuda-bindings. Each runs in a process of its own, so that one that fails ends no other.
Exits with status 1 if anything is wrong.

Run: python -m benchmarks.pipelines [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from visualizer.children import child_command, child_environment
from visualizer.sources.pipelines.__main__ import Figures

RUNS = (
    *(f"multicast --cluster {cluster}" for cluster in (1, 2, 4)),
    *(f"{name} --m {size} --n {size} --k {size}" for name in ("gemm", "pingpong") for size in (4096, 8192)),
    *(f"attention --heads {heads} --length {length}" for heads, length in ((16, 4096), (64, 2048))),
)
LIMIT_S = 300.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()
    found: list[dict[str, Any]] = []
    failed = 0
    for words in RUNS:
        done = subprocess.run(
            child_command("visualizer.sources.pipelines", *words.split(), "--check", "--time", "--json"),
            env=child_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        failed += done.returncode != 0
        if done.stdout:
            found.append(json.loads(done.stdout))
            print(f"{words}: {Figures(**found[-1]).in_words()}", flush=True)
        else:
            print(f"{words}: exit status {done.returncode}: {done.stderr.strip()[-2000:]}", flush=True)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
