"""Statistics ask structure: of several rings together and apart, and of a recording that nobody told of."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from two_ring_traces import BYTES, STAGES, two_rings, unknowing

from visualizer.cli.stats_text import statistics_text
from visualizer.diagnosis.predict.errors import PredictError
from visualizer.diagnosis.predict.predict import predict
from visualizer.diagnosis.statistics.find import find_facts
from visualizer.diagnosis.statistics.statistics import Statistics, statistics
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History, StageState

TILES = 8


def numbers(trace: Trace) -> Statistics:
    return statistics(find_facts(History(trace)))


@pytest.mark.parametrize("ctas", [1, 2])
def test_each_ring_has_its_own_occupancy(ctas: int) -> None:
    trace = two_rings(TILES, ctas=ctas)
    history, found = History(trace), numbers(trace)
    assert [ring.name for ring in found.rings] == list(STAGES)
    whole = []
    for ring in found.rings:
        held = np.zeros((ring.stages, 4))
        for cta in range(ctas):
            for stage in range(ring.stages):
                spans = history.stage_spans(history.structure.place(cta, ring.name, stage))
                np.add.at(held[stage], spans.state, spans.end - spans.start)
        held /= trace.duration_ps * ctas
        assert np.array(ring.occupancy.stages) == pytest.approx(held)
        assert ring.occupancy.mean_lead == pytest.approx(ring.stages - held[:, StageState.EMPTY].sum())
        assert len(ring.occupancy.lead) == STAGES[ring.name] + 1
        whole += held.tolist()
    assert np.array(found.occupancy.stages) == pytest.approx(np.array(whole))
    assert found.occupancy.mean_lead == pytest.approx(sum(ring.occupancy.mean_lead for ring in found.rings))


def test_each_ring_has_its_own_copies_waits_and_share_of_the_path() -> None:
    found = numbers(two_rings(TILES))
    assert [ring.landed_bytes for ring in found.rings] == [TILES * BYTES[ring] for ring in STAGES]
    assert [ring.latency.count for ring in found.rings] == [TILES, TILES]
    assert [ring.per_tile.count for ring in found.rings] == [TILES - 1, TILES - 1]
    assert found.landed_bytes == sum(ring.landed_bytes for ring in found.rings)
    roles = {role.role: role for role in found.roles}
    starved = roles["consumer"].share(roles["consumer"].starved)
    assert sum(ring.starved for ring in found.rings) == pytest.approx(starved)
    assert 0 < sum(ring.path_share for ring in found.rings) <= 1
    for ring, own in zip(found.rings, found.as_json()["rings"].values(), strict=True):
        assert ring.path.length == pytest.approx(ring.path_share * found.path.length)
        assert sum(own["critical_path"]["share"].values()) == pytest.approx(float(ring.path.length > 0), abs=1e-4)
        assert own["critical_path_share"] == pytest.approx(ring.path_share, abs=1e-4)
    assert sum(len(ring.path) for ring in found.rings) < len(found.path)  # the last work leads to no wait
    document = json.loads(json.dumps(found.as_json()))
    assert set(document["rings"]) == {"K", "V"}
    assert document["rings"]["V"]["stages"] == STAGES["V"]
    assert "ring V: back-pressure" in statistics_text(found, two_rings(TILES))


def test_one_ring_has_the_numbers_of_the_whole(lesson_trace: Trace) -> None:
    found = numbers(lesson_trace)
    (ring,) = found.rings
    assert (ring.name, ring.occupancy, ring.per_tile, ring.latency) == (
        "",
        found.occupancy,
        found.per_tile,
        found.latency,
    )


def test_a_prediction_of_several_rings_is_refused() -> None:
    with pytest.raises(PredictError, match=r"several rings in a CTA \(K, V\)"):
        predict(find_facts(History(two_rings(20))))


def test_of_a_recording_that_tells_nothing_it_says_what_is_unknown() -> None:
    found = statistics(find_facts(unknowing(two_rings(TILES))))
    assert found.rings == ()
    assert found.occupancy.stages == ()
    assert found.bound.kind == "unknown"
    assert found.latency.count == 2 * TILES
    assert any("Which barriers say full" in text for text in found.unknown)
    assert statistics_text(found, two_rings(TILES))


def test_a_wait_at_a_named_barrier_is_a_wait_of_another_kind(lesson_trace: Trace) -> None:
    """As if w1 waited at named barriers wherever it waits on full ones."""
    events = lesson_trace.events.copy()
    mine = events["agent"] == lesson_trace.agent_index["consumer.w1"]
    begins, ends = (
        np.flatnonzero(mine & (events["kind"] == kind)) for kind in (EventKind.WAIT_BEGIN, EventKind.WAIT_END)
    )
    events["kind"][begins], events["kind"][ends] = EventKind.SYNC_BEGIN, EventKind.SYNC_END
    events["barrier"][begins] = events["barrier"][ends] = -1
    before, after = (
        next(role for role in numbers(trace).roles if role.role == "consumer")
        for trace in (lesson_trace, replace(lesson_trace, events=events))
    )
    waited = int((events["time"][ends] - events["time"][begins]).sum())
    assert after.other == waited > 0 == before.other
    assert after.waiting == before.waiting
