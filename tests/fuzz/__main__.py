"""Throws damaged input at phasescope for as long as is wanted, and says what came of it.

    python -m tests.fuzz --minutes 30                                       all kinds, sharing the time
    python -m tests.fuzz --cases 10000,recording=50000,window=1000 --json out.json
    python -m tests.fuzz --kind recording --again 4711                      one case, with its traceback

With --json the results are kept in a file as they come, and the same words go on with it after an interruption (Ctrl-C
tells what there is so far). Exit status 1 if anything was found, 2 if something is missing, 130 if it was interrupted.
The kinds `window` and `settings` need PySide6, which may be missing: they are then left out, and said to be.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from random import SystemRandom

from tests.fuzz.needs import missing


def main() -> int:
    if said := missing():
        print(said, file=sys.stderr)
        return 2
    from tests.fuzz import kinds
    from tests.fuzz.campaign import Campaign
    from tests.fuzz.tally import HEAD

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, help="for so long, shared by the kinds (default: 1)")
    parser.add_argument("--cases", metavar="N|KIND=N,...", help="so many; a number alone is for all other kinds")
    parser.add_argument("--kind", action="append", choices=sorted(kinds.KINDS), help="default: all")
    parser.add_argument("--seed", type=int, help="of the first case (default: one that is new)")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default: 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where results are kept, and gone on from")
    parser.add_argument("--again", type=int, metavar="SEED", help="one case of a kind, in this process")
    parser.add_argument("--tracebacks", action="store_true", help="show one of each fault")
    args = parser.parse_args()
    chosen = args.kind or list(kinds.KINDS)
    if find_spec("PySide6") is None and (left_out := [kind for kind in chosen if kind in kinds.ALONE]):
        chosen = [kind for kind in chosen if kind not in kinds.ALONE]
        print(f"not tried, for there is no PySide6: {', '.join(left_out)}, and painting the timeline of a recording")
    if args.again is not None:
        return _again(chosen[0], args.again)
    try:
        wanted = counts(args.cases, chosen) if args.cases else dict.fromkeys(chosen)
        seconds = None if args.cases else (args.minutes or 1) * 60
        first = SystemRandom().randrange(10**9, 2 * 10**9) if args.seed is None else args.seed
        campaign = Campaign(wanted, first, seconds, args.json)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupted = False
    began = time.monotonic()
    try:
        campaign.run(args.jobs)
    except KeyboardInterrupt:
        interrupted = True
    print(f"seeds from {campaign.first} on, {args.jobs} processes, {(time.monotonic() - began) / 60:.1f} minutes")
    for tally in campaign.tallies.values():
        print(tally.text())
        if args.tracebacks:
            for fault, text in tally.tracebacks.items():
                print(f"--- {fault}\n{text}")
    print("\n".join(("", HEAD, *(tally.row() for tally in campaign.tallies.values()))), flush=True)
    if interrupted:
        print("interrupted: not every case was run" + (", the same words go on from here" if args.json else ""))
        return 130
    return int(any(tally.faults for tally in campaign.tallies.values()))


def counts(words: str, chosen: list[str]) -> dict[str, int | None]:
    """How many cases of each of the kinds: "10000,recording=50000" or "query=20,notes=3". ValueError if it says no
    such thing."""
    given: dict[str, int] = {}
    for word in words.split(","):
        kind, _, number = word.rpartition("=")
        if not number.isdecimal() or (kind and kind not in chosen) or kind in given:
            raise ValueError(f"--cases: {word!r} is no number of cases, or KIND=number of one of {', '.join(chosen)}")
        given[kind] = int(number)
    return {kind: given.get(kind, given.get("")) for kind in chosen if kind in given or "" in given}


def _again(kind: str, seed: int) -> int:
    from tests.fuzz import kinds
    from tests.fuzz.outcome import Outcome

    warnings.simplefilter("error")
    outcome = Outcome()
    kinds.run(kind, seed, outcome)
    print(outcome)
    return 0


if __name__ == "__main__":
    sys.exit(main())
