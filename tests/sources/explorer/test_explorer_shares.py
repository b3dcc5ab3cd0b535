"""Shares of outcomes of the reference faults, beside those of an independent small simulator of 500 schedules each.

Its scheduler draws other steps than ours (an advance is a step there), hence the tolerance of ten percent points.
Over-arrivals are counted apart from deadlocks here, which docs/explore.md explains.
"""

from __future__ import annotations

import pytest

from visualizer.programs.faults import FAULTS
from visualizer.programs.registry import find_program
from visualizer.sources.explorer import Exploration, explore, explore_exhaustively

ALWAYS = {  # all schedules deadlock, all in the same way; who hangs on what, and with which parity
    "F01": "P:empty[0]:0 C0:full[0]:1 C1:full[0]:1",
    "F03": "P:empty[0]:0 C0:full[0]:0",
    "F06": "P:empty[0]:0 C0:full[0]:0",
    "F14": "P:empty[0]:0 C0:full[0]:0",
    "F15": "P:empty[0]:0 C0:full[0]:0",
    "F17": "P:empty[0]:0 C0:full[0]:0",
    "F18": "P:empty[0]:1 C0:full[0]:1",
    "F20": "P:empty[1]:0 C0:full[1]:1",
    "F21": "P:empty[0]:0 C0:full[0]:1 C1:full[0]:1",
    "F24": "P:empty[0]:0 C0:full[0]:1",
    "F27": "C0:full[0]:0",
    "F31": "CTA0.P:CTA0.empty[0]:0 CTA0.C:CTA0.full[0]:1 CTA1.P:CTA1.empty[0]:0 CTA1.C:CTA1.full[0]:1",
}

SHARES = {  # reference: deadlock, race, over-arrival, clean
    "F02": (68.8, 33.4, 1.2, 15.2),
    "F07": (94.8, 87.4, 5.4, 0.0),
    "F08": (81.4, 25.0, 1.0, 1.2),
    "F12": (4.8, 23.0, 0.0, 75.6),
    "F23": (0.0, 35.2, 0.0, 64.8),
    "F28": (86.4 - 40.4, 84.8, 40.4, 3.6),  # none is counted after an over-arrival
}


def broken(fault: str) -> Exploration:
    return explore(find_program(FAULTS[fault].base, fault=fault))


@pytest.mark.parametrize("fault", ALWAYS)
def test_faults_that_hang_on_every_schedule(fault: str) -> None:
    program = find_program(FAULTS[fault].base, fault=fault)
    for found in (explore(program, schedules=100), explore_exhaustively(program)):
        assert found.deadlock == found.schedules > 0
        assert found.race == found.other == 0
        (blocked,) = found.blocked
        assert " ".join(f"{agent}:{barrier}:{parity}" for agent, barrier, parity in blocked) == ALWAYS[fault]


@pytest.mark.parametrize("fault", SHARES)
def test_shares_agree_with_the_reference(fault: str) -> None:
    found = broken(fault)
    shares = [100 * count / found.schedules for count in (found.deadlock, found.race, found.other, found.clean)]
    assert shares == pytest.approx(SHARES[fault], abs=10)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_no_fault_is_proved_clean(fault: str) -> None:
    found = broken(fault)
    assert not found.is_clean
    assert found.witnesses
