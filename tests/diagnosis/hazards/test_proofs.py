"""The short proofs hold only where vector clocks find order too; reads are not recorded, as on a GPU."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from single_changes import single_changes

from visualizer.diagnosis.hazards import hazards
from visualizer.diagnosis.hazards.hazards import Hazard, find_hazards
from visualizer.diagnosis.hazards.proofs import Proofs
from visualizer.diagnosis.uses.buffers import Buffers
from visualizer.diagnosis.uses.intents import Intents, find_intents
from visualizer.programs.accesses import Read
from visualizer.programs.cluster import cluster
from visualizer.programs.multicast import multicast
from visualizer.programs.parameters import LessonConfig
from visualizer.programs.program import Program
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

EVERY = 9
SMALL = LessonConfig(stages=2, tiles=4, consumer_warps=1, tile_rows=64)


def without_reads(program: Program) -> Program:
    """The same, with reads that leave no event."""
    kept = [replace(a, operations=tuple(o for o in a.operations if not isinstance(o, Read))) for a in program.agents]
    return replace(program, agents=tuple(kept))


def by_clocks(history: History, intents: Intents, monkeypatch: pytest.MonkeyPatch) -> list[Hazard]:
    """What vector clocks find when they are asked about every copy."""
    fills = Buffers(history, intents).fills
    everything = np.stack((fills.place, np.full(len(fills.place), history.steps - 1)))[:, fills.place >= 0]
    with monkeypatch.context() as patch:
        patch.setattr(hazards, "_suspects", lambda *_: everything)
        return find_hazards(history, intents).found


@pytest.mark.parametrize("program", [multicast(SMALL), cluster()], ids=["multicast", "cluster"])
def test_copies_by_several_ctas_have_a_short_proof(program: Program) -> None:
    """Recordings of kernels that multicast have millions of them."""
    history = History(simulate(without_reads(program)))
    intents = find_intents(history)
    fills = Buffers(history, intents).fills
    assert len(np.unique(fills.agent[fills.place == fills.place[0]])) > 1 or program.name == "cluster"
    proof = Proofs(history, intents, hazards.relied_on(intents))
    assert not proof.unordered_copies(fills, Buffers(history, intents).reads).any()


@pytest.mark.parametrize("program", [multicast(SMALL), cluster()], ids=["multicast", "cluster"])
def test_what_vector_clocks_find_has_no_short_proof(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    found = 0
    for change in islice(single_changes(without_reads(program)), 4, None, EVERY):
        history = History(simulate(change.program))
        intents = find_intents(history)
        exact = by_clocks(history, intents, monkeypatch)
        told = find_hazards(history, intents).found
        assert {(h.kind, h.step, h.other) for h in exact} <= {(h.kind, h.step, h.other) for h in told}, change
        found += len(exact)
    assert found
