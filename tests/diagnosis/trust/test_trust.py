"""The sentences that say how far a recording can be trusted, and that call unknown what nobody measured."""

from __future__ import annotations

from typing import Any

import pytest

from visualizer.diagnosis.trust.trust import left_out_sentences, trust_detail, trust_sentence
from visualizer.recording.tables import Ending, Meta

CLOCK = {"residual_ns": 4.0, "residual_max_ns": 17.2}
MOVES = {"moved": 1234, "median_ns": 6.0, "max_ns": 19.4}


def meta(kind: str = "gpu", **facts: dict[str, Any]) -> Meta:
    return Meta("lesson", {}, {"kind": kind}, Ending("completed"), **facts)


@pytest.mark.parametrize(
    ("slowdown", "spread", "words"),
    [
        (1.84, 0.41, "Recording slowed this kernel by 1.8% ± 0.4; clock error under 20 ns."),
        (0.2, 0.3, "Recording did not slow this kernel measurably (0.2% ± 0.3); clock error under 20 ns."),
        (-0.2, 0.3, "Recording did not slow this kernel measurably (-0.2% ± 0.3); clock error under 20 ns."),
        (-2.0, 0.3, "Recording sped this kernel up by 2.0% ± 0.3; clock error under 20 ns."),
        (None, None, "How much recording slowed this kernel is unknown; clock error under 20 ns."),
    ],
)
def test_cost_and_clock_in_one_sentence(slowdown: float | None, spread: float | None, words: str) -> None:
    cost = {} if slowdown is None else {"slowdown_percent": slowdown, "spread_percent": spread}
    assert trust_sentence(meta(cost=cost, clock=CLOCK, reconcile=MOVES)) == words


def test_what_nobody_measured_is_unknown() -> None:
    unknown = "How much recording slowed this kernel is unknown, and so is its clock error."
    assert trust_sentence(meta()) == unknown
    assert trust_sentence(meta(clock={"residual_ns": 3.0}, cost={"slowdown_percent": 3.0})) == unknown
    known = trust_sentence(meta(cost={"slowdown_percent": 3.0, "spread_percent": 1.0}))
    assert known == "Recording slowed this kernel by 3.0% ± 1.0; its clock error is unknown."
    assert trust_detail(meta()) == ""


def test_what_rewriting_did_to_a_kernel() -> None:
    source = {"kind": "attach", "registers": [168, 190], "local_bytes": [0, 12], "dropped": [{}, {}]}
    recording = Meta("gemm", {}, source, Ending("completed"), clock=CLOCK, reconcile=MOVES, records_lost=1200)
    assert trust_sentence(recording) == (
        "How much recording slowed this kernel is unknown; clock error under 20 ns. Registers 168 → 190, local bytes"
        " 0 → 12, sites dropped 2, events lost 1,200."
    )


def test_a_simulated_recording_is_exact() -> None:
    assert trust_sentence(meta("simulator")).startswith("Exact, simulated")


def test_the_figures_behind_the_sentence() -> None:
    cost = {"pairs": 20, "off_ns": 100_000, "on_ns": 101_840, "record_ns": 3.26}
    assert trust_detail(meta(cost=cost, clock=CLOCK, reconcile=MOVES)).splitlines() == [
        "Slowdown: median over 20 pairs of runs with logging off and on, 100.0 and 101.8 µs.",
        "One record costs the warp that writes it 3.3 ns on this GPU.",
        "Clock fit: anchors lie 4 ns from it in the median, 17 ns at most.",
        "Order: 1,234 events were moved so that none precedes its causes, by 6 ns in the median, 19 ns at most.",
    ]


def test_what_was_left_out() -> None:
    assert left_out_sentences({}) == []
    window = {
        "first": 1000,
        "last": 1099,
        "tiles": 1_000_000,
        "tiles_before": 1000,
        "tiles_after": 998_900,
        "ctas": 132,
        "ctas_left_out": 99,
        "roles_left_out": ["producer"],
    }
    assert left_out_sentences(window) == [
        "Tiles 1,000 to 1,099 of 1,000,000 were recorded.",
        "99 of 132 CTAs were not recorded.",
        "The producers were not recorded.",
    ]
