"""What recording would do to kernels whose PTX is at hand, without a GPU: sites, registers, spills; at every level.

The table "Assembled, not run" of docs/attach.md is made of it. PTX is got without a GPU from
- nvcc: `nvcc -arch=sm_90a -lineinfo -ptx`, of a file that names the instance of a template (DeepGEMM, FlashInfer);
- Triton, Gluon: `triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["ptx"]`;
- CuTe DSL: `cute.compile` of `make_fake_compact_tensor`s, with CUTE_DSL_ARCH=sm_90a and CUTE_DSL_KEEP=ptx;
- TileLang: `tilelang.lower`, whose `kernel_source` nvcc takes.

Run: python -m benchmarks.assembled FILE.ptx ... [--kernel REGEX] [--keep-last]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path

from visualizer.sources.attach.kernel_names import short_name
from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.options import LEVELS, Level
from visualizer.sources.attach.ptx.module import Module
from visualizer.sources.attach.ptx.twin import Instrumented, instrument
from visualizer.sources.attach.ptxas import Assembled, assemble
from visualizer.sources.errors import SourceError

_LINES = re.compile(r"^\s*\.loc\s.*$", re.MULTILINE)  # they need files that this computer may not have


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--kernel", default="", help="entries in whose name it is found (default: all with mbarriers)")
    parser.add_argument("--keep-last", action="store_true", help="as attach does with its --keep-last")
    args = parser.parse_args()
    keep = Keep.LAST if args.keep_last else Keep.FIRST
    bad = 0
    for path in args.files:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            parser.error(f"{path}: cannot be read: {error.strerror}; give files of PTX")
        for entry in Module(text).entries:
            if re.search(args.kernel, entry):
                bad += sum(not _tell(path.stem, text, entry, level, keep) for level in LEVELS)
    return 1 if bad else 0


def _tell(file: str, text: str, entry: str, level: Level, keep: Keep) -> bool:
    """Print what a level makes of an entry; False if it cannot be recorded, or not all of it."""
    try:
        made = instrument(text, entry, level, keep)
        if not any(site.form.barrier is not None for site in made.sites):
            return True
        before, after = (assemble(ptx, made.target) for ptx in (_LINES.sub("", made.plain), made.ptx))
        print(f"{file} {short_name(entry)} {made.target} {level}: {_sentence(made, before, after)}")
    except SourceError as problem:
        print(f"{file} {short_name(entry)} {level}: {problem}")
        return False
    for (opcode, reason), count in Counter((one.opcode, str(one.reason)) for one in made.dropped).items():
        print(f"    {count} {opcode}: {reason}")
    return not made.dropped


def _sentence(made: Instrumented, before: Assembled, after: Assembled) -> str:
    return (
        f"{len(made.sites)} sites, registers {before.registers} -> {after.registers},"
        f" spilled {before.spilled} -> {after.spilled}, setmaxnreg {list(made.pools)}"
    )


if __name__ == "__main__":
    sys.exit(main())
