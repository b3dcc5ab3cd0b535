"""`record --source gpu --program gemm` and its like: what may be asked, and what comes of a program without a GPU."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sources.attach.conftest import FakeInstrument, build_machine
from visualizer.cli.main import main
from visualizer.programs.errors import ProgramError
from visualizer.programs.registry import PROGRAMS
from visualizer.recording.file import load
from visualizer.recording.tables import Frame, Site
from visualizer.recording.trace import Trace
from visualizer.resources import resource_dir
from visualizer.sources.errors import Cancelled, SourceError
from visualizer.sources.pipelines import __main__ as program
from visualizer.sources.pipelines import record as recording
from visualizer.sources.pipelines.kernels import KERNELS, find_kernel
from visualizer.sources.pipelines.sizes import SIZE_OPTIONS, request_for, sizes_of
from visualizer.sources.registry import check, record
from visualizer.sources.source import Request

MODULE = """.version 8.8
.target sm_90a
//variable counter 4
.entry gemm{how}
    mbarrier.try_wait
"""
RIGHT = '{"kernel": "gemm", "values": 100, "wrong": 0}'


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = build_machine(tmp_path_factory.mktemp("machine"))
    for how in ("", "hang"):
        (folder / f"gemm{how}.ptx").write_text(MODULE.format(how=how and f" {how}"))
    return folder


@pytest.fixture
def runs(machine: Path, lesson_trace: Trace, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[list[str]]]:
    """`runs(script)` has the script run in place of the kernel's program; what that was asked comes back."""

    def put(script: str) -> list[list[str]]:
        asked: list[list[str]] = []

        def command(module: str, *words: str) -> list[str]:
            asked.append([module, *words])
            return ["/bin/sh", "-c", f"cd {shlex.quote(str(machine))}; {script}"]

        monkeypatch.setattr(recording, "child_command", command)
        return asked

    monkeypatch.setenv("XDG_CACHE_HOME", str(machine / "cache"))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(machine))
    monkeypatch.setattr(recording, "find_gpu", dict)
    monkeypatch.setattr(recording, "PtxInstrument", lambda options: FakeInstrument(lesson_trace))
    return put


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_what_is_asked_is_what_its_program_takes(kernel, runs: Callable[[str], list[list[str]]]) -> None:
    """As it stands, and with every size and mistake that the kernel has."""
    asked = runs("exit 3")
    options = {
        one.name: kernel.parameters[one.flag[2:]].recorded for one in SIZE_OPTIONS if kernel.name in one.programs
    }
    parameters = {
        name: kernel.parameters[name].recorded for name in ("tiles", "ctas", "stages") if name in kernel.parameters
    }
    requests = [Request(kernel.name), *(Request(kernel.name, parameters, fault, options) for fault in kernel.faults)]
    for request in requests:
        check("gpu", request)
        with pytest.raises(SourceError, match=f"no launch of {kernel.name} was recorded; .* with status 3"):
            record("gpu", request)
        module, *words = asked.pop()
        assert module == "visualizer.sources.pipelines"
        args = program._parser().parse_args(words)
        assert args.kernel is kernel
        assert (args.fault, args.check, args.json, args.give_up) == (request.fault, True, True, 120.0)
        assert {name: getattr(args, name) for name in kernel.parameters} == sizes_of(kernel, request)
    assert kernel.faults == PROGRAMS[kernel.name].faults


