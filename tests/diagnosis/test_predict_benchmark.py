"""benchmarks.predict_kernels: what is run, what is held against what; and the docs show the figures of the H200."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import predict_kernels
from benchmarks.predict_kernels_text import BEGIN, END, as_markdown, put_into
from visualizer.recording.file import load, save
from visualizer.recording.trace import Trace
from visualizer.resources import shipped_recording
from visualizer.sources.errors import SourceError
from visualizer.sources.pipelines.kernels import KERNELS, find_kernel
from visualizer.sources.pipelines.pipeline_kernel import Launch, PipelineKernel
from visualizer.sources.registry import check
from visualizer.sources.source import Request

ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*-h200-predict-kernels.json"))
DOCS = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")


@pytest.fixture
def on_gpu(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Every run is the recording that comes along; what was asked for."""
    asked: list[Request] = []

    def record(source: str, request: Request) -> Trace:
        check(source, request)
        asked.append(request)
        assert request.program is not None
        if request.parameters.get("k_stages") == 1:
            raise SourceError("the GPU has fallen off the bus")
        trace = load(shipped_recording(request.program))
        trace.meta.check["errors"] = 0
        return trace

    monkeypatch.setattr(predict_kernels, "record", record)
    return asked


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["predict_kernels", *map(str, words)])
    return predict_kernels.main()


def test_each_stage_count_is_run_once_and_each_held_against_its_neighbours(
    on_gpu: list[Request], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, saved, figures = tmp_path / "page.md", tmp_path / "runs", tmp_path / "figures.json"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert run(monkeypatch, "--save", saved, "--json", figures, "--docs", page) == 1
    printed = capsys.readouterr()
    assert len(on_gpu) == 4 + 3 + 3 + 6
    assert len(list(saved.iterdir())) == len(on_gpu) - 1
    document = json.loads(figures.read_text())
    assert document["machine"] == "NVIDIA H200"
    assert [one["kernel"] for one in document["kernels"]] == [kernel.name for kernel in KERNELS]
    assert document["failed"] == ["attention-1-3: the GPU has fallen off the bus"]
    assert document["failed"][0] in printed.err
    pairs = [(row["from"], row["to"]) for row in document["rows"] if row["kernel"] == "gemm"]
    assert pairs == [(2, 3), (3, 2), (3, 4), (4, 3)]
    # All runs are the same recording here, of four stages whatever was asked: that is what the error says.
    (row,) = (row for row in document["rows"] if row["kernel"] == "gemm" and row["from"] == 4)
    assert row["recorded_ns"] == row["measured_ns"][0] == 528.529
    assert row["error"] == pytest.approx(row["predicted_ns"] / row["measured_ns"][0] - 1, abs=1e-3)
    text = page.read_text()
    assert text == f"before\n{BEGIN}\n{as_markdown(document)}\n{END}\nafter\n"
    assert f"| gemm `load` | 4 to 3 | 529 ns | {row['predicted_ns']:.0f} ns | 529 ns |" in printed.out
    assert "| attention `load_k` | 1 to 2 | - | - | - | - |" in text

    assert run(monkeypatch, "--recordings", saved, "--json", tmp_path / "again.json") == 1
    again = json.loads((tmp_path / "again.json").read_text())
    assert (again["rows"], again["kernels"]) == (document["rows"], document["kernels"])


def test_launches_of_full_size_are_timed_and_one_that_fails_is_told(
    on_gpu: list[Request], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Running:
        def __init__(self, name: str, launch: Launch) -> None:
            self.ms = float(launch.defines[-1][-1])
            if name == "gemm" and self.ms == 3:
                raise RuntimeError("out of memory")

        def start(self) -> float:
            return self.ms

    worker = SimpleNamespace(
        RunningKernel=Running, comes_back=lambda start, limit: True, timed_ms=lambda start: 1 / start()
    )
    monkeypatch.setitem(sys.modules, "visualizer.sources.pipelines.worker_kernel", worker)
    monkeypatch.setitem(sys.modules, "visualizer.sources.runner.device", SimpleNamespace(compiling=nullcontext))
    monkeypatch.setattr(predict_kernels, "KERNELS", (find_kernel("multicast"), find_kernel("gemm")))
    monkeypatch.setattr(
        PipelineKernel, "launch", lambda kernel, values: SimpleNamespace(defines=(f"-DSTAGES={values['stages']}",))
    )
    assert run(monkeypatch, "--full-size", "--json", tmp_path / "f.json") == 1
    document = json.loads((tmp_path / "f.json").read_text())
    assert document["failed"] == ["gemm, stages 3, full size: out of memory"]
    times = {(row["kernel"], row["from"], row["to"]): row["full_size_ms"] for row in document["rows"]}
    assert times["multicast", 3, 4] == [0.3333, 0.25]
    assert times["gemm", 4, 3] == [0.25, None]


def test_a_wrong_result_is_no_measurement(
    on_gpu: list[Request], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trace = load(shipped_recording("gemm"))
    trace.meta.check["errors"] = 5
    monkeypatch.setattr(predict_kernels, "record", lambda *_: trace)
    assert run(monkeypatch, "--json", tmp_path / "f.json") == 1
    assert all("not found right" in one for one in json.loads((tmp_path / "f.json").read_text())["failed"])


def test_a_page_without_a_place_for_the_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("nothing here")
    with pytest.raises(SystemExit, match="has no place for the tables"):
        put_into(tmp_path / "page.md", {})


def test_times_of_full_size_stand_beside() -> None:
    row: dict[str, Any] = {
        "kernel": "gemm",
        "ring": "load",
        "from": 3,
        "to": 4,
        "recorded_ns": 1.0,
        "predicted_ns": 2.0,
    }
    row |= {"measured_ns": [2.0, 4.0], "error": -0.3333, "full_size_ms": [0.4, 0.3]}
    document = {"machine": "H", "kernels": [], "rows": [row], "failed": []}
    assert "| gemm `load` | 3 to 4 | 1 ns | 2 ns | 2 ns, 4 ns | -33.3 % | 0.400 to 0.300 ms: -25.0 % |" in as_markdown(
        document
    )


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_what_is_run_has_the_usual_count_and_one_more_where_that_fits(kernel) -> None:
    for ring, counts in predict_kernels.counts_of(kernel).items():
        usual = kernel.parameters[ring].default
        assert usual in counts
        assert (usual + 1 in counts) == (kernel.name in ("multicast", "attention"))
        assert counts == list(range(counts[0], counts[-1] + 1))


def test_the_docs_show_what_an_h200_measured() -> None:
    """Or that none has measured anything yet."""
    shown = DOCS.partition(BEGIN)[2].partition(END)[0].strip()
    if RESULTS:
        assert shown == as_markdown(json.loads(RESULTS[-1].read_text()))
    else:
        assert shown == "No GPU has run them yet."


def test_a_saved_run_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gemm = find_kernel("gemm")
    assert predict_kernels.name_of(gemm, gemm.recorded({"stages": 3})) == "gemm-3"
    attention = find_kernel("attention")
    assert predict_kernels.name_of(attention, attention.recorded({})) == "attention-2-3"
    save(load(shipped_recording("gemm")), tmp_path / "gemm-4-0.pscope")
    assert run(monkeypatch, "--recordings", tmp_path, "--json", tmp_path / "f.json") == 1
    kernels = json.loads((tmp_path / "f.json").read_text())["kernels"]
    assert [one["kernel"] for one in kernels] == ["gemm"]
