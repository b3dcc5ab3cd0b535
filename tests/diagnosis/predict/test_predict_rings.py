"""Predictions for one of several rings, beside others that its agents wait for too: held against runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from two_ring_traces import two_rings

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.predict import predict
from visualizer.diagnosis.predict.recorded_waits import record_waits
from visualizer.diagnosis.predict.steady import measured_per_tile
from visualizer.diagnosis.statistics.facts import Facts
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.programs.builder import Builder
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate

COUNTS = range(1, 6)
BYTES = 8192


def kernel(k: int, v: int, *, softmax: int = 300, uneven: int = 4000, tiles: int = 40) -> Facts:
    """A K and a V ring of so many stages: between the two the consumer works `softmax` ns, and the producer looks for
    `uneven` ns for every fifth tile."""
    b = Builder("k-and-v")
    barriers = {
        ring: (
            b.barriers(f"{ring}_full", stages, count=1, kind="full", ring=ring),
            b.barriers(f"{ring}_empty", stages, count=1, kind="empty", ring=ring),
        )
        for ring, stages in (("k", k), ("v", v))
    }
    p = b.agent("producer", role="producer", stages=k, phase=1)
    c = b.agent("consumer", role="consumer", stages=k)
    further = {agent: agent.cursor("v", stages=v, phase=agent.phase) for agent in (p, c)}
    p.init_all()
    p.sync()
    c.sync()
    for agent in (p, c):
        for tile in agent.tiles(tiles):
            for ring, at in ("k", agent), ("v", further[agent]):
                full, empty = barriers[ring]
                if agent is p:
                    p.wait(empty[at.index], at.phase)
                    p.delay(uneven if ring == "k" and tile % 5 == 0 else 0)
                    p.arrive_expect_tx(full[at.index], BYTES)
                    p.copy(full[at.index], at.index, BYTES)
                else:
                    c.wait(full[at.index], at.phase)
                    c.read(at.index, 1024, ring=ring)
                    c.delay(softmax if ring == "k" else 0)
                    c.arrive(empty[at.index])
                at.advance()
    return find_facts(History(simulate(b.build())))


def test_other_stages_of_a_ring_that_its_agents_wait_for_alone_are_predicted() -> None:
    prediction = predict(kernel(2, 8), COUNTS, ring="k")
    assert (prediction.ring, prediction.recorded_stages) == ("k", 2)
    for point in prediction.points:
        run = measured_per_tile(kernel(point.stages, 8), "k")
        assert point.per_tile == pytest.approx(run, rel=0.07), point.stages
    assert prediction.as_json()["ring"] == "k"


def test_a_ring_beside_one_that_its_agents_wait_for_is_predicted() -> None:
    """K's two stages hold everybody up, whatever V has; and a V ring shorter than K's is the one that does."""
    for recorded, slow in ((kernel(2, 8), {}), (kernel(3, 2, softmax=900, uneven=0), {"softmax": 900, "uneven": 0})):
        k = next(ring.stages for ring in recorded.rings if ring.name == "k")
        for point in predict(recorded, range(2, 6), ring="v").points:
            run = measured_per_tile(kernel(k, point.stages, **slow), "v")
            assert point.per_tile == pytest.approx(run, rel=0.03), (k, point.stages)


def test_without_a_ring_it_asks_which() -> None:
    with pytest.raises(PredictError, match=r"several rings in a CTA \(k, v\): .*--ring"):
        predict(kernel(2, 8))


def test_a_ring_of_one_use_has_nothing_to_go_round() -> None:
    b = Builder("once")
    (full,) = b.barriers("q", 1, count=1, kind="full", ring="q")
    other = b.barriers("full", 1, count=1, ring="other")
    a = b.agent("A", role="producer", stages=1)
    a.init_all()
    for barrier in (full, *other):
        a.arrive_expect_tx(barrier, BYTES)
        a.copy(barrier, 0, BYTES)
    c = b.agent("C", role="consumer", stages=1)
    c.sync()
    a.sync()
    c.wait(full, 0)
    with pytest.raises(PredictError, match="ring q: there are no waits on full and empty barriers of it"):
        predict(find_facts(History(simulate(b.build()))), ring="q")


def test_waits_for_groups_are_work_and_not_the_next_wait_of_the_ring() -> None:
    """Of one ring, read by wgmma: with events for its groups or without, the durations are the same."""

    def run(*, groups: bool) -> Facts:
        b = Builder("wgmma")
        full, empty = (b.barriers(name, 2, count=1) for name in ("full", "empty"))
        p = b.agent("producer", role="producer", stages=2, phase=1)
        c = b.agent("consumer", role="consumer", stages=2, threads=128)
        p.init_all()
        p.sync()
        c.sync()
        for _ in p.tiles(24):
            p.wait(empty[p.index], p.phase)
            p.arrive_expect_tx(full[p.index], BYTES)
            p.copy(full[p.index], p.index, BYTES)
            p.advance()
        for _ in c.tiles(24):
            c.wait(full[c.index], c.phase)
            c.read_async(c.index, BYTES, work=500)
            if groups:
                c.wgmma_commit()
                c.wgmma_wait()
            else:
                c.retire_reads()
            c.arrive(empty[c.index])
            c.advance()
        return find_facts(History(simulate(b.build())))

    with_groups, without = (predict(run(groups=groups), COUNTS) for groups in (True, False))
    for point, other in zip(with_groups.points, without.points, strict=True):
        assert point.per_tile == pytest.approx(other.per_tile, rel=0.02)


def test_of_a_launch_that_is_far_larger_than_what_was_recorded_as_much_is_played() -> None:
    small = two_rings(tiles=12, ctas=2)
    far = {0: 0, 1: 2**19 - 1}
    large = replace(
        small,
        agents=tuple(replace(agent, cta=far[agent.cta]) for agent in small.agents),
        barriers=tuple(replace(barrier, cta=far[barrier.cta]) for barrier in small.barriers),
    )
    facts = [find_facts(History(trace)) for trace in (small, large)]
    assert [record_waits(one, 0).released.shape[0] for one in facts] == [2, 2]
    name = facts[0].rings[0].name
    assert predict(facts[0], ring=name).points == predict(facts[1], ring=name).points
