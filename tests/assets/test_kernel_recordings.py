"""The kernels of kernels/ recorded through attach: sound, as their sources say, and free of the machine."""

from __future__ import annotations

import re
import shlex
import zipfile

import pytest
from recording_files import shipped_history

from visualizer.diagnosis.diagnose import diagnose
from visualizer.programs import attention, gemm
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load
from visualizer.replay.history import History
from visualizer.resources import resource_dir, shipped_recording
from visualizer.sources.pipelines.kernels import find_kernel

CTAS = {"multicast": 4, "multicast-pair": 4, "gemm": 4, "pingpong": 2, "attention": 8}
RINGS = {
    "multicast": {"load": (3, 3)},
    "multicast-pair": {"load": (3, 3)},
    "gemm": {"load": (gemm.STAGES, gemm.STAGES)},
    "pingpong": {"load": (5, 5)},
    # Q is loaded once: nobody says that its buffer is empty, and no function of its own has its barrier.
    "attention": {
        "load_k": (attention.K_STAGES, attention.K_STAGES),
        "load_v": (attention.V_STAGES, attention.V_STAGES),
        "ring2": (1, 0),
    },
}
"""Stages, and how many of them have an empty barrier."""
CONSUMER_WARPS = {"multicast": 4, "multicast-pair": 4, "gemm": 8, "pingpong": 8, "attention": 8}


@pytest.fixture(params=list(RINGS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_it_is_a_whole_and_sound_run_on_an_h200(name: str) -> None:
    trace = load(shipped_recording(name))
    assert trace.meta.source["gpu"] == "NVIDIA H200"
    assert trace.meta.source["level"] == "all"
    assert trace.meta.source["dropped"] == []
    assert trace.meta.ending.kind == "completed"
    assert (trace.meta.records_lost, trace.meta.events_dropped) == (0, 0)
    assert not any(violations(trace).values())
    assert diagnose(History(trace)).findings == ()


def test_its_structure_is_that_of_the_source(name: str) -> None:
    history = shipped_history(name)
    structure = history.structure
    assert history.trace.ctas == CTAS[name]
    for cta in range(CTAS[name]):
        rings = structure.of_cta(cta)
        assert {ring.name: (ring.stages, sum(map(bool, ring.empty))) for ring in rings} == RINGS[name]
        agents = [agent.name for agent in history.trace.agents if agent.cta == cta]
        first = history.trace.agent_index[agents[0]]
        for ring in rings:
            assert ring.producers == (first,)
            assert len(ring.consumers) == CONSUMER_WARPS[name]
        roles = structure.roles[first : first + len(agents)]
        assert [roles.count(role) for role in ("producer", "consumer", "copy_engine")] == [1, CONSUMER_WARPS[name], 1]
    assert len(structure.turns) == (CTAS[name] if name in ("pingpong", "attention") else 0)


def test_nothing_of_the_machine_is_in_it(name: str) -> None:
    with zipfile.ZipFile(shipped_recording(name)) as archive:
        meta = archive.read("meta.json").decode()
    # No path from the root, but in comments: none of our sources has one.
    assert re.findall(r"[\s\"'=](/\w[\w.-]*/[^\s\"]*)", meta) == []
    trace = load(shipped_recording(name))
    named = {site.file for site in trace.sites} | {frame.file for site in trace.sites for frame in site.stack}
    assert named <= set(trace.source_files)
    for file, text in trace.source_files.items():
        assert (resource_dir("kernels").parent / file).read_text(encoding="utf-8") == text
        assert file.startswith("kernels/")


def test_its_command_makes_it_again(name: str) -> None:
    words = shlex.split(load(shipped_recording(name)).meta.command)
    assert words[:2] == ["phasescope", "attach"]
    assert words[words.index("-o") + 1] == f"assets/traces/{name}.pscope"
    program = words[words.index("visualizer.sources.pipelines") + 1 :]
    values = {option[2:]: int(value) for option, value in zip(program[1::2], program[2::2], strict=False)}
    kernel = find_kernel(program[0])
    if name == kernel.name:  # what `record --source gpu --program NAME` runs where no sizes are given
        assert kernel.recorded(values) == kernel.recorded({})
    launch = kernel.launch(values)
    assert launch.grid[0] * launch.grid[1] == CTAS[name]
