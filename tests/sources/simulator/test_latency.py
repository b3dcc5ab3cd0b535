"""The simulator's default latencies are those of the recordings: the medians agree, and so does the time per tile."""

from __future__ import annotations

import numpy as np
import pytest

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import load
from visualizer.recording.schema import EventKind as K
from visualizer.recording.trace import Trace
from visualizer.resources import resource_dir
from visualizer.sources.simulator.latency import Latencies
from visualizer.sources.simulator.simulate import simulate


def recorded_and_simulated(name: str) -> tuple[Trace, Trace]:
    recorded = load(resource_dir("assets") / "traces" / f"{name}.pscope")
    return recorded, simulate(lesson(LessonConfig.from_dict(recorded.meta.config)))


def between(trace: Trace, agent: str, before: K, after: K) -> float:
    """Median ns from an agent's event of one kind to its next of another kind, where they follow each other."""
    own = trace.events[(trace.events["agent"] == trace.agent_index[agent]) & (trace.events["kind"] != K.PHASE_COMPLETE)]
    follows = (own["kind"][:-1] == before) & (own["kind"][1:] == after)
    return float(np.median((own["time"][1:] - own["time"][:-1])[follows])) / 1000


@pytest.mark.parametrize(
    ("agent", "before", "after"),
    [
        ("producer", K.INIT, K.INIT),
        ("producer", K.COPY_ISSUE, K.ADVANCE),
        ("producer", K.ADVANCE, K.WAIT_BEGIN),
        ("consumer.w1", K.WAIT_BEGIN, K.WAIT_END),
        ("consumer.w1", K.READ_BEGIN, K.READ_END),
        ("consumer.w1", K.ADVANCE, K.WAIT_BEGIN),
    ],
)
def test_each_operation_takes_what_it_took_on_the_h200(agent: str, before: K, after: K) -> None:
    recorded, simulated = recorded_and_simulated("lesson")
    assert between(simulated, agent, before, after) == pytest.approx(between(recorded, agent, before, after), rel=0.2)


def test_a_copy_from_l2_takes_what_it_took_on_the_h200() -> None:
    recorded, simulated = recorded_and_simulated("slow-producer")  # every landing is seen by a waiting consumer

    def landing(trace: Trace) -> float:
        issued = trace.events["time"][trace.events["kind"] == K.COPY_ISSUE]
        return float(np.median(trace.events["time"][trace.events["kind"] == K.COPY_DONE] - issued)) / 1000

    assert landing(simulated) == pytest.approx(landing(recorded), rel=0.2)


@pytest.mark.parametrize("name", ["lesson", "slow-consumer", "slow-producer", "one-stage"])
def test_a_run_takes_about_as_long_as_on_the_h200(name: str) -> None:
    recorded, simulated = recorded_and_simulated(name)
    assert simulated.duration_ps == pytest.approx(recorded.duration_ps, rel=0.25)


@pytest.mark.parametrize(
    ("values", "message"),
    [({"wake_up": -1.0}, "wake_up"), ({"jitter": 1.0}, "jitter"), ({"copy_bandwidth": 0.0}, "bandwidth")],
)
def test_impossible_latencies_are_refused(values: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Latencies(**values)
