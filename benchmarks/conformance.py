"""Does visualizer.semantics say what a Hopper GPU does? Random mbarrier operations on both, every result compared.

Needs a Hopper GPU, CuPy and cuda-bindings. Exits with status 1 if anything differs.

Run: python -m benchmarks.conformance [--sequences N] [--operations N] [--seed N] [--no-outside] [--json FILE]
                                      [--raw FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visualizer.sources.conformance.generate import generate
from visualizer.sources.conformance.on_gpu import execute
from visualizer.sources.conformance.outside import CASES, Case, seen_in_words
from visualizer.sources.conformance.replay import UnderWay, compare, foretell, mismatch, returns_word
from visualizer.sources.conformance.steps import Form
from visualizer.sources.errors import SourceError

SHOWN_MISMATCHES = 20
CASE_LIMIT_S = 30.0
CASES_AT_ONCE = 4


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=4000, help="of each form (default: %(default)s)")
    parser.add_argument("--operations", type=int, default=110, help="at least, a sequence (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-outside", action="store_true", help="leave out what PTX does not define")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--raw", type=Path, metavar="FILE", help="also write every result, state bits only, as .npz")
    args = parser.parse_args()

    figures: dict[str, Any] = {"seed": args.seed, "forms": {}}
    raw: dict[str, NDArray[np.uint32]] = {}
    try:
        for form in Form:
            figures["forms"][str(form)] = run_form(form, args.sequences, args.operations, args.seed, figures, raw)
        if not args.no_outside:
            figures["outside"] = run_outside()
    except SourceError as problem:
        print(problem, file=sys.stderr)
        return 2
    print_table(figures["forms"])
    for case in figures.get("outside", []):
        print(f"{case['rule']:16} {case['name']}: {case['ending']}; {case['seen']}")
    if args.raw is not None:
        np.savez_compressed(args.raw, **raw)
    if args.json is not None:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")
    failed = any(form["mismatches"] or form["crash"] for form in figures["forms"].values())
    return 1 if failed else 0


def run_form(
    form: Form, sequences: int, operations: int, seed: int, figures: dict[str, Any], raw: dict[str, NDArray[np.uint32]]
) -> dict[str, Any]:
    """Generate, foretell, execute and compare; `raw` gets the state half of words, and the answers of waits."""
    times = [perf_counter()]
    made = generate(form, sequences, operations, seed)
    times.append(perf_counter())
    foretold = foretell(made)
    times.append(perf_counter())
    done = execute(made)
    times.append(perf_counter())
    figures["source"] = done.source
    found = compare(made, foretold, done.results)
    raw[str(form)] = np.where(returns_word(made), done.results >> np.uint64(32), done.results).astype(np.uint32)
    examples = [str(mismatch(made, int(n), foretold, done.results)) for n in found.mismatches[:SHOWN_MISMATCHES]]
    for example in examples:
        print(f"{form}: {example}")
    if done.crash:
        print(f"{form}: {done.crash}")
    seconds = dict(zip(("generate", "foretell", "execute"), np.diff(times).round(2).tolist(), strict=True))
    return {
        "sequences": len(made),
        "operations": len(made.steps),
        "mismatches": len(found.mismatches),
        "early_false": found.early_false,
        "cp_async_under_way": asdict(found.under_way),
        "crash": done.crash,
        "counts": made.counts(),
        "seconds": seconds,
        "examples": examples,
    }


def run_outside() -> list[dict[str, str]]:
    """Each case in a process of its own; some at once, since starting one takes seconds."""
    with ThreadPoolExecutor(CASES_AT_ONCE) as pool:
        return list(pool.map(_run_case, CASES))


def _run_case(case: Case) -> dict[str, str]:
    done = execute(case.sequences, CASE_LIMIT_S)
    ending = done.crash.split(":")[0] or "completed"
    return {"name": case.name, "rule": case.rule, "ending": ending, "seen": seen_in_words(case, done.results)}


def print_table(forms: dict[str, dict[str, Any]]) -> None:
    rows = ["sequences", "operations", "mismatches", "early_false"]
    names = sorted({name for form in forms.values() for name in form["counts"]})
    print(f"{'':40}" + "".join(f"{form:>16}" for form in forms))
    for row in rows:
        print(f"{row:40}" + "".join(f"{form[row]:>16,}" for form in forms.values()))
    for name in names:
        print(f"  {name:38}" + "".join(f"{form['counts'].get(name, 0):>16,}" for form in forms.values()))
    for name in UnderWay.__slots__:
        row = "".join(f"{form['cp_async_under_way'][name]:>16,}" for form in forms.values())
        print(f"{'cp.async under way: ' + name:40}{row}")
    for part in ("generate", "foretell", "execute"):
        print(f"{part + ' (s)':40}" + "".join(f"{form['seconds'][part]:>16.1f}" for form in forms.values()))


if __name__ == "__main__":
    sys.exit(main())