def test_a_recording_has_its_sizes_and_what_its_check_found(
    runs: Callable[[str], list[list[str]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs(f"./host proc load gemm.ptx launch gemm; echo noise; echo '{RIGHT}'; echo not json")
    path = tmp_path / "g.pscope"
    words = ["--source", "gpu", "--program", "gemm", "--k", "128"]
    assert main(["record", *words, "-o", str(path)]) == 0
    meta = load(path).meta
    assert (meta.program, meta.ending.kind) == ("gemm", "completed")
    assert meta.config == {"m": 256, "n": 512, "k": 128, "stages": 4}
    assert meta.check == {"mode": "exact", "checked": 100, "errors": 0}
    assert meta.command == shlex.join(["phasescope", "record", *words, "-o", str(path)])
    assert "0 errors" in capsys.readouterr().out


def test_stages_are_asked_of_the_program(runs: Callable[[str], list[list[str]]], tmp_path: Path) -> None:
    asked = runs(f"./host proc load gemm.ptx launch gemm; echo '{RIGHT}'")
    path = tmp_path / "g.pscope"
    assert main(["record", "--source", "gpu", "--program", "gemm", "--stages", "2", "-o", str(path)]) == 0
    (words,) = asked
    assert words[words.index("--stages") + 1] == "2"
    assert load(path).meta.config["stages"] == 2


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_a_request_for_sizes_asks_for_them(kernel) -> None:
    sizes = kernel.recorded({name: kernel.parameters[name].recorded - 1 for name in kernel.rings})
    request = request_for(kernel, sizes)
    check("gpu", request)
    assert sizes_of(kernel, request) == {**sizes, **({"source-tiles": 64} if kernel.name == "multicast" else {})}


def test_the_kernels_own_file_has_its_path_and_its_text(
    runs: Callable[[str], list[list[str]]], lesson_trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CuPy compiles from memory: the compiler's name for it, in a folder that is gone, says nothing."""
    header = Frame("/repo/kernels/mbarrier.cuh", 83, "wait")
    gone = Frame("/tmp/tmp1x/0123.cubin.cu", 54, "multiply")
    site = Site(header.file, header.line, "mbarrier.try_wait", (header, gone))
    strange = replace(lesson_trace, sites=(site, *lesson_trace.sites[1:]), source_files={header.file: "text"})
    monkeypatch.setattr(recording, "PtxInstrument", lambda options: FakeInstrument(strange))
    runs(f"./host proc load gemm.ptx launch gemm; echo '{RIGHT}'")
    trace = record("gpu", Request("gemm"))
    own = resource_dir("kernels") / "gemm.cu"
    assert [frame.file for frame in trace.sites[0].stack] == [header.file, str(own)]
    assert (trace.sites[0].file, trace.sites[0].line) == (header.file, 83)
    assert trace.source_files == {header.file: "text", str(own): own.read_text(encoding="utf-8")}


def test_a_wrong_result_is_recorded_all_the_same(runs: Callable[[str], list[list[str]]], tmp_path: Path) -> None:
    runs(f"./host proc load gemm.ptx launch gemm; echo '{RIGHT.replace('0}', '7}')}'; exit 1")
    path = tmp_path / "g.pscope"
    assert main(["record", "--source", "gpu", "--program", "gemm", "-o", str(path)]) == 1
    assert load(path).meta.check["errors"] == 7


def test_a_hang_is_a_recording_with_the_mistake_in_it(runs: Callable[[str], list[list[str]]]) -> None:
    runs("exec ./host proc load gemmhang.ptx launch gemm sync")
    trace = record("gpu", Request("gemm", fault="F20", options={"hang_s": 1.0}))
    assert trace.meta.ending.kind == "timeout"
    assert trace.meta.ending.detail.startswith("it hung: nothing was recorded for 1 s")
    assert trace.meta.config["fault"] == "F20"
    assert trace.meta.check == {}


def test_a_run_beyond_its_time_limit_says_so(runs: Callable[[str], list[list[str]]]) -> None:
    runs("exec ./host proc load gemmhang.ptx launch gemm sync")
    trace = record("gpu", Request("gemm", options={"hang_s": 60.0, "time_limit_s": 1.0}))
    assert trace.meta.ending.detail == "it took longer than the time limit of 1 s"
    runs("exec sleep 60")
    with pytest.raises(SourceError, match="gemm was not recorded within the time limit of 1 s"):
        record("gpu", Request("gemm", options={"time_limit_s": 1.0}))


def test_cancelling_ends_it(runs: Callable[[str], list[list[str]]]) -> None:
    runs("exec sleep 60")
    with pytest.raises(Cancelled):
        record("gpu", Request("gemm"), cancelled=lambda: True)


def test_what_the_program_or_attach_says_is_said(
    runs: Callable[[str], list[list[str]]], monkeypatch: pytest.MonkeyPatch, lesson_trace: Trace
) -> None:
    runs("echo some warning; echo the driver is too old; exit 2")
    with pytest.raises(SourceError, match=r"no launch of gemm was recorded; .* status 2: the driver is too old$"):
        record("gpu", Request("gemm"))
    unable = FakeInstrument(lesson_trace)
    unable.problem = "ptxas is not there"
    monkeypatch.setattr(recording, "PtxInstrument", lambda options: unable)
    runs(f"./host proc load gemm.ptx launch gemm; echo '{RIGHT}'")
    with pytest.raises(SourceError, match="gemm is not recorded: ptxas is not there"):
        record("gpu", Request("gemm"))


def test_without_a_gpu_nothing_is_run(monkeypatch: pytest.MonkeyPatch, runs: Callable[[str], list[list[str]]]) -> None:
    asked = runs("exit 0")

    def none() -> None:
        raise SourceError("this machine has no NVIDIA GPU", "no-gpu")

    monkeypatch.setattr(recording, "find_gpu", none)
    with pytest.raises(SourceError, match="this machine has no NVIDIA GPU"):
        record("gpu", Request("attention"))
    assert asked == []


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (Request("gemm", options={"size_k": 63}), "--k is 63; gemm takes multiples of 64, from 64 to 16384"),
        (Request("gemm", options={"size_n": 128}), "--n is 128; gemm takes multiples of 256"),
        (Request("gemm", options={"size_heads": 2}), "--heads applies to --program attention only"),
        (Request(None, options={"size_m": 128}), "--m applies to --program gemm, pingpong only"),
        (Request("gemm", {"stages": 1}), "--stages is 1; gemm takes 2 to 8"),
        (
            Request("gemm", {"stages": 5}),
            "--stages 5: gemm needs 279552 bytes of shared memory for so many stages",
        ),
        (Request("attention", {"k_stages": 4}), "--k-stages 4 --v-stages 3: attention needs 263168 bytes"),
        (
            Request("attention", {"stages": 3}),
            "--stages is fixed in kernels/attention.cu; on a GPU it takes --heads, --length, --k-stages, --v-stages",
        ),
        (Request("gemm", {"consumer_warps": 3}), "--consumer-warps is fixed in kernels/gemm.cu; on a GPU it takes --m"),
        (
            Request("attention", {"tiles": 3}),
            "--tiles is fixed in kernels/attention.cu; on a GPU it takes --heads, --leng",
        ),
        (Request("multicast", {"ctas": 6}), "--ctas is 6, which is no multiple of the cluster's 4 CTAs"),
        (Request("multicast", options={"size_cluster": 3}), "--cluster is 3; multicast takes 1, 2, 4"),
        (Request("gemm", options={"level": "words"}), "--program gemm on a GPU is always recorded whole"),
        (Request("gemm", options={"keep_last": 3}), "--program gemm on a GPU is always recorded whole"),
        (Request("gemm", options={"ab_pairs": 3}), "--ab is 3; it must be"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_words(request_: Request, said: str) -> None:
    with pytest.raises(SourceError, match=re.escape(said)):
        check("gpu", request_)


@pytest.mark.parametrize(("name", "fault"), [("gemm", "F48"), ("attention", "F31"), ("multicast", "F02")])
def test_a_mistake_that_it_does_not_have_is_refused(name: str, fault: str) -> None:
    possible = ", ".join(find_kernel(name).faults)
    with pytest.raises(ProgramError, match=f"--fault {fault} is none of {name}'s; it can have {possible}"):
        check("gpu", Request(name, fault=fault))


def test_sizes_are_the_simulators_no_business() -> None:
    with pytest.raises(SourceError, match="--m applies to --source gpu only"):
        check("simulator", Request("gemm", options={"size_m": 256}))
