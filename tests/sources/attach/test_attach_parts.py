"""What a session is made of, one by one: refusals before anything runs, names, environment, the library, ptxas."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from visualizer.sources.attach import environment
from visualizer.sources.attach import ptxas as assembling
from visualizer.sources.attach.compiled import compiled_sources, with_line_numbers
from visualizer.sources.attach.environment import CACHES, COMPILED, kept_ptx, session_folder, watched_environment
from visualizer.sources.attach.kernel_names import demangled, short_name
from visualizer.sources.attach.kernels import Kernel, KernelBook
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.output_names import OutputNames
from visualizer.sources.attach.program import find_program
from visualizer.sources.attach.ptx_image import Ptx
from visualizer.sources.attach.ptxas import assemble, find_ptxas
from visualizer.sources.attach.recorded_launch import Origin, RecordedLaunch
from visualizer.sources.attach.shim_library import shim_library
from visualizer.sources.errors import SourceError

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ([], "attach needs the program to watch"),
        (["no-such-program"], "no-such-program: no such program"),
        (["./no-such-file"], "no such program"),
        (["./text"], "it is not executable"),
        (["./setuid"], "changes its user"),
        (["./static"], "linked statically"),
    ],
)
def test_programs_that_cannot_be_watched(tmp_path: Path, command: list[str], sentence: str) -> None:
    (tmp_path / "text").write_text("no program")
    (tmp_path / "setuid").write_text("#!/bin/sh\n")
    (tmp_path / "setuid").chmod(0o4755)
    head = bytearray(64 + 56)
    head[:5] = b"\x7fELF\x02"
    head[0x20] = 64  # where the program headers are: one, of kind 1
    head[0x36], head[0x38], head[64] = 56, 1, 1
    (tmp_path / "static").write_bytes(head)
    (tmp_path / "static").chmod(0o755)
    with pytest.raises(SourceError, match=sentence):
        find_program(command, ENVIRONMENT, tmp_path)


def test_scripts_and_programs_of_the_path_can_be_watched(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("#!/bin/sh\n")
    (tmp_path / "script").chmod(0o755)
    assert find_program(["./script"], ENVIRONMENT, tmp_path) == str(tmp_path / "script")
    assert find_program(["sh"], ENVIRONMENT, tmp_path) == shutil.which("sh", path=ENVIRONMENT["PATH"])


def test_the_environment_adds_and_never_takes_away(tmp_path: Path) -> None:
    given = {"LD_PRELOAD": "/lib/mine.so", "NVCC_APPEND_FLAGS": "-O1", "TRITON_CACHE_DIR": "/home/me/cache", "X": "y"}
    watched = watched_environment(given, Path("/cache/attach.so"), tmp_path)
    assert watched["LD_PRELOAD"] == "/cache/attach.so:/lib/mine.so"
    assert watched["NVCC_APPEND_FLAGS"] == "-O1 -lineinfo"
    assert watched["X"] == "y"
    assert given["TRITON_CACHE_DIR"] == "/home/me/cache"
    for name in CACHES:
        assert Path(watched[name]).parent == tmp_path
        assert Path(watched[name]).is_dir()


@pytest.mark.parametrize("given", [{"CUTE_DSL_DUMP_DIR": "/home/me"}, {"CUTE_DSL_KEEP": "sass"}, {}])
def test_cute_keeps_its_ptx_for_the_session_unless_the_user_has_it_keep_something(
    given: dict[str, str], tmp_path: Path
) -> None:
    watched = watched_environment(given, Path("/cache/attach.so"), tmp_path)
    kept = {name: value for name, value in watched.items() if name in ("CUTE_DSL_DUMP_DIR", "CUTE_DSL_KEEP")}
    assert kept == (given or {"CUTE_DSL_DUMP_DIR": str(tmp_path / "cute_dsl_dump_dir"), "CUTE_DSL_KEEP": "ptx,cubin"})
    assert (tmp_path / "cute_dsl_dump_dir").is_dir() != bool(given)


def test_a_sessions_folder_goes_with_it_and_takes_abandoned_ones_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "_LONGEST_BASE", 1000)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, text=True, check=True).stdout.strip()
    abandoned, other = tmp_path / f"phasescope-attach-{gone}-x", tmp_path / f"phasescope-attach-{os.getpid()}-x"
    abandoned.mkdir()
    other.mkdir()
    with session_folder() as folder:
        assert folder.parent == tmp_path
        (folder / "file").write_text("content")
        assert not abandoned.exists()
        assert other.exists()
    assert not folder.exists()


def test_where_temporary_files_lie_deep_the_folder_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with session_folder() as folder:
        assert len(str(folder / environment.SOCKET)) < 108


def test_ptx_that_a_framework_kept_beside_its_cubin(tmp_path: Path) -> None:
    cache = tmp_path / "triton_cache_dir" / "HASH"
    cache.mkdir(parents=True)
    (cache / "kernel.cubin").write_bytes(b"cubin")
    (cache / "kernel.ptx").write_bytes(b"ptx")
    (cache / "other.cubin").write_bytes(b"other")
    assert kept_ptx(tmp_path, b"cubin") == b"ptx"
    assert kept_ptx(tmp_path, b"other") == b""
    assert kept_ptx(tmp_path, b"cubic") == b""


WITH_LINES = """// made by a compiler
.version 9.0
.target sm_90a
.visible .entry gemm(
	.param .u64 p
)
{
	// begin inline asm
	.loc 1 7 0
	mbarrier.init.shared.b64 [%r1], 1;
	ret;
}
.file 1 "gemm.cu"
.section .debug_str
{
.b8 95,90
}
"""
WITHIN_CUBIN = """.version 9.0
.target sm_90a

