"""An init count that asks for more than arrives, and what else may be said of it."""

from __future__ import annotations

from alike_ctas import gemm, tilelang

from visualizer.diagnosis.diagnose import diagnose
from visualizer.replay.history import History


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
