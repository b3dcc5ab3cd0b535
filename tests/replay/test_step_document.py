"""The JSON of one step has exactly the shape scripts rely on, and says what the state says."""

from __future__ import annotations

import json

from naive_replay import cut, run

from visualizer.recording.schema import EventKind
from visualizer.replay.history import History
from visualizer.replay.step_document import step_document


def test_the_documents_shape(lesson_history: History) -> None:
    document = step_document(lesson_history, 40)
    assert list(document) == ["step", "steps", "time_ps", "event", "barriers", "agents", "stages"]
    assert list(document["event"]) == [
        "kind",
        "agent",
        "barrier",
        "barrier_title",
        "stage",
        "tile",
        "parity",
        "amount",
        "site",
    ]
    assert list(document["barriers"]) == ["full[0]", "full[1]", "full[2]", "empty[0]", "empty[1]", "empty[2]"]
    assert {"phase", "parity", "pending", "expected", "tx"} <= set(document["barriers"]["full[0]"])
    assert list(document["agents"]) == ["producer", "consumer.w1", "consumer.w2", "consumer.w3", "tma"]
    assert set(document["agents"]["tma"]) == {"state", "op", "barrier", "tile", "cursor"}
    assert document["stages"][2].keys() == {"stage", "state", "tile"}


def test_every_step_is_json_and_none_stands_for_none(lesson_history: History) -> None:
    for step in range(lesson_history.steps):
        document = json.loads(json.dumps(step_document(lesson_history, step)))
        assert -1 not in (document["event"]["stage"], document["event"]["tile"], document["event"]["parity"])
        assert document["agents"]["tma"]["cursor"] is None


def test_the_moment_before_the_first_flip(lesson_history: History) -> None:
    step = int(lesson_history.completion_steps[0]) - 1
    document = step_document(lesson_history, step)
    assert document["event"]["kind"] == "complete_tx"
    assert document["event"]["agent"] == "tma"
    assert document["barriers"]["full[0]"] == {
        "valid": True,
        "phase": 0,
        "parity": 0,
        "counting": "init",
        "pending": 0,
        "expected": 1,
        "tx": 0,
    }
    assert document["stages"][0] == {"stage": 0, "state": "filling", "tile": 0}
    consumer = document["agents"]["consumer.w1"]
    assert (consumer["state"], consumer["op"], consumer["barrier"]) == ("waiting", "consumer_wait", "full[0]")
    assert consumer["cursor"] == {"index": 0, "phase": 0, "count": 0}


def test_the_producers_cursor_after_it_wrapped(lesson_history: History) -> None:
    wrapped = next(
        step
        for step, event in enumerate(lesson_history.trace.events)
        if event["kind"] == EventKind.ADVANCE and event["amount"] == 3
    )
    cursor = step_document(lesson_history, wrapped)["agents"]["producer"]["cursor"]
    assert cursor == {"index": 0, "phase": 0, "count": 3}


def test_stages_name_their_cta_when_there_are_several() -> None:
    document = step_document(History(cut(run(ctas=2, tiles=1), 20)), 19)
    assert [(stage["cta"], stage["stage"]) for stage in document["stages"]] == [
        (c, s) for c in (0, 1) for s in (0, 1, 2)
    ]
    assert "CTA1.full[0]" in document["barriers"]