.visible .entry gemm(
.param .u64 p
)
{

mbarrier.init.shared.b64 [%r1], 1;
ret;
}

.section .debug_str
{

}
"""


def test_what_compilers_are_given_while_a_program_is_watched_is_kept(tmp_path: Path) -> None:
    """By the library in them: whatever has another name leaves nothing."""
    compiler = shutil.which("cc") or "gcc"
    words = [compiler, "-x", "c", "-", "-o", tmp_path / "ptxas"]
    subprocess.run(words, input=b"int main(void) { return 0; }", check=True)
    for other in ("other", "cicc"):
        shutil.copy(tmp_path / "ptxas", tmp_path / other)
    (tmp_path / "gemm.ptx").write_text(WITH_LINES)
    (tmp_path / "gemm.cu").write_text("the source")
    session = tmp_path / "session"
    session.mkdir()
    watched = watched_environment(ENVIRONMENT, shim_library(tmp_path), session)
    source = ["--orig_src_path_name", tmp_path / "gemm.cu", "temporary.ii"]
    for program in ("other", "ptxas", "cicc"):
        for given in (["gemm.ptx", "-o", "gemm.ptx.ptx"], ["missing.ptx"], source, ["--orig_src_path_name"]):
            subprocess.run([tmp_path / program, *given], env=watched, cwd=tmp_path, check=True)
    (tmp_path / "gemm.cu").unlink()
    assert [kept.read_text() for kept in (session / COMPILED).glob("*.ptx")] == [WITH_LINES]
    assert compiled_sources(session) == {str(tmp_path / "gemm.cu"): "the source"}
    assert len(list((session / COMPILED).iterdir())) == 2


def test_a_module_without_line_numbers_is_known_again_in_what_the_assembler_was_given(tmp_path: Path) -> None:
    (tmp_path / COMPILED).mkdir()
    (tmp_path / COMPILED / "1.ptx").write_text(WITH_LINES.replace("gemm", "another"))
    (tmp_path / COMPILED / "2.ptx").write_text(WITH_LINES)
    (tmp_path / COMPILED / "3.source").write_text("/tmp/gemm.cu\nthe\nsource")
    bare, other = Ptx(WITHIN_CUBIN, "sm_90a", 90), Ptx(WITHIN_CUBIN.replace("1;", "2;"), "sm_90a", 90)
    assert with_line_numbers(bare, tmp_path) == Ptx(WITH_LINES, "sm_90a", 90)
    assert with_line_numbers(other, tmp_path) == other
    assert with_line_numbers(bare, tmp_path / "elsewhere") == bare
    kernels = KernelBook(AttachOptions(), tmp_path)
    kernel = kernels.with_image("gemm", "a program", WITHIN_CUBIN.encode(), 90, "a GPU")
    assert kernel.ptx == Ptx(WITH_LINES, "sm_90a", 90)
    assert kernel.sources == {"/tmp/gemm.cu": "the\nsource"}


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("gemm", "gemm"),
        ("_ZN7cutlass13device_kernelINS_4gemm6kernel4UnivEEEvNT_6ParamsE", "device_kernel"),
        ("_ZN2at6native12_GLOBAL__N_16reduceIfLi4EEEvPT_", "reduce"),
        ("_Z_not_mangled", "_Z_not_mangled"),
        ("x" * 90, "x" * 40),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert short_name(name) == short


def test_demangling() -> None:
    assert demangled("_Z4gemmPfi") == "gemm(float*, int)"
    assert demangled("_Z") == "_Z"


def launch(kernel: str, index: int = 0, rank: int | None = None) -> RecordedLaunch:
    return RecordedLaunch(0, Kernel(0, kernel, "", {}), Origin(1, rank), index, Shape((1, 1, 1), (32, 1, 1)), 64)


@pytest.mark.parametrize(
    ("options", "launches", "names"),
    [
        (AttachOptions(), [launch("a"), launch("b"), launch("a")], ["a", "b", "a.2"]),
        (AttachOptions(output=Path("o.pscope")), [launch("a"), launch("b"), launch("b")], ["o", "o.b", "o.b.2"]),
        (
            AttachOptions(output=Path("o"), launches=(3, 4)),
            [launch("a", 3), launch("a", 4)],
            ["o.launch3", "o.launch4"],
        ),
        (AttachOptions(output=Path("o.pscope")), [launch("a", 0, 1), launch("a", 0, 0)], ["o.rank1", "o.rank0"]),
    ],
)
def test_output_names(tmp_path: Path, options: AttachOptions, launches: list[RecordedLaunch], names: list[str]) -> None:
    given = OutputNames(options, tmp_path)
    assert [given.name(one).name for one in launches] == [f"{name}.pscope" for name in names]


@pytest.mark.parametrize("library", ["libcublasLt.so.13", "libcudnn_engines.so.9", "libnccl.so.2"])
def test_nvidias_own_libraries_are_left_alone(tmp_path: Path, library: str) -> None:
    kernels = KernelBook(AttachOptions(kernel="gemm"), tmp_path)
    kernel = kernels.without_image("sm90_gemm", f"/usr/lib/{library}")
    assert kernel is not None
    assert "left alone" in kernel.refusal
    assert not kernel.recordable
    assert KernelBook(AttachOptions(), tmp_path).without_image("sm90_gemm", f"/usr/lib/{library}") is not None
    assert kernels.without_image("sm90_gemm", "/usr/lib/libmine.so") is None


def test_a_kernel_whose_module_was_loaded_before(tmp_path: Path) -> None:
    assert "before it was watched" in KernelBook(AttachOptions(kernel="gemm"), tmp_path).unknown("gemm", "").refusal
    assert KernelBook(AttachOptions(), tmp_path).unknown("gemm", "").refusal == ""


def test_the_library_is_built_once(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    library = shim_library(tmp_path)
    built = library.stat().st_mtime_ns
    assert shim_library(tmp_path) == library
    assert library.stat().st_mtime_ns == built
    assert list(tmp_path.iterdir()) == [library]


def test_without_a_compiler_the_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(SourceError, match=r"no C compiler was found \(no-such-compiler\)"):
        shim_library(tmp_path)
    monkeypatch.setenv("CC", "false")
    with pytest.raises(SourceError, match="cannot build attach's library"):
        shim_library(tmp_path)
    assert list(tmp_path.iterdir()) == []


def ptxas(folder: Path, version: str, errors: str = "") -> str:
    """A stand-in that only knows its version, and what is wrong."""
    path = folder / "bin" / "ptxas"
    path.parent.mkdir(parents=True)
    path.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo "Cuda compilation tools, release {version}, V{version}.1" && exit\n'
        f'echo "{errors}" >&2\nexit 1\n'
    )
    path.chmod(0o755)
    return str(path)


def test_the_newest_ptxas_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ptxas(tmp_path / "old", "12.9")
    newest = ptxas(tmp_path / "new", "99.1", "ptxas fatal : Unsupported .version 99.2; current version is '99.1'")
    monkeypatch.setenv("PATH", f"{tmp_path / 'old' / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "new"))
    find_ptxas.cache_clear()
    try:
        assert find_ptxas() == newest
        with pytest.raises(SourceError, match=r"knows PTX up to 99\.1 and the kernel's is 99\.2"):
            assemble(".version 99.2", "sm_90a")
        monkeypatch.setattr(assembling, "_candidates", list)
        find_ptxas.cache_clear()
        with pytest.raises(SourceError, match="no ptxas was found"):
            find_ptxas()
    finally:
        find_ptxas.cache_clear()


def test_assembling() -> None:
    try:
        find_ptxas()
    except SourceError:
        pytest.skip("no ptxas")
    text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n"
    made = assemble(text, "sm_90a")
    assert made.cubin.startswith(b"\x7fELF")
    assert made.spilled == 0
    with pytest.raises(SourceError, match="refuses the instrumented kernel"):
        assemble(text.replace("ret;", "nonsense;"), "sm_90a")
