"""The timeline's rows: which there are, in which order, under which keys."""

from dataclasses import replace

from visualizer.playback.lane_steps import home_lane, lane_steps
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.find import structure_of
from visualizer.structure.titles import stage_key
from visualizer.views.timeline.lanes.lanes import build_lanes


def test_lesson_lanes_in_drawing_order(lesson_trace):
    assert [lane.key for lane in build_lanes(lesson_trace)] == [
        "producer", "consumer.w1", "consumer.w2", "consumer.w3", "tma",
        "stage[0]", "stage[1]", "stage[2]",
        "full[0]", "full[1]", "full[2]", "empty[0]", "empty[1]", "empty[2]",
    ]  # fmt: skip


def test_several_ctas_are_prefixed_and_kept_together():
    trace = simulate(lesson(LessonConfig(ctas=2, tiles=1, stages=1, consumer_warps=1)))
    lanes = build_lanes(trace)
    assert [lane.key for lane in lanes[:7]] == [
        "CTA0", "CTA0.producer", "CTA0.consumer.w1", "CTA0.tma", "CTA0.stage[0]", "CTA0.full[0]", "CTA0.empty[0]",
    ]  # fmt: skip
    assert [(lane.key, lane.title, lane.row) for lane in lanes[8:]] == [
        ("CTA1.producer", "producer", 3),
        ("CTA1.consumer.w1", "consumer.w1", 4),
        ("CTA1.tma", "tma", 5),
        ("CTA1.stage[0]", "stage[0]", 1),
        ("CTA1.full[0]", "full[0]", 2),
        ("CTA1.empty[0]", "empty[0]", 3),
    ]
    assert stage_key(trace, 1, 0) == "CTA1.stage[0]"


def test_which_agents_are_copy_engines_is_the_structures_to_say(lesson_trace):
    nameless = replace(lesson_trace, agents=[replace(agent, role="other") for agent in lesson_trace.agents])
    kinds = {lane.key: lane.kind for lane in build_lanes(nameless, structure_of(lesson_trace))}
    assert kinds == {lane.key: lane.kind for lane in build_lanes(lesson_trace)}


def test_every_lane_can_be_stepped_through(lesson_history: History):
    for lane in build_lanes(lesson_history.trace):
        assert lane_steps(lesson_history, lane.key) is not None, lane.key


def test_every_event_is_at_home_in_a_lane(lesson_history: History):
    keys = {lane.key for lane in build_lanes(lesson_history.trace)}
    for step in range(lesson_history.steps):
        lane = home_lane(lesson_history.trace, step)
        assert lane in keys
