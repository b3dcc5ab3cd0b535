"""Running sequences through a worker, with stand-in workers: right ones, wrong ones, and those that die."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks import conformance
from visualizer.sources.conformance import on_gpu
from visualizer.sources.conformance.generate import generate
from visualizer.sources.conformance.on_gpu import execute
from visualizer.sources.conformance.replay import compare, foretell
from visualizer.sources.conformance.steps import UNWRITTEN, Form
from visualizer.sources.errors import SourceError

PROLOGUE = """
import json, sys, time
from pathlib import Path
import numpy as np
from visualizer.sources.conformance.replay import foretell
from visualizer.sources.conformance.steps import Sequences
assert sys.flags.safe_path
job = json.loads(sys.stdin.read())
SOURCE = {"gpu": "stand-in"}
def say(**line): print(json.dumps(line), flush=True)
def running(): say(progress=0.4, message="running the kernel", source=SOURCE)
def answer(results, crash=""): np.save(job["output"], results); say(done={"source": SOURCE, "crash": crash})
sequences = Sequences.load(Path(job["steps"]))
"""
Worker = Callable[[str], None]


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Worker:
    """Replace the worker by one that runs the given lines of Python."""

    def replace(body: str) -> None:
        (tmp_path / "stand_in_worker.py").write_text(PROLOGUE + body, encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr(on_gpu, "WORKER_MODULE", "stand_in_worker")

    return replace


def test_results_come_back_step_by_step(worker: Worker) -> None:
    worker("running(); answer(foretell(sequences))")
    made = generate(Form.TWO_CTAS, 3, 30, 0)
    done = execute(made)
    assert (done.crash, done.source) == ("", {"gpu": "stand-in"})
    assert not len(compare(made, foretell(made), done.results).mismatches)


def test_a_launch_failure_keeps_the_results_before_it(worker: Worker) -> None:
    worker("running(); r = foretell(sequences); r[5:] = 2**64 - 1; answer(r, 'cudaErrorLaunchFailure: unspecified')")
    made = generate(Form.ONE_THREAD, 1, 20, 0)
    done = execute(made)
    assert done.crash.startswith("cudaErrorLaunchFailure")
    assert np.flatnonzero(done.results == UNWRITTEN)[0] == 5


def test_a_worker_that_hangs_in_the_kernel_is_ended(worker: Worker) -> None:
    worker("running(); time.sleep(600)")
    done = execute(generate(Form.ONE_THREAD, 1, 20, 0), time_limit_s=2)
    assert "time limit of 2 s" in done.crash
    assert (done.results == UNWRITTEN).all()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("say(failed='no-gpu', message='this machine has no NVIDIA GPU')", "no NVIDIA GPU"),
        ("sys.exit('libcuda is broken')", "libcuda is broken"),
    ],
)
def test_where_no_kernel_ran_there_is_one_sentence(worker: Worker, body: str, words: str) -> None:
    worker(body)
    with pytest.raises(SourceError, match=words):
        execute(generate(Form.ONE_THREAD, 1, 20, 0))


def run_benchmark(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["conformance", "--sequences", "5", "--operations", "40", *arguments])
    return conformance.main()


def test_the_run_prints_a_table_and_writes_its_figures(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    worker("running(); answer(foretell(sequences))")
    figures, raw = tmp_path / "figures.json", tmp_path / "raw.npz"
    assert run_benchmark(monkeypatch, "--no-outside", "--json", str(figures), "--raw", str(raw)) == 0
    printed = capsys.readouterr().out
    assert [line.split() for line in printed.splitlines()[:2]] == [[*Form], ["sequences", "5", "5", "5"]]
    forms = json.loads(figures.read_text())["forms"]
    assert [forms[form]["mismatches"] for form in Form] == [0, 0, 0]
    assert all(sum(forms[form]["counts"].values()) == forms[form]["operations"] for form in Form)
    with np.load(raw) as kept:
        assert [len(kept[form]) for form in Form] == [forms[form]["operations"] for form in Form]


def test_a_gpu_that_differs_is_told_by_step_and_by_exit_status(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # The last step of every sequence reads a word: one more arrival pending in the last one.
    worker("running(); r = foretell(sequences); r[-1] -= np.uint64(1 << 43); answer(r)")
    assert run_benchmark(monkeypatch, "--no-outside") == 1
    printed = capsys.readouterr().out
    assert printed.count("foretold") == len(Form)
    assert "one_thread: sequence 4, step " in printed
    assert ["mismatches", "1", "1", "1"] in [line.split() for line in printed.splitlines()]


def test_what_is_outside_is_listed_with_its_ending(
    worker: Worker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worker("running(); answer(np.full(len(sequences.steps), 2**64 - 1, dtype=np.uint64), 'cudaErrorLaunchFailure: x')")
    monkeypatch.setattr(conformance, "CASES", conformance.CASES[:2])
    assert run_benchmark(monkeypatch) == 1, "the sequences crashed as well"
    printed = capsys.readouterr().out
    assert "arrive more than is pending: cudaErrorLaunchFailure; init never came back" in printed
