"""PTX to a cubin with NVIDIA's ptxas, the newest that can be found: one older than the PTX refuses it.

Never the driver's own compiler: it keeps no line numbers, says nothing of registers, and works inside the program.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from visualizer.language import mark, tr
from visualizer.sources.errors import SourceError

INSTALL = mark('pip install "phasescope[attach]"')
_RELEASE = re.compile(r"release (\d+)\.(\d+)")
_REGISTERS = re.compile(r"Used (\d+) registers")
_SPILLS = re.compile(r"(\d+) bytes spill stores")
_ENTRY = re.compile(r"(\.entry\s+[\w$%]+(?:\s*\([^)]*\))?)")
_MOST_REGISTERS = re.compile(r"\.maxnreg\s+\d+")
_TOO_OLD = re.compile(r"Unsupported \.version (\S+); current version is '([^']+)'")
_WITHIN_PACKAGES = (
    "nvidia/cu13/bin/ptxas",
    "nvidia/cuda_nvcc/bin/ptxas",
    "triton/backends/nvidia/bin/ptxas",
    "triton/backends/nvidia/bin/ptxas-blackwell",  # the newer of two that Triton brings
)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A module of one kernel, ready to be loaded."""

    cubin: bytes
    registers: int  # of a thread
    spilled: int  # bytes of registers a thread stores to memory


def assemble(text: str, target: str, most_registers: int = 0) -> Assembled:
    """Assemble PTX for `target`, such as "sm_90a". `most_registers`: of a thread; 0: as many as the PTX allows.

    SourceError if there is no ptxas, if it is older than the PTX, or if the PTX is not valid.
    """
    ptxas = find_ptxas()
    with tempfile.TemporaryDirectory(prefix="phasescope-") as folder:
        source, cubin = Path(folder) / "twin.ptx", Path(folder) / "twin.cubin"
        limit = []
        if most_registers:
            text, limit = _limited(text, most_registers), [f"--maxrregcount={most_registers}"]
        source.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [ptxas, f"-arch={target}", "-v", "-lineinfo", *limit, str(source), "-o", str(cubin)],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        words = done.stderr + done.stdout
        if done.returncode:
            raise SourceError(_problem(ptxas, words))
        registers = max((int(number) for number in _REGISTERS.findall(words)), default=0)
        return Assembled(cubin.read_bytes(), registers, sum(int(number) for number in _SPILLS.findall(words)))


def _limited(text: str, most_registers: int) -> str:
    """The limit as a directive of the entries too: with launch bounds ptxas ignores the option [measured, 13.0]."""
    return _ENTRY.sub(rf"\1\n.maxnreg {most_registers}", _MOST_REGISTERS.sub("", text))


def _problem(ptxas: str, words: str) -> str:
    if (old := _TOO_OLD.search(words)) is not None:
        return tr(
            "{ptxas} knows PTX up to {known} and the kernel's is {version}: install a newer one: {install}",
            ptxas=ptxas,
            known=old[2],
            version=old[1],
            install=tr(INSTALL),
        )
    lines = [line for line in words.splitlines() if "error" in line or "fatal" in line] or words.splitlines() or [""]
    return tr("{ptxas} refuses the instrumented kernel: {problem}", ptxas=ptxas, problem=lines[0].strip())


@cache
def find_ptxas() -> str:
    """The newest ptxas of this computer. SourceError if there is none."""
    found = {path for path in map(str, _candidates()) if os.access(path, os.X_OK) and os.path.isfile(path)}
    if not found:
        raise SourceError(
            tr("no ptxas was found, which attach needs to assemble kernels: {install}", install=tr(INSTALL))
        )
    return max(sorted(found), key=_release)


def _candidates() -> list[Path]:
    places = [Path(named)] if (named := shutil.which("ptxas")) else []
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            places.append(Path(os.environ[variable]) / "bin" / "ptxas")
    places.append(Path("/usr/local/cuda/bin/ptxas"))
    for within in _WITHIN_PACKAGES:
        package = importlib.util.find_spec(within.split("/", 1)[0])
        for root in (package.submodule_search_locations or ()) if package else ():
            places.append(Path(root).parent / within)
    return places


def _release(ptxas: str) -> tuple[int, int]:
    """Its version; one that does not start is older than any."""
    try:
        words = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0, 0
    release = _RELEASE.search(words)
    return (int(release[1]), int(release[2])) if release else (0, 0)
