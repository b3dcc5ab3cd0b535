"""What a program's environment says while attach watches it: the preloaded library, line numbers, caches of its own.

Frameworks keep what they compiled. While they are watched they compile with line numbers, and find what an earlier
session compiled without; so each session has caches of its own, which go with it. The user's are neither read nor
written.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from visualizer.sources.attach.messages import ENVIRONMENT
from visualizer.sources.attach.ptx_image import holds

CACHES = (
    "CUPY_CACHE_DIR",
    "CUTE_DSL_CACHE_DIR",
    "DG_CACHE_DIR",  # DeepGEMM's first name for it
    "DG_JIT_CACHE_DIR",
    "DJ_JIT_CACHE_DIR",  # of what compiles DeepGEMM's kernels now, for whoever else uses it
    "FLASHINFER_WORKSPACE_BASE",
    "TILELANG_CACHE_DIR",
    "TORCHINDUCTOR_CACHE_DIR",
    "TORCH_EXTENSIONS_DIR",
    "TRITON_CACHE_DIR",
)
"""Variables that name a folder of what was compiled: of CuPy, CuTe DSL, DeepGEMM, FlashInfer, TileLang, PyTorch and
Triton."""
CUTE_DUMPS = "CUTE_DSL_DUMP_DIR"
_CUTE_KEEPS = {CUTE_DUMPS, "CUTE_DSL_KEEP"}
SOCKET = "socket"
COMPILED = "compiled"
"""The folder of what compilers that the program ran were given; the preloaded library is told of it by a variable."""
_COMPILED_VARIABLE = f"{ENVIRONMENT}_COMPILED"
_PREFIX = "phasescope-attach-"
_LONGEST_BASE = 60
"""Letters of the folder for temporary files: a socket's path may have 107 bytes in all."""


@contextmanager
def session_folder() -> Iterator[Path]:
    """A folder for one session, removed with it; those of sessions that were killed are removed too."""
    base = Path(tempfile.gettempdir())
    if len(str(base)) > _LONGEST_BASE:
        base = Path("/tmp")
    for old in base.glob(f"{_PREFIX}*"):
        if _is_abandoned(old):
            shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", dir=base, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _is_abandoned(folder: Path) -> bool:
    """Whether it is ours and the process that its name tells is gone."""
    pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
    try:
        return pid.isdigit() and folder.stat().st_uid == os.getuid() and not Path(f"/proc/{pid}").exists()
    except OSError:
        return False


def watched_environment(environment: Mapping[str, str], library: Path, folder: Path) -> dict[str, str]:
    """`environment` for a program that is watched: `library` preloaded, the server's socket and caches in `folder`."""
    preloaded = environment.get("LD_PRELOAD", "")
    flags = environment.get("NVCC_APPEND_FLAGS", "")
    watched = {
        **environment,
        ENVIRONMENT: str(folder / SOCKET),
        "LD_PRELOAD": f"{library}:{preloaded}" if preloaded else str(library),
        "NVCC_APPEND_FLAGS": f"{flags} -lineinfo".strip(),
        "CUTE_DSL_LINEINFO": "1",
        _COMPILED_VARIABLE: str(folder / COMPILED),
    }
    if not _CUTE_KEEPS.intersection(environment):  # else it keeps what the user wants, where he wants it
        watched["CUTE_DSL_KEEP"] = "ptx,cubin"
        watched[CUTE_DUMPS] = str(folder / CUTE_DUMPS.lower())
        Path(watched[CUTE_DUMPS]).mkdir(exist_ok=True)
    (folder / COMPILED).mkdir(exist_ok=True)
    for name in CACHES:
        cache = folder / name.lower()
        cache.mkdir(exist_ok=True)
        watched[name] = str(cache)
    return watched


def kept_ptx(folder: Path, image: bytes) -> bytes:
    """The PTX that a framework wrote beside this cubin, or beside one within this fat binary, in one of the session's
    caches; b"" if none did.

    Triton and CuTe DSL do: the PTX within their cubins has lost its line numbers.
    """
    for path in folder.rglob("*.cubin"):
        beside = path.with_suffix(".ptx")
        try:
            if 0 < path.stat().st_size <= len(image) and beside.exists() and holds(image, path.read_bytes()):
                return beside.read_bytes()
        except OSError:
            continue
    return b""
