"""How far a recording can be trusted, in plain sentences: what recording did to the run, how far its clocks may be off,
and what of the run was not recorded. What nobody measured is said to be unknown."""

from __future__ import annotations

import math

from visualizer.diagnosis.wording import sentences
from visualizer.language import mark, tr, trn
from visualizer.recording.facts import Window
from visualizer.recording.tables import Meta

_ROLES = {"producer": mark("The producers were not recorded."), "consumer": mark("The consumers were not recorded.")}
_SENTENCES = {
    ("slower", True): mark("Recording slowed this kernel by {percent}% ± {spread}; clock error under {ns} ns."),
    ("slower", False): mark("Recording slowed this kernel by {percent}% ± {spread}; its clock error is unknown."),
    ("faster", True): mark("Recording sped this kernel up by {percent}% ± {spread}; clock error under {ns} ns."),
    ("faster", False): mark("Recording sped this kernel up by {percent}% ± {spread}; its clock error is unknown."),
    ("same", True): mark(
        "Recording did not slow this kernel measurably ({percent}% ± {spread}); clock error under {ns} ns."
    ),
    ("same", False): mark(
        "Recording did not slow this kernel measurably ({percent}% ± {spread}); its clock error is unknown."
    ),
    ("unknown", True): mark("How much recording slowed this kernel is unknown; clock error under {ns} ns."),
    ("unknown", False): mark("How much recording slowed this kernel is unknown, and so is its clock error."),
}
"""By what became of the run's time, and whether the clock's error is known."""


def trust_sentence(meta: Meta) -> str:
    """What recording did to the run's time, and the error of its clocks, in one sentence; of a kernel that was
    rewritten to be recorded, also what that did to it."""
    return sentences(_time_and_clock(meta), _rewritten(meta))


def _rewritten(meta: Meta) -> str:
    """What a kernel has of registers and local memory, before and after; "" if it is recorded as it was written."""
    registers, local = meta.source.get("registers", []), meta.source.get("local_bytes", [])
    if len(registers) != 2 or len(local) != 2:
        return ""
    return tr(
        "Registers {before} → {after}, local bytes {before_local} → {after_local}, sites dropped {dropped},"
        " events lost {lost}.",
        before=registers[0],
        after=registers[1],
        before_local=local[0],
        after_local=local[1],
        dropped=len(meta.source.get("dropped", [])),
        lost=f"{meta.events_lost:,}",
    )


def _time_and_clock(meta: Meta) -> str:
    if meta.source.get("kind") == "simulator":
        return tr("Exact, simulated: recording cost nothing, and there is one clock.")
    if meta.source.get("kind") == "import":
        return tr("Imported: times are those of the file, and nothing says how exact they are.")
    slowdown, spread = meta.cost.get("slowdown_percent"), meta.cost.get("spread_percent")
    clock = clock_error_ns(meta)
    if slowdown is None or spread is None:
        return tr(_SENTENCES["unknown", clock is not None], ns=clock)
    effect = "same" if abs(slowdown) <= spread else "slower" if slowdown > 0 else "faster"
    percent = f"{slowdown if effect == 'same' else abs(slowdown):.1f}"
    return tr(_SENTENCES[effect, clock is not None], percent=percent, spread=f"{spread:.1f}", ns=clock)


def trust_detail(meta: Meta) -> str:
    """The figures behind the sentence, a sentence each; "" if there are none."""
    told = []
    cost, clock, moves = meta.cost, meta.clock, meta.reconcile
    if "pairs" in cost:
        told.append(
            trn(
                "Slowdown: median over {n} pair of runs with logging off and on, {off} and {on} µs.",
                "Slowdown: median over {n} pairs of runs with logging off and on, {off} and {on} µs.",
                cost["pairs"],
                off=_micro(cost.get("off_ns")),
                on=_micro(cost.get("on_ns")),
            )
        )
    if "record_ns" in cost:
        told.append(tr("One record costs the warp that writes it {ns} ns on this GPU.", ns=f"{cost['record_ns']:.1f}"))
    if "residual_ns" in clock:
        told.append(
            tr(
                "Clock fit: anchors lie {median} ns from it in the median, {most} ns at most.",
                median=f"{clock['residual_ns']:.0f}",
                most=f"{clock.get('residual_max_ns', math.nan):.0f}",
            )
        )
    if "moved" in moves:
        told.append(
            tr(
                "Order: {moved} events were moved so that none precedes its causes, by {median} ns in the median,"
                " {most} ns at most.",
                moved=f"{moves['moved']:,}",
                median=f"{moves.get('median_ns', 0.0):.0f}",
                most=f"{moves.get('max_ns', 0.0):.0f}",
            )
        )
    return "\n".join(told)


def clock_error_ns(meta: Meta) -> int | None:
    """What no event's time is off by, as far as the recording shows: anchors from the fit, events from their causes."""
    known = [meta.clock.get("residual_max_ns"), meta.reconcile.get("max_ns")]
    errors = [error for error in known if error is not None]
    # The timer ticks; even a fit through every anchor is no better than a few cycles.
    return max(math.ceil(max(errors)), 1) if errors else None


def left_out_sentences(window: Window) -> list[str]:
    """What of the run was not recorded, a sentence each; none if all of it was. `window` is Trace.meta.window."""
    if not window:
        return []
    told = []
    if window.get("tiles_before") or window.get("tiles_after"):
        told.append(
            tr(
                "Tiles {first} to {last} of {tiles} were recorded.",
                first=f"{window.get('first', 0):,}",
                last=f"{window.get('last', 0):,}",
                tiles=f"{window.get('tiles', 0):,}",
            )
        )
    if "unplaced" in window:
        told.append(tr("The recording begins in the middle of the run: its phases count from there, as #?+3."))
    if unplaced := window.get("unplaced", 0):
        told.append(
            trn(
                "Of {n} barrier nothing tells its phase when it begins: what happens there is not judged.",
                "Of {n} barriers nothing tells their phases when it begins: what happens there is not judged.",
                unplaced,
            )
        )
    if short := window.get("cut_short", []):
        told.append(
            trn(
                "{n} CTA is not there to its end: it went on when its records had no room.",
                "{n} CTAs are not there to their ends: they went on when their records had no room.",
                len(short),
            )
        )
    if left := window.get("ctas_left_out", 0):
        told.append(ctas_left_out(left, window.get("ctas", 0)))
    return told + [tr(_ROLES[role]) for role in window.get("roles_left_out", ()) if role in _ROLES]


def ctas_left_out(left: int, ctas: int) -> str:
    return trn("{n} of {ctas} CTAs was not recorded.", "{n} of {ctas} CTAs were not recorded.", left, ctas=ctas)


def _micro(ns: float | None) -> str:
    return "?" if ns is None else f"{ns / 1000:.1f}"
