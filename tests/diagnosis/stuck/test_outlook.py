"""What is known of agents where a recording ends."""

from __future__ import annotations

from dataclasses import replace

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.builder import Builder
from visualizer.programs.registry import find_program
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget


def stuck(cut_short: list[int]) -> Trace:
    """Two CTAs that hang, of which some went on without records, if the recording says so."""
    trace = simulate(replace(find_program("lesson", {"ctas": 2}, fault="F06"), name="mine"))
    meta = replace(trace.meta, window={"cut_short": cut_short} if cut_short else {}, records_lost=len(cut_short))
    return replace(trace, meta=meta)


def test_nobody_is_called_blocked_whose_records_had_no_room() -> None:
    whole = diagnose(History(stuck([])))
    assert {finding.agent for finding in whole.every} > {"CTA0.producer", "CTA1.producer"}
    short = diagnose(History(stuck([1])))
    assert short.every
    assert all((finding.agent or "").startswith("CTA0.") for finding in short.every)
    assert any("1 of 2 CTAs" in sentence for sentence in short.not_judged)
    # What is left is what the run itself said of its end.
    assert [finding.agent for finding in diagnose(History(stuck([0, 1]))).every] == [None]


def test_lanes_that_went_on_show_that_the_one_that_waits_is_to_arrive_too() -> None:
    """The scheduler's barrier is for all lanes of two warps. Of the producer's 31 are in, and the one that copies still
    waits for a stage, which is what is wrong: so nothing is said of the scheduler's barrier."""
    b = Builder("lanes of their own ways")
    full, empty = b.barriers("full", 2, count=1), b.barriers("empty", 2, count=2)
    turn = b.barrier("turn", count=64)
    scheduler = b.agent("scheduler")
    producer = b.agent("warp0", role="producer", stages=2, phase=1)
    consumer = b.agent("warp4", role="consumer", stages=2)
    producer.init_all()
    for agent in (scheduler, producer, consumer):
        agent.sync()
    scheduler.wait(turn, 0)
    producer.arrive(turn, 31)
    for _ in range(4):
        producer.wait(empty[producer.index], producer.phase)
        producer.arrive_expect_tx(full[producer.index], 1024)
        producer.copy(full[producer.index], producer.index, 1024)
        producer.advance()
        consumer.wait(full[consumer.index], consumer.phase)
        consumer.arrive(empty[consumer.index])
        consumer.advance()
    producer.arrive(turn, 1)
    consumer.arrive(turn, 32)
    report = diagnose(History(forget(simulate(b.build()))))
    (root,) = report.findings
    assert (root.agent, root.title, root.verdict) == ("warp0", "empty[0]", "STARVED")
    (scheduled,) = [found for found in report.every if found.agent == "scheduler"]
    assert (scheduled.verdict, scheduled.released_by[0]) == ("NOT YET", "an arrival of warp0")
    assert {(owed.agent, owed.next) for owed in scheduled.owed} == {("warp0", "unknown")}
