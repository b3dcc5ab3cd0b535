"""Throws damaged input at phasescope for as long as is wanted, and says what came of it.

Run: python -m tests.fuzz [--minutes N | --cases N] [--kind KIND ...] [--seed FIRST] [--jobs N] [--again SEED]
Exit status 1 if anything was found. `--again` runs one case in this process, with its traceback.
The kinds `window` and `settings` need PySide6, all others only numpy: without it they are left out, and said to be.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from importlib.util import find_spec

from tests.fuzz.campaign import HEAD, campaign


def main() -> int:
    from tests.fuzz import kinds
    from tests.fuzz.outcome import Outcome

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, help="for so long, shared by the kinds (default: 1)")
    parser.add_argument("--cases", type=int, help="so many of each kind")
    parser.add_argument("--kind", action="append", choices=sorted(kinds.KINDS), help="default: all")
    parser.add_argument("--seed", type=int, default=0, help="of the first case (default: 0)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", type=int, metavar="SEED")
    parser.add_argument("--tracebacks", action="store_true", help="show one of each fault")
    args = parser.parse_args()
    chosen = args.kind or list(kinds.KINDS)
    if find_spec("PySide6") is None and (left_out := [kind for kind in chosen if kind in kinds.ALONE]):
        chosen = [kind for kind in chosen if kind not in kinds.ALONE]
        print(f"not tried, for there is no PySide6: {', '.join(left_out)}, and painting the timeline of a recording")
    if args.again is not None:
        warnings.simplefilter("error")
        outcome = Outcome()
        kinds.run(chosen[0], args.again, outcome)
        print(outcome)
        return 0
    tallies = []
    for kind in chosen:
        until = None if args.cases else time.monotonic() + (args.minutes or 1) * 60 / len(chosen)
        tally = campaign(kind, args.seed, until, args.cases, args.jobs)
        print(tally.text(), flush=True)
        if args.tracebacks:
            for fault, text in tally.tracebacks.items():
                print(f"--- {fault}\n{text}")
        tallies.append(tally)
    print("\n".join(("", HEAD, *(tally.row() for tally in tallies))))
    return int(any(tally.faults for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
