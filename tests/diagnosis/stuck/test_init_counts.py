"""An init count that asks for more than arrives, and what else may be said of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from alike_ctas import gemm, tilelang
from ring_programs import only_read, ring

from visualizer.diagnosis.diagnose import diagnose
from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def test_barriers_on_which_the_same_instruction_arrives_tell_the_count() -> None:
    """As in TileLang: no ring shows, and nobody knows who arrives, but the barriers beside it complete."""
    for found in diagnose(History(tilelang())).findings:
        assert (found.rule, found.certain) == ("init-too-large", False)
        assert "is initialised for 65 arrivals per phase, and 64 came" in found.cause
        assert found.site is not None
        assert found.site.op == "init"


def test_who_releases_to_another_cta_owes_nothing_here() -> None:
    """Each consumer of a cluster releases to one CTA: the other CTAs' barriers do not wait for it."""
    (found,) = diagnose(History(gemm(too_many=1, multicast=True))).findings
    assert found.certain
    assert "nobody else can. Initialise it with 3" in found.cause


def test_ctas_that_do_not_meet_lack_no_arrivals_of_others() -> None:
    assert not any("other CTAs" in found.cause for found in diagnose(History(gemm(too_many=1))).findings)


def test_a_barrier_that_the_tensor_core_alone_completes_has_no_uses_to_count() -> None:
    """As on Blackwell: a warp commits, and no arrival of a warp is on the barrier."""
    trace = simulate(replace(ring(tiles=8, change={("C0", 5): only_read}), name="mine"))
    events = np.array(trace.events)
    empty = np.array([barrier.kind == "empty" for barrier in trace.barriers])
    events["kind"][(events["kind"] == EventKind.ARRIVE) & empty[events["barrier"]]] = EventKind.TENSOR_COMMIT
    found = diagnose(History(replace(trace, events=events))).findings
    assert found
    assert not any(one.rule == "init-too-large" for one in found)
