"""The four kernels on a GPU: right in every shape, within twice a library's time, hanging where they should."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assembler import needs_ptxas

from visualizer.children import child_command, child_environment
from visualizer.diagnosis.diagnose import diagnose
from visualizer.reconstruction.violations import violations
from visualizer.recording.file import load
from visualizer.recording.schema import EventKind
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.resources import shipped_recording
from visualizer.sources.pipelines.kernels import KERNELS

SHAPES = [
    *(f"multicast --cluster {cluster} --ctas {ctas} --tiles 33" for cluster in (1, 2, 4) for ctas in (4, 128)),
    "multicast --tiles 1 --source-tiles 1",
    "multicast --cluster 4 --tiles 3 --source-tiles 7",
    "gemm --m 128 --n 256 --k 64",
    "gemm --m 128 --n 512 --k 320",
    "gemm --m 4096 --n 2048 --k 1024",
    "pingpong --m 128 --n 128 --k 64",
    "pingpong --m 384 --n 128 --k 64 --ctas 1",
    "pingpong --m 1152 --n 384 --k 448 --ctas 4",
    "pingpong --m 4096 --n 2048 --k 1024",
    "attention --heads 1 --length 128",
    "attention --heads 3 --length 256",
    "attention --heads 2 --length 1152",
    "multicast --stages 1 --tiles 9",
    "multicast --stages 8 --tiles 33",
    "gemm --m 256 --n 512 --k 576 --stages 2",
    "pingpong --m 384 --n 256 --k 448 --stages 2 --ctas 2",
    "attention --heads 2 --length 640 --k-stages 1 --v-stages 1",
    "attention --heads 1 --length 640 --k-stages 3 --v-stages 3",
]
SMALL = {
    kernel.name: " ".join([kernel.name, *(f"--{name} {value}" for name, value in kernel.recorded({}).items())])
    for kernel in KERNELS
}
FAULTS = [(kernel.name, fault) for kernel in KERNELS for fault in kernel.faults]
ON_BARRIERS = [
    int(kind)
    for kind in (
        EventKind.INIT,
        EventKind.WAIT_BEGIN,
        EventKind.ARRIVE,
        EventKind.ARRIVE_EXPECT_TX,
        EventKind.COPY_ISSUE,
    )
]
LAST_FAULTS = [(kernel.name, kernel.faults[-1]) for kernel in KERNELS]
FULL_SIZE_S = 120
needs_attach = pytest.mark.skipif(shutil.which("cc") is None, reason="attach builds its library with cc")


def run(*words: str, limit_s: float = FULL_SIZE_S, **where: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, env=child_environment(), capture_output=True, text=True, check=False, timeout=limit_s, **where
    )


def pipeline(words: str) -> list[str]:
    return child_command("visualizer.sources.pipelines", *words.split())


@pytest.mark.parametrize("words", SHAPES)
def test_every_value_is_right(words: str) -> None:
    done = run(*pipeline(f"{words} --check --json"))
    assert done.returncode == 0, done.stderr + done.stdout
    assert json.loads(done.stdout)["wrong"] == 0


@pytest.mark.parametrize("name", ["gemm", "pingpong", "attention"])
def test_it_is_within_twice_the_librarys_time(name: str) -> None:
    pytest.importorskip("torch")
    done = run(*pipeline(f"{name} --check --time --json"))
    assert done.returncode == 0, done.stderr + done.stdout
    figures = json.loads(done.stdout)
    assert figures["ms"] < 2 * figures["library_ms"], figures


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_each_mistake_hangs_and_the_next_run_does_not_notice(name: str, fault: str) -> None:
    done = run(*pipeline(f"{SMALL[name]} --fault {fault} --give-up 1"))
    assert done.returncode == 124, done.stderr + done.stdout
    assert done.stderr == f"{name} did not come back within 1 s: it hangs\n"
    assert run(*pipeline(f"{SMALL[name]} --check")).returncode == 0


@needs_ptxas
@needs_attach
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_attach_records_it_and_nothing_is_found(kernel: Any, tmp_path: Path) -> None:
    words = pipeline(f"{SMALL[kernel.name]} --check")
    attach = child_command("visualizer", "attach", "--level", "all", "-o", str(tmp_path / "run.pscope"), "--", *words)
    done = run(*attach, cwd=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    trace = load(tmp_path / "run.pscope")
    assert not any(violations(trace).values())
    assert diagnose(History(trace)).findings == ()
    assert {EventKind.COPY_ISSUE, EventKind.ARRIVE_EXPECT_TX} <= set(trace.events["kind"].tolist())


@needs_ptxas
@needs_attach
@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_attach_says_why_it_hangs(name: str, fault: str, tmp_path: Path) -> None:
    words = pipeline(f"{SMALL[name]} --fault {fault} --give-up 60")
    attach = child_command("visualizer", "attach", "--stall", "2", "-o", str(tmp_path / "stuck.pscope"), "--", *words)
    done = run(*attach, cwd=tmp_path)
    assert done.returncode == 124, done.stderr + done.stdout
    assert load(tmp_path / "stuck.pscope").meta.ending.kind == "timeout"
    # Where a second group waits for its turn only the program tells whether it was to arrive: likely is honest there.
    assert "Cause:" in done.stderr or "Likely cause:" in done.stderr
    assert "IRREGULAR" not in done.stderr


@needs_ptxas
@needs_attach
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_record_makes_what_comes_with_phasescope_again(kernel: Any, tmp_path: Path) -> None:
    """By its name alone: the same agents do the same on the same barriers, each value right and nothing found."""
    path = tmp_path / "run.pscope"
    words = ("record", "--source", "gpu", "--program", kernel.name, "--ab", "6", "-o", str(path))
    done = run(*child_command("visualizer", *words), cwd=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    trace, shipped = load(path), load(shipped_recording(kernel.name))
    assert trace.meta.program == kernel.name
    assert trace.meta.config == {name.replace("-", "_"): value for name, value in kernel.recorded({}).items()}
    assert trace.meta.check["errors"] == 0
    assert trace.meta.check["checked"] > 0
    assert trace.meta.cost["pairs"] == 6
    assert [(agent.name, agent.cta) for agent in trace.agents] == [(agent.name, agent.cta) for agent in shipped.agents]
    assert done_per_agent(trace) == done_per_agent(shipped)
    assert diagnose(History(trace)).findings == ()
    (own,) = (file for file in trace.source_files if file.endswith(".cu"))
    assert own.endswith(f"kernels/{kernel.name}.cu")
    assert {frame.file for site in trace.sites for frame in site.stack} <= set(trace.source_files)


def done_per_agent(trace: Trace) -> list[list[tuple[int, ...]]]:
    """What each agent did to barriers, in its own order: kind, barrier, parity and amount. How often a wait was tried
    is the run's own."""
    events = trace.events[np.isin(trace.events["kind"], ON_BARRIERS)]
    rows = list(zip(*(events[field].tolist() for field in ("kind", "barrier", "parity", "amount")), strict=True))
    done: list[list[tuple[int, ...]]] = [[] for _ in trace.agents]
    for agent, row in zip(events["agent"].tolist(), rows, strict=True):
        done[agent].append(row)
    return done


