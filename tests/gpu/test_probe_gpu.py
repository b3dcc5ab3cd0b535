"""The word probe on a GPU: agents do what they do without it, and what it sees is what the reconstruction says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agent_events import events_by_agent

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.reconstruction.violations import violations
from visualizer.replay.history import History
from visualizer.semantics.word import TX_GRANULE, decode
from visualizer.sources.lesson.launcher import record_gpu
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.raw_log import LogLevel
from visualizer.sources.lesson.word_probe import ProbeMode
from visualizer.sources.simulator.simulate import simulate

SHAPES: list[dict[str, Any]] = [
    {},
    {"stages": 1},
    {"stages": 8, "tiles": 30},
    {"ctas": 4},
    {"arrive_per_warp": True, "consumer_warps": 4},
    {"stages": 2, "tile_columns": 128, "source_tiles": 3},
    {"consumer_warps": 15},
    {"consumer_delay": 3000, "tiles": 12},
]


@pytest.mark.parametrize("values", SHAPES, ids=str)
@pytest.mark.parametrize("level", ["full", "words"])
@pytest.mark.parametrize("mode", ["words", "flips"])
def test_the_agents_do_the_same_with_a_probe(values: dict[str, Any], level: LogLevel, mode: ProbeMode) -> None:
    config = LessonConfig(**values)
    recorded = record_gpu(config, GpuOptions(level=level, probe=mode))
    assert recorded.meta.ending.kind == "completed"
    assert recorded.meta.check["errors"] == 0
    assert recorded.meta.source["probe"]["runs_lost"] == 0
    assert events_by_agent(recorded) == events_by_agent(simulate(lesson(config)))
    assert not any(violations(recorded).values())
    assert diagnose(History(recorded)).clean
    assert recorded.meta.reconcile["copies_probed"] == config.ctas * config.tiles
    assert set(recorded.samples["barrier"].tolist()) == set(range(len(recorded.barriers)))


def test_bytes_drain_in_granules() -> None:
    trace = record_gpu(LessonConfig(tiles=64), GpuOptions(probe="words"))
    _, pending, tx = decode(trace.samples["word"])
    assert set(tx.tolist()) <= set(range(0, 16384 + 1, TX_GRANULE))
    assert len(set(tx.tolist())) > 2
    assert pending.max() == 96


def test_only_the_chosen_barriers_are_looked_at() -> None:
    trace = record_gpu(LessonConfig(ctas=2), GpuOptions(probe="words", probe_barriers=("full[1]", "empty[0]")))
    names = {trace.barriers[row].name for row in np.unique(trace.samples["barrier"])}
    assert names == {"CTA0.full[1]", "CTA0.empty[0]", "CTA1.full[1]", "CTA1.empty[0]"}


def test_a_hang_is_seen_to_its_end() -> None:
    trace = record_gpu(LessonConfig(producer_phase=0), GpuOptions(watchdog_ms=50, probe="words"))
    assert trace.meta.ending.kind == "timeout"
    full, pending, _ = decode(trace.samples["word"][trace.samples["barrier"] == 0])
    assert full.tolist() == [0]
    assert pending.tolist() == [1]


def test_what_a_probe_and_its_log_cost_is_measured_together() -> None:
    cost = record_gpu(LessonConfig(tiles=64), GpuOptions(level="full", probe="flips", ab_pairs=6)).meta.cost
    assert cost["record_ns"] > 0
    assert cost["pairs"] == 6