@needs_ptxas
@needs_attach
@pytest.mark.parametrize(("name", "fault"), LAST_FAULTS)
def test_record_keeps_a_kernel_that_hangs(name: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "stuck.pscope"
    words = ("record", "--source", "gpu", "--program", name, "--fault", fault, "--hang", "2", "-o", str(path))
    done = run(*child_command("visualizer", *words), cwd=tmp_path)
    assert done.returncode == 1, done.stderr + done.stdout
    trace = load(path)
    assert trace.meta.ending.kind == "timeout"
    assert trace.meta.config["fault"] == fault
    assert any(finding.cause for finding in diagnose(History(trace)).findings)


@needs_ptxas
@needs_attach
@pytest.mark.parametrize(
    ("program", "sizes", "ctas"),
    [
        ("multicast", "--cluster 1 --ctas 2 --tiles 5", 2),
        ("multicast", "--cluster 2 --ctas 4 --tiles 5", 4),
        ("gemm", "--m 128 --n 256 --k 64", 1),
        ("pingpong", "--m 384 --n 128 --k 64 --ctas 1", 1),
        ("attention", "--heads 2 --length 256", 4),
        ("multicast", "--stages 2", 4),
        ("gemm", "--stages 2", 4),
        ("pingpong", "--stages 4", 2),
        ("attention", "--k-stages 3 --v-stages 2", 8),
    ],
)
def test_record_takes_other_sizes(program: str, sizes: str, ctas: int, tmp_path: Path) -> None:
    path = tmp_path / "run.pscope"
    words = ("record", "--source", "gpu", "--program", program, *sizes.split(), "-o", str(path))
    done = run(*child_command("visualizer", *words), cwd=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    trace = load(path)
    assert trace.ctas == ctas
    assert trace.meta.check["errors"] == 0
    asked = dict(zip(sizes.split()[::2], map(int, sizes.split()[1::2]), strict=True))
    assert {f"--{name.replace('_', '-')}": value for name, value in trace.meta.config.items()}.items() >= asked.items()


@needs_ptxas
@needs_attach
def test_predict_verifies_with_other_stages(tmp_path: Path) -> None:
    words = ("predict", "gemm", "--stages", "3..5", "--verify", "--json")
    done = run(*child_command("visualizer", *words), cwd=tmp_path)
    assert done.returncode == 0, done.stderr + done.stdout
    verified = json.loads(done.stdout)["verified"]
    assert [row["stages"] for row in verified["runs"]] == [3, 4]
    assert verified["source"] == "gpu"
    assert all(row["measured_ns"] > 0 for row in verified["runs"])
